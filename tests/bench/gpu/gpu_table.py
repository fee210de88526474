# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that only a GPU shows, in one call of under 8 minutes: prints a table, and writes each row at once to
gpu_table.txt and gpu_table.jsonl in --out, $OUT or the folder it is called in, so that nothing is lost with a killed call.

Beside this file lie peer.py, bench_tools.py, bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs
Python 3 with PyTorch 2.11 for CUDA 13.0 and transformers, the peer. compute-sanitizer is used if it is on PATH or below
/usr/local/cuda. Exit code 1 if a row says that something failed.

Usage: gpu_table.py [--programs FOLDER] [--only PART,...] [--seconds N] [--rounds N] [--out FOLDER] [--device cpu]
       --device cpu goes the same way with a tiny model and a few steps, to try the script out; its figures mean nothing.

Parts, in this order; one that finds too little time left says so:
  tests       kernels and model against their references, before anything is measured with them
  start       our trainer's first run, host syncs of its steps counted (BATCHWISE_COUNT_HOST_SYNCS=1: LibTorch's warnings of
              calls that wait for the device, within steps, as a note of the run), and the export of its weights for both sides
  short       sequences of 128, full and of real lengths: ours, a peer, ours, the other peer, ours; each alone on the device
  kernels     our kernels beside plain operations
  checkpoint  what a checkpoint holds training up for: the copy off the device, and the wait for an earlier one's disk
  ramp        each stage beside a constant batch of its size
  probe       the largest micro-batch under limits: whether it fits, whether a tenth more would, and the forecast beside it
  auto        tokens/s of the micro-batch that `auto` takes beside those of all sizes
  long        as short, sequences of 512
  sanitizer   compute-sanitizer over the tests of the kernels
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from bench_tools import (HERE, Bench, OutOfTime, Peer, config_of, lengths_of, make_text, rate_of, rows_of)

PEAK_FLOPS = 989e12  # bf16, dense, one H100 or H200 (NVIDIA's data sheet)
PARTS = ["tests", "start", "short", "kernels", "checkpoint", "ramp", "probe", "auto", "long", "sanitizer"]
FOR_SANITIZER = 45  # seconds that the parts before it leave


@dataclasses.dataclass
class Sizes:
    """What is trained. Batches are global ones of as many samples as the micro-batch, unless named otherwise."""
    preset: str
    vocabulary: int
    short: int       # samples of 128 tokens
    long: int        # samples of 512 tokens
    steps: int       # of ours in a round
    peer_steps: int
    full: int        # documents in the text of full sequences, and in that of real lengths
    spaced: int      # steps between two checkpoints, enough for one to be written
    limits: tuple    # of memory, for the search
    auto_batch: int
    auto_sizes: tuple


ON_GPU = Sizes("base", 30522, 512, 128, 45, 20, 4096, 60, ("12GiB", "48GiB"), 1024, (64, 128, 256, 512, 1024))
ON_CPU = Sizes("tiny", 2048, 8, 2, 9, 2, 512, 12, ("100MiB",), 16, (4, 8, 16))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=HERE / "bin")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--seconds", type=float, default=470, help="for all; what is not done by then is left out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    return parser.parse_args()


def flops_per_token(lengths, executed):
    """Forward and backward, base, 15 % predicted: encoder, attention, head on predicted tokens only. The usual count;
    `executed`: less the 85 % of the last layer's tokens whose query, output and feed-forward nobody needs."""
    attended = sum(one * one for one in lengths) / sum(lengths)
    last = 6 * 10 * 768**2 * 0.85 if executed else 0
    return 6 * 84.93e6 + 110592 * attended + 6 * 24.03e6 * 0.15 - last


