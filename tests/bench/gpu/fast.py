# SPDX-License-Identifier: GPL-3.0-or-later
"""Second stage on a machine with a GPU, after right.py: how fast is it, and where is the time? About 410 s.

Beside this file lie the other scripts, bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs Python 3
with PyTorch 2.11 for CUDA 13.0 and transformers, the peer; Nsight Compute (ncu) if it is here. Prints a row for each
finding, and all rows at its end; fast.txt, fast.jsonl, fast.log (what the programs said) and step.csv.gz (each kernel of
some steps) are in --out, $OUT or the folder it is called in, line by line. Exit code 1 if a row says that something failed.

Usage: fast.py [--programs FOLDER] [--only PART,...] [--seconds N] [--rounds N] [--out FOLDER] [--device cpu]
       --device cpu goes the same way with a tiny model and a few steps, to try the script out; its figures mean nothing.

Parts, in this order, which is that of their worth; one that finds too little time left says so:
  start      our trainer's first run, host syncs of its steps counted (BATCHWISE_COUNT_HOST_SYNCS=1: LibTorch's warnings of
             calls that wait for the device, within steps, as a note of the run), and the export of the weights of both sides
  ours       tokens/s, MFU and memory of BERT-base at 128 tokens: as it is, and with one thing changed
  step       one step kernel by kernel, by ncu
  kernels    our kernels beside plain operations
  depth      three kernels in depth, by ncu
  eager      ours, the peer, ours; each alone on the device
  compiled   the same with torch.compile
  autotuned  the same with its max-autotune; only by --only, because compiling takes minutes
"""
import gzip
import json
import sys

from bench_tools import Part, beyond_peak, config_of, last_lines, measure_ours, run_of, run_stage, tool
from ncu_tables import kind_of, launches_of, metrics_of, rows_of_csv, short_name, step_of, table_of
from peers import compare

SHOWN = 30     # kernels of a step
SKIPPED = 10000  # launches before those that are measured: loading, checks of the operations, first steps
MEASURED = 2200  # launches: those between two ends of steps are among them if a step has no more than 1,100
KERNELS = {"addNorm forward": "addNorm[^G].*", "addNorm backward": "addNormGradient.*",
           "bias + gelu forward": "biasActivation[^G].*"}
METRICS = [("GPU Speed Of Light Throughput", "Duration"), ("GPU Speed Of Light Throughput", "DRAM Throughput"),
           ("GPU Speed Of Light Throughput", "Compute (SM) Throughput"), ("Memory Workload Analysis", "Memory Throughput"),
           ("Launch Statistics", "Registers Per Thread"), ("Occupancy", "Achieved Occupancy"),
           ("Warp State Statistics", "Warp Cycles Per Issued Instruction")]


def part_start(bench):
    """15 steps or more: the first 5 are not counted for syncs."""
    bench.make_texts()
    size = bench.sizes.short
    events = bench.train("first run", config_of(bench, "full", 128, size, size, 15, more="checkpoint: {interval: []}\n"),
                         seconds=100, environment={"BATCHWISE_COUNT_HOST_SYNCS": "1"})
    if events is None:
        return
    told = [event["text"] for event in events if event["event"] == "note" and "host syncs per step" in event["text"]]
    syncs = float(told[0].split(": ")[1].split()[0]) if told else None
    bench.row("host syncs per step of training, outside logging", "not told" if syncs is None else f"{syncs:g}",
              "aim 0" if bench.gpu else "nothing to wait for without a GPU", bad=syncs is None, syncs=syncs)
    folder = bench.folder / "weights"
    if bench.batchwise("export of the weights", "export", run_of(events), "--hf", folder) is not None:
        bench.weights = folder


def part_ours(bench):
    measure_ours(bench, "full 128, as it is")
    measure_ours(bench, "full 128, TORCH_BLAS_PREFER_CUBLASLT=1", environment={"TORCH_BLAS_PREFER_CUBLASLT": "1"})
    measure_ours(bench, "full 128, devices.deterministic: false",
                 devices=f"{{use: {bench.options.device}, deterministic: false}}")
    measure_ours(bench, "real 128, as it is", text="real")
    measure_ours(bench, "full 128, fp16", precision="fp16")


def ncu(bench, options, *command, **more):
    """What Nsight Compute says of a program of ours, without changing clocks or emptying caches; None, with a row, if it is
    not here or may not read the GPU's counters, as in some virtual machines."""
    found = tool("ncu")
    if found is None:
        return bench.row("Nsight Compute", "not on this machine", "", bad=bench.gpu)
    done = bench.profiled([found, "--target-processes", "all", "--clock-control", "none", "--cache-control", "none",
                           "--apply-rules", "no", "--kill", "on", "--csv", *options], *command, **more)
    said = done.stdout + done.stderr
    errors = [line for line in said.splitlines() if line.startswith("==ERROR==")]
    if errors and not rows_of_csv(done.stdout):
        bench.say(*last_lines(said))
        return bench.row("Nsight Compute", "measures nothing here", errors[0].removeprefix("==ERROR== ")[:120], bad=bench.gpu)
    return done


