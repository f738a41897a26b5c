# tests/x/test_y.c mirrors src/x/y.c: one program, one ctest entry named x/y.
# A test that cannot run prints a line starting with SKIP and exits 77: ctest reports it as skipped.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
add_compile_definitions(BEX_SOURCE_DIR="${PROJECT_SOURCE_DIR}" BEX_BINARY_DIR="${CMAKE_BINARY_DIR}")
file(GLOB BEX_TEST_SOURCES CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source IN LISTS BEX_TEST_SOURCES)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  set(target test_${folder}_${name})
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE tests)
  target_link_libraries(${target} PRIVATE bexlab PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
  add_test(NAME ${folder}/${name} COMMAND ${target})
  set_tests_properties(${folder}/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
    ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0)
endforeach()
