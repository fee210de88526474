# SPDX-License-Identifier: GPL-3.0-or-later
"""What log.noise_scale costs: seconds of a step with it over those without, for each way of measuring.

  python3 tests/bench/noise_bench.py build/dev/bin [ROUNDS] [--set FIELD=VALUE ...]

Rounds alternate, so that a slow minute of the machine counts for all; the ratio is that of the medians of step_sec."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SETTINGS = ["data.format=demo", "model.preset=tiny", "max_duration=40ba", "batch.global_train_batch_size=32",
            "batch.device_train_microbatch_size=8", "data.max_seq_len=128", "checkpoint.interval=[]"]
MODES = ["off", "microbatches", "examples"]


def step_seconds(program, folder, name, settings):
    """Seconds of the steps of a run, without the first ones."""
    sets = [part for setting in [*settings, f"name={name}"] for part in ("--set", setting)]
    command = [program, "--workspace", folder, "train", "demo", *sets, "--json"]
    events = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [event for event in map(json.loads, events) if event.get("event") == "metrics"]
    return [row["step_sec"] for row in rows[5:]]


def main():
    program = str(pathlib.Path(sys.argv[1]) / "batchwise")
    given = sys.argv[2:]
    cut = given.index("--set") if "--set" in given else len(given)
    rounds = int(given[0]) if cut > 0 else 5
    own = [setting for setting in given[cut:] if setting != "--set"]
    seconds = {mode: [] for mode in MODES}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for mode in MODES:
                settings = [*SETTINGS, *own, f"log.noise_scale={mode}"]
                seconds[mode] += step_seconds(program, folder, f"{mode}-{turn}", settings)
    off = statistics.median(seconds["off"])
    for mode in MODES:
        step = statistics.median(seconds[mode])
        print(f"{mode:14} {1000 * step:9.3f} ms per step   {100 * (step / off - 1):+6.2f} %")


if __name__ == "__main__":
    main()
