# What `make install` gives: headers, libbex.so and .a, the program, a CMake package (bex::bex,
# bex::bex_static) and bex.pc; in share/bex the Python binding, the presets and the network that walks (cli/share.h).
# Everything is found relative to itself, so that --prefix and DESTDIR may differ from the configured prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(BEX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/bex)

install(TARGETS bex bex_static EXPORT bex
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(BEX_LAB)
  install(TARGETS bex-cli DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/bex FILES_MATCHING PATTERN "*.ini")
  # the playground, where `make web` was run (bex serve), and what it looks like (bex report)
  install(FILES build/web/playground.html docs/playground.gif DESTINATION ${CMAKE_INSTALL_DATADIR}/bex OPTIONAL)
  install(FILES models/ant-walker.safetensors DESTINATION ${CMAKE_INSTALL_DATADIR}/bex/models)
endif()
install(DIRECTORY include/bex DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY bindings/python/bex DESTINATION ${CMAKE_INSTALL_DATADIR}/bex/python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

install(FILES examples/robot_loop.c examples/be_in_one_file.c bindings/python/example_env.py bindings/python/newcomer.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bex/examples)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

install(EXPORT bex NAMESPACE bex:: FILE bexTargets.cmake DESTINATION ${BEX_CMAKE_DIR})
file(WRITE ${CMAKE_BINARY_DIR}/bexConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/bexTargets.cmake)\n")
# below 1.0 a minor version may break its users
write_basic_package_version_file(${CMAKE_BINARY_DIR}/bexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/bexConfig.cmake ${CMAKE_BINARY_DIR}/bexConfigVersion.cmake
  DESTINATION ${BEX_CMAKE_DIR})

file(RELATIVE_PATH BEX_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" BEX_PC_TO_PREFIX ${BEX_PC_TO_PREFIX})
list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND "-l" OUTPUT_VARIABLE BEX_PC_OPENMP)
list(JOIN BEX_PC_OPENMP " " BEX_PC_OPENMP)
configure_file(cmake/bex.pc.in bex.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/bex.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
