# Sources are found by folder: a new file needs no edit here.
function(bex_sources out)
  set(files)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS src/${folder}/*.c)
    list(APPEND files ${found})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# one object library, compiled once, feeds the shared and the static libbex
bex_sources(BEX_CORE_SOURCES base kernel nn model coverage policy api)
add_library(bex_core OBJECT ${BEX_CORE_SOURCES})
target_include_directories(bex_core PUBLIC include src)
target_compile_definitions(bex_core PRIVATE BEX_BUILDING BEX_VERSION="${PROJECT_VERSION}")
target_compile_options(bex_core PRIVATE -fvisibility=hidden)
target_link_libraries(bex_core PUBLIC ${BEX_THREADS} PkgConfig::INIH m)
# kernels want fused multiply-add; elsewhere -std=c11 keeps products and sums apart
file(GLOB_RECURSE BEX_KERNEL_SOURCES CONFIGURE_DEPENDS src/kernel/*.c)
list(APPEND BEX_KERNEL_SOURCES src/coverage/gram.c src/coverage/coverage.c)
set_source_files_properties(${BEX_KERNEL_SOURCES} PROPERTIES COMPILE_OPTIONS "-ffp-contract=fast")
if(EMSCRIPTEN)
  include(cmake/web.cmake)
  return()
endif()

add_library(bex SHARED $<TARGET_OBJECTS:bex_core>)
set_target_properties(bex PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
target_include_directories(bex PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                      $<INSTALL_INTERFACE:include>)
target_link_libraries(bex PRIVATE ${BEX_THREADS} PkgConfig::INIH m)

add_library(bex_static STATIC $<TARGET_OBJECTS:bex_core>)
set_target_properties(bex_static PROPERTIES OUTPUT_NAME bex)
target_include_directories(bex_static PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                             $<INSTALL_INTERFACE:include>)
# an installed libbex.a names plain libraries: its user needs neither FindOpenMP nor pkg-config
target_link_libraries(bex_static PUBLIC
  $<BUILD_INTERFACE:${BEX_THREADS}> $<BUILD_INTERFACE:PkgConfig::INIH> $<INSTALL_INTERFACE:inih>
  "$<INSTALL_INTERFACE:${OpenMP_C_LIB_NAMES}>" m)
if(NOT BEX_LAB)
  return()
endif()

bex_sources(BEX_LAB_SOURCES host theory data env demo agent suggest check run record explore draw show report serve)
add_library(bexlab STATIC ${BEX_LAB_SOURCES})
target_link_libraries(bexlab PUBLIC bex_static PkgConfig::JANSSON PkgConfig::EXPAT ${BEX_OPTIONAL})
target_compile_definitions(bexlab PRIVATE BEX_VERSION="${PROJECT_VERSION}")
# these alone look into the source tree: the others compile to the same wherever it lies, so a compiler cache serves
# every clone
set_source_files_properties(src/host/share.c bench/bench.c bench/workload.c PROPERTIES COMPILE_DEFINITIONS
  "BEX_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
# what `bex doctor` tells of the build: the flags that change code, not the warnings
string(TOUPPER "${CMAKE_BUILD_TYPE}" BEX_TYPE)
get_directory_property(BEX_FLAGS COMPILE_OPTIONS)
list(FILTER BEX_FLAGS EXCLUDE REGEX "^-W")
list(JOIN BEX_FLAGS " " BEX_FLAGS)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${BEX_TYPE}} ${BEX_FLAGS}" BEX_FLAGS)
set_source_files_properties(src/run/machine.c PROPERTIES COMPILE_DEFINITIONS
  "BEX_BUILD_FLAGS=\"${BEX_FLAGS}\";BEX_INIH_VERSION=\"${INIH_VERSION}\"")

# the commit, for provenance.json of a run
add_custom_target(bex_commit BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/run/commit.h
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUT=${CMAKE_BINARY_DIR}/generated/run/commit.h
          -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(bexlab bex_commit)
target_include_directories(bexlab PRIVATE ${CMAKE_BINARY_DIR}/generated)

# models/NAME.xml becomes `static const char NAME_xml[]` in generated/env/NAME_xml.h: an installed bex
# needs no file beside it
foreach(model kitchen)
  set(file ${PROJECT_SOURCE_DIR}/models/${model}.xml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/env/${model}_xml.h
    CONTENT "static const char ${model}_xml[] = {${bytes}0};\n")
endforeach()

# models/tabletop: all files in one table, generated/env/tabletop_models.h
file(GLOB BEX_TABLETOP CONFIGURE_DEPENDS models/tabletop/*.xml models/tabletop/*.bddl)
set(table "typedef struct embedded { const char *name, *text; } embedded;\n")
set(rows "")
foreach(file IN LISTS BEX_TABLETOP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND table "static const char ${symbol}[] = {${bytes}0};\n")
  string(APPEND rows "{\"${name}\", ${symbol}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/env/tabletop_models.h
  CONTENT "${table}static const embedded tabletop_models[] = {${rows}};\n")

# the commands as a library of their own, so that tests can link them
file(GLOB BEX_CLI_SOURCES CONFIGURE_DEPENDS src/cli/*.c bench/*.c)
list(REMOVE_ITEM BEX_CLI_SOURCES ${PROJECT_SOURCE_DIR}/src/cli/main.c)
add_library(bexcli STATIC ${BEX_CLI_SOURCES})
target_include_directories(bexcli PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(bexcli PUBLIC bexlab)
target_compile_definitions(bexcli PRIVATE BEX_VERSION="${PROJECT_VERSION}")
add_executable(bex-cli src/cli/main.c)
set_target_properties(bex-cli PROPERTIES OUTPUT_NAME bex RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
target_link_libraries(bex-cli PRIVATE bexcli)
target_compile_definitions(bex-cli PRIVATE BEX_VERSION="${PROJECT_VERSION}")
include(cmake/web.cmake)
