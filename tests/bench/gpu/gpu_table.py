# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that only a GPU shows, in one call of under 8 minutes; prints a table.

Beside this file lie bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs Python 3 with PyTorch 2.11
for CUDA 13.0; transformers, if there, is the peer to compare with, else a model of the same shape out of PyTorch's own
parts. compute-sanitizer is used if it is on PATH or below /usr/local/cuda.

Usage: gpu_table.py [--programs FOLDER] [--steps N] [--only PART,...] [--device cpu]
       --device cpu runs the same with a tiny model, to try the script out; its figures mean nothing.
Parts: tests, sanitizer, kernels, throughput, peers, probe, ramp, checkpoint
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PEAK_FLOPS = 989e12  # bf16, dense, one H100 or H200 (NVIDIA's data sheet)
PARTS = ["tests", "sanitizer", "kernels", "throughput", "peers", "probe", "ramp", "checkpoint"]
VOCABULARY = 30522


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=HERE / "bin")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    return parser.parse_args()


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpu_table_"))
        self.rows = []
        self.gpu = options.device == "cuda"
        self.environment = dict(os.environ, OMP_WAIT_POLICY="passive", LD_LIBRARY_PATH=library_path())

    def row(self, what, value, aim=""):
        self.rows.append((what, value, aim))
        print(f"{what:58s} {value:>28s}  {aim}", flush=True)

    def program(self, name, *arguments, seconds=240):
        try:
            return subprocess.run([str(self.options.programs / name), *arguments], capture_output=True, text=True,
                                  env=self.environment, timeout=seconds)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return subprocess.CompletedProcess([name], 127, "", str(problem))

    def train(self, config, name):
        """Events of a run, or None with the reason as a row."""
        file = self.folder / f"{name}.yaml"
        file.write_text(config)
        done = self.program("batchwise", "train", str(file), "--json", "--workspace", str(self.folder / "workspace"))
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
            self.row(f"{name}: failed", last[-90:])
            return None
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def library_path():
    folders = [str(HERE / "lib")]
    try:
        import torch
        site = pathlib.Path(torch.__file__).parent
        folders += [str(site / "lib")] + [str(one) for one in sorted((site.parent / "nvidia").glob("*/lib"))]
    except ImportError:
        pass
    return ":".join(folders + [os.environ.get("LD_LIBRARY_PATH", "")])


def make_text(folder, longest):
    """A vocabulary of whole words, and documents of them: full sequences, and some of real lengths."""
    vocabulary = folder / "vocabulary"
    vocabulary.mkdir(exist_ok=True)
    words = [f"w{i}" for i in range(VOCABULARY - 5)]
    (vocabulary / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words) + "\n")
    rng = random.Random(1)
    full = [" ".join(rng.choices(words, k=longest - 2)) for _ in range(4000)]
    real = [" ".join(rng.choices(words, k=max(8, min(longest - 2, int(rng.lognormvariate(4.1, 0.7))))))
            for _ in range(8000)]
    (folder / f"full{longest}.txt").write_text("\n".join(full) + "\n")
    (folder / f"real{longest}.txt").write_text("\n".join(real) + "\n")


def config_of(bench, text, longest, micro, precision="bf16", steps=None, more=""):
    preset = "base" if bench.gpu else "tiny"
    batch = micro if isinstance(micro, int) else 256
    return f"""version: 1
model: {{preset: {preset}, max_position_embeddings: 512}}
tokenizer: {{path: {bench.folder}/vocabulary}}
data: {{train: [{bench.folder}/{text}{longest}.txt], format: lines, max_seq_len: {longest}, holdout: 0}}
max_duration: {steps or bench.options.steps}ba
batch: {{global_train_batch_size: {batch}, device_train_microbatch_size: {micro}}}
optimizer: {{lr: 1e-4}}
scheduler: {{name: constant}}
precision: {precision if bench.gpu else "fp32"}
devices: {bench.options.device}
{more}"""


