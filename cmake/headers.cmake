# Part of the check build: bex.h alone, strictly, as C and as C++, and every header of src/ and bench/
# as the first thing a file includes.
find_program(BEX_CXX NAMES g++ clang++ REQUIRED)
file(GLOB BEX_PUBLIC_HEADERS CONFIGURE_DEPENDS include/bex/*.h)
set(strict -pedantic -Wall -Wextra -Werror -fsyntax-only -I${PROJECT_SOURCE_DIR}/include)
foreach(header IN LISTS BEX_PUBLIC_HEADERS)
  get_filename_component(name ${header} NAME)
  add_custom_command(OUTPUT ${name}.checked DEPENDS ${header}
    COMMAND ${CMAKE_C_COMPILER} -std=c11 ${strict} -x c ${header}
    COMMAND ${BEX_CXX} -std=c++11 ${strict} -x c++ ${header}
    COMMAND ${CMAKE_COMMAND} -E touch ${name}.checked
    COMMENT "${name} alone, as C11 and C++11")
  list(APPEND BEX_CHECKED ${name}.checked)
endforeach()
add_custom_target(bex_public_headers ALL DEPENDS ${BEX_CHECKED})

file(GLOB_RECURSE BEX_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/*.h bench/*.h)
foreach(header IN LISTS BEX_HEADERS)
  string(REPLACE "/" "_" name ${header})
  string(REPLACE "." "_" name ${name})
  set(source ${CMAKE_BINARY_DIR}/headers/${name}.c)
  file(CONFIGURE OUTPUT ${source}
    CONTENT "#include \"${header}\"\n#include \"${header}\"\ntypedef int ${name}_stands_alone;\n")
  list(APPEND BEX_HEADER_SOURCES ${source})
endforeach()
add_library(bex_headers OBJECT ${BEX_HEADER_SOURCES})
target_link_libraries(bex_headers PRIVATE bexcli)
