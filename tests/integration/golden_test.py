#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program plans and computes stays what it was: the plans of 60 configurations (stages, totals, points, packs),
and every row of 13 small seeded trainings, all of it but times and memory, against the files in tests/vectors/golden.

    golden_test.py BATCHWISE [--record]

--record writes the files anew: only for a change that is meant to change what runs do, said in its message. Plans are
equal on every machine. The figures of a training are equal bit for bit on the kind of processor on which they were
recorded; elsewhere the counts are equal and the losses agree within 2 parts in 1,000.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "vectors" / "golden"
POINTS = "0ba,1ba,7ba,20ba,33ba,0.05dur,0.25dur,0.5dur,0.75dur,0.99dur,1dur,1.2dur,100sp,1500sp,20000tok,0.5ep"
PLAN_BASE = {"max_duration": "3ep", "data.train": "none.txt", "batch.global_train_batch_size": 48,
             "batch.device_train_microbatch_size": 4, "devices.use": "cpu", "data.max_seq_len": 64}
# Under a ramp the warm-up begins at one unless it is said: these are plans from zero.
FROM_ZERO = {"scheduler.warmup_from": "zero"}
RAMP = {"batch.rampup.duration": "0.4dur", "batch.rampup.initial_global_train_batch_size": 6, **FROM_ZERO}
LINEAR = {**RAMP, "batch.rampup.growth": "linear", "batch.rampup.increment": 6}
TABLE = {**FROM_ZERO, "batch.rampup.stages": "[{at: 0ba, global_train_batch_size: 8}, {at: 10ba, global_train_batch_size: 16}, "
                                "{at: 0.5dur, global_train_batch_size: 48}]"}
BUDGET = {"batch.tokens.max_tokens": 256, "batch.global_train_batch_size": 6,
          "batch.device_train_microbatch_size": 1}
STAGES = {"max_duration": "60ba", "stages": "[{until: 0.6dur}, {until: 1dur, data.max_seq_len: 128, data.mlm_probability: 0.2}]"}
CHAIN = {"scheduler.name": "chain", "scheduler.parts":
         "[{name: linear, duration: 10ba, alpha_i: 0, alpha_f: 1}, {name: constant, duration: 0.5dur}, "
         "{name: cosine_annealing, duration: rest}]"}


def plans():
    """Name -> (changes, lengths): `lengths` is a number of equal samples or the name of a mixture of lengths."""
    found = {}

    def add(name, lengths=1000, **groups):
        changes = dict(PLAN_BASE)
        for group in groups.values():
            changes.update(group)
        found[name] = (changes, lengths)

    for unit, length in {"ep": "1.5ep", "ba": "60ba", "sp": "2500sp", "tok": "160000tok"}.items():
        add(f"plain-{unit}", a={"max_duration": length})
        add(f"doubling-{unit}", a=RAMP, b={"max_duration": length})
        add(f"linear-{unit}", a=LINEAR, b={"max_duration": length})
        add(f"budget-{unit}", "mixed", a=BUDGET, b={"max_duration": length})
    for duration in ("10ba", "400sp", "30000tok", "0.5ep", "1dur"):
        add(f"doubling-for-{duration}", a={**RAMP, "batch.rampup.duration": duration})
        add(f"linear-for-{duration}", a={**LINEAR, "batch.rampup.duration": duration})
    add("doubling-of-two-devices", a=RAMP, b={"devices.use": "cpu:2", "batch.rampup.initial_global_train_batch_size": 12})
    add("ramp-that-does-not-divide", a={**RAMP, "batch.global_train_batch_size": 52,
                                        "batch.rampup.initial_global_train_batch_size": 12})
    add("table", a=TABLE)
    add("table-of-tokens", "mixed", a={"max_duration": "100000tok"}, b={
        key: value.replace("10ba", "20000tok").replace("0ba", "0tok") for key, value in TABLE.items()})
    for epoch in (1, 5, 47, 48, 49, 97):
        add(f"epoch-of-{epoch}", epoch, b={"max_duration": "7ep"})
        add(f"doubling-epoch-of-{epoch}", epoch, a=RAMP, b={"max_duration": "7ep"})
    add("growth", a={"batch.growth.increase_function": "epoch >= 1 ? current_batch_size * 2 : current_batch_size",
                     "batch.growth.bound": "device_maximum"})
    add("growth-every", a={"batch.growth.batch_increase_function": "8", "batch.growth.every": "10ba",
                           "batch.growth.bound": "none"})
    add("growth-after-a-ramp", a=RAMP, b={"batch.growth.increase_function": "current_batch_size + 16",
                                          "batch.growth.every": "0.2dur", "batch.growth.bound": "none"})
    for order in ("dataloader", "random", "seqlen"):
        add(f"budget-{order}", "mixed", a=BUDGET, b={"batch.tokens.sequence_picking_order": order})
    add("budget-best-fit", "mixed", a=BUDGET, b={"batch.tokens.packing": "best_fit"})
    add("budget-same-size", "mixed", a=BUDGET, b={"batch.tokens.required_microbatches_of_same_size": "true"})
    add("budget-padded", "mixed", a=BUDGET, b={"batch.tokens.count": "padded"})
    add("budget-ramp", "mixed", a=BUDGET, b={**FROM_ZERO, "batch.rampup.duration": "0.5dur",
                                             "batch.rampup.initial_global_train_batch_size": 1})
    add("budget-linear-lr", "mixed", a=BUDGET, b={"lr_scaling.method": "linear", "lr_scaling.by": "tokens",
                                                  "lr_scaling.reference_batch_size": 1000})
    for method in ("linear", "sqrt"):
        add(f"scaling-{method}", a=RAMP, b={"lr_scaling.method": method, "lr_scaling.applies_to": "[rampup, last]",
                                            "lr_scaling.reference_batch_size": 48})
    add("stages", a=STAGES)
    add("stages-under-a-ramp", a=STAGES, b=RAMP)
    add("stages-with-their-schedules", a={"max_duration": "60ba", "stages": "[{until: 20ba}, {until: 40ba, batch.global_train_batch_size: 96},"
                                                    " {until: 1dur, optimizer.lr: 1e-4}]"})
    add("chain", a=CHAIN)
    add("chain-under-a-ramp", a={**CHAIN, "max_duration": "60ba"}, b=LINEAR)
    for name, more in {
            "cosine_annealing_with_warmup": {"t_warmup": "0.1dur"}, "warmup_stable_decay": {"t_decay": "0.2dur"},
            "inverse_sqrt": {"t_warmup": "10ba"}, "one_minus_sqrt": {}, "polynomial": {"power": 2},
            "multistep": {"milestones": "[10ba, 0.5dur]"}, "cosine_annealing_warm_restarts": {"t_0": "12ba", "t_mult": 2},
            "expression": {"expression": "'max(0.1, 1 - frac)'"}, "exponential": {"gamma": 0.5, "decay_period": "9ba"}}.items():
        add(f"schedule-{name}", a={"scheduler.name": name, **{f"scheduler.{k}": v for k, v in more.items()}})
    add("stretched", a={"scale_schedule_ratio": 1.7, "scheduler.t_warmup": "8ba", "scheduler.scale_warmup": "true"}, b=RAMP)
    return found


