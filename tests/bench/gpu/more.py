# SPDX-License-Identifier: GPL-3.0-or-later
"""Third stage on a machine with a GPU, after fast.py: what else only a GPU shows. About 200 s.

Beside this file lie the other scripts, bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs Python 3
with PyTorch 2.11 for CUDA 13.0; compute-sanitizer if it is here. Prints a row for each finding, and all rows at its end;
more.txt, more.jsonl and more.log (what the programs said) are in --out, $OUT or the folder it is called in, line by line.
Exit code 1 if a row says that something failed.

Usage: more.py [--programs FOLDER] [--only PART,...] [--seconds N] [--rounds N] [--out FOLDER] [--device cpu]
       --device cpu goes the same way with a tiny model and a few steps, to try the script out; its figures mean nothing.

Parts, in this order; those before the sanitizer leave the time that it takes:
  checkpoint  wall time of steps with a checkpoint among them less that of steps without, and the wait for a slow disk
  probe       the largest micro-batch under limits: whether it fits, whether a tenth more would, and the forecast beside it
  sanitizer   compute-sanitizer over the tests of the kernels in bf16
and by --only, where there is more time:
  ramp        each stage beside a constant batch of its size
  auto        tokens/s of the micro-batch that `auto` takes beside those of all sizes
  long        ours and both peers as in fast.py, with sequences of 512
"""
import json
import statistics
import sys
import time

from bench_tools import Part, config_of, last_lines, out_of_memory, rate_of, rows_of, run_of, run_stage, tool
from fast import part_start
from peers import compare


