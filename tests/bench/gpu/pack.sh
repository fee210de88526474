#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packs what the GPU stages need into one compressed file, for a machine with PyTorch 2.11 (CUDA 13.0) and nothing else of
# ours: the programs, stripped, the scripts, and the libraries that the programs use and PyTorch does not bring.
#   tests/bench/gpu/pack.sh BUILD FILE.tgz
# BUILD has code for the card alone, the other cards' is most of a pack: cmake --preset headless
# -DBATCHWISE_CUDA_ARCHITECTURES=90 (H100 and H200); cmake --build BUILD --target, with the names of `programs` below.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
programs=(batchwise cuda_kernels_test cuda_model_test kernel_bench)
libraries=(libbatchwise_trainer.so)
scripts=(right.py fast.py more.py bench_tools.py ncu_tables.py grouped_heads.py peers.py peer.py)
limit_mb=30
fail() {
  echo "pack.sh: $*" >&2
  exit 1
}

(($# == 2)) || fail "give a built folder and the file to write: pack.sh BUILD FILE.tgz"
build=$1
file=$2
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
folder=$temporary/pack
mkdir -p "$folder/bin" "$folder/lib"
for name in "${programs[@]}" "${libraries[@]}"; do
  [[ -e $build/bin/$name ]] ||
    fail "$build/bin/$name has not been built: cmake --build $build --target ${programs[*]} batchwise_trainer"
  strip -o "$folder/bin/$name" "$build/bin/$name"
  [[ $name == *.so ]] || chmod +x "$folder/bin/$name"
done

# What lies in the system's folders, but for the C library and all of its parts, the C++ library, which every system with
# PyTorch has, and what comes with the driver.
glibc='libc|libm|libmvec|libdl|libpthread|librt|libutil|libresolv|libnsl|libanl|ld-linux.*'
for name in "$folder"/bin/*; do
  ldd "$name" 2>/dev/null || true
done | awk '$3 ~ "^/(usr/)?lib/" {print $3}' | sort -u |
  { grep -vE "/($glibc|libstdc\+\+|libgcc_s|libgomp|libcuda|libnvidia.*)\.so" || true; } |
  xargs -r -I{} cp -L {} "$folder/lib/"
! ls "$folder/lib" | grep -E '^lib(mpi|open-rte|open-pal|event|Qt)' >&2 ||
  fail "these have no place in it: the programs of $build are linked with MPI or Qt"
for name in "${scripts[@]}"; do
  cp "$here/$name" "$folder/"
done

tar -C "$folder" --sort=name --owner=0 --group=0 -cf - . | gzip -9 >"$temporary/file"
size=$(stat -c %s "$temporary/file")
if ((size > limit_mb * 1000000)); then
  du -ak "$folder" | sort -rn | sed -n '2,12p' >&2
  fail "the file would have $((size / 1000000)) MB, $limit_mb are allowed: build for the card alone (cmake -S . -B $build" \
    "-DBATCHWISE_CUDA_ARCHITECTURES=90 for an H100 or H200), and see the largest parts above"
fi
mkdir -p "$(dirname "$file")"
mv "$temporary/file" "$file"
echo "$file: $((size / 1000)) kB; there: tar -xzf ${file##*/} -C FOLDER && python3 FOLDER/right.py"