def part_step(bench):
    bench.make_texts()
    size = bench.sizes.short
    file = bench.folder / "step.yaml"
    file.write_text(config_of(bench, "full", 128, size, size, 40))
    done = ncu(bench, ["-s", SKIPPED, "-c", MEASURED, "--metrics", "gpu__time_duration.sum", "--print-units", "base"],
               "batchwise", "train", file, "--json", "--workspace", bench.folder / "profiled", seconds=90)
    if done is None:
        return
    with gzip.open(bench.out / "step.csv.gz", "wt") as kept:
        kept.writelines(line + "\n" for line in done.stdout.splitlines() if not line.startswith("{"))
    tell_step(bench, launches_of(done.stdout), size * 128, done)


def tell_step(bench, launches, tokens, done):
    step = step_of(launches)
    if step is None:
        bench.say(*last_lines(done.stderr + done.stdout))
        return bench.row("step, kernel by kernel", f"exit {done.returncode}",
                         f"{len(launches)} launches, and not two ends of optimizer steps among them", bad=True)
    whole = sum(seconds for _, seconds in step)
    note = lambda seconds: f"{seconds * 1e3:8.3f} ms {seconds / whole:6.1%}"
    for name, seconds, count in table_of(step, short_name)[:SHOWN]:
        bench.row(f"  {name}", f"{count} x {seconds / count * 1e6:.1f} us", note(seconds))
    for kind, seconds, count in table_of(step, kind_of):
        bench.row(f"step, {kind}", f"{count} launches", note(seconds), seconds=seconds)
    bench.row("step, all kernels", f"{len(step)} launches", f"{whole * 1e3:8.3f} ms: {tokens / whole:,.0f} tokens/s at most",
              bad=beyond_peak(bench, tokens / whole, [128]), seconds=whole, kernels=table_of(step, short_name))


def part_kernels(bench):
    done = bench.program("kernel_bench", seconds=60)
    if done.returncode != 0:
        bench.say(*last_lines(done.stderr))
        bench.row("kernels", f"exit {done.returncode}", (last_lines(done.stderr) or [""])[-1][-80:], bad=bench.gpu)
    for found in (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")):
        for way in (key[:-3] for key in found if key.endswith("_us")):
            bench.row(f"{found['what']}, {way}", f"{found[way + '_us']:.1f} us, {found[way + '_gbs']:,.0f} GB/s",
                      f"{found[way + '_ratio']:.2f} times plain operations", figures=found)


def part_depth(bench):
    sections = [one for name in ("SpeedOfLight", "MemoryWorkloadAnalysis", "WarpStateStats", "Occupancy", "LaunchStats")
                for one in ("--section", name)]
    for what, pattern in KERNELS.items():
        done = ncu(bench, ["-k", f"regex:{pattern}", "-s", 6, "-c", 1, *sections], "kernel_bench", seconds=30)
        if done is None:
            return
        found = metrics_of(done.stdout)
        told = [f"{name} {found[section, name]}" for section, name in METRICS if (section, name) in found]
        if not told:
            bench.say(*last_lines(done.stderr + done.stdout))
        bench.row(f"in depth: {what}", found.get(METRICS[0], f"exit {done.returncode}"), "; ".join(told[1:]), bad=not told,
                  metrics={f"{section}: {name}": value for (section, name), value in found.items()})


def peer_part(name, ready):
    """`ready`: seconds until its first step must be done."""
    def part(bench):
        if bench.weights is None:
            part_start(bench)
        if bench.weights is None:
            return bench.row(f"peer {name}", "not started", "there are no weights to start from", bad=True)
        compare(bench, name, 128, ready * bench.patience)
    return part


PARTS = {"start": Part(part_start, 120), "ours": Part(part_ours, 180), "step": Part(part_step, 110),
         "kernels": Part(part_kernels, 60), "depth": Part(part_depth, 90), "eager": Part(peer_part("eager", 60), 200),
         "compiled": Part(peer_part("compiled", 100), 240),
         "autotuned": Part(peer_part("autotuned", 300), 480, chosen=False)}


def main():
    return run_stage("fast", __doc__, PARTS, 410,
                     lambda parser: parser.add_argument("--rounds", type=int, default=2, help="of each peer and text"))


if __name__ == "__main__":
    sys.exit(main())
