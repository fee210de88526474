#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs libFuzzer programs, each from its corpus: 60 seconds, or $BATCHWISE_FUZZ_SEC. Fails at the first finding, whose bytes
# are kept beside the program as finding-*.
#   tests/fuzz/run_fuzzers.sh build/fuzz/bin/config_fuzz...
set -euo pipefail
corpora="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus"
for program in "$@"; do
  name="$(basename "$program" _fuzz)"
  found="$(mktemp -d)" # what is new stays out of the corpus: that is chosen by hand
  status=0
  UBSAN_OPTIONS=print_stacktrace=1 "$program" "$found" "$corpora/$name" -max_total_time="${BATCHWISE_FUZZ_SEC:-60}" -timeout=10 \
    -rss_limit_mb=1024 -max_len=16384 -print_final_stats=1 -artifact_prefix="$program-finding-" || status=$?
  rm -rf "$found"
  ((status == 0)) || exit "$status"
done
