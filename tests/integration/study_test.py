# SPDX-License-Identifier: GPL-3.0-or-later
"""What the laboratory of batch sizes claims, on runs that were trained: study_test.py PROGRAM

The quick tier takes the demo; BATCHWISE_TEST_TIER=full also tiny models on real text (BATCHWISE_TEST_TEXTS names the
folder): the critical batch on wikitext-2, and Seesaw below and above the critical batch on tinyshakespeare, with three
seeds each."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)
FULL = os.environ.get("BATCHWISE_TEST_TIER") == "full"
ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = pathlib.Path(os.environ.get("BATCHWISE_TEST_TEXTS", ROOT.parent / "shared" / "data"))
CPU = ["--set", "devices={use: cpu, threads: 1}"]


# A cluster of one node: sbatch starts the tasks of a script one after another, squeue lists those that have not ended.
# Jobs wait while there is a file `hold`.
FAKE_SLURM = {
    "sinfo": "echo 'main*|up|1|infinite|(null)|64'",
    "sbatch": """script=${@: -1}; folder=$(dirname "$0"); name=$(sed -n 's/^#SBATCH --job-name=//p' "$script")
last=$(sed -n 's/^#SBATCH --array=0-//p' "$script"); job=$(($(cat "$folder/last") + 1)); echo $job >"$folder/last"
for task in $(seq 0 ${last:-0}); do echo "${job}_$task|$name" >"$folder/jobs/${job}_$task"; done
(while [ -e "$folder/hold" ]; do sleep 0.1; done
for task in $(seq 0 ${last:-0}); do
  [ ! -e "$folder/jobs/${job}_$task" ] || SLURM_JOB_ID=$job SLURM_ARRAY_TASK_ID=$task bash "$script" >>"$folder/log" 2>&1
  rm -f "$folder/jobs/${job}_$task"
done) >/dev/null 2>&1 </dev/null &
echo $job""",
    "squeue": 'folder=$(dirname "$0"); case "$*" in *--me*) cat "$folder"/jobs/* 2>/dev/null;; esac; exit 0',
    "scancel": 'rm -f "$(dirname "$0")/jobs/$1"; echo "$1" >>"$(dirname "$0")/canceled"',
    "srun": 'while case "$1" in -*) true;; *) false;; esac; do shift; done; exec "$@"',
}


class Studied(unittest.TestCase):
    """A trained run named base in a workspace of its own."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="batchwise-study-")
        self.addCleanup(self.scratch.cleanup)
        self.workspace = os.path.join(self.scratch.name, "runs")

    def fake_slurm(self):
        folder = pathlib.Path(self.scratch.name) / "slurm"
        (folder / "jobs").mkdir(parents=True)
        (folder / "last").write_text("40\n")
        for name, text in FAKE_SLURM.items():
            (folder / name).write_text("#!/bin/bash\n" + text + "\n")
            (folder / name).chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{path}"
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        return folder

    def program(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments, "--workspace", self.workspace], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr[-2000:]}")
        return done.stdout if code == 0 else done.stderr

    def series(self, run, *names):
        found = json.loads(self.program("metrics", run, "--series", ",".join(names), "--json"))["series"]
        return {name: dict(map(tuple, found[name])) for name in names}

    def study(self, *options):
        return json.loads(self.program("study", "critical-batch", "base", "--json", *options))

    @staticmethod
    def table(study):
        """What is decided, and by which losses."""
        branches = [{key: value for key, value in branch.items() if key not in ("run", "name", "status")}
                    for branch in study["branches"]]
        order = lambda branch: (branch["position"], branch["factor"], branch["replicate"])
        return study["checkpoints"], sorted(branches, key=order), study["law"], study["ramp"]

    @staticmethod
    def decisions(study):
        """Limits of the critical batch, and the losses of the branches that were trained to their end."""
        columns = [place["after_cool_down"] or place["at_rate"] for place in study["checkpoints"]]
        losses = {(branch["position"], branch["factor"], branch["replicate"]): branch["after_cool_down"]
                  for branch in study["branches"] if branch["status"] == "finished"}
        return [(column["low"], column["high"], column["decided"]) for column in columns], losses

    def check_branches(self, study):
        """k = 1 is the run bit for bit, and all branches of the first replicate read its samples at its rate."""
        base = self.series("base", "loss", "lr", "grad_norm", "tok", "sp")
        token_at = {sample: base["tok"][batch] for batch, sample in base["sp"].items()}
        rate_from = {base["sp"].get(batch - 1, 0): rate for batch, rate in base["lr"].items()}
        ends = {place["position"]: place["to_sp"] for place in study["checkpoints"]}
        checked = 0
        for branch in study["branches"]:
            if branch["replicate"] > 0 or branch["is_run_itself"]:
                continue
            rows = self.series(branch["run"], "loss", "lr", "grad_norm", "tok", "sp")
            for batch in rows["sp"]:
                sample = rows["sp"][batch]
                if sample > ends[branch["position"]]:
                    continue  # the cool-down
                if branch["factor"] == 1:
                    for name in rows:
                        self.assertEqual(rows[name][batch], base[name][batch], f"{name} at {batch}")
                if sample in token_at:
                    self.assertEqual(rows["tok"][batch], token_at[sample])
                before = rows["sp"].get(batch - 1)
                if before in rate_from and branch["factor"] in (2, 4, 8, 64):
                    self.assertAlmostEqual(rows["lr"][batch] / (rate_from[before] * branch["factor"] ** 0.5), 1, places=9)
                checked += 1
        self.assertGreater(checked, 20)

    def killed_in_the_middle(self, options, after):
        """Starts the study, and kills it once that many branches are there."""
        with open(os.path.join(self.scratch.name, "killed.txt"), "w") as log:
            running = subprocess.Popen([PROGRAM, "study", "critical-batch", "base", "--workspace", self.workspace, *options],
                                       stdout=log, stderr=log)
            deadline = time.monotonic() + 600
            while running.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
                runs = json.loads(self.program("runs", "list", "--json"))["runs"]
                if sum(run["name"].startswith("base x") for run in runs) >= after:
                    break
            self.assertIsNone(running.poll(), "it ended before it could be killed")
            running.send_signal(signal.SIGKILL)
            running.wait()


