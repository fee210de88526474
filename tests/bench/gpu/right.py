# SPDX-License-Identifier: GPL-3.0-or-later
"""First stage on a machine with a GPU: is what it computes right? About 260 s.

Beside this file lie the other scripts, bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs Python 3
with PyTorch 2.11 for CUDA 13.0. Prints a row for each finding, and all rows at its end; right.txt, right.jsonl and right.log
(what the programs said) are in --out, $OUT or the folder it is called in, line by line. Exit code 1 if a row is bad; the
parts after it are measured all the same.

Usage: right.py [--programs FOLDER] [--only PART,...] [--seconds N] [--out FOLDER] [--device cpu]
       --device cpu goes the same way on the processor, to try the script out.

Parts, in this order, which is that of their worth:
  doctor     versions, processor, driver, devices, and what is missing
  losses     of 20 steps on the GPU in fp32, tf32, bf16 and fp16, beside those of the processor in fp32
  tests      kernels and model against their references, resumed runs bit for bit, memory, groups of ranks
  commands   a run with evaluations, `batchwise eval`, `noise` and `judge`, each on the GPU and on the processor
  report     `batchwise doctor --gpu`: its operations, memory and a first speed; the report is kept as gpu_report.json
  attention  the gradient of PyTorch's flash attention for grouped heads, as we call it and as it fails
"""
import json
import random
import re
import sys

from bench_tools import HERE, Part, last_lines, rows_of, run_of, run_stage

LIMITS = {"fp32": 1e-3, "tf32": 1e-3, "bf16": 5e-3, "fp16": 2e-3}  # of the relative difference of a step's loss
# How a model is judged, and how far apart the accuracies may be. Fine-tuning computes in bf16 on a GPU, else in fp32.
JUDGED = [("probe", [], 0.02), ("finetune", ["--rates", 1e-3, "--seeds", 1, "--epochs", 4], 0.05)]


def part_doctor(bench):
    done = bench.program("batchwise", "doctor", "--workspace", bench.folder / "workspace", seconds=100)
    bench.say(*last_lines(done.stdout + done.stderr, 60))
    bench.gpus = gpus_of(done.stdout)
    bench.row("batchwise doctor", "good" if done.returncode == 0 else f"exit {done.returncode}", f"{bench.gpus} GPU(s)",
              bad=done.returncode != 0 or (bench.gpu and not bench.gpus))


def gpus_of(doctor):
    return len(re.findall(r"^device +cuda:\d+: ", doctor, flags=re.MULTILINE))


def test_filter(gpus):
    """All tests; without those of two ranks, which want a GPU each, unless the doctor has seen two."""
    return "*" if gpus > 1 else "-Ranks/*/1"


def outcome_of(report):
    """Numbers of tests that ran and were skipped, and the names of those that failed, of GoogleTest's JSON."""
    results = [test for suite in report["testsuites"] for test in suite["testsuite"] if test["status"] == "RUN"]
    failed = [f"{test['classname']}.{test['name']}" for test in results if test.get("failures")]
    return len(results), sum(test["result"] == "SKIPPED" for test in results), failed


def part_tests(bench):
    chosen = test_filter(bench.gpus)
    if not bench.tests():
        bench.row("tests", "none", f"no cuda_*test* in {bench.options.programs}", bad=True)
    for program in bench.tests():
        run_tests(bench, program.name, chosen)


def run_tests(bench, name, chosen):
    """One that crashes or hangs hides all after it, and one that breaks the GPU fails them: they are tried once without it."""
    culprit, others = tried(bench, name, name, chosen)
    if others:
        tried(bench, name, f"{name}, without {culprit}", others)


def tried(bench, name, what, chosen):
    """The first test that failed, and a filter for those that have failed or have not been run after it."""
    report = bench.folder / "tests.json"
    report.unlink(missing_ok=True)
    done = bench.program(name, f"--gtest_filter={chosen}", f"--gtest_output=json:{report}", seconds=150)
    said = done.stdout + done.stderr
    if not report.exists():  # it has crashed or hangs; GoogleTest writes at the end
        bench.say(*last_lines(said))
        begun = re.findall(r"^\[ RUN      \] (\S+)$", done.stdout, flags=re.MULTILINE)
        bench.row(what, f"exit {done.returncode}", f"in {begun[-1]}" if begun else (last_lines(done.stderr) or [""])[-1][-100:],
                  bad=True)
        return (begun[-1], ":".join([chosen if "-" in chosen else f"{chosen}-", *begun])) if begun else (None, None)
    count, skipped, failed = outcome_of(json.loads(report.read_text()))
    wrong = bool(failed) or done.returncode != 0 or (bench.gpu and (skipped > 0 or count == 0))
    if wrong:
        bench.say(*last_lines("\n".join(line for line in said.splitlines() if not re.match(r"\[.{10}\]", line))))
        bench.say(*[f"failed: {test}" for test in failed])
    bench.row(what, f"{count - skipped - len(failed)} of {count} passed",
              f"{skipped} skipped; {len(failed)} failed{': ' + ', '.join(failed)[:120] if failed else ''}", bad=wrong,
              failed=failed)
    return failed[0] if failed else None, ":".join(failed[1:])


