# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stages (right.py, fast.py, more.py) share: parts with a limit each, rows that are on disk as soon as they are
known, programs that end in time, our runs, and the text that both sides train on."""
import argparse
import contextlib
import dataclasses
import glob
import importlib.util
import json
import math
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FIRST_WORD = 5  # after [PAD] [UNK] [CLS] [SEP] [MASK]
DEVICE_FILES = "/dev/nvidia[0-9]*"
INDUCTOR_CACHE = "/tmp/batchwise-inductor"  # outlives a stage: nothing is compiled twice on a machine
GRACE = 15  # seconds that a program has to end when it is asked to
PATIENCE = 6  # times the limits of parts, on the processor: others use it as well
SAID = 30  # lines of a failed program that are printed
PEAK_FLOPS = 989e12  # bf16, dense, one H100 or H200 (NVIDIA's data sheet)


class OutOfTime(Exception):
    """The time left is not enough for what was about to begin."""


@dataclasses.dataclass(frozen=True)
class Sizes:
    """What is trained. Batches are global ones of as many samples as the micro-batch, unless named otherwise."""
    preset: str
    vocabulary: int
    short: int       # samples of 128 tokens
    long: int        # samples of 512 tokens
    steps: int       # of ours in a measurement
    peer_steps: int
    full: int        # documents in the text of full sequences; twice as many in that of real lengths
    loss_preset: str
    loss_steps: int  # whose losses are compared with the processor's
    spaced: int      # steps between two checkpoints, enough for one to be written
    limits: tuple    # of memory, for the search
    auto_batch: int
    auto_sizes: tuple


ON_GPU = Sizes("base", 30522, 512, 128, 45, 20, 4096, "mini", 20, 60, ("12GiB", "48GiB"), 1024, (64, 128, 256, 512, 1024))
ON_CPU = Sizes("tiny", 2048, 8, 2, 9, 2, 512, "tiny", 3, 12, ("100MiB",), 16, (4, 8, 16))


@dataclasses.dataclass(frozen=True)
class Part:
    run: object         # called with the Bench
    limit: float        # seconds that it may take: a hang costs these and no more
    least: float = 5    # with less than these left it is not begun
    reserve: bool = False  # the parts before it leave the seconds of its limit
    chosen: bool = True    # without --only


def torch_folder():
    """Where the Python that runs this has PyTorch, or None; it is not imported for that, which takes seconds."""
    found = importlib.util.find_spec("torch")
    return found and pathlib.Path(found.origin).parent


def library_path():
    """Our libraries, then PyTorch's and those it brings."""
    folders = [str(HERE / "lib")]
    torch = torch_folder()
    if torch is not None:
        folders += [str(torch / "lib")] + [str(one) for one in sorted((torch.parent / "nvidia").glob("*/lib"))]
    return ":".join(folders + [os.environ.get("LD_LIBRARY_PATH", "")])


def tool(name):
    """A program of the CUDA toolkit, on the path or where its packages put it; None if it is not here."""
    elsewhere = sorted(map(str, pathlib.Path("/opt/nvidia").glob(f"*/*/{name}")))
    places = [shutil.which(name), f"/usr/local/cuda/bin/{name}", *elsewhere]
    return next((place for place in places if place and os.path.exists(place)), None)


def held_open(pattern):
    """Opens files of GPUs. While one is open, the driver keeps the GPU up between two programs; else each may wait for
    seconds until it is up again."""
    held = contextlib.ExitStack()
    for file in glob.glob(pattern):
        with contextlib.suppress(OSError):
            held.enter_context(open(file, "rb", buffering=0))
    return held


def last_lines(text, count=SAID):
    return [line[:200] for line in text.strip().splitlines()[-count:]]