def part_start(bench):
    """Trains once without exported weights, and makes them. 15 steps or more: the first 5 are not counted for syncs."""
    size = bench.sizes.short
    config = config_of(bench, "full", 128, size, size, max(15, bench.sizes.steps // 2), more="checkpoint: {interval: []}")
    events = bench.train("first run", config, environment={"BATCHWISE_COUNT_HOST_SYNCS": "1"})
    if events is None:
        return
    told = [event["text"] for event in events if event["event"] == "note" and "host syncs per step" in event["text"]]
    syncs = float(told[0].split(": ")[1].split()[0]) if told else None
    bench.row("host syncs per step of training, outside logging", "not told" if syncs is None else f"{syncs:g}",
              "aim 0" if bench.gpu else "nothing to wait for without a GPU", bad=syncs is None, syncs=syncs)
    run = next(event["run"] for event in events if event["event"] == "run_started")
    folder = bench.folder / "weights"
    if bench.batchwise("export of the weights", "export", run, "--hf", str(folder)) is not None:
        bench.weights = folder


def part_tests(bench):
    for name in ["cuda_model_test", "cuda_kernels_test"]:
        report = bench.folder / f"{name}.json"
        done = bench.program(name, f"--gtest_output=json:{report}", seconds=150)
        if not report.exists():
            bench.row(name, f"exit {done.returncode}", done.stderr.strip()[-100:], bad=True)
            continue
        results = [test for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]]
        skipped = sum(test["result"] == "SKIPPED" for test in results)
        failed = [test["name"] for test in results if test.get("failures")]
        wrong = bool(failed or done.returncode) or not results or skipped > 0
        bench.row(name, f"{len(results) - skipped - len(failed)} of {len(results)} passed",
                  f"{skipped} skipped; failed: {', '.join(failed)[:80] or 'none'}", bad=wrong and (bench.gpu or bool(failed)))


def out_of_memory(events):
    """Whether a run had to shrink its micro-batch: it is then another run than the one that was asked for."""
    return any("out of memory" in event.get("text", "") for event in events if event["event"] == "note")


def measure_ours(bench, what, text, longest, batch, **changes):
    """Tokens/s of a run, as a row; None if it fails, or ran out of memory on the way."""
    events = bench.train(f"{text} {longest}", config_of(bench, text, longest, batch, batch, bench.sizes.steps, **changes),
                         reserve=FOR_SANITIZER)
    if events is None:
        return None
    if out_of_memory(events):
        return bench.row(f"batchwise, {what}", "out of memory", "not counted: another micro-batch than the peers'", bad=True)
    rate, peak = rate_of(events)
    lengths = lengths_of(bench.folder / f"{text}{longest}.tokens")
    usual, executed = (rate * flops_per_token(lengths, way) / PEAK_FLOPS for way in (False, True))
    mfu = f"MFU {usual:.1%}, of what is executed {executed:.1%} (aim 45 %), peak {peak / 2**30:.1f} GiB"
    bench.row(f"batchwise, {what}", f"{rate:,.0f} tokens/s", mfu if bench.gpu else f"first loss {rows_of(events)[0]['loss']:.3f}",
              tokens_per_sec=rate, mfu=usual, mfu_executed=executed, peak=peak, first_loss=rows_of(events)[0]["loss"])
    return rate


def measure_peer(bench, name, longest, batch, seconds, more):
    """Tokens/s of each text, all rounds of it, by a peer that has the device for itself and ends afterwards."""
    rates = {}
    peer = Peer(bench, f"{name} {longest}", "--longest", longest, "--batch", batch, *more)
    try:
        peer.order(bench.folder / f"full{longest}.tokens", 1)
        first = peer.answer(seconds, reserve=FOR_SANITIZER)
        if first is None:
            return rates
        bench.row(f"peer {name}, {longest}: ready", f"{time.monotonic() - peer.begun:.0f} s",
                  f"first loss {first['first_loss']:.3f}", first_loss=first["first_loss"])
        for number in range(bench.options.rounds):
            for text in ("full", "real"):
                found = peer.measure(bench.folder / f"{text}{longest}.tokens", bench.sizes.peer_steps)
                if found is None:
                    return rates
                bench.row(f"transformers {name}, {text} {longest}, round {number + 1}",
                          f"{found['tokens_per_sec']:,.0f} tokens/s", f"peak {found['peak'] / 2**30:.1f} GiB", **found)
                rates.setdefault(text, []).append(found["tokens_per_sec"])
    finally:
        peer.close()
    return rates


def compare(bench, longest, batch, compile_seconds):
    """Ours before and after each peer: a ratio is that of the mean of both to a round of the peer."""
    aims = {("full", "compiled"): "aim 1.15", ("full", "eager"): "aim 1.8"}
    lengths = lengths_of(bench.folder / f"real{longest}.tokens")
    fill = f"aim 2; fill of the padded batch {sum(lengths) / len(lengths) / longest:.2f}"

    def ours(when):
        return {text: measure_ours(bench, f"{text} {longest}, {when}", text, longest, batch) for text in ("full", "real")}

    before = ours("at first")
    if bench.weights is None:
        return bench.row("peers", "not started", "there are no weights to start from", bad=True)
    for name, seconds, more in [("compiled", compile_seconds, ["--compiled"]), ("eager", 60, [])]:
        rates = measure_peer(bench, name, longest, batch, seconds, more)
        after = ours(f"after {name}")
        for text, values in rates.items():
            both = [one[text] for one in (before, after) if one[text] is not None]
            if both:
                bench.ratios(f"RATIO ours / transformers {name}, {text} {longest}",
                             [statistics.mean(both) / value for value in values], aims.get((text, name), fill))
        before = after


def part_short(bench):
    compare(bench, 128, bench.sizes.short, 170)
    if bench.gpu:
        measure_ours(bench, "full 128, fp16", "full", 128, bench.sizes.short, precision="fp16")


def part_long(bench):
    compare(bench, 512, bench.sizes.long, 110)


def part_kernels(bench):
    done = bench.program("kernel_bench", seconds=60)
    if done.returncode != 0:
        return bench.row("kernels", f"exit {done.returncode}", done.stderr.strip()[-80:], bad=bench.gpu)
    for found in map(json.loads, done.stdout.splitlines()):
        for way in ("forward", "backward"):
            bench.row(f"{found['what']}, {way}", f"{found[way + '_us']:.1f} us, {found[way + '_gbs']:,.0f} GB/s",
                      f"{found[way + '_ratio']:.2f} times plain operations", **found)


def part_checkpoint(bench):
    """Spaced saves find the one before them written: their pause is the copy. Dense ones wait for the disk as well."""
    size, copy = bench.sizes.short, None
    for name, every, saves in [("spaced", bench.sizes.spaced, 3), ("dense", bench.sizes.spaced // 6, 5)]:
        config = config_of(bench, "full", 128, size, size, every * saves + every // 2,
                           more=f"checkpoint: {{interval: {every}ba, keep_last: 1}}\n")
        events = bench.train(f"checkpoints, {name}", config)
        if events is None:
            return
        saved = [event for event in events if event["event"] == "checkpoint_saved" and event["reason"] == "interval"]
        step = statistics.median(row["step_sec"] for row in rows_of(events))
        if not saved:
            return bench.row(f"pause of a checkpoint, {name}", "none was saved", bad=True)
        pause = statistics.median(event["pause_sec"] for event in saved[-max(1, saves - 1):])
        written = statistics.median(event["seconds"] for event in saved)
        clear = written < every * step
        if name == "spaced":
            copy = pause
            bench.row("pause of a checkpoint: the copy alone" if clear else "pause of a checkpoint: copy and wait (slow disk)",
                      f"{pause * 1e3:.2f} ms", f"{pause / step:.1%} of a step (aim 3 %); written in {written:.2f} s, every "
                      f"{every * step:.1f} s", pause=pause, step=step, written=written, copy_alone=clear)
        else:
            bench.row(f"pause of a checkpoint every {every} steps: copy and wait", f"{pause * 1e3:.2f} ms",
                      f"of it waiting for the disk {max(0, pause - copy) * 1e3:.2f} ms", pause=pause, step=step)


def part_ramp(bench):
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
    for limit in bench.sizes.limits:
        file = bench.folder / "probe.yaml"
        file.write_text(config_of(bench, "full", 128, bench.sizes.short, "auto", 4,
                                  devices=f"{{use: {bench.options.device}, memory_limit: {limit}}}"))
        begun = time.monotonic()
        output = bench.batchwise(f"search in {limit}", "find-batch", str(file), "--json", "--set",
                                 "batch.use_maximum_batch_size=true")
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


def part_sanitizer(bench):
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool):
        return bench.row("compute-sanitizer", "not on this machine", bad=bench.gpu)
    for check in ["memcheck", "racecheck"]:
        command = [tool, "--tool", check, "--error-exitcode", "9", str(bench.options.programs / "cuda_kernels_test")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=bench.environment,
                                  timeout=bench.seconds(60, least=5))
            last = (done.stdout.strip().splitlines() or [""])[-1][:80]
            bench.row(f"compute-sanitizer {check}", "clean" if done.returncode == 0 else f"exit {done.returncode}", last,
                      bad=done.returncode != 0 and bench.gpu)
        except subprocess.TimeoutExpired:
            bench.row(f"compute-sanitizer {check}", "not done in time", bad=True)


def guarded(bench, name, part):
    """A part that fails or has no time left is a row; the table goes on without it."""
    begun = time.monotonic()
    try:
        if bench.left() < 10:
            raise OutOfTime
        part(bench)
    except OutOfTime:
        bench.row(f"part {name}", "no time left", f"after {bench.options.seconds:.0f} s", bad=True)
    except Exception as problem:
        bench.row(f"part {name}", type(problem).__name__, str(problem)[:120], bad=True)
    bench.row(f"-- part {name}", f"{time.monotonic() - begun:.0f} s")


def main():
    options = parse()
    bench = Bench(options, ON_GPU if options.device == "cuda" else ON_CPU)
    chosen = options.only.split(",")
    try:
        print(bench.program("batchwise", "doctor", "--workspace", str(bench.folder / "workspace")).stdout)
        make_text(bench.folder, bench.sizes.vocabulary, 128, bench.sizes.full, 2 * bench.sizes.full)
        make_text(bench.folder, bench.sizes.vocabulary, 512, bench.sizes.full // 2, bench.sizes.full)
        for part in PARTS:
            if part in chosen:
                guarded(bench, part, globals()[f"part_{part}"])
        bench.row("in all", f"{time.monotonic() - bench.begun:.0f} s")
    finally:
        bench.close()
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