def rates(events):
    """Median real tokens per second after the first third, and the largest memory in use."""
    rows = [event for event in events if event["event"] == "metrics"]
    rows = rows[len(rows) // 3:]
    return (statistics.median(row["tokens_per_sec"] for row in rows),
            max(device["peak"] for row in rows for device in row["devices"]))


def flops_per_token(length):
    """Forward and backward, base, 15 % predicted: encoder, attention, head on predicted tokens only."""
    return 6 * 84.93e6 + 110592 * length + 6 * 24.03e6 * 0.15


def part_tests(bench):
    for name in ["cuda_model_test", "cuda_kernels_test"]:
        done = bench.program(name, "--gtest_brief=1")
        last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-80:]
        bench.row(name, "ok" if done.returncode == 0 else f"exit {done.returncode}", last[:60])


def part_sanitizer(bench):
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool):
        return bench.row("compute-sanitizer", "not on this machine")
    for check in ["memcheck", "racecheck"]:
        command = [tool, "--tool", check, "--error-exitcode", "9", str(bench.options.programs / "cuda_kernels_test")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=bench.environment, timeout=120)
            bench.row(f"compute-sanitizer {check}", "clean" if done.returncode == 0 else f"exit {done.returncode}", "clean")
        except (OSError, subprocess.TimeoutExpired) as problem:
            bench.row(f"compute-sanitizer {check}", str(problem)[-60:])


def part_kernels(bench):
    done = bench.program("kernel_bench")
    if done.returncode != 0:
        return bench.row("kernels", f"exit {done.returncode}", done.stderr.strip()[-60:])
    for found in map(json.loads, done.stdout.splitlines()):
        if "per_step" in found:
            bench.row(found["what"], f"{found['per_step']:.2f}", "aim 0")
            continue
        for way in ("forward", "backward"):
            bench.row(f"{found['what']}, {way}", f"{found[way + '_us']:.1f} us, {found[way + '_gbs']:,.0f} GB/s",
                      f"{found[way + '_ratio']:.2f} times plain operations")


def part_throughput(bench):
    for text, longest, micro in [("full", 128, 512), ("full", 512, 128), ("real", 128, 768)]:
        for precision in ["bf16", "fp16"] if (text, longest) == ("full", 128) else ["bf16"]:
            size = micro if bench.gpu else 8
            events = bench.train(config_of(bench, text, longest, size, precision), f"{text}{longest}-{precision}")
            if events is None:
                continue
            rate, peak = rates(events)
            used = rate * flops_per_token(longest) / PEAK_FLOPS
            bench.row(f"batchwise, base, {precision}, {text} {longest}", f"{rate:,.0f} tokens/s",
                      f"MFU {used:.1%} (aim 45 %), peak {peak / 2**30:.1f} GiB")


def peer_model(torch, longest, bench):
    width, layers, heads = (768, 12, 12) if bench.gpu else (128, 2, 2)
    try:
        from transformers import BertConfig, BertForMaskedLM
        model = BertForMaskedLM(BertConfig(vocab_size=VOCABULARY, hidden_size=width, num_hidden_layers=layers,
                                           num_attention_heads=heads, intermediate_size=4 * width,
                                           max_position_embeddings=512, attn_implementation="sdpa"))
        return "transformers", model, lambda ids, labels: model(input_ids=ids, labels=labels).loss
    except ImportError:
        pass
    encoder = torch.nn.TransformerEncoderLayer(width, heads, 4 * width, 0.1, "gelu", batch_first=True)

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = torch.nn.Embedding(VOCABULARY, width)
            self.places = torch.nn.Embedding(512, width)
            self.body = torch.nn.TransformerEncoder(encoder, layers, enable_nested_tensor=False)
            self.transform = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.LayerNorm(width))

        def forward(self, ids, labels):
            hidden = self.body(self.words(ids) + self.places.weight[:ids.shape[1]])
            logits = torch.nn.functional.linear(self.transform(hidden), self.words.weight)
            return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)

    model = Plain()
    return "PyTorch", model, lambda ids, labels: model(ids, labels)