def part_report(bench):
    file = bench.out / "gpu_report.json"
    done = bench.program("batchwise", "doctor", "--gpu", "--device", bench.options.device, "--report", file, "--force",
                         "--workspace", bench.folder / "workspace", seconds=100)
    bench.say(*last_lines(done.stdout + done.stderr, 40))
    problems = json.loads(file.read_text())["problems"] if file.exists() else ["no report"]
    bench.row("batchwise doctor --gpu", "good" if done.returncode == 0 else f"exit {done.returncode}",
              "; ".join(problems)[:160], bad=done.returncode != 0)


def losses_of(bench, device, precision):
    """Losses of the steps of a small model with dropout, whose masks are the same on each device; None if the run fails.
    With the scale of the loss at first and at last, which fp16 halves at a step that it skips."""
    events = bench.train(f"losses, {device} {precision}", f"""version: 1
seed: 17
model: {{preset: {bench.sizes.loss_preset}, hidden_dropout_prob: 0.1, attention_probs_dropout_prob: 0.0}}
tokenizer: {{train: {{vocab_size: 2048}}}}
data: {{format: demo, max_seq_len: 128, join_documents: true, holdout: 0}}
max_duration: {bench.sizes.loss_steps}ba
batch: {{global_train_batch_size: 64, device_train_microbatch_size: 32}}
optimizer: {{lr: 5e-4}}
precision: {precision}
devices: {{use: {device}}}
log: {{every_step: true}}
checkpoint: {{interval: []}}
eval: {{interval: []}}
""", seconds=60)
    rows = rows_of(events)
    return ([row["loss"] for row in rows], [rows[at].get("loss_scale") for at in (0, -1)]) if rows else None


def part_losses(bench):
    truth = losses_of(bench, "cpu", "fp32")
    if truth is None:
        return
    for precision, limit in LIMITS.items() if bench.gpu else [("fp32", 1e-3), ("bf16", 5e-3)]:
        found = losses_of(bench, bench.options.device, precision)
        if found is None:
            continue
        tell_losses(bench, precision, limit, truth[0], *found)


def tell_losses(bench, precision, limit, truth, losses, scales):
    apart = [abs(one - other) / other for one, other in zip(losses, truth)]
    far = max(apart, default=float("inf"))
    scale = f", loss scale {scales[0]:g} to {scales[1]:g}" if precision == "fp16" and None not in scales else ""
    bench.row(f"losses of {len(losses)} steps, {precision}", f"{far:.1e} at most apart",
              f"allowed {limit:.0e}; first {losses[0]:.6f} (fp32, processor: {truth[0]:.6f}), last {losses[-1]:.4f} "
              f"({truth[-1]:.4f}); of the first 5 steps {max(apart[:5]):.1e}{scale}",
              bad=not all(one <= limit for one in apart) or len(losses) != len(truth), losses=losses, truth=truth,
              scales=scales)


def make_task(folder, seed=3):
    """A task of two classes, in which odd words are more frequent under label 1: half a dozen to 100 words a text."""
    folder.mkdir()
    rng = random.Random(seed)
    for part, texts in (("train", 512), ("validation", 128), ("test", 256)):
        with open(folder / f"{part}.jsonl", "w") as file:
            for _ in range(texts):
                label = rng.randrange(2)
                words = [2 * int(200 * rng.random() ** 3) + (rng.random() < (0.8 if label else 0.2))
                         for _ in range(rng.randrange(6, 100))]
                file.write(json.dumps(dict(text=" ".join(map(str, words)), label=("even", "odd")[label])) + "\n")
    (folder / "task.yaml").write_text("name: words\nkind: classification\ntrain: train.jsonl\n"
                                      "validation: validation.jsonl\ntest: test.jsonl\ntext: text\nlabel: label\n")
    return folder


