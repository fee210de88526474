# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings for every target, and the two functions that define one:
#   batchwise_library(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])   one folder of the layer chain
#   batchwise_test(NAME SOURCES ... [LINK ...] [DEFINITIONS ...] [DEPENDS TARGET ...] [TIMEOUT sec] [ALONE])
#                                                                    one GoogleTest program, registered with CTest
include_guard(GLOBAL)
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# What users and CI build (Release) has no debug information: it makes programs ten times as large. Assertions stay: what is
# tested is what runs. Line tables are enough for stack traces and keep LibTorch translation units small.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

find_program(BATCHWISE_CCACHE ccache)
if(BATCHWISE_CCACHE)
  # Precompiled headers need the first setting; the others let build folders of one checkout share their results.
  set(batchwise_launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${BATCHWISE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${batchwise_launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${batchwise_launcher})
endif()
find_program(BATCHWISE_MOLD mold)
if(BATCHWISE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# The files of a library are compiled as one, so are the tests of a folder: a build from nothing takes a third of the time,
# for which headers are read once. The preset `files` compiles each on its own: after a change only that one.
option(BATCHWISE_UNITY "Compile the files of each target together" OFF)
if(BATCHWISE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Types of an anonymous namespace inside a private implementation: right in one file, suspicious in an included one.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  else()
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")  # or ccache never finds it again
  endif()
endif()

# Files that are compiled on their own even then, because they give the same names to their inner parts as others do.
function(batchwise_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Files in which tests spend their time: optimized even where the others are not.
function(batchwise_compile_optimized)
  if(BATCHWISE_UNITY)
    batchwise_compile_alone(${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2)
  endif()
endfunction()

find_package(Threads REQUIRED)

add_library(batchwise_flags INTERFACE)
target_include_directories(batchwise_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(batchwise_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion -Werror>
  # Members that are used without the mutex which core/base/mutex.h names: clang alone can tell.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
  # g++ 12 reports std::string's own copies under -Wrestrict (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
target_compile_definitions(batchwise_flags INTERFACE _GLIBCXX_ASSERTIONS BATCHWISE_VERSION="${PROJECT_VERSION}")
target_link_libraries(batchwise_flags INTERFACE Threads::Threads)
if(BATCHWISE_SANITIZE)
  # vptr checks need the run-time types of libraries that are built without them. Those of null, alignment and object size
  # stand at each access to a member and take a third of the whole build: the address sanitizer stops at most of what null and
  # object size find; alignment is checked in the emulated kernels alone. What the sanitizers insert makes g++ 12 see uninitialized values
  # inside <regex>.
  set(batchwise_sanitize -fsanitize=${BATCHWISE_SANITIZE} -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND batchwise_sanitize -Wno-maybe-uninitialized)
  endif()
  if(BATCHWISE_SANITIZE MATCHES "undefined")
    list(APPEND batchwise_sanitize -fno-sanitize=vptr,null,alignment,object-size -fno-sanitize-recover=all)
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # compiled in two thirds of the time
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${batchwise_sanitize}>")
  add_link_options(${batchwise_sanitize})
endif()

# What most tests include, read once. Tests are compiled more often than they run: without optimization.
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/common_headers.cpp" CONTENT "// A target needs a source.\n")
add_library(batchwise_common_headers STATIC "${CMAKE_BINARY_DIR}/common_headers.cpp")
target_link_libraries(batchwise_common_headers PRIVATE batchwise_flags nlohmann_json::nlohmann_json)
target_precompile_headers(batchwise_common_headers PRIVATE
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <deque> <filesystem> <fstream> <functional> <map> <memory>
  <mutex> <numeric> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <unordered_map>
  <variant> <vector> <nlohmann/json.hpp> <gmock/gmock.h>)
target_compile_definitions(batchwise_common_headers PRIVATE GTEST_HAS_PTHREAD=1)
target_compile_options(batchwise_common_headers PRIVATE -O0 -fPIC)
set_target_properties(batchwise_common_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
function(batchwise_compile_as_test target)
  target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)  # as GTest asks, also of those without it
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0> $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # -fPIC for libraries and programs alike
  target_precompile_headers(${target} REUSE_FROM batchwise_common_headers)
endfunction()

function(batchwise_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC batchwise_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# With BATCHWISE_UNITY the programs of a folder are one, FOLDER_tests (those with LibTorch's headers: FOLDER_torch_tests);
# not those that are ALONE because they replace something of the whole process, as calls of the system, or need the machine
# for themselves. `program`, set for the caller: the target.
function(batchwise_test name)
  cmake_parse_arguments(ARG "ALONE;TORCH" "TIMEOUT" "SOURCES;LINK;DEFINITIONS;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set(program ${name})
  if(BATCHWISE_UNITY AND NOT ARG_ALONE)
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    set(program ${folder}_tests)
    if(ARG_TORCH)
      set(program ${folder}_torch_tests)
    endif()
    set(ARG_TIMEOUT 1800)  # of all of them together
  endif()
  set(program ${program} PARENT_SCOPE)
  if(NOT TARGET ${program})
    add_executable(${program})
    target_link_libraries(${program} PRIVATE batchwise_flags)  # first: LibTorch's switch warnings off again
    if(ARG_TORCH)
      batchwise_torch_sources(${program})  # optimized, as the header is that is compiled once
    else()
      batchwise_compile_as_test(${program})
    endif()
    add_test(NAME ${program} COMMAND ${program})
  endif()
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LINK} batchwise_test_support GTest::gmock_main)
  target_compile_definitions(${program} PRIVATE ${ARG_DEFINITIONS})
  set_tests_properties(${program} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT})  # the longest begin first
  if(ARG_DEPENDS)
    add_dependencies(${program} ${ARG_DEPENDS})
  endif()
endfunction()
