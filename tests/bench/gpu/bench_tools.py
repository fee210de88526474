# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of gpu_table.py share: rows that are on disk as soon as they are known, programs that end in time, and
the text that both sides train on."""
import importlib.util
import json
import math
import os
import pathlib
import random
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FIRST_WORD = 5  # after [PAD] [UNK] [CLS] [SEP] [MASK]


class OutOfTime(Exception):
    """The time left is not enough for what was about to begin."""


def library_path():
    """Our libraries, then PyTorch's and those it brings; PyTorch is not imported for it, which takes seconds."""
    folders = [str(HERE / "lib")]
    found = importlib.util.find_spec("torch")
    if found is not None:
        site = pathlib.Path(found.origin).parent
        folders += [str(site / "lib")] + [str(one) for one in sorted((site.parent / "nvidia").glob("*/lib"))]
    return ":".join(folders + [os.environ.get("LD_LIBRARY_PATH", "")])


class Bench:
    """`sizes`: what is measured, large for a GPU, tiny for a trial of the script."""

    def __init__(self, options, sizes):
        self.options, self.sizes = options, sizes
        self.gpu = options.device == "cuda"
        self.ends = time.monotonic() + options.seconds
        self.begun = time.monotonic()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpu_table_"))
        self.failed = False
        self.weights = None  # folder in the Hugging Face layout that both sides start from
        self.environment = dict(os.environ, OMP_WAIT_POLICY="passive", LD_LIBRARY_PATH=library_path(),
                                TORCHINDUCTOR_CACHE_DIR=str(self.folder / "inductor"), HF_HUB_OFFLINE="1")
        out = pathlib.Path(options.out or os.environ.get("OUT") or ".")
        out.mkdir(parents=True, exist_ok=True)
        self.files = [open(out / f"gpu_table.{kind}", "w", buffering=1) for kind in ("txt", "jsonl")]

    def left(self, reserve=0):
        return self.ends - time.monotonic() - reserve

    def seconds(self, wanted, least=2, reserve=0):
        """`wanted`, or what is left of the time of all; at least `least`, or OutOfTime."""
        left = self.left(reserve)
        if left < least:
            raise OutOfTime
        return min(wanted, left)

    def row(self, what, value, note="", bad=False, **figures):
        """Prints a row and puts it on disk at once. `bad`: the script's exit code will be 1."""
        self.failed |= bad
        line = f"{what:62s} {value:>26s}  {note}".rstrip()
        print(line, flush=True)
        at = round(time.monotonic() - self.begun, 1)
        record = dict(what=what, value=value, note=note, bad=bad, at_sec=at, **figures)
        for file, text in zip(self.files, (line, json.dumps(record))):
            file.write(text + "\n")
            os.fsync(file.fileno())

    def ratios(self, what, values, note=""):
        middle = statistics.median(values)
        self.row(what, f"{middle:.3f}", f"(min {min(values):.3f}, max {max(values):.3f}, n {len(values)}) {note}", ratio=values)
        return middle

    def program(self, name, *arguments, seconds=120, environment=None, reserve=0):
        command = [str(self.options.programs / name), *arguments]
        try:
            return subprocess.run(command, capture_output=True, text=True, env={**self.environment, **(environment or {})},
                                  timeout=self.seconds(seconds, reserve=reserve))
        except (OSError, subprocess.TimeoutExpired) as problem:
            return subprocess.CompletedProcess(command, 127, "", str(problem)[-200:])

    def batchwise(self, what, *arguments, **more):
        """Output of a command of ours, or None with the reason as a row."""
        done = self.program("batchwise", *arguments, "--workspace", str(self.folder / "workspace"), **more)
        if done.returncode == 0:
            return done.stdout
        last = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
        self.row(f"{what}: failed", f"exit {done.returncode}", last[-120:], bad=True)
        return None

    def train(self, what, config, **more):
        """Events of a run, or None with the reason as a row."""
        file = self.folder / "run.yaml"
        file.write_text(config)
        output = self.batchwise(what, "train", str(file), "--json", **more)
        return output and [json.loads(line) for line in output.splitlines() if line.startswith("{")]

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Peer:
    """A process of peer.py that waits for orders. It keeps its model between two of them, and computes only then."""

    def __init__(self, bench, name, *arguments):
        self.bench, self.name = bench, name
        self.log = open(bench.folder / f"{name.replace(' ', '_')}.log", "w+")
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "peer.py"), "--weights", str(bench.weights), "--device", bench.options.device,
             *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, bufsize=0,
            env=bench.environment, start_new_session=True)
        self.begun = time.monotonic()

    def answer(self, seconds, reserve=0):
        """The next answer; None, the reason as a row and the process ended if none comes in time."""
        ends = time.monotonic() + self.bench.seconds(seconds, least=0, reserve=reserve)
        while time.monotonic() < ends and select.select([self.process.stdout], [], [], max(0, ends - time.monotonic()))[0]:
            line = self.process.stdout.readline()
            if line.startswith(b"{"):
                return json.loads(line)
            if not line:
                self.process.wait()
                break
        self.log.seek(0)
        said = (self.log.read().strip().splitlines() or ["nothing said"])[-1]
        reason = "no answer in time" if self.process.poll() is None else f"exit {self.process.poll()}"
        self.bench.row(f"peer {self.name}: failed", reason, said[-120:], bad=True)
        self.close()
        return None

    def measure(self, tokens, steps, seconds=60):
        self.order(tokens, steps)
        return self.answer(seconds)

    def order(self, tokens, steps):
        try:
            self.process.stdin.write(json.dumps(dict(tokens=str(tokens), steps=steps)).encode() + b"\n")
        except OSError:
            pass  # it has ended: answer() tells

    def close(self):
        """Ends the process and the compilers it has started."""
        try:
            os.killpg(self.process.pid, 9)
        except OSError:
            pass
        self.process.wait()


