#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the spread of evaluation losses over training seeds is noise of the evaluation masks.

Trains the demo several times and prints mean and standard deviation of the last evaluation loss:
  masks alone   one training seed, several eval.seed: the noise of the masks
  masks follow  each training seed with an eval.seed of its own, as versions before eval.seed did
  alike         each training seed with the same masks, as a comparison has them
and the spread that is left when the variance of the masks is taken from that of `masks follow`. --set changes all runs;
--mask-rates trains once per share of masked tokens and prints the losses on equal masks.

  tests/bench/eval_mask_noise.py --program build/dev/bin/batchwise --seeds 5 --set max_duration=200ba
"""
import argparse
import json
import math
import statistics
import subprocess
import tempfile


def last_evaluation(program, workspace, name, changes):
    sets = [part for change in changes for part in ("--set", change)]
    lines = subprocess.run([program, "train", "demo", "--workspace", workspace, "--name", name, *sets, "--json"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return [event["loss"] for event in events if event["event"] == "eval"][-1]


def report(name, losses):
    spread = statistics.stdev(losses)
    print(f"{name:14} mean {statistics.mean(losses):.5f}  deviation {spread:.5f}  "
          f"({', '.join(f'{loss:.5f}' for loss in losses)})", flush=True)
    return spread


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], help="a change of every run, such as max_duration=200ba")
    parser.add_argument("--mask-rates", nargs="*", default=["0.15", "0.3", "0.45"])
    options = parser.parse_args()
    seeds = range(1, options.seeds + 1)
    arms = {"masks alone": lambda seed: ["seed=1", f"eval.seed={seed}"],
            "masks follow": lambda seed: [f"seed={seed}", f"eval.seed={seed}"],
            "alike": lambda seed: [f"seed={seed}", "eval.seed=0"]}
    with tempfile.TemporaryDirectory() as workspace:
        spread = {}
        for number, (name, changes) in enumerate(arms.items()):
            spread[name] = report(name, [last_evaluation(options.program, workspace, f"{number}-{seed}",
                                                         options.set + changes(seed)) for seed in seeds])
        left = math.sqrt(max(0.0, spread["masks follow"]**2 - spread["masks alone"]**2))
        print(f"left without the masks: {left:.5f} expected, {spread['alike']:.5f} measured")
        for rate in options.mask_rates:
            loss = last_evaluation(options.program, workspace, f"rate-{rate}",
                                   options.set + [f"data.mlm_probability={rate}"])
            print(f"trained on {rate} masked: {loss:.5f}", flush=True)


if __name__ == "__main__":
    main()