class DemoStudyTest(Studied):
    OPTIONS = ["--tokens", "6500", "--factors", "1,2,4", "--replicates", "2", "--tolerance", "0.4", "--cool-down", "yes"]

    def setUp(self):
        super().setUp()
        self.program("train", "demo", "--name", "base", "--set", "batch.global_train_batch_size=8", "--set",
                     "max_duration=240ba", "--set", "checkpoint={interval: [40ba], keep_last: 20}", "--set",
                     "eval.interval=40ba", "--set", "scheduler.t_warmup=20ba", *CPU)

    def test_a_kill_in_the_middle_leads_to_the_same_table(self):
        plan = self.study("--at", "15500", *self.OPTIONS, "--plan")
        self.assertEqual(plan["branches"], [])
        self.assertFalse(plan["decided"])
        self.assertGreater(plan["cost"]["hours"], 0)
        options = ["--at", str(plan["checkpoints"][0]["position"]), *self.OPTIONS]
        whole = os.path.join(self.scratch.name, "whole")
        shutil.copytree(self.workspace, whole)
        self.killed_in_the_middle(options, after=2)
        killed = self.study(*options)
        self.assertTrue(killed["decided"])
        self.check_branches(killed)
        self.workspace = whole
        self.assertEqual(self.table(killed), self.table(self.study(*options)))
        again = self.study(*options)  # nothing is left to train
        self.assertEqual(self.table(killed), self.table(again))
        with open(os.path.join(self.scratch.name, "no-ramp.yaml"), "w") as file:
            refused = self.program("study", "critical-batch", "base", *options, "--apply", file.name, "--force", code=2)
        self.assertIn("there is no ramp to write", refused)

    def test_a_study_on_a_cluster_leads_to_the_same_table(self):
        slurm = self.fake_slurm()
        plan = self.study("--at", "15500", *self.OPTIONS, "--plan")
        options = ["--at", str(plan["checkpoints"][0]["position"]), *self.OPTIONS]
        whole = os.path.join(self.scratch.name, "whole")
        shutil.copytree(self.workspace, whole)
        (slurm / "hold").touch()
        command = [PROGRAM, "study", "critical-batch", "base", "--slurm", "--workspace", self.workspace, *options]
        waiting = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertIn("Slurm job 41 trains", "".join(self.lines_until(waiting.stderr, "Slurm job")))
        waiting.send_signal(signal.SIGINT)
        self.assertIn("the jobs go on", waiting.communicate()[1])
        self.assertEqual(waiting.returncode, 3)
        self.assertIn("on a Slurm cluster; go on with --slurm", self.program("study", "critical-batch", "base", *options, code=2))
        (slurm / "hold").unlink()
        clustered = self.study("--slurm", *options)
        self.assertTrue(clustered["decided"])
        self.check_branches(clustered)
        runs = json.loads(self.program("runs", "list", "--json"))["runs"]
        self.assertEqual(len({run["name"] for run in runs}), len(runs), "no branch was submitted twice")
        self.workspace = whole
        found, losses = self.decisions(clustered)
        expected, here = self.decisions(self.study(*options))
        self.assertEqual(found, expected)
        both = here.keys() & losses.keys()  # side by side, fewer are stopped early
        self.assertGreater(len(both), 3)
        for branch in both:
            self.assertEqual(losses[branch], here[branch], branch)

    @staticmethod
    def lines_until(stream, text):
        for line in stream:
            yield line
            if text in line:
                return

    def test_a_search_on_a_cluster_comes_to_the_same_choice(self):
        self.fake_slurm()
        search = ["study", "search", "demo", "--over", "optimizer.lr=1e-5..1e-2 log", "--arms", "4", "--rungs", "2", "--seed",
                  "3", "--set", "max_duration=40ba", "--set", "eval.interval=1000ba", "--set", "checkpoint.interval=5ba",
                  "--json", "--name", "rates", *CPU]
        choices = []
        for options in (["--slurm"], []):
            self.workspace = os.path.join(self.scratch.name, "search" + "".join(options))
            found = json.loads(self.program(*search, *options).splitlines()[-1])
            arms = [(arm["name"], arm["share"], arm["tokens"], arm["loss"]) for arm in found["arms"]]
            choices.append((sorted(arms), found["saved"]))
        self.assertEqual(*choices)

    def test_a_fork_with_another_batch_keeps_moments_and_clocks_and_says_so(self):
        fork = self.program("resume", "base", "--checkpoint", self.checkpoint_at(80), "--fork", "--name", "larger", "--set",
                            "batch.global_train_batch_size=32", "--set", "optimizer.lr=2e-3")
        self.assertIn("keeps weights, moments of the optimizer and clocks of checkpoint", fork)
        base, larger = self.series("base", "sp", "tok"), self.series("larger", "sp", "tok", "loss")
        tokens = {sample: base["tok"][batch] for batch, sample in base["sp"].items()}
        self.assertEqual(min(larger["sp"]), 81)
        self.assertEqual(max(larger["sp"].values()), max(base["sp"].values()), "it ends where the run ends")
        for batch, sample in larger["sp"].items():
            self.assertEqual(larger["tok"][batch], tokens[sample])

    def checkpoint_at(self, batch):
        listed = json.loads(self.program("checkpoints", "list", "base", "--json"))["checkpoints"]
        return next(one["id"] for one in listed if one["ba"] == batch)


