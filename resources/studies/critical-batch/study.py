#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large may the batch of a small masked-language model be, and does a ramp that follows pay?

Trains run.yaml, measures the critical batch and the noise scale at its checkpoints, lets the ramp of the study and that
of Seesaw compete with the constant batch (three seeds each), and writes report.md beside this file. Killed, the same
command goes on. It takes about a quarter of an hour on two idle cores; FOLDER takes its workspace.

  study.py BATCHWISE FOLDER TEXT...
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = (17, 18, 19)
POSITIONS = (0.0625, 0.125, 0.25, 0.5)  # of the run
FACTORS = "1,2,4,8"
BRANCH_TOKENS = 32768  # 256 steps at factor 1, 32 at 8
REPLICATES = 4
TOLERANCE = 0.02  # nats
SEESAW = ("batch.rampup.from_schedule.factor=1.41", "batch.rampup.from_schedule.cap=4x")


class Study:
    def __init__(self, program, folder, text):
        self.program, self.folder = program, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.text = "data.train=[" + ", ".join(f"'{pathlib.Path(name).resolve()}'" for name in text) + "]"

    def __call__(self, *arguments):
        line = [self.program, *map(str, arguments), "--workspace", str(self.folder / "workspace")]
        done = subprocess.run(line, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(line)} ended with {done.returncode}")
        return done.stdout

    def names(self):
        return {run["name"]: run for run in json.loads(self("runs", "list", "--json"))["runs"]}

    def train(self, name, config, seed, *settings):
        """Trains a run, goes on with it, or leaves it alone if it is finished. Returns its name."""
        run = self.names().get(name)
        if run is None:
            given = [part for value in (f"seed={seed}", self.text, *settings) for part in ("--set", value)]
            self("train", config, "--name", name, *given)
        elif run["status"] != "finished":
            self("resume", name)
        return name


def positions(study, run):
    tokens = json.loads(study("runs", "show", run, "--json"))["run"]["tok"]
    return ",".join(str(round(share * tokens)) for share in POSITIONS)


def table(head, rows):
    return "\n".join(["| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows)]) + "\n"


def decisions(found):
    rows = []
    for place in found["checkpoints"]:
        column = place["after_cool_down"] or place["at_rate"]
        for one in column["factors"]:
            shown = [f"{one[key]:.4f}" if one[key] is not None else "" for key in ("mean_loss", "mean_difference", "bound")]
            rows.append([f"{place['position']:,}", round(place["batch_samples"] * one["factor"]), one["n"], *shown, one["state"]])
    return table(["tokens", "batch", "n", "evaluation loss", "difference", "upper bound (95 %)", ""], rows)


def noises(study, run, found):
    rows = []
    for place in found["checkpoints"]:
        noise = json.loads(study("noise", run, "--checkpoint", place["checkpoint"], "--json"))["noise_scale"]
        shown = [f"{noise[key]:.3g}" if noise else "not measurable" for key in ("samples", "low", "high")]
        rows.append([f"{place['position']:,}", *shown])
    return table(["tokens", "noise scale in samples", "from", "to"], rows)


def schedules(compared):
    """At equal tokens: what a step costs is of the machine."""
    rows = []
    for line in compared["lines"]:
        loss, steps = (next(cell for cell in line["cells"] if (cell["series"], cell["at"]) == (series, "tokens"))
                       for series in ("eval.loss", "steps"))
        differs = "baseline" if not rows else f"{loss['difference']:+.4f} ± {loss['noise_band']:.4f}, {loss['verdict']}"
        rows.append([line["label"], loss["runs"], f"{loss['value']:.4f}", differs, f"{steps['value']:,.0f}"])
    return table(["schedule", "seeds", "evaluation loss", "difference", "steps"], rows)


def main(program, folder, *text):
    study = Study(program, folder, text)
    constant = [study.train(f"constant {seed}", HERE / "run.yaml", seed) for seed in SEEDS]
    run, ramp = constant[0], study.folder / "ramp.yaml"
    asked = ["study", "critical-batch", run, "--at", positions(study, run), "--factors", FACTORS, "--tokens", BRANCH_TOKENS,
             "--replicates", REPLICATES, "--tolerance", TOLERANCE]
    study(*asked)
    found = json.loads(study(*asked, "--json"))
    arms = {"constant": constant}
    if found["ramp"]:
        study(*asked, "--apply", ramp, "--force")
        arms["ramp of the study"] = [study.train(f"ramp {seed}", ramp, seed, "variant=ramp of the study") for seed in SEEDS]
    arms["Seesaw"] = [study.train(f"seesaw {seed}", HERE / "run.yaml", seed, "variant=Seesaw", *SEESAW) for seed in SEEDS]
    runs = [name for names in arms.values() for name in names]
    compared = study("runs", "compare", *runs, "--metric", "eval.loss", "--group-by", "experiment", "--columns",
                     "eval.loss,steps", "--json")
    law, won = found["law"], found["ramp"]
    report = f"""# Critical batch of a tiny masked-language model

A report of `study.py`, which made every figure here: `run.yaml` on {' and '.join(f"`{pathlib.Path(name).name}`" for name in text)},
300,000 tokens, less than one pass, evaluated on a held-out twentieth with four draws of masks. The rate of each branch
is that of the run times the square root of the factor of its batch, not tuned. A critical batch belongs to this model,
optimizer and schedule: here the largest batch that is no worse by {TOLERANCE} nats of evaluation loss after
{BRANCH_TOKENS:,} tokens, by a paired test of {REPLICATES} replicates.

## Critical batch
{decisions(found)}
{f"Law: tokens to the power {law['exponent']:.2f} ({law['exponent_band'][0]:.2f} to {law['exponent_band'][1]:.2f})." if law else "No law: " + found["why_no_law"]}
{f"The ramp along its lower edge takes {won['steps']:,.0f} steps in place of {won['constant_steps']:,.0f}." if won else "So there is no ramp to try."}

## Noise scale at the same checkpoints
{noises(study, run, found)}
It says how noisy gradients are, not which batch is best.

## Which schedule is better?
{schedules(json.loads(compared))}
± is the interval of the difference to the constant batch (at least 95 %), from the spread between seeds (Student's t)."""
    for warning in found["warnings"]:
        report += f"\n- {warning}"
    (HERE / "report.md").write_text(report.rstrip() + "\n")
    print(f"report in {HERE / 'report.md'}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