DEMO = {"max_duration": "24ba", "model.hidden_size": 32, "model.num_hidden_layers": 2, "model.num_attention_heads": 2,
        "model.intermediate_size": 64, "data.max_seq_len": 32, "batch.global_train_batch_size": 16,
        "batch.device_train_microbatch_size": 8, "devices.use": "cpu", "devices.threads": 1, "precision": "fp32",
        "eval.interval": "12ba", "checkpoint.interval": "12ba", "optimizer.lr": 0.002, "scheduler.t_warmup": "3ba"}
SMALL_RAMP = {**FROM_ZERO, "batch.rampup.duration": "10ba", "batch.rampup.initial_global_train_batch_size": 4,
              "batch.device_train_microbatch_size": 4}
SMALL_BUDGET = {"batch.tokens.max_tokens": 128, "batch.global_train_batch_size": 4,
                "batch.device_train_microbatch_size": 1}
# Name -> changes of DEMO; "resume": stopped at this batch and resumed.
TRAININGS = {
    "bert": {}, "roberta": {"model.family": "roberta"}, "modernbert": {"model.family": "modernbert"},
    "eurobert": {"model.family": "eurobert"}, "neobert": {"model.family": "neobert"},
    "doubling": {**SMALL_RAMP, "log.noise_scale": "true"}, "linear": {**SMALL_RAMP, "batch.rampup.growth": "linear", "log.every_step": "true"},
    "budget": SMALL_BUDGET,
    "follows-tokens": {**SMALL_RAMP, "optimizer.beta2_half_life": "2000tok", "optimizer.weight_decay_follows": "tokens",
                       "guard.update_ratio.action": "note", "guard.attention_logit.action": "note"},
    "growth": {"batch.growth.batch_increase_function": "8", "batch.growth.every": "8ba", "batch.growth.bound": "none"},
    "stages": {"stages": "[{until: 12ba}, {until: 24ba, data.max_seq_len: 16, optimizer.lr: 1e-3}]"},
    "two-devices-dropout": {"devices.use": "cpu:2", "model.hidden_dropout_prob": 0.1, "batch.device_train_microbatch_size": 4},
    "resumed-ramp": {**SMALL_RAMP, "scheduler.t_max": "24ba", "resume": 12},
}
STAGE = ["from_ba", "global_batches", "global_batch_samples", "parts", "step_samples", "micro_batches_per_step",
         "microbatch_samples", "optimizer_steps", "reached"]
# What depends on the machine and the moment.
NOT_COMPARED = {"event", "sec", "seconds", "step_sec", "samples_per_sec", "tokens_per_sec", "devices"}


