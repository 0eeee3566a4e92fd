# Cross-compiles for 64-bit Arm with Debian's compiler and its arm64 libraries; programs that the
# build or a test starts run under qemu-user. See scripts/check_neon.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# Debian keeps an architecture's libraries beside the others', where CMake looks by itself, but
# pkg-config has to be told.
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig")