def make_text(folder, vocabulary_size, longest, full, real, seed=1):
    """A vocabulary of whole words, and texts of them with the tokens they will be: sequences of `longest`, and some of
    real lengths: log-normal, 0.44 of the longest on average, as paragraphs have.
    Each line of NAME.tokens is what the tokenizer makes of the same line of NAME.txt."""
    vocabulary = folder / "vocabulary"
    vocabulary.mkdir(exist_ok=True)
    words = [f"w{i}" for i in range(vocabulary_size - FIRST_WORD)]
    (vocabulary / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words) + "\n")
    rng = random.Random(seed)
    drawn = lambda: int(rng.lognormvariate(math.log(0.36 * longest), 0.7))
    for name, lengths in [("full", [longest - 2] * full),
                          ("real", [max(6, min(longest - 2, drawn())) for _ in range(real)])]:
        lines = [rng.choices(range(len(words)), k=length) for length in lengths]
        (folder / f"{name}{longest}.txt").write_text("".join(" ".join(f"w{i}" for i in line) + "\n" for line in lines))
        (folder / f"{name}{longest}.tokens").write_text(
            "".join(" ".join(map(str, [2, *(i + FIRST_WORD for i in line), 3])) + "\n" for line in lines))


def lengths_of(tokens):
    return [len(line.split()) for line in tokens.read_text().splitlines()]


def config_of(bench, text, longest, batch, micro, steps, precision="bf16", more="", devices=None):
    """Attention without dropout, as the peers have it; the weights are those that the peers start from."""
    model = f"init_from: {bench.weights}" if bench.weights else f"preset: {bench.sizes.preset}"
    return f"""version: 1
model: {{{model}, max_position_embeddings: 512, hidden_dropout_prob: 0.1, attention_probs_dropout_prob: 0.0}}
tokenizer: {{path: {bench.folder}/vocabulary}}
data: {{train: [{bench.folder}/{text}{longest}.txt], format: lines, max_seq_len: {longest}, holdout: 0, mlm_probability: 0.15}}
max_duration: {steps}ba
batch: {{global_train_batch_size: {batch}, device_train_microbatch_size: {micro}}}
optimizer: {{lr: 1e-4}}
scheduler: {{name: constant}}
precision: {precision if bench.gpu else "fp32"}
devices: {devices or bench.options.device}
eval: {{interval: []}}
log: {{every_step: true}}
{more if "checkpoint:" in more else "checkpoint: {interval: []}" + chr(10) + more}"""


def rows_of(events):
    return [event for event in events or [] if event["event"] == "metrics"]


def rate_of(events):
    """Real tokens per second of training after the first third of the rows, and the largest memory in use."""
    rows = rows_of(events)
    first, last = rows[len(rows) // 3], rows[-1]
    return ((last["tok"] - first["tok"]) / (last["sec"] - first["sec"]),
            max((device["peak"] for row in rows for device in row["devices"]), default=0))
