#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Puts what the GPU benchmarks need into one folder, for a machine with PyTorch 2.11 (CUDA 13.0) and nothing else of
# ours: the programs, stripped, and the libraries that they use and PyTorch does not bring.
#   tests/bench/gpu/pack.sh BUILD FOLDER      then, over there: python3 FOLDER/gpu_table.py
set -euo pipefail
build=$1
folder=$2
here=$(dirname "$(readlink -f "$0")")
programs=(batchwise cuda_model_test cuda_kernels_test dist_bench kernel_bench)
libraries=(libbatchwise_trainer.so libbatchwise_mpi.so)
mkdir -p "$folder/bin" "$folder/lib"
for file in "${programs[@]}" "${libraries[@]}"; do
  [[ -e $build/bin/$file ]] || { echo "pack.sh: $build/bin/$file has not been built" >&2; exit 1; }
  strip -o "$folder/bin/$file" "$build/bin/$file"
  [[ $file == *.so ]] || chmod +x "$folder/bin/$file"
done
# What lies in the system's folders, but for the C and C++ libraries themselves and what comes with the driver.
for file in "$folder"/bin/*; do
  ldd "$file" 2>/dev/null || true
done | awk '$3 ~ "^/(usr/)?lib/" {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libgomp|ld-linux.*|libcuda|libnvidia.*)\.so' |
  xargs -r -I{} cp -L {} "$folder/lib/"
cp "$here"/{gpu_table,bench_tools,peer}.py "$folder/"
du -sh "$folder" | cut -f1
