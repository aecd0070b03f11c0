# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Precompiled headers. Most of the time that a file takes is LLVM's and MLIR's
# headers, so they are parsed once for all targets with the same options.
#
# ccache does not keep the precompiled file: it names its build folder, and
# making it again takes less than a minute. It keeps the objects, and finds them
# from any folder: what it compares is the checksum that is written here, of our
# list of headers, those of ours that are in it, and the version of LLVM.

# CMake's own options pass the header's name as well, in a form that ccache does
# not rewrite; the precompiled file alone is enough.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)

# drawloom_precompiled(DrawloomSupport Support.h [LINK GTest::gtest]
#                      [OWN a.h b.td] [PIC])
# A target for others to name after PRECOMPILED. It has no code of its own. OWN
# are the files of this repository that the header includes or is made from.
function(drawloom_precompiled name header)
  cmake_parse_arguments(ARG "PIC" "" "LINK;OWN" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/cmake/precompiled)
  add_library(${name} STATIC ${folder}/Precompiled.cpp)
  drawloom_setup_target(${name} LINK ${ARG_LINK} PRECOMPILED NONE)
  target_precompile_headers(${name} PRIVATE ${folder}/${header})
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ${ARG_PIC} CXX_COMPILER_LAUNCHER "")
  # Testing.h includes Support.h.
  set(lists ${folder}/Support.h ${folder}/${header} ${ARG_OWN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lists})
  set(checksum "LLVM ${LLVM_PACKAGE_VERSION}")
  foreach(list IN LISTS lists)
    file(SHA256 ${list} sum)
    string(APPEND checksum " ${sum}")
  endforeach()
  file(CONFIGURE OUTPUT CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
    CONTENT "${checksum}")
endfunction()

# A target that names none uses the dialects if it links MLIR, itself or
# through a library of ours, and GoogleTest's header if it is a test.
function(drawloom_use_precompiled target precompiled libraries)
  set(uses_mlir OFF)
  foreach(library IN LISTS libraries)
    set(library_uses_mlir OFF)
    if(TARGET ${library})
      get_target_property(library_uses_mlir ${library} DRAWLOOM_USES_MLIR)
    endif()
    if(library STREQUAL MLIR OR library_uses_mlir)
      set(uses_mlir ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES DRAWLOOM_USES_MLIR ${uses_mlir})
  # Optimizing the compiler for the sanitizers takes longer than its tests do
  # without.
  if(DRAWLOOM_SANITIZE AND uses_mlir)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(precompiled STREQUAL "" AND uses_mlir)
    set(precompiled DrawloomDialects)
  elseif(precompiled STREQUAL "" AND GTest::gtest IN_LIST libraries)
    set(precompiled DrawloomTesting)
  elseif(precompiled STREQUAL "")
    set(precompiled DrawloomSupport)
  endif()
  if(TARGET ${precompiled})
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

drawloom_precompiled(DrawloomSupport Support.h)
drawloom_precompiled(DrawloomSupportPIC Support.h PIC)
drawloom_precompiled(DrawloomTesting Testing.h LINK GTest::gtest)
if("compiler" IN_LIST DRAWLOOM_COMPONENTS)
  # The headers of our dialects include one another and what a target is.
  set(include ${PROJECT_SOURCE_DIR}/compiler/include/drawloom)
  file(GLOB own CONFIGURE_DEPENDS ${include}/Dialect/*/IR/* ${include}/Target/*.h)
  drawloom_precompiled(DrawloomDialects Dialects.h LINK MLIR OWN ${own})
  target_include_directories(DrawloomDialects PRIVATE
    ${PROJECT_SOURCE_DIR}/compiler/include ${PROJECT_BINARY_DIR}/compiler/include)
  add_dependencies(DrawloomDialects DrawloomTileIncGen DrawloomAgentIncGen)
endif()
