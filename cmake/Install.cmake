# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is installed, and where:
#
#   component     what                                    where
#   emulator      libcuda.so.1, libcudart.so.13, ptxas,   lib/drawloom
#                 libdrawloom-driver.so.1
#                 a driver for Triton                     lib/drawloom/python
#                 drawloom-run                            bin
#   compiler      drawloom                                bin
#                 libdrawloom-c.so.1                      lib/drawloom
#   private       the shared libraries that these need    lib/drawloom/private
#   development   headers, archives, find_package files   include, lib/drawloom
#
# The build tree has the same shape, so commands find the libraries in one way.
# lib/drawloom is on no search path: only `drawloom run` puts it there. So
# what others have under the same name, such as OpenMP, is not in it but below.
#
# Wheels have the first three (bindings/python); Debian's package needs Debian's
# libraries instead of private ones.
include(GNUInstallDirs)
set(DRAWLOOM_LIBRARY_FOLDER lib/drawloom)
set(DRAWLOOM_PACKAGE_FOLDER ${DRAWLOOM_LIBRARY_FOLDER}/cmake)

# What LLVM's archives take from a newer system than the oldest that we run on.
add_library(DrawloomShipped OBJECT cmake/shipped/Arc4Random.cpp)
set_target_properties(DrawloomShipped PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(DrawloomShipped PRIVATE ${DRAWLOOM_HARDENED_COMPILE})

# drawloom_ship(target COMPONENT emulator): installs it, and makes it run on
# machines that have none of what it was built with. It has what it uses of LLVM,
# MLIR, the C++ library and the compression libraries in itself, and shows none
# of it: a second libLLVM in the process, as in Triton's library, shares symbols
# with the first, and the shared MLIR takes longer to load than a kernel takes to
# plan.
function(drawloom_ship target)
  cmake_parse_arguments(ARG "" "COMPONENT" "" ${ARGN})
  set_target_properties(${target} PROPERTIES
    DRAWLOOM_OWN_LLVM ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${DRAWLOOM_LIBRARY_FOLDER})
  target_link_options(${target} PRIVATE -Wl,--gc-sections,--as-needed)
  if(NOT DRAWLOOM_SANITIZE)
    target_link_libraries(${target} PRIVATE DrawloomShipped)
    target_link_options(${target} PRIVATE
      -static-libstdc++ -Wl,--exclude-libs,ALL
      -l:libz.a -l:libzstd.a -l:liblz4.a)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(folders "$ORIGIN/../${DRAWLOOM_LIBRARY_FOLDER}/private")
  else()
    set(folders "$ORIGIN;$ORIGIN/private")
  endif()
  # In the build tree, too: one of its own would end with an empty entry, by which
  # CMake finds it again, and a loader takes that for the current folder.
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "${folders}" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${target}
    RUNTIME DESTINATION bin COMPONENT ${ARG_COMPONENT}
    LIBRARY DESTINATION ${DRAWLOOM_LIBRARY_FOLDER} COMPONENT ${ARG_COMPONENT}
            NAMELINK_SKIP)
endfunction()

# drawloom_private_library(libgomp.so.1): what shipped targets need beside them,
# from the host that builds.
function(drawloom_private_library name)
  find_library(DRAWLOOM_PRIVATE_${name} ${name} REQUIRED)
  file(REAL_PATH ${DRAWLOOM_PRIVATE_${name}} file)
  install(PROGRAMS ${file} RENAME ${name} COMPONENT private EXCLUDE_FROM_ALL
    DESTINATION ${DRAWLOOM_LIBRARY_FOLDER}/private)
endfunction()

# drawloom_export(DrawloomRuntime): others link it as Drawloom::Runtime.
function(drawloom_export target)
  string(REGEX REPLACE "^Drawloom" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT DrawloomTargets COMPONENT development
    ARCHIVE DESTINATION ${DRAWLOOM_LIBRARY_FOLDER})
endfunction()

# The files of find_package(Drawloom), and the headers of all components. Called
# when every target is known.
function(drawloom_install_package)
  include(CMakePackageConfigHelpers)
  configure_package_config_file(cmake/DrawloomConfig.cmake.in
    ${PROJECT_BINARY_DIR}/${DRAWLOOM_PACKAGE_FOLDER}/DrawloomConfig.cmake
    INSTALL_DESTINATION ${DRAWLOOM_PACKAGE_FOLDER})
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/${DRAWLOOM_PACKAGE_FOLDER}/DrawloomConfigVersion.cmake
    COMPATIBILITY ExactVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/${DRAWLOOM_PACKAGE_FOLDER}/DrawloomConfig.cmake
    ${PROJECT_BINARY_DIR}/${DRAWLOOM_PACKAGE_FOLDER}/DrawloomConfigVersion.cmake
    DESTINATION ${DRAWLOOM_PACKAGE_FOLDER} COMPONENT development)
  install(EXPORT DrawloomTargets NAMESPACE Drawloom:: COMPONENT development
    DESTINATION ${DRAWLOOM_PACKAGE_FOLDER})
  foreach(component IN LISTS DRAWLOOM_COMPONENTS)
    drawloom_folder(folder ${component})
    foreach(tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
      install(DIRECTORY ${tree}/${folder}/include/drawloom OPTIONAL
        DESTINATION include COMPONENT development
        FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN *.td PATTERN *.inc)
    endforeach()
  endforeach()
endfunction()