def processor():
    """What the libraries of linear algebra choose their code by."""
    facts = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines() if ":" in line)
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    vectors = [flag for flag in facts.get("flags", "").split() if flag.startswith(("avx", "amx"))]
    return " ".join([facts.get("model name", "unknown"), facts.get("cpu family", ""), facts.get("model", ""), *sorted(vectors)])


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.environment = {**os.environ, **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "CACHE")}}

    def __call__(self, *arguments, expect=0):
        done = subprocess.run([self.path, *map(str, arguments)], env=self.environment, cwd=self.folder,
                              capture_output=True, text=True)
        if done.returncode != expect:
            sys.exit(f"{' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr[-3000:]}")
        return done.stdout


def settings(changes):
    return [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]


def lengths_of(kind):
    """About a thousand lengths between 3 and 64 without a pattern; the same at each call."""
    state, values = 7, []
    for _ in range(1000):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(3 + (state >> 8) % 62)
    return values if kind == "mixed" else [64] * kind


def plan_of(program, changes, lengths):
    given = program.folder / "lengths.json"
    given.write_text(json.dumps(lengths_of(lengths)))
    of_lengths = ["--seqlens", given] if lengths == "mixed" else ["--samples-per-epoch", lengths, "--tokens-per-sample", 64]
    preview = json.loads(program("preview", "run.yaml", *settings(changes), *of_lengths, "--at", POINTS, "--json"))
    plan = {key: preview[key] for key in ("max_duration", "resolved", "totals", "points", "fill")}
    plan["stages"] = [{key: stage[key] for key in STAGE} for stage in preview["stages"]]
    if lengths == "mixed":
        epoch = json.loads(program("batches", "run.yaml", *settings(changes), "--seqlens", given, "--json"))
        plan["batches"] = {key: epoch[key] for key in ("packs", "global_batch_of_pack", "tokens", "lr_factors", "skipped")}
    return plan


def rows_of(lines):
    events = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return [{key: event[key] for key in sorted(event.keys() - NOT_COMPARED)}
            for event in events if event["event"] in ("metrics", "eval")]


def training_of(program, name, changes):
    changes = dict(changes)
    resume = changes.pop("resume", None)
    launch = ["train", "demo", "--workspace", program.folder / "ws", *settings({**DEMO, **changes}), "--json"]
    if not resume:
        return rows_of(program(*launch, "--name", name))
    first = program(*launch, "--name", name, "--set", f"max_duration={resume}ba")
    run = next(json.loads(line)["run"] for line in first.splitlines() if '"run_started"' in line)
    return rows_of(first) + rows_of(program("resume", run, "--workspace", program.folder / "ws", "--set",
                                            f"max_duration={DEMO['max_duration']}", "--json"))


def lines_of(values):
    """One entry per line, so that a difference is read where it is."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}"
                              for name, value in values.items()) + "\n}\n"


def close(found, wanted, relative):
    """Equal, or numbers that differ by at most `relative`; null is equal to null alone."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and found.keys() == wanted.keys() and \
            all(close(found[key], wanted[key], relative) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and \
            all(close(*pair, relative) for pair in zip(found, wanted))
    if isinstance(wanted, float) and isinstance(found, (int, float)) and not isinstance(found, bool):
        return found == wanted or abs(found - wanted) <= relative * abs(wanted)
    return found == wanted


def first_difference(found, wanted, relative, place=""):
    if isinstance(wanted, dict) and isinstance(found, dict) and found.keys() == wanted.keys():
        parts = [(f"{place}.{key}", found[key], wanted[key]) for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        parts = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(found, wanted))]
    else:
        return f"{place}: {json.dumps(found)[:200]} instead of {json.dumps(wanted)[:200]}"
    return next(first_difference(ours, theirs, relative, where) for where, ours, theirs in parts
                if not close(ours, theirs, relative))


def main():
    record = "--record" in sys.argv
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        program = Program(Path(sys.argv[1]).resolve(), Path(name))
        (program.folder / "run.yaml").write_text("version: 1\n")
        found = {name: plan_of(program, *case) for name, case in plans().items()}
        trained = {name: training_of(program, name, changes) for name, changes in TRAININGS.items()}
    if record:
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / "plans.json").write_text(lines_of(found))
        (GOLDEN / "trainings.json").write_text(lines_of({"processor": processor(), **trained}))
        print(f"recorded {len(found)} plans and {len(trained)} trainings")
        return 0
    wanted = json.loads((GOLDEN / "trainings.json").read_text())
    exact = wanted.pop("processor") == processor()
    if not exact:  # a difference of nearly equal numbers, which amplifies their rounding
        for row in (row for rows in (*trained.values(), *wanted.values()) for row in rows):
            for key in [key for key in row if key.startswith("noise_scale")]:
                del row[key]
    for what, ours, theirs, relative in (("plan", found, json.loads((GOLDEN / "plans.json").read_text()), 1e-12),
                                         ("training", trained, wanted, 0 if exact else 2e-3)):
        if ours.keys() != theirs.keys():
            sys.exit(f"other {what}s than recorded: {sorted(ours.keys() ^ theirs.keys())}")
        for name in theirs:
            if not close(ours[name], theirs[name], relative):
                failed += 1
                print(f"{what} {name}{first_difference(ours[name], theirs[name], relative)}")
    print(f"{len(found)} plans and {len(trained)} trainings ({'bit for bit' if exact else 'another processor'}), {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
