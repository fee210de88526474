# SPDX-License-Identifier: GPL-3.0-or-later
# Gives LibTorch and CMake one CUDA 13.0 toolkit at $BATCHWISE_DEPS/cuda, whether it is a system toolkit or made of wheels.
# Sourced by setup.sh; needs BATCHWISE_DEPS.

# The libraries that torch 2.11 loads and that a toolkit may or may not bring.
kTorchNeedsLibs=(libcublas.so.13 libcublasLt.so.13 libcudart.so.13 libcudnn.so.9 libcufft.so.12 libcupti.so.13
  libcurand.so.10 libcusolver.so.12 libcusparse.so.12 libnccl.so.2 libnvJitLink.so.13 libnvrtc.so.13)

# Where the wheels lie.
sitePackages() { echo "$BATCHWISE_DEPS/venv/lib/python3.11/site-packages"; }

# Prints the folder of a system CUDA 13.0 toolkit that has the compiler and everything torch needs; fails if there is none.
# The stamp of an earlier answer is not asked: a toolkit may come and go. BATCHWISE_CUDA=wheels passes over system toolkits.
findSystemToolkit() {
  [[ ${BATCHWISE_CUDA:-} != wheels ]] || return 1
  local home
  for home in "${BATCHWISE_CUDA:-}" "${CUDA_HOME:-}" /usr/local/cuda-13.0 /usr/local/cuda; do
    if [[ -n $home ]] && isUsableToolkit "$home"; then
      echo "$home"
      return 0
    fi
  done
  return 1
}

isUsableToolkit() {
  local home=$1 lib
  [[ -x $home/bin/nvcc && -e $home/include/nccl.h && -e $home/include/cuda.h ]] || return 1
  grep -qs 'define CUDART_VERSION *13000' "$home/include/cuda_runtime_api.h" || return 1
  for lib in "${kTorchNeedsLibs[@]}"; do
    [[ -e $home/lib64/$lib ]] || return 1
  done
}

# $BATCHWISE_DEPS/cuda becomes a link to the system toolkit; its libraries are linked to where torch looks for them.
useSystemToolkit() {
  local home=$1 target lib
  target="$(sitePackages)/nvidia/cu13/lib"
  rm -rf "$BATCHWISE_DEPS/cuda"
  ln -s "$home" "$BATCHWISE_DEPS/cuda"
  mkdir -p "$target"
  for lib in "$home"/lib64/lib*.so.*; do
    [[ -e $target/${lib##*/} ]] || ln -sfn "$lib" "$target/${lib##*/}"
  done
}

# $BATCHWISE_DEPS/cuda becomes a folder of links into the wheels: bin, nvvm, include, and lib64 with plain .so names too.
useWheelToolkit() {
  local home="$BATCHWISE_DEPS/cuda" wheels entry lib
  wheels="$(sitePackages)/nvidia"
  rm -rf "$home"
  mkdir -p "$home/bin" "$home/include" "$home/lib64"
  ln -s "$wheels/cu13/nvvm" "$home/nvvm"
  # bin is a true folder: nvcc looks for its libraries in bin/../lib64.
  for entry in "$wheels"/cu13/bin/*; do ln -sfn "$entry" "$home/bin/${entry##*/}"; done
  for entry in "$wheels"/*/include/*; do ln -sfn "$entry" "$home/include/${entry##*/}"; done
  for lib in "$wheels"/*/lib/*.a "$wheels"/*/lib/lib*.so.*; do
    ln -sfn "$lib" "$home/lib64/${lib##*/}"
    [[ $lib != *.so.* ]] || ln -sfn "$lib" "$home/lib64/$(basename "${lib%%.so.*}").so"
  done
  ln -sfn lib64 "$home/lib"
}