class Bench:
    def __init__(self, stage, options):
        self.options, self.stage = options, stage
        self.gpu = options.device == "cuda"
        self.sizes = ON_GPU if self.gpu else ON_CPU
        self.patience = 1 if self.gpu else PATIENCE
        self.held = held_open(DEVICE_FILES) if self.gpu else contextlib.ExitStack()
        self.begun = time.monotonic()
        self.ends = self.part_ends = self.begun + options.seconds
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"batchwise_{stage}_"))
        self.failed = False
        self.rows = []
        self.gpus = 1  # until the doctor has counted them
        self.weights = None  # folder in the Hugging Face layout that both sides start from
        self.last_ours = None  # rates of ours that were measured last for a peer: those before the next
        # The peers' Python keeps the library path of the caller: it must not load our copies of the system's libraries.
        self.peer_environment = dict(os.environ, OMP_WAIT_POLICY="passive", TORCHINDUCTOR_CACHE_DIR=INDUCTOR_CACHE,
                                     HF_HUB_OFFLINE="1")
        self.environment = dict(os.environ, OMP_WAIT_POLICY="passive", LD_LIBRARY_PATH=library_path())
        self.out = pathlib.Path(options.out or os.environ.get("OUT") or ".").resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.files = [open(self.out / f"{stage}.{kind}", "w", buffering=1) for kind in ("txt", "jsonl")]
        self.log = open(self.out / f"{stage}.log", "w", buffering=1, errors="replace")

    def left(self):
        """Seconds that the part has left."""
        return min(self.ends, self.part_ends) - time.monotonic()

    def seconds(self, wanted, least=2):
        """`wanted`, or what is left of the part; at least `least`, or OutOfTime."""
        if self.left() < least:
            raise OutOfTime
        return min(wanted, self.left())

    def row(self, what, value, note="", bad=False, **figures):
        """Prints a row and puts it on disk at once. `bad`: the script's exit code will be 1."""
        self.failed |= bad
        line = f"{what:58s} {value:>26s}  {note}{'  BAD' if bad else ''}".rstrip()
        self.rows.append(line)
        print(line, flush=True)
        at = round(time.monotonic() - self.begun, 1)
        record = dict(what=what, value=value, note=note, bad=bad, at_sec=at, **figures)
        for file, text in zip(self.files, (line, json.dumps(record))):
            file.write(text + "\n")
            os.fsync(file.fileno())

    def say(self, *lines):
        """What is no row: printed, and kept in the log."""
        for line in lines:
            print(f"  | {line}", flush=True)
            self.log.write(line + "\n")

    def ratios(self, what, values, note=""):
        middle = statistics.median(values)
        spread = f"(min {min(values):.3f}, max {max(values):.3f}, n {len(values)})"
        self.row(what, f"{middle:.3f}", f"{spread} {note}", ratio=values)
        return middle

    def execute(self, command, seconds=120, environment=None):
        """Runs a command to its end, or until its time is over: then it and all that it has started end (asked first, so
        that a profiler can write what it has), and the exit code is 124. What it said is in the log and in the result."""
        command = list(map(str, command))
        self.log.write(f"\n$ {' '.join(command)}\n")
        limit = self.seconds(seconds)
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                       env=environment or self.environment, start_new_session=True)
        except OSError as problem:
            return subprocess.CompletedProcess(command, 127, "", str(problem))
        code = None
        try:
            out, error = process.communicate(timeout=limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            code = 124
            self.end_group(process, signal.SIGINT)
            try:
                out, error = process.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                self.end_group(process, signal.SIGKILL)
                out, error = process.communicate()
            error += f"\nnot done after {limit:.0f} s"
        finally:
            self.end_group(process, signal.SIGKILL)  # what it has left running, and itself if this is interrupted
        self.log.write(f"{out[-20000:]}\n{error[-20000:]}\n== exit {code}\n")
        return subprocess.CompletedProcess(command, code, out, error)

    @staticmethod
    def end_group(process, how):
        try:
            os.killpg(process.pid, how)
        except OSError:
            pass

    def program(self, name, *arguments, environment=None, **more):
        """Runs one of our programs, with `environment` in addition."""
        return self.execute([self.options.programs / name, *arguments],
                            environment={**self.environment, **(environment or {})}, **more)

    def profiled(self, profiler, *command, **more):
        """Runs a program of ours under one of NVIDIA's, which keeps its own libraries: ours are named to ours alone."""
        libraries = f"LD_LIBRARY_PATH={self.environment['LD_LIBRARY_PATH']}"
        return self.execute([*profiler, "env", libraries, self.options.programs / command[0], *command[1:]],
                            environment=dict(self.peer_environment, LC_ALL="C"), **more)

    def tests(self):
        """The programs that test our code on the device; those of the kernels are first by their name."""
        return sorted(file for file in self.options.programs.glob("cuda_*test*") if file.is_file())

    def batchwise(self, what, *arguments, **more):
        """Output of a command of ours, or None with the reason as a row."""
        done = self.program("batchwise", *arguments, "--workspace", self.folder / "workspace", **more)
        if done.returncode == 0:
            return done.stdout
        said = last_lines(done.stderr) or last_lines(done.stdout) or ["nothing said"]
        self.say(*said)
        self.row(f"{what}: failed", f"exit {done.returncode}", said[-1][-120:], bad=True)
        return None

    def train(self, what, config, **more):
        """Events of a run, or None with the reason as a row."""
        file = self.folder / "run.yaml"
        file.write_text(config)
        output = self.batchwise(what, "train", file, "--json", **more)
        events = output and [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        self.say(*[f"{what}: {event['text']}" for event in events or []
                   if event["event"] == "note" and event["level"] != "info"])
        return events

    def make_texts(self, longest=128):
        if not (self.folder / f"real{longest}.tokens").exists():
            documents = self.sizes.full * 128 // longest
            make_text(self.folder, self.sizes.vocabulary, longest, documents, 2 * documents)

    def close(self):
        for file in (*self.files, self.log, self.held):
            file.close()
        shutil.rmtree(self.folder, ignore_errors=True)


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
    """Attention without dropout, as the peers have it; the weights are those that the peers start from. A checkpoint is
    taken only if `more` says so: 1.3 GB of BERT-base take seconds, in which the GPU idles."""
    model = f"init_from: {bench.weights}" if bench.weights else f"preset: {bench.sizes.preset}"
    return f"""version: 1
model: {{{model}, max_position_embeddings: 512, hidden_dropout_prob: 0.1, attention_probs_dropout_prob: 0.0}}
tokenizer: {{path: {bench.folder}/vocabulary}}
data:
  {{train: [{bench.folder}/{text}{longest}.txt], format: lines, max_seq_len: {longest}, holdout: 0, mlm_probability: 0.15}}
max_duration: {steps}ba
batch: {{global_train_batch_size: {batch}, device_train_microbatch_size: {micro}}}
optimizer: {{lr: 1e-4}}
scheduler: {{name: constant}}
precision: {precision if bench.gpu else "fp32"}
devices: {devices or bench.options.device}
eval: {{interval: []}}
log: {{every_step: true}}
{more if "checkpoint:" in more else "checkpoint: {interval: [], keep_last: 0}" + chr(10) + more}"""


def rows_of(events):
    """One row of metrics for each step: with `log.every_step` the last step of a global batch is followed by the row of
    that batch, which has the same clock."""
    rows = []
    for event in events or []:
        if event["event"] == "metrics" and (not rows or event["tok"] > rows[-1]["tok"]):
            rows.append(event)
    return rows


def run_of(events):
    """Its id."""
    return next(event["run"] for event in events if event["event"] == "run_started")


def rate_of(events):
    """Real tokens per second of training after the first third of the steps, and the largest memory in use."""
    rows = rows_of(events)
    first, last = rows[len(rows) // 3], rows[-1]
    return ((last["tok"] - first["tok"]) / (last["sec"] - first["sec"]),
            max((device["peak"] for row in rows for device in row["devices"]), default=0))


def out_of_memory(events):
    """Whether a run had to shrink its micro-batch: it is then another run than the one that was asked for."""
    return any("out of memory" in event.get("text", "") for event in events if event["event"] == "note")


def flops_per_token(lengths, executed):
    """Forward and backward, base, 15 % predicted: encoder, attention, head on predicted tokens only. The usual count;
    `executed`: less the 85 % of the last layer's tokens whose query, output and feed-forward nobody needs."""
    attended = sum(one * one for one in lengths) / sum(lengths)
    last = 6 * 10 * 768**2 * 0.85 if executed else 0
    return 6 * 84.93e6 + 110592 * attended + 6 * 24.03e6 * 0.15 - last


def beyond_peak(bench, rate, lengths):
    """Whether so many tokens/s cannot be true: the card has not that many FLOP/s."""
    return bench.gpu and rate * flops_per_token(lengths, executed=True) > PEAK_FLOPS


def measure_ours(bench, what, text="full", longest=128, environment=None, **changes):
    """Tokens/s of a run, as a row; None if it fails, or ran out of memory on the way."""
    bench.make_texts(longest)
    batch = bench.sizes.short if longest == 128 else bench.sizes.long
    events = bench.train(what, config_of(bench, text, longest, batch, batch, bench.sizes.steps, **changes),
                         environment=environment, seconds=60)
    if events is None:
        return None
    if out_of_memory(events):
        return bench.row(f"batchwise, {what}", "out of memory", "not counted: another micro-batch than the peers'", bad=True)
    rate, peak = rate_of(events)
    lengths = lengths_of(bench.folder / f"{text}{longest}.tokens")
    usual, executed = (rate * flops_per_token(lengths, way) / PEAK_FLOPS for way in (False, True))
    losses = [row["loss"] for row in rows_of(events)]
    mfu = f"MFU {usual:.1%}, of what is executed {executed:.1%} (aim 45 %), peak {peak / 2**30:.2f} GiB, "
    bench.row(f"batchwise, {what}", f"{rate:,.0f} tokens/s",
              f"{mfu if bench.gpu else ''}loss {losses[0]:.3f} to {losses[-1]:.3f}", bad=beyond_peak(bench, rate, lengths),
              tokens_per_sec=rate, mfu=usual, mfu_executed=executed, peak=peak, losses=losses)
    return rate


def smi(bench, when):
    """The state of the GPU, which gets slower as it gets warm; of the driver's own program, which may be missing."""
    found = tool("nvidia-smi")
    if bench.gpu and found:
        asked = "name,driver_version,memory.total,persistence_mode,power.limit,clocks.sm,temperature.gpu,power.draw,memory.used"
        done = bench.execute([found, f"--query-gpu={asked}", "--format=csv,noheader"], seconds=20)
        bench.row(f"GPU, {when}", "", "; ".join(last_lines(done.stdout, 8)))


def parse(stage, text, parts, seconds, more=None):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=HERE / "bin")
    parser.add_argument("--only", metavar="PART,...", help=f"of {', '.join(parts)}",
                        default=",".join(name for name, part in parts.items() if part.chosen))
    parser.add_argument("--seconds", type=float, default=seconds, help="for all; what is not done by then is left out")
    parser.add_argument("--out", type=pathlib.Path, help=f"folder of {stage}.txt, .jsonl and .log; else $OUT, or this one")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    if more:
        more(parser)
    options = parser.parse_args()
    unknown = set(options.only.split(",")) - set(parts)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    return options


def guarded(bench, name, part, reserved):
    """A part that fails or has no time left is a row; the stage goes on without it."""
    begun = time.monotonic()
    bench.part_ends = min(begun + part.limit * bench.patience, bench.ends - reserved)
    try:
        if bench.left() < part.least:
            raise OutOfTime
        part.run(bench)
    except OutOfTime:
        bench.row(f"part {name}", "no time left", f"begun after {begun - bench.begun:.0f} s of {bench.options.seconds:.0f}; "
                  f"it may take {part.limit:.0f} s", bad=True)
    except Exception as problem:  # of one part; what others measure is worth as much as before
        bench.row(f"part {name}", type(problem).__name__, str(problem)[:120], bad=True)
    bench.row(f"-- part {name}", f"{time.monotonic() - begun:.0f} s")


def run_stage(stage, text, parts, seconds, more=None):
    """A whole stage: its parts in their order, then its rows once more as one table. Returns the exit code."""
    options = parse(stage, text, parts, seconds, more)
    bench = Bench(stage, options)
    chosen = [name for name in parts if name in options.only.split(",")]
    try:
        smi(bench, "at first")
        for number, name in enumerate(chosen):
            reserved = sum(parts[later].limit for later in chosen[number + 1:] if parts[later].reserve)
            guarded(bench, name, parts[name], reserved)
    finally:
        bench.part_ends = bench.ends = max(bench.ends, time.monotonic() + 10)
        smi(bench, "at the end")
        bench.row("in all", f"{time.monotonic() - bench.begun:.0f} s")
        print(f"\n=== {stage}: {'BAD' if bench.failed else 'good'}", *bench.rows, sep="\n", flush=True)
        bench.close()
    return 1 if bench.failed else 0
