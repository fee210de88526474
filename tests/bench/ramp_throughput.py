#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Throughput of each stage of a ramp beside a run of that constant batch size.

Trains one ramp and, for each of its step sizes, one constant run of the same length in steps, all on the demo's text with
the tiny model, in turn and several times over, and prints the ratio of samples per second stage by stage (medians).

  tests/bench/ramp_throughput.py --program build/dev/bin/batchwise
"""
import argparse
import collections
import json
import statistics
import subprocess
import sys
import tempfile

COMMON = ["--set", "eval.interval=[]", "--set", "checkpoint.interval=[]", "--set", "log.interval=1ba"]


def rates(program, workspace, batches, changes):
    """Samples per second of every global batch, by step size; the first two of each size are left out (warm-up)."""
    command = [program, "train", "demo", "--workspace", workspace, "--json", "--set", f"max_duration={batches}ba", *COMMON]
    for change in changes:
        command += ["--set", change]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    by_size = collections.defaultdict(list)
    for event in map(json.loads, lines):
        if event["event"] == "metrics":
            by_size[event["step_samples"]].append(event["samples_per_sec"])
    return {size: values[2:] for size, values in by_size.items() if len(values) > 6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--batch", type=int, default=256, help="global batch size at the end of the ramp")
    parser.add_argument("--initial", type=int, default=32)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    ramp, constant = collections.defaultdict(list), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as workspace:
        for _ in range(options.rounds):
            found = rates(options.program, workspace, options.batches, [
                f"batch.global_train_batch_size={options.batch}",
                f"batch.rampup.duration={options.batches * 3 // 4}ba",
                f"batch.rampup.initial_global_train_batch_size={options.initial}"])
            for size, values in sorted(found.items()):
                ramp[size] += values
                alone = rates(options.program, workspace, 2 + len(values) * options.batch // size, [
                    f"batch.global_train_batch_size={size}", f"batch.device_train_microbatch_size={min(size, 64)}"])
                constant[size] += alone.get(size, [])

    print("samples per step   ramp samples/s   constant samples/s   ratio")
    for size in sorted(ramp):
        ours, reference = statistics.median(ramp[size]), statistics.median(constant[size])
        print(f"{size:16d}   {ours:14.1f}   {reference:18.1f}   {ours / reference:5.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
