# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How a test is declared: GoogleTest binaries, and one lit suite for a folder.

find_package(GTest REQUIRED)
include(GoogleTest)

# What was compiled before tells nothing about the compiler of today: tests use
# no cache of compiled kernels, but for those that are about it.
file(WRITE ${PROJECT_BINARY_DIR}/WithoutCache.cmake
  "set(ENV{DRAWLOOM_NO_CACHE} 1)\n")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
  TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/WithoutCache.cmake)

# drawloom_unittest(PTXTests SOURCES a.cpp [LINK DrawloomPTX] [EXCEPT *Slow*])
# Every TEST in it is a ctest of its own, labeled with its component, but those
# that match EXCEPT: the caller declares them, with more labels.
function(drawloom_unittest name)
  cmake_parse_arguments(ARG "" "EXCEPT" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  drawloom_setup_target(${name} LINK ${ARG_LINK} GTest::gtest GTest::gtest_main)
  drawloom_component(component)
  if(ARG_EXCEPT)
    set(filter TEST_FILTER -${ARG_EXCEPT})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${component}. ${filter}
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${component})
endfunction()

# drawloom_lit_suite(compiler TOOLS drawloom-opt ... [OPTIONS --filter ...])
# The lit tests below the calling folder. utils/lit/drawloom_lit.py holds what
# all suites share; the folder's lit.cfg.py is two lines.
function(drawloom_lit_suite name)
  cmake_parse_arguments(ARG "" "" "TOOLS;OPTIONS" ${ARGN})
  drawloom_component(component)
  add_test(NAME lit.${name}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/lit -v
            -Dbuild=${PROJECT_BINARY_DIR}
            --xunit-xml-output=${PROJECT_BINARY_DIR}/lit-${name}.xml
            ${ARG_OPTIONS} ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(lit.${name} PROPERTIES LABELS "lit;${component}"
    TIMEOUT 1200
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${PROJECT_SOURCE_DIR}/utils/lit;DRAWLOOM_BUILD=${PROJECT_BINARY_DIR}")
  add_custom_target(check-${name}
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${PROJECT_BINARY_DIR}
            -R "^lit.${name}$" --output-on-failure
    DEPENDS ${ARG_TOOLS} USES_TERMINAL)
endfunction()
