# SPDX-License-Identifier: GPL-3.0-or-later
"""First stage on a machine with a GPU: is what it computes right? About 200 s. It ends at the first part with a bad row,
with exit code 1; --keep-going measures the others as well.

Beside this file lie the other scripts, bin/ and lib/ as pack.sh makes them (or give --programs BUILD/bin). Needs Python 3
with PyTorch 2.11 for CUDA 13.0. Prints a row for each finding, and all rows at its end; right.txt, right.jsonl and right.log
(what the programs said) are in --out, $OUT or the folder it is called in, line by line.

Usage: right.py [--programs FOLDER] [--only PART,...] [--seconds N] [--keep-going] [--out FOLDER] [--device cpu]
       --device cpu goes the same way on the processor, to try the script out.

Parts, in this order:
  doctor     versions, processor, driver, devices, and what is missing
  tests      kernels and model against their references, resumed runs bit for bit, memory, groups of ranks
  report     `batchwise doctor --gpu`: its operations, memory and a first speed; the report is kept as gpu_report.json
  losses     of 20 steps on the GPU in fp32, tf32, bf16 and fp16, beside those of the processor in fp32
  attention  the gradient of PyTorch's flash attention for grouped heads, as we call it and as it fails
"""
import json
import re
import sys

from bench_tools import HERE, SAID, Part, last_lines, rows_of, run_stage

LIMITS = {"fp32": 1e-3, "tf32": 1e-3, "bf16": 5e-3, "fp16": 2e-3}  # of the relative difference of a step's loss


def part_doctor(bench):
    done = bench.program("batchwise", "doctor", "--workspace", bench.folder / "workspace", seconds=60)
    bench.say(*last_lines(done.stdout + done.stderr, 60))
    bench.gpus = gpus_of(done.stdout)
    bench.row("batchwise doctor", "good" if done.returncode == 0 else f"exit {done.returncode}", f"{bench.gpus} GPU(s)",
              bad=done.returncode != 0 or (bench.gpu and not bench.gpus))


def gpus_of(doctor):
    return len(re.findall(r"^device +cuda:\d+: ", doctor, flags=re.MULTILINE))


def test_filter(gpus):
    """All tests; on a machine with one GPU without those of two ranks, which want one each."""
    return "-Ranks/*/1" if gpus == 1 else "*"


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
        if bench.failed and not bench.options.keep_going:
            return


def run_tests(bench, name, chosen):
    report = bench.folder / f"{name}.json"
    done = bench.program(name, f"--gtest_filter={chosen}", "--gtest_brief=1", f"--gtest_output=json:{report}", seconds=120)
    if not report.exists():  # it has crashed or hangs; GoogleTest writes at the end
        bench.say(*last_lines(done.stdout + done.stderr))
        return bench.row(name, f"exit {done.returncode}", (last_lines(done.stderr) or [""])[-1][-100:], bad=True)
    count, skipped, failed = outcome_of(json.loads(report.read_text()))
    wrong = bool(failed) or done.returncode != 0 or (bench.gpu and (skipped > 0 or count == 0))
    if wrong:
        bench.say(*last_lines(done.stdout + done.stderr))
        bench.say(*[f"failed: {test}" for test in failed])
    bench.row(name, f"{count - skipped - len(failed)} of {count} passed",
              f"{skipped} skipped; {len(failed)} failed{': ' + ', '.join(failed)[:120] if failed else ''}", bad=wrong,
              failed=failed)


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


PARTS = {"doctor": Part(part_doctor, 60), "tests": Part(part_tests, 240), "report": Part(part_report, 110),
         "losses": Part(part_losses, 150), "attention": Part(part_attention, 60)}


def main():
    def more(parser):
        parser.add_argument("--keep-going", action="store_true", help=f"after a bad row, whose last {SAID} lines are shown")
    return run_stage("right", __doc__, PARTS, 400, more, stops=lambda options: not options.keep_going)


if __name__ == "__main__":
    sys.exit(main())