def part_commands(bench):
    """A run of each side; then that of the GPU on both."""
    folder = make_task(bench.folder / "task")
    runs = [run_with_evaluations(bench, device, folder) for device in (bench.options.device, "cpu")]
    if None in runs:
        return
    (run, losses), (_, truth) = runs
    pairs = list(zip(losses, truth))
    tell_figures(bench, "evaluations of a run",
                 {f"loss {at + 1}": (*pair, LIMITS["fp32"] * pair[1]) for at, pair in enumerate(pairs)},
                 complete=len(losses) == len(truth) == 2)
    both = on_both(bench, "eval", run, "--data", folder / "test.jsonl", "--draws", 4)
    if both:
        loss, accuracy = ([one[name] for one in both] for name in ("loss", "accuracy"))
        tell_figures(bench, "batchwise eval", {"loss": (*loss, LIMITS["fp32"] * loss[1]), "accuracy": (*accuracy, 2e-3)})
    both = on_both(bench, "noise", run, "--batches", 8, "--batch-size", 32)
    if both:
        figures = {"trace": [one["trace"] for one in both]}
        for name in ("noise_scale", "noise_scale_of_norm_layers"):
            figures[name] = [one[name] and one[name]["samples"] for one in both]
        tell_figures(bench, "batchwise noise", {name: (*pair, 0.02 * (pair[1] or 0)) for name, pair in figures.items()})
    for method, options, allowed in JUDGED:
        both = on_both(bench, "judge", run, "--task", folder / "task.yaml", "--again", "--method", method, *options)
        if both:
            tell_figures(bench, f"batchwise judge, {method}", {"accuracy": (*map(test_score, both), allowed)})


def test_score(judged):
    return next(score["mean"] for score in judged["scores"] if score["split"] == "test")


def run_with_evaluations(bench, device, folder):
    """Id of a run in fp32, and the losses of its evaluations; None if it fails."""
    events = bench.train(f"run on {device}", f"""version: 1
seed: 17
model: {{preset: tiny, hidden_dropout_prob: 0.1, attention_probs_dropout_prob: 0.0}}
tokenizer: {{train: {{vocab_size: 600}}}}
data: {{train: [{folder}/train.jsonl], format: jsonl, max_seq_len: 128, holdout: 0.1}}
max_duration: 20ba
batch: {{global_train_batch_size: 32, device_train_microbatch_size: 16}}
optimizer: {{lr: 2e-4}}
precision: fp32
devices: {{use: {device}}}
eval: {{interval: 10ba}}
""", seconds=60)
    if events is None:
        return None
    return run_of(events), [event["loss"] for event in events if event["event"] == "eval"]


def on_both(bench, command, *arguments):
    """What a command says on the GPU and on the processor; None if one fails, with the reason as a row."""
    said = [bench.batchwise(f"batchwise {command} on {device}", command, *arguments, "--json", "--device", device, seconds=60)
            for device in (bench.options.device, "cpu")]
    return None if None in said else [json.loads(one) for one in said]


def tell_figures(bench, what, figures, complete=True):
    """`figures`: by name that of the GPU, that of the processor, and how far apart they may be; None: not measurable."""
    def close(found, truth, allowed):
        return found is truth if None in (found, truth) else abs(found - truth) <= allowed
    far = [name for name, figure in figures.items() if not close(*figure)]
    told = lambda value: "none" if value is None else f"{value:.6g}"
    bench.row(what, "apart" if far else "alike" if complete else "not all are there",
              "; ".join(f"{name} {told(found)} (processor: {told(truth)}, allowed {allowed:.1g} apart)"
                        for name, (found, truth, allowed) in figures.items()), bad=bool(far) or not complete, figures=figures)


def part_attention(bench):
    done = bench.execute([sys.executable, HERE / "grouped_heads.py"], environment=bench.peer_environment,
                         seconds=60 if bench.gpu else 300)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for one in found:
        bench.row(f"flash attention, {one['what']}", one["value"], one["note"], bad=one["bad"])
    if done.returncode != 0:
        bench.say(*last_lines(done.stdout + done.stderr))
        bench.row("flash attention", f"exit {done.returncode}", (last_lines(done.stderr) or [""])[-1][-100:], bad=True)
    elif not found:
        bench.row("flash attention", "not tried", "there is no GPU", bad=bench.gpu)


PARTS = {"doctor": Part(part_doctor, 100), "losses": Part(part_losses, 150), "tests": Part(part_tests, 240),
         "commands": Part(part_commands, 150), "report": Part(part_report, 110), "attention": Part(part_attention, 60)}


def main():
    return run_stage("right", __doc__, PARTS, 400)


if __name__ == "__main__":
    sys.exit(main())