def peer_rate(torch, bench, longest, batch, compiled):
    name, model, loss_of = peer_model(torch, longest, bench)
    device = bench.options.device
    model.to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    run = torch.compile(loss_of, mode="max-autotune") if compiled else loss_of
    ids = torch.randint(5, VOCABULARY, (batch, longest), device=device)
    labels = torch.where(torch.rand(ids.shape, device=device) < 0.15, ids, -100)

    def step():
        with torch.autocast(device, torch.bfloat16, enabled=bench.gpu):
            loss = run(ids, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    wait = torch.cuda.synchronize if bench.gpu else (lambda: None)
    for _ in range(6 if bench.gpu else 1):
        step()
    wait()
    steps = 20 if bench.gpu else 2
    begun = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    return name, steps * batch * longest / (time.perf_counter() - begun)


def part_peers(bench):
    try:
        import torch
    except ImportError:
        return bench.row("peers", "no PyTorch here")
    for longest, batch in [(128, 512), (512, 128)]:
        for compiled in [False, True] if bench.gpu else [False]:
            try:
                name, rate = peer_rate(torch, bench, longest, batch if bench.gpu else 8, compiled)
                kind = "compiled, max-autotune" if compiled else "eager"
                bench.row(f"{name}, {kind}, bf16, full {longest}", f"{rate:,.0f} tokens/s", "ours / this: aim 1.15")
            except Exception as problem:  # the table goes on without it
                bench.row(f"peer, full {longest}", str(problem).splitlines()[0][:60])
            if bench.gpu:
                torch.cuda.empty_cache()


def part_probe(bench):
    """The largest micro-batch that the search finds under limits, and whether it and a tenth more then train."""
    limits = ["8GiB", "24GiB", "64GiB"] if bench.gpu else ["1GiB"]
    for limit in limits:
        file = bench.folder / f"probe-{limit}.yaml"
        more = f"devices: {{use: {bench.options.device}, memory_limit: {limit}}}\n"
        file.write_text(config_of(bench, "full", 128, "auto").replace(f"devices: {bench.options.device}\n", more))
        begun = time.perf_counter()
        done = bench.program("batchwise", "find-batch", str(file), "--json", "--workspace",
                             str(bench.folder / "workspace"), "--set", "batch.use_maximum_batch_size=true")
        if done.returncode != 0:
            bench.row(f"largest micro-batch in {limit}", "failed", done.stderr.strip()[-80:])
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        peak = max(probe["peak"] for probe in found["probes"])
        bench.row(f"largest micro-batch in {limit}",
                  f"{found['microbatch']} samples, {len(found['probes'])} probes",
                  f"largest probe {peak / found['limit']:.0%} of the limit, {time.perf_counter() - begun:.1f} s with start")


def part_ramp(bench):
    size = 512 if bench.gpu else 16
    rows = {}
    ramp = f"{{duration: 0.6dur, initial_global_train_batch_size: {size // 4}}}"
    text = config_of(bench, "full", 128, size, more="log: {every_step: true}\n")
    events = bench.train(text.replace(f"device_train_microbatch_size: {size}",
                                      f"device_train_microbatch_size: {size // 4}, rampup: {ramp}"), "ramp")
    for event in events or []:
        if event["event"] == "metrics":
            rows.setdefault(event["step_samples"], []).append(event["samples_per_sec"])
    for samples, speeds in sorted(rows.items()):
        constant = bench.train(config_of(bench, "full", 128, samples, steps=20).replace(
            f"device_train_microbatch_size: {samples}", f"device_train_microbatch_size: {size // 4}"), f"constant{samples}")
        if constant is None or len(speeds) < 4:
            continue
        steady = statistics.median([event["samples_per_sec"] for event in constant if event["event"] == "metrics"][5:])
        bench.row(f"ramp stage of {samples} samples / constant batch",
                  f"{statistics.median(speeds[1:]) / steady:.3f}", "aim 0.98")


def part_checkpoint(bench):
    size = 512 if bench.gpu else 8
    events = bench.train(config_of(bench, "full", 128, size, more="checkpoint: {interval: 10ba, keep_last: 1}\n"), "checkpoint")
    if events is None:
        return
    saved = [event for event in events if event["event"] == "checkpoint_saved"][1:]
    step = statistics.median(event["step_sec"] for event in events if event["event"] == "metrics")
    if saved:
        pause = statistics.median(event["pause_sec"] for event in saved)
        bench.row("pause of a checkpoint", f"{pause * 1e3:.1f} ms", f"{pause / step:.1%} of a step (aim 3 %)")


def main():
    options = parse()
    bench = Bench(options)
    begun = time.perf_counter()
    try:
        bench.row("devices", "", "")
        print(bench.program("batchwise", "doctor").stdout)
        for longest in (128, 512):
            make_text(bench.folder, longest)
        for part in PARTS:
            if part in options.only.split(","):
                globals()[f"part_{part}"](bench)
        print(f"\n{time.perf_counter() - begun:.0f} s in all")
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
