# Writes OUT, a C++ file with the text of each file of PARTS ("name=path;…") as a constant.
#
#   cmake -D OUT=FILE "-D PARTS=kPageHtml=page.html;…" -P embed.cmake

set(mark "switchyard") # of the raw strings; must not occur behind a parenthesis in any file
set(code "#include \"bench/report/parts.hpp\"\n\nnamespace switchyard::report {\n")
foreach(part IN LISTS PARTS)
  string(REGEX MATCH "^([^=]+)=(.+)$" matched "${part}")
  set(name "${CMAKE_MATCH_1}")
  set(file "${CMAKE_MATCH_2}")
  file(READ "${file}" text)
  string(FIND "${text}" ")${mark}\"" found)
  string(TOLOWER "${text}" lower)
  string(FIND "${lower}" "</script" closing)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file}: holds the end mark of a raw string")
  elseif(file MATCHES "\\.js$" AND NOT closing EQUAL -1)
    message(FATAL_ERROR "${file}: would end the <script> element that it is put into")
  endif()
  string(APPEND code
    "\nconst std::string_view ${name} = R\"${mark}(${text})${mark}\";\n")
endforeach()
string(APPEND code "\n} // namespace switchyard::report\n")
file(WRITE "${OUT}" "${code}")