@unittest.skipUnless(FULL and (TEXTS / "wikitext-2").is_dir(), "the full tier, with wikitext-2")
class WikiTextStudyTest(Studied):
    def test_the_study_of_a_tiny_model(self):
        text = str(TEXTS / "wikitext-2" / "test.txt")
        config = os.path.join(self.scratch.name, "base.yaml")
        pathlib.Path(config).write_text(
            "name: base\nmodel: {preset: tiny}\ntokenizer: {train: {vocab_size: 4096}}\n"
            f"data: {{train: [{json.dumps(text)}], max_seq_len: 32, join_documents: true, holdout: 0.05}}\n"
            "max_duration: 600ba\nbatch: {global_train_batch_size: 16}\noptimizer: {lr: 1e-3}\n"
            "eval: {interval: 100ba, draws: 2}\ncheckpoint: {interval: [200ba], keep_last: 5}\n")
        self.program("train", config, *CPU)
        options = ["--at", "102000", "--tokens", "100000", "--replicates", "3", "--tolerance", "0.05"]
        whole = os.path.join(self.scratch.name, "whole")
        shutil.copytree(self.workspace, whole)
        factors = ["--factors", "1,2,4,8,64"]
        self.killed_in_the_middle([*options, *factors], after=3)
        study = self.study(*options, *factors)
        self.assertTrue(study["decided"])
        self.check_branches(study)
        place = study["checkpoints"][0]
        column = place["after_cool_down"] or place["at_rate"]
        self.assertIsNotNone(column["high"], "64 times the batch takes 3 steps")
        self.workspace = whole
        self.assertEqual(self.table(study), self.table(self.study(*options, *factors)))
        print(json.dumps(column, indent=1))


