# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings for every target, and the two functions that define one:
#   batchwise_library(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])   one folder of the layer chain
#   batchwise_test(NAME SOURCES ... [LINK ...] [TIMEOUT sec])         one GoogleTest program, registered with CTest
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
# Line tables are enough for stack traces and keep LibTorch translation units small.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

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

# The files of a folder in one: half the time of a build from nothing, and more than needed for daily work.
option(BATCHWISE_UNITY "Compile the files of each target together" OFF)
if(BATCHWISE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
  # Types of an anonymous namespace inside a private implementation: right in one file, suspicious in an included one.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()


# Files that are compiled on their own even then, because they give the same names to their inner parts as others do.
function(batchwise_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

find_package(Threads REQUIRED)

add_library(batchwise_flags INTERFACE)
target_include_directories(batchwise_flags INTERFACE "${CMAKE_SOURCE_DIR}")
# g++ 12 reports std::string's own copies under -Wrestrict (GCC bug 105651).
target_compile_options(batchwise_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion -Wno-restrict -Werror>
  # The fuzzers are built with clang, which knows other warnings.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-error>)
target_compile_definitions(batchwise_flags INTERFACE _GLIBCXX_ASSERTIONS BATCHWISE_VERSION="${PROJECT_VERSION}")
target_link_libraries(batchwise_flags INTERFACE Threads::Threads)
if(BATCHWISE_SANITIZE)
  # vptr checks need the run-time types of libraries that are built without them. What the sanitizers insert makes g++ 12
  # see uninitialised values inside <regex>.
  set(batchwise_sanitize -fsanitize=${BATCHWISE_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  if(BATCHWISE_SANITIZE MATCHES "undefined")
    list(APPEND batchwise_sanitize -fno-sanitize=vptr -fno-sanitize-recover=all)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${batchwise_sanitize}>")
  add_link_options(${batchwise_sanitize})
endif()

function(batchwise_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC batchwise_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

function(batchwise_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} batchwise_test_support GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
