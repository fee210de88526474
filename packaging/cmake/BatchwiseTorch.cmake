# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch and CUDA, out of the folder BATCHWISE_DEPS that packaging/setup.sh fills:
#   batchwise_torch                  what to link to use LibTorch (headers, libraries, flags, search path at run time)
#   batchwise_cuda                   what to link to call the CUDA run time (no LibTorch)
#   batchwise_torch_library(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])   as batchwise_library, with LibTorch and its
#                                    precompiled header
#   batchwise_torch_test(NAME SOURCES ... [LINK ...] [TIMEOUT sec])        as batchwise_test, likewise
#   batchwise_torch_sources(TARGET)  gives LibTorch and the precompiled header to a program or shared library
include_guard(GLOBAL)

set(batchwise_site_packages "${BATCHWISE_DEPS}/venv/lib/python3.11/site-packages")
set(batchwise_cuda_home "${BATCHWISE_DEPS}/cuda")
if(NOT EXISTS "${batchwise_site_packages}/torch" OR NOT EXISTS "${batchwise_cuda_home}/bin/nvcc")
  message(FATAL_ERROR "LibTorch or the CUDA compiler is not in ${BATCHWISE_DEPS}: run ./packaging/run doctor, which "
    "installs them, or give another folder with -DBATCHWISE_DEPS=..., or build without them: cmake --preset light")
endif()

# Machine code for these, and PTX of the newest, from which a driver compiles for cards that come later. `auto`: what the
# GPUs of this machine need, or all without one; all take a minute more than one (4 files).
set(batchwise_all_architectures 75 80 86 89 90 100 120)
set(BATCHWISE_CUDA_ARCHITECTURES "auto" CACHE STRING "CUDA architectures to build for: auto, all, or a list as 80;90")
set(batchwise_architectures "${BATCHWISE_CUDA_ARCHITECTURES}")
if(batchwise_architectures STREQUAL "auto")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE batchwise_capabilities ERROR_QUIET RESULT_VARIABLE batchwise_no_gpu)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" batchwise_architectures "${batchwise_capabilities}")
  string(REPLACE "." "" batchwise_architectures "${batchwise_architectures}")
  if(NOT batchwise_no_gpu EQUAL 0 OR batchwise_architectures STREQUAL "")
    set(batchwise_architectures "all")
  endif()
endif()
if(batchwise_architectures STREQUAL "all")
  set(batchwise_architectures ${batchwise_all_architectures})
endif()
list(REMOVE_DUPLICATES batchwise_architectures)
list(SORT batchwise_architectures COMPARE NATURAL)
set(TORCH_CUDA_ARCH_LIST "")  # how LibTorch's package names them; without it, it asks a GPU that may not be there
foreach(architecture IN LISTS batchwise_architectures)
  if(NOT architecture MATCHES "^[1-9][0-9]+$")
    message(FATAL_ERROR "BATCHWISE_CUDA_ARCHITECTURES is '${BATCHWISE_CUDA_ARCHITECTURES}'; give auto, all, or numbers as "
      "in -DBATCHWISE_CUDA_ARCHITECTURES='80;90' (compute capability 8.0 and 9.0)")
  endif()
  string(REGEX REPLACE "([0-9])$" ".\\1" named "${architecture}")
  list(APPEND TORCH_CUDA_ARCH_LIST "${named}")
endforeach()
string(APPEND TORCH_CUDA_ARCH_LIST "+PTX")  # of the last one
message(STATUS "CUDA code for ${batchwise_architectures}, and PTX of the last")
unset(TORCH_CUDA_ARCH_LIST CACHE)  # of an earlier version of this file
set(CMAKE_CUDA_ARCHITECTURES "${batchwise_architectures}")
set(CMAKE_CUDA_COMPILER "${batchwise_cuda_home}/bin/nvcc" CACHE FILEPATH "CUDA compiler")
set(CUDA_TOOLKIT_ROOT_DIR "${batchwise_cuda_home}" CACHE PATH "CUDA toolkit")
set(CUDAToolkit_ROOT "${batchwise_cuda_home}" CACHE PATH "CUDA toolkit")
set(CMAKE_CUDA_STANDARD 17) # for CMake's own trial of the compiler
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
enable_language(CUDA)
# CMake 3.25 does not know how nvcc 12 and later name C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA_STANDARD 20)

# The wheel's own CMake package speaks at length of what we do not use; its errors still show.
set(CMAKE_WARN_DEPRECATED OFF)
list(APPEND CMAKE_PREFIX_PATH "${batchwise_site_packages}/torch/share/cmake")
set(batchwise_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
find_package(Torch REQUIRED)
set(CMAKE_MESSAGE_LOG_LEVEL "${batchwise_log_level}")
find_package(CUDAToolkit 13.0 REQUIRED)

add_library(batchwise_cuda INTERFACE)
target_link_libraries(batchwise_cuda INTERFACE CUDA::cudart)

# torch finds the libraries of its wheels beside itself; the linker has to be told where they are.
file(GLOB batchwise_wheel_libraries LIST_DIRECTORIES true "${batchwise_site_packages}/nvidia/*/lib")
add_library(batchwise_torch INTERFACE)
target_link_libraries(batchwise_torch INTERFACE ${TORCH_LIBRARIES} batchwise_cuda)
target_include_directories(batchwise_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_compile_options(batchwise_torch INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${TORCH_CXX_FLAGS} -Wno-conversion -Wno-error=invalid-pch>)
# libtorch.so exports a std::filesystem of its own, whose remove_all jumps to address 0 here: the system's must be found
# first, so its library is named before.
target_link_options(batchwise_torch INTERFACE "LINKER:--push-state,--no-as-needed,-lstdc++,--pop-state")
foreach(directory IN LISTS batchwise_wheel_libraries ITEMS "${batchwise_cuda_home}/lib64")
  target_link_options(batchwise_torch INTERFACE "LINKER:-rpath-link,${directory}")
endforeach()

# A file that includes torch/torch.h takes 15 s, with this header compiled once about half.
file(WRITE "${CMAKE_BINARY_DIR}/batchwise_torch_pch.cpp" "")
add_library(batchwise_torch_pch STATIC "${CMAKE_BINARY_DIR}/batchwise_torch_pch.cpp")
target_link_libraries(batchwise_torch_pch PRIVATE batchwise_flags batchwise_torch)
target_precompile_headers(batchwise_torch_pch PRIVATE <torch/torch.h>)
target_compile_options(batchwise_torch_pch PRIVATE -fpch-preprocess)

function(batchwise_torch_sources name)
  target_link_libraries(${name} PRIVATE batchwise_torch)
  target_precompile_headers(${name} REUSE_FROM batchwise_torch_pch)
  # The header is compiled as for a library (-fPIC, not -fPIE), and serves programs too.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC -fpch-preprocess>)
endfunction()

function(batchwise_torch_library name)
  batchwise_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC batchwise_torch)
  batchwise_torch_sources(${name})
endfunction()

# As batchwise_test, for a test that itself includes LibTorch's headers.
macro(batchwise_torch_test name)
  batchwise_test(${name} TORCH ${ARGN})
endmacro()