def part_checkpoint(bench):
    """Spaced saves find the one before them written; dense ones wait for the disk."""
    bench.make_texts()
    size, launched = bench.sizes.short, 0
    for name, every, saves in [("spaced", bench.sizes.spaced, 3), ("dense", bench.sizes.spaced // 6, 5)]:
        config = config_of(bench, "full", 128, size, size, every * saves + every // 2,
                           more=f"checkpoint: {{interval: {every}ba, keep_last: 1}}\n")
        events = bench.train(f"checkpoints, {name}", config)
        if events is None:
            return
        saved = [event for event in events if event["event"] == "checkpoint_saved" and event["reason"] == "interval"]
        step = statistics.median(row["step_sec"] for row in rows_of(events))
        if not saved:
            return bench.row(f"checkpoints, {name}", "none was saved", bad=True)
        pause = statistics.median(event["pause_sec"] for event in saved[-max(1, saves - 1):])
        if name == "spaced":
            launched = pause
            tell_added(bench, run_of(events), saved, every, step)
        else:
            bench.row(f"a checkpoint every {every} steps: the host stops", f"{pause * 1e3:.2f} ms",
                      f"of it waiting for the disk {max(0, pause - launched) * 1e3:.2f} ms", pause=pause, step=step)


def tell_added(bench, run, saved, every, step):
    """By the wall clock: the host goes on when the copy on the device is no more than begun, and the clock of the training
    leaves a save out. Each save is within the second of two equal intervals; the first has none."""
    output = bench.batchwise("wall clock of the steps", "metrics", run, "--series", "wall", "--json", seconds=30)
    if output is None:
        return
    walls, half, added = dict(json.loads(output)["series"]["wall"]), every // 2, []
    for event in saved:
        begin = event["ba"] - 2  # a step's row may come after the save that follows it
        added.append(walls[begin + half] - 2 * walls[begin] + walls[begin - half])
    middle, written = statistics.median(added), statistics.median(event["seconds"] for event in saved)
    bench.row(f"wall time that a checkpoint adds to {half} steps", f"{middle * 1e3:.1f} ms",
              f"{middle / step:.1%} of a step (aim 3 %), {min(added) * 1e3:.1f} to {max(added) * 1e3:.1f} ms; written in "
              f"{written:.2f} s, every {every * step:.1f} s", added=added, step=step, written=written)


def part_ramp(bench):
    bench.make_texts()
    size, micro = bench.sizes.short, bench.sizes.short // 4
    ratios = {}
    for _ in range(min(2, bench.options.rounds)):
        ramp = f"{micro}, rampup: {{duration: 0.6dur, initial_global_train_batch_size: {micro}}}"
        events = bench.train("ramp", config_of(bench, "full", 128, size, ramp, bench.sizes.steps * 2))
        speeds = {}
        for row in rows_of(events):
            speeds.setdefault(row["step_samples"], []).append(row)
        for samples, rows in sorted(speeds.items()):
            if len(rows) < 4:
                continue
            constant = bench.train(f"constant {samples}",
                                   config_of(bench, "full", 128, samples, micro, max(12, len(rows))))
            if constant:
                # The first step of a stage and the first three of a run set themselves up.
                steady = statistics.median(row["samples_per_sec"] for row in rows_of(constant)[3:])
                stage = statistics.median(row["samples_per_sec"] for row in rows[1:])
                ratios.setdefault(samples, []).append(stage / steady)
    for samples, values in sorted(ratios.items()):
        bench.ratios(f"RATIO ramp stage of {samples} samples / constant batch", values, "aim 0.98")
    if not ratios:
        bench.row("ramp", "no stage was long enough", bad=True)


def fits(bench, micro, limit, limit_text):
    """Whether a step of `micro` samples stays below `limit` bytes, and its peak. A GPU is asked what it took; the
    processor, whose tensors are counted against the limit, whether the micro-batch had to shrink."""
    devices = None if bench.gpu else f"{{use: cpu, memory_limit: {limit_text}}}"
    events = bench.train(f"{micro} samples", config_of(bench, "full", 128, micro, micro, 4, devices=devices))
    if events is None:
        return None, 0
    _, peak = rate_of(events)
    return not out_of_memory(events) and (not bench.gpu or peak <= limit), peak


def tell_forecast(bench, limit, file, probes):
    """What the preview forecasts for the sizes that were probed, beside the peaks."""
    ratios = []
    for probe in probes:
        size = probe["microbatch"]
        output = bench.batchwise(f"preview of {size} samples", "preview", str(file), "--json", "--set",
                                 f"batch.device_train_microbatch_size={size}", "--set",
                                 f"batch.global_train_batch_size={size}", "--samples-per-epoch", "1000000")
        if output is not None:
            ratios.append(json.loads(output)["memory"]["per_device_bytes"] / probe["peak"])
    bench.row(f"in {limit}: memory forecast / measured", " ".join(f"{ratio:.3f}" for ratio in ratios), "aim 0.9 to 1.1",
              bad=not ratios, ratios=ratios)


def part_probe(bench):
    bench.make_texts()
    for limit in bench.sizes.limits:
        file = bench.folder / "probe.yaml"
        file.write_text(config_of(bench, "full", 128, bench.sizes.short, "auto", 4,
                                  devices=f"{{use: {bench.options.device}, memory_limit: {limit}}}"))
        begun = time.monotonic()
        output = bench.batchwise(f"search in {limit}", "find-batch", str(file), "--json", "--set",
                                 "batch.use_maximum_batch_size=true", "--set", "batch.reserve=0")
        if output is None:
            continue
        took = time.monotonic() - begun
        found = json.loads(output.splitlines()[-1])
        size, over = found["microbatch"], sum(not probe["fits"] for probe in found["probes"])
        bench.row(f"largest micro-batch in {limit}", f"{size} samples", f"{len(found['probes'])} probes (aim 4), {over} too "
                  f"large (aim 0), {took:.1f} s with start", **found)
        tell_forecast(bench, limit, file, found["probes"])
        more = max(size + 1, round(size * 1.1))
        fit, peak = fits(bench, size, found["limit"], limit)
        larger, larger_peak = fits(bench, more, found["limit"], limit)
        bench.row(f"in {limit}: it fits; a tenth more does too", f"{yes(fit)}; {yes(larger)}", "aim yes; no", bad=not fit)
        if bench.gpu and larger_peak > peak:
            largest = size + (found["limit"] - peak) * (more - size) / (larger_peak - peak)
            bench.row(f"in {limit}: found / largest by the peaks of both", f"{size / largest:.3f}", "aim 0.98",
                      peak=peak, larger_peak=larger_peak)


def yes(answer):
    return {True: "yes", False: "no", None: "failed"}[answer]


def part_auto(bench):
    bench.make_texts()
    rates = {}
    for micro in [*bench.sizes.auto_sizes, "auto"]:
        events = bench.train(f"micro-batch {micro}",
                             config_of(bench, "full", 128, bench.sizes.auto_batch, micro, 10 if bench.gpu else 4))
        if events:
            rates[micro], _ = rate_of(events)
    automatic = rates.pop("auto", None)
    if not rates or automatic is None:
        return bench.row("auto", "no rates to compare", bad=True)
    best = max(rates, key=rates.get)
    told = ", ".join(f"{micro}: {rate:,.0f}" for micro, rate in rates.items())
    bench.row("RATIO tokens/s of `auto` / the best of all sizes", f"{automatic / rates[best]:.3f}",
              f"auto {automatic:,.0f}; best {best}; {told}", rates={str(micro): rate for micro, rate in rates.items()})


def part_long(bench):
    part_start(bench)
    if bench.weights is None:
        return bench.row("peers", "not started", "there are no weights to start from", bad=True)
    for name, ready in [("eager", 60), ("compiled", 120)]:
        compare(bench, name, 512, ready * bench.patience)


def part_sanitizer(bench):
    """In bf16 alone, whose kernels are those of the other types, and which is a third of the time."""
    sanitizer = tool("compute-sanitizer")
    if sanitizer is None:
        return bench.row("compute-sanitizer", "not on this machine", bad=bench.gpu)
    if not bench.tests():
        return bench.row("compute-sanitizer", "no tests", f"no cuda_*test* in {bench.options.programs}", bad=True)
    for check in ["memcheck", "racecheck"]:
        done = bench.profiled([sanitizer, "--target-processes", "all", "--tool", check, "--error-exitcode", 9],
                              bench.tests()[0].name, "--gtest_filter=*/1.*", "--gtest_brief=1", seconds=45)
        said = last_lines(done.stdout + done.stderr)
        if done.returncode != 0:
            bench.say(*said)
        if done.returncode != 124 and not any("SUMMARY" in line for line in said):
            return bench.row("compute-sanitizer", "checks nothing here", (said or [""])[-1][:100], bad=bench.gpu)
        bench.row(f"compute-sanitizer {check}", "clean" if done.returncode == 0 else f"exit {done.returncode}",
                  (said or [""])[-1][:100], bad=done.returncode != 0 and bench.gpu)


PARTS = {"checkpoint": Part(part_checkpoint, 100), "probe": Part(part_probe, 100),
         "sanitizer": Part(part_sanitizer, 90, reserve=True), "ramp": Part(part_ramp, 120, chosen=False),
         "auto": Part(part_auto, 120, chosen=False), "long": Part(part_long, 400, chosen=False)}


def main():
    return run_stage("more", __doc__, PARTS, 260,
                     lambda parser: parser.add_argument("--rounds", type=int, default=2, help="of ramp, peers and texts"))


if __name__ == "__main__":
    sys.exit(main())
