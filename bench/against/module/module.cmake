# Adds a loadable module of a revision's candidates to that revision's own build. Passed as
# CMAKE_PROJECT_INCLUDE, it runs at the end of project(), so the revision needs no knowledge of it.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# Set before any target exists. Hidden symbols keep -fPIC from costing the kernels anything: calls
# and constants inside the module are reached as they are in a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# As in the present build, so that identical code lies alike in cache lines on both sides.
add_compile_options(-falign-functions=64)
set(SWITCHYARD_AGAINST_MODULE "${CMAKE_CURRENT_LIST_DIR}")

function(switchyard_add_against_module)
  add_library(switchyard_against MODULE "${SWITCHYARD_AGAINST_MODULE}/module.cpp")
  set_target_properties(switchyard_against PROPERTIES
    PREFIX "" OUTPUT_NAME candidates SUFFIX .so LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(switchyard_against PRIVATE switchyard_candidates)
  # One symbol goes out, and none of ours comes in from the program that loads the module.
  target_link_options(switchyard_against PRIVATE
    -Wl,-Bsymbolic "-Wl,--version-script=${SWITCHYARD_AGAINST_MODULE}/module.map")
endfunction()

# After the revision's own targets.
cmake_language(DEFER CALL switchyard_add_against_module)
