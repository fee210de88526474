#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the spread of evaluation losses over training seeds is noise of the evaluation masks.

Trains the demo once per training seed and eval.seed, all combinations, and prints standard deviations of the last evaluation
loss, as root mean squares over what may be chosen:
  masks alone   one model, all eval.seed: the noise of the masks
  masks follow  each training seed with an eval.seed of its own, as versions before eval.seed did
  alike         all training seeds with one eval.seed, as a comparison has them
Of the variance of `masks follow`, `alike` lacks what all models have in common under a mask. --set changes all runs;
--mask-rates trains once per share of masked tokens and prints the losses on equal masks.

  tests/bench/eval_mask_noise.py --program build/dev/bin/batchwise --seeds 5 --set max_duration=300ba
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


def spread(samples):
    """Root mean square of the standard deviations of samples."""
    return math.sqrt(statistics.mean(statistics.variance(sample) for sample in samples))


def report(losses):
    """losses: a list per training seed, of one loss per eval.seed."""
    count = len(losses)
    rotations = [[losses[seed][(seed + shift) % count] for seed in range(count)] for shift in range(count)]
    by_name = {"masks alone": spread(losses), "masks follow": spread(rotations), "alike": spread(list(zip(*losses)))}
    for name, deviation in by_name.items():
        print(f"{name:14} deviation {deviation:.5f}")
    share = 1 - (by_name["alike"] / by_name["masks follow"])**2
    masks = [statistics.mean(column) for column in zip(*losses)]
    print(f"variance that equal masks remove: {share:.1%}; variance of the masks' means over that of `masks follow`: "
          f"{statistics.variance(masks) / by_name['masks follow']**2:.1%}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], help="a change of every run, such as max_duration=200ba")
    parser.add_argument("--mask-rates", nargs="*", default=["0.15", "0.3", "0.45"])
    options = parser.parse_args()
    seeds = range(1, options.seeds + 1)
    with tempfile.TemporaryDirectory() as workspace:
        losses = []
        for seed in seeds:
            losses.append([last_evaluation(options.program, workspace, f"{seed}-{masks}",
                                           options.set + [f"seed={seed}", f"eval.seed={masks}"]) for masks in seeds])
            print(f"seed {seed}: " + ", ".join(f"{loss:.5f}" for loss in losses[-1]), flush=True)
        report(losses)
        for rate in options.mask_rates:
            loss = last_evaluation(options.program, workspace, f"rate-{rate}",
                                   options.set + [f"data.mlm_probability={rate}"])
            print(f"trained on {rate} masked: {loss:.5f}", flush=True)


if __name__ == "__main__":
    main()