@unittest.skipUnless(FULL and (TEXTS / "tinyshakespeare").is_dir(), "the full tier, with tinyshakespeare")
class SeesawTest(Studied):
    """400,000 tokens in steps of 32 tokens a sample, linear to 0, and a batch that grows in place of the rate."""

    MARGIN = 0.02  # nats of evaluation loss
    SEEDS = (1, 2, 3)

    def compared(self, batch, rate):
        """Trains both arms. Returns the steps of each, the upper end of how much worse Seesaw ends, and what speaks against it."""
        text = str(TEXTS / "tinyshakespeare" / "input.txt")
        config = os.path.join(self.scratch.name, "seesaw.yaml")
        pathlib.Path(config).write_text(
            "model: {preset: tiny, hidden_dropout_prob: 0}\ntokenizer: {train: {vocab_size: 2048}}\n"
            f"data: {{train: [{json.dumps(text)}], max_seq_len: 32, join_documents: true, holdout: 0.1}}\n"
            f"max_duration: 400000tok\nbatch: {{global_train_batch_size: {batch}, device_train_microbatch_size: 8}}\n"
            f"optimizer: {{lr: {rate}, betas: [0.9, 0.98], weight_decay: 0}}\n"
            "scheduler: {name: linear_with_warmup, t_warmup: 0.06dur, alpha_f: 0}\n"
            "eval: {interval: 0.5dur, draws: 4}\ncheckpoint: {interval: []}\n")
        arms, notes = {"constant": [], "seesaw": ["--set", "batch.rampup.from_schedule={factor: 1.41, cap: 4x}", "--set",
                                                  "batch.growth.critical_batch={a: 4.6, c: 0}"]}, []  # 100 samples
        for arm, settings in arms.items():
            for seed in self.SEEDS:
                events = self.program("train", config, "--json", "--name", f"{arm} {batch} {seed}", "--set", f"seed={seed}",
                                      "--set", f"variant={arm} {batch}", "--set", f"experiment=seesaw {batch}", *settings, *CPU)
                notes += [event["text"] for event in map(json.loads, events.splitlines()) if event["event"] == "note"]
        runs = [f"{arm} {batch} {seed}" for arm in arms for seed in self.SEEDS]
        found = json.loads(self.program("runs", "compare", *runs, "--metric", "eval.loss", "--group-by", "experiment", "--margin",
                                        str(self.MARGIN), "--columns", "eval.loss", "--json"))
        print(json.dumps(found["verdict_text"]))
        cell = next(cell for cell in found["lines"][1]["cells"] if cell["series"] == "eval.loss")
        steps = [max(self.series(f"{arm} {batch} 1", "steps")["steps"].values()) for arm in arms]
        return steps, cell["upper"], [text for text in notes if "a larger batch no longer replaces a lower rate" in text]

    def test_fewer_steps_to_the_same_loss_below_the_critical_batch_and_not_above(self):
        (constant, seesaw), upper, warnings = self.compared(16, 1e-3)
        self.assertLessEqual(seesaw, 0.7 * constant)
        self.assertLess(upper, self.MARGIN)
        self.assertEqual(warnings, [])
        _, upper, warnings = self.compared(256, 4e-3)
        self.assertFalse(upper is not None and upper < self.MARGIN, "49 steps are too few to make them fewer")
        self.assertNotEqual(warnings, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
