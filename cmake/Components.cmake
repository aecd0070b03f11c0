# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Libraries, tools and the arrows between components.
#
# Every target belongs to a component and sees the public headers of its own
# component and of those that it links. Linking against an arrow that the table
# below does not list is an error when CMake configures, so the emulator cannot
# come to need MLIR, nor the compiler the emulator.

set(DRAWLOOM_MAY_USE_input "")
set(DRAWLOOM_MAY_USE_ptx input)
set(DRAWLOOM_MAY_USE_protocol input ptx)
set(DRAWLOOM_MAY_USE_emulator input ptx)
set(DRAWLOOM_MAY_USE_checker input emulator ptx)
set(DRAWLOOM_MAY_USE_cuda input checker emulator ptx)
set(DRAWLOOM_MAY_USE_compiler input)
set(DRAWLOOM_MAY_USE_runtime input)
set(DRAWLOOM_MAY_USE_cache input)
set(DRAWLOOM_MAY_USE_session input cache compiler runtime)
set(DRAWLOOM_MAY_USE_device "")
set(DRAWLOOM_MAY_USE_drawloom-c input cache compiler session runtime)
set(DRAWLOOM_MAY_USE_tools input ptx protocol emulator checker cuda compiler runtime cache session)
set(DRAWLOOM_MAY_USE_integration ${DRAWLOOM_MAY_USE_tools} tools)

# A component is the top-level folder of its name, but for these, which stand
# inside another.
set(DRAWLOOM_FOLDER_cache session/cache)
set(DRAWLOOM_FOLDER_drawloom-c bindings/c)
set(DRAWLOOM_FOLDER_protocol checker/protocol)

# The folder of a component.
function(drawloom_folder out component)
  set(folder ${component})
  if(DEFINED DRAWLOOM_FOLDER_${component})
    set(folder ${DRAWLOOM_FOLDER_${component}})
  endif()
  set(${out} ${folder} PARENT_SCOPE)
endfunction()

# The component that the calling CMakeLists.txt stands in.
function(drawloom_component out)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR
             BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
  string(REGEX REPLACE "/.*" "" component "${path}")
  foreach(inner cache drawloom-c protocol)
    if("${path}/" MATCHES "^${DRAWLOOM_FOLDER_${inner}}/")
      set(component ${inner})
    endif()
  endforeach()
  set(${out} ${component} PARENT_SCOPE)
endfunction()

# MLIR and LLVM as archives, of which a linker takes what is used. Upstream's
# own targets for MLIR's archives name the shared libLLVM, so these are files.
if("compiler" IN_LIST DRAWLOOM_COMPONENTS)
  add_library(DrawloomOwnMLIR INTERFACE)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  target_link_libraries(DrawloomOwnMLIR INTERFACE ${archives} z zstd)
endif()

