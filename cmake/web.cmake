# The playground (web/): its engine natively, as a library for its tests, and under Emscripten (preset web) as the
# WebAssembly module that web/build puts into the page.
if(BEX_F64) # pages compute in floats
  return()
endif()
file(GLOB BEX_WEB_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.c)

if(NOT EMSCRIPTEN)
  add_library(bexweb STATIC ${BEX_WEB_SOURCES})
  target_include_directories(bexweb PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(bexweb PUBLIC bexlab)
  add_executable(web_pack_demonstrations web/programs/pack_demonstrations.c)
  target_link_libraries(web_pack_demonstrations PRIVATE bexlab)
  return()
endif()

set(BEX_WEB_LAB_NAMES agent/actors/retrieval agent/actors/policy_actor data/neighbours data/dataset data/names
    data/window data/column_statistics theory/mdp theory/explorer theory/cloned)
# what the engine uses of the lab: files that need no library
list(TRANSFORM BEX_WEB_LAB_NAMES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.c" OUTPUT_VARIABLE BEX_WEB_LAB)
add_executable(playground ${BEX_WEB_SOURCES} ${BEX_WEB_LAB} ${PROJECT_SOURCE_DIR}/web/inih/ini.c
               ${PROJECT_SOURCE_DIR}/web/absent/pictures.c
               $<TARGET_OBJECTS:bex_core>)
target_include_directories(playground PRIVATE ${PROJECT_SOURCE_DIR} include src)
target_link_options(playground PRIVATE --no-entry -O3 -g0 -sMODULARIZE=1 -sEXPORT_NAME=makePlayground
  -sENVIRONMENT=web,worker,node -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=33554432 -sTOTAL_STACK=1048576
  -sFILESYSTEM=0 "-sEXPORTED_RUNTIME_METHODS=[\"UTF8ToString\",\"stringToUTF8\"]"
  "-sEXPORTED_FUNCTIONS=[\"_malloc\",\"_free\"]")
