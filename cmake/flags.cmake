# Warnings and optimisation flags, one place. Never -ffast-math, -Ofast or -fassociative-math:
# they make isfinite() lie and reorder sums (docs/design.md).
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
  -Wdouble-promotion -Wfloat-conversion -Wno-unknown-pragmas
  -Wno-format-truncation
  -fno-math-errno -fno-trapping-math)
add_compile_definitions(_POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
if(BEX_WERROR)
  add_compile_options(-Werror)
endif()
if(BEX_MARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64|aarch64")
  add_compile_options(-march=${BEX_MARCH})
endif()
if(EMSCRIPTEN)
  add_compile_options(-msimd128 -Wno-unknown-warning-option)
endif()
if(BEX_F64)
  add_compile_definitions(BEX_F64)
endif()
if(BEX_ARENA_MALLOC)
  add_compile_definitions(BEX_ARENA_MALLOC)
endif()
if(BEX_SANITIZE)
  add_compile_options(-fsanitize=${BEX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BEX_SANITIZE})
endif()