# The emulator executes other people's code and the tools read other people's
# files, so every binary is position-independent, has read-only relocations that
# are bound at startup, and checks its stack frames and the sizes of what the C
# library copies. integration/packages/check_hardening.py looks for all of it.
# The sanitizers bring their own checks of the last two; clang's code is
# position-independent if nothing else is said.
set(DRAWLOOM_HARDENED_COMPILE "")
set(DRAWLOOM_HARDENED_LINK -Wl,-z,relro,-z,now
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
if(NOT DRAWLOOM_SANITIZE)
  list(APPEND DRAWLOOM_HARDENED_COMPILE
    -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

if(DRAWLOOM_SANITIZE)
  add_library(DrawloomSanitizerOptions OBJECT
    ${PROJECT_SOURCE_DIR}/cmake/sanitized/Options.cpp)
endif()

# Flags, headers and links that every target of ours has, and the precompiled
# header that it uses (see Precompiled.cmake).
function(drawloom_setup_target target)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "LINK" ${ARGN})
  drawloom_component(component)
  drawloom_folder(folder ${component})
  set_target_properties(${target} PROPERTIES DRAWLOOM_COMPONENT ${component})
  foreach(library IN LISTS ARG_LINK)
    if(TARGET ${library})
      get_target_property(other ${library} DRAWLOOM_COMPONENT)
      if(other AND NOT other STREQUAL component
         AND NOT other IN_LIST DRAWLOOM_MAY_USE_${component})
        message(FATAL_ERROR
          "${target} in ${component} links ${library} of ${other}: "
          "${component} may use only: ${DRAWLOOM_MAY_USE_${component}}")
      endif()
    endif()
  endforeach()
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include)
    foreach(tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
      target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${tree}/${folder}/include>)
    endforeach()
    target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:include>)
  endif()
  target_compile_options(${target} PUBLIC ${DRAWLOOM_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Werror -Wno-unused-parameter -fno-exceptions
    -Xclang -fno-pch-timestamp ${DRAWLOOM_HARDENED_COMPILE})
  target_link_options(${target} PRIVATE ${DRAWLOOM_HARDENED_LINK})
  if(DRAWLOOM_SANITIZE)
    target_compile_options(${target} PUBLIC
      -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_libraries(${target} PRIVATE DrawloomSanitizerOptions)
    endif()
  endif()
  # What is shipped has LLVM and MLIR in itself: see Install.cmake.
  set(own $<BOOL:$<TARGET_PROPERTY:DRAWLOOM_OWN_LLVM>>)
  list(TRANSFORM ARG_LINK REPLACE "^MLIR$" "$<IF:${own},DrawloomOwnMLIR,MLIR>"
       OUTPUT_VARIABLE libraries)
  target_link_libraries(${target} PUBLIC ${libraries} $<IF:${own},LLVMSupport,LLVM>)
  drawloom_use_precompiled(${target} "${ARG_PRECOMPILED}" "${ARG_LINK}")
  # Files that use MLIR instantiate and emit the same templates as their
  # neighbors: one unit of eight takes much less time than eight units. Other
  # tests repeat the names of their helpers.
  get_target_property(uses_mlir ${target} DRAWLOOM_USES_MLIR)
  get_target_property(type ${target} TYPE)
  if(DRAWLOOM_UNITY AND (uses_mlir OR type STREQUAL "STATIC_LIBRARY"))
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# drawloom_library(DrawloomPTX SOURCES a.cpp b.cpp [LINK DrawloomX]
#                  [DEPENDS IncGen] [PRECOMPILED DrawloomSupportPIC])
# Those in a component's lib folder are for others, too: see Install.cmake.
function(drawloom_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  drawloom_setup_target(${name} LINK ${ARG_LINK} PRECOMPILED "${ARG_PRECOMPILED}")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  drawloom_component(component)
  drawloom_folder(folder ${component})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/${folder}/lib(/|$)")
    drawloom_export(${name})
  endif()
endfunction()

# drawloom_tool(drawloom-opt SOURCES main.cpp [LINK DrawloomX])
function(drawloom_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  drawloom_setup_target(${name} LINK ${ARG_LINK})
endfunction()

# drawloom_reads(DrawloomPTX Quote.cpp Module.cpp): files of a target that take
# hostile texts. They see the headers of input/; who links the
# target doesn't, and the rest of it needn't be compiled again when they change.
function(drawloom_reads target)
  target_link_libraries(${target} PUBLIC $<LINK_ONLY:DrawloomInput>)
  set_source_files_properties(${ARGN} PROPERTIES
    INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/input/include)
endfunction()

# drawloom_alone(TensorMemory.cpp): files of this folder that are a unit of their
# own in a unity build, because their static names are those of a neighbor.
function(drawloom_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# drawloom_calls_by_name(target): it calls functions that it found by name, with
# its own declarations of them. Their types agree in the ABI, not in C++, which
# is what the sanitizer would compare.
function(drawloom_calls_by_name target)
  if(DRAWLOOM_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=function)
  endif()
endfunction()
