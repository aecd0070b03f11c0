# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's packages: `cpack -G DEB` in the build folder packs what is built.
# They need Debian's libraries, so the component `private` isn't in them.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(FILES LICENSE DESTINATION share/doc/drawloom RENAME copyright
  COMPONENT compiler)
install(FILES LICENSE DESTINATION share/doc/drawloom-emulator RENAME copyright
  COMPONENT emulator)
install(FILES LICENSE DESTINATION share/doc/libdrawloom-dev RENAME copyright
  COMPONENT development)
# What the help of each verb names (tools/drawloom/CommandLine.h).
install(DIRECTORY examples/run examples/check COMPONENT emulator
  DESTINATION share/drawloom/examples
  FILES_MATCHING PATTERN *.ptx PATTERN *.json PATTERN *.npy)
install(DIRECTORY examples/ COMPONENT compiler
  DESTINATION share/drawloom/examples
  FILES_MATCHING PATTERN *.mlir
  PATTERN check EXCLUDE PATTERN cpp EXCLUDE PATTERN guides EXCLUDE
  PATTERN jax EXCLUDE PATTERN nvvm EXCLUDE PATTERN python EXCLUDE
  PATTERN repository EXCLUDE PATTERN run EXCLUDE PATTERN torch EXCLUDE)
install(FILES examples/sweep/release.toml examples/sweep/formulas.py
  DESTINATION share/drawloom/examples/sweep COMPONENT compiler)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME drawloom)
set(CPACK_PACKAGE_VENDOR "The Drawloom project")
set(CPACK_PACKAGE_CONTACT "The Drawloom project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL emulator compiler development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Ours, which no package of Debian's has.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
  ${PROJECT_BINARY_DIR}/${DRAWLOOM_LIBRARY_FOLDER})
set(CPACK_DEBIAN_EMULATOR_PACKAGE_NAME drawloom-emulator)
set(CPACK_COMPONENT_EMULATOR_DESCRIPTION
  "Runs CUDA kernels for Hopper and Blackwell without a GPU")
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME drawloom)
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
  "A compiler for warp-specialized GPU kernels that explains its plans")
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS
  "drawloom-emulator (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdrawloom-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers and archives of Drawloom, for find_package(Drawloom)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "llvm-${LLVM_VERSION_MAJOR}-dev, libmlir-${LLVM_VERSION_MAJOR}-dev, libdnnl-dev, liblz4-dev")
include(CPack)
