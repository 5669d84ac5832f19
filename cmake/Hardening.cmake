# Flags that turn memory errors into a safe end of the program: a position-independent executable, relocations that are
# read-only from the start, checks of stack and buffers, and local variables that begin as zeros. tests/package checks
# the command's ELF header for them.
option(PORTATUNE_HARDENING "Flags that turn memory errors into a safe end of the program" ON)
include(CheckPIESupported)
check_pie_supported()
if(PORTATUNE_HARDENING AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT PORTATUNE_FUZZ AND NOT PORTATUNE_SANITIZE)
  set(PORTATUNE_HARDENED TRUE)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
  # Functions of libc that know the size of what they write to; they need optimisation.
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
