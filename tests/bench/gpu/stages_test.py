# SPDX-License-Identifier: GPL-3.0-or-later
"""What the GPU stages compute and decide by themselves, without our programs: rows of steps, the table of kernels, limits of
time, figures that are apart, the choice of tests, and the limit of the pack. The peers' batches are checked where the
Python that runs this has PyTorch."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import bench_tools
import fast
import more
import ncu_tables
import peers
import right
from bench_tools import Part

HEADER = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
          '"Section Name","Metric Name","Metric Unit","Metric Value"')
ADAM = ("void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::FusedOptimizerTensorListMetadata<(int)4>, "
        "at::native::<unnamed>::FusedAdamMathFunctor<float, (int)4>>(T1, T2, T3...)")
NORM = "void batchwise::<unnamed>::addNormRows<__nv_bfloat16, (int)2>(batchwise::AddNorm<T1>)"
PRODUCT = "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"
ADD = ("void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<c10::BFloat16>, "
       "std::array<char *, (unsigned long)3>>(int, T2, T3)")


def launch(name, value, unit="ns", section="Command line profiler metrics", metric="gpu__time_duration.sum"):
    return (f'"0","7","batchwise","127.0.0.1","{name}","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","{section}","{metric}","{unit}",'
            f'"{value}"')


def csv_of(*launches):
    """As ncu mixes it with its own words and with what the program prints."""
    return "\n".join(["==PROF== Connected to process 7", '{"event":"metrics","tok":1}', HEADER, *launches, "==PROF== done"])


class StepTest(unittest.TestCase):
    def step(self, count=60):
        return [launch(PRODUCT, "2,000")] + [launch(NORM, "1,000")] * count + [launch(ADAM, "500")] * 2

    def test_the_step_is_that_between_two_ends_of_the_optimizer(self):
        launches = ncu_tables.launches_of(csv_of(*self.step(70), *self.step(60), *self.step(60), launch(NORM, "9,000")))
        step = ncu_tables.step_of(launches)
        self.assertEqual(len(step), 63)
        self.assertAlmostEqual(sum(seconds for _, seconds in step), 63e-6)
        table = ncu_tables.table_of(step, ncu_tables.short_name)
        self.assertEqual([(name, count) for name, _, count in table],
                         [("addNormRows", 60), (PRODUCT, 1), ("multi_tensor_apply_kernel FusedAdamMathFunctor", 2)])
        self.assertEqual([name for name, _, _ in ncu_tables.table_of(step, ncu_tables.kind_of)],
                         ["kernels of ours", "products", "optimizer"])

    def test_launches_of_one_optimizer_step_are_not_two_steps(self):
        launches = ncu_tables.launches_of(csv_of(*self.step(), launch(ADD, "100"), launch(ADAM, "500")))
        self.assertIsNone(ncu_tables.step_of(launches))

    def test_times_are_read_in_the_unit_that_they_have(self):
        launches = ncu_tables.launches_of(csv_of(launch(ADD, "1,234.5", "us"), launch(ADD, "2", "nsecond")))
        self.assertAlmostEqual(launches[0][1], 1.2345e-3)
        self.assertAlmostEqual(launches[1][1], 2e-9)
        self.assertEqual(ncu_tables.short_name(launches[0][0]), "vectorized_elementwise_kernel CUDAFunctor_add")

    def test_metrics_of_a_kernel_keep_section_and_unit(self):
        found = ncu_tables.metrics_of(csv_of(
            launch(NORM, "71.2", "%", "GPU Speed Of Light Throughput", "Memory Throughput"),
            launch(NORM, "2.1", "Tbyte/s", "Memory Workload Analysis", "Memory Throughput")))
        self.assertEqual(found["Memory Workload Analysis", "Memory Throughput"], "2.1 Tbyte/s")
        self.assertEqual(found["GPU Speed Of Light Throughput", "Memory Throughput"], "71.2 %")

    def test_each_kernel_in_depth_is_matched_by_its_pattern_alone(self):
        import re
        names = ["addNormRows", "addNormGradientRows", "biasActivationRows", "biasActivationGradientRows", "crossEntropyRows"]
        found = {what: [name for name in names if re.search(pattern, name)] for what, pattern in fast.KERNELS.items()}
        self.assertEqual(list(found.values()), [["addNormRows"], ["addNormGradientRows"], ["biasActivationRows"]])


def metrics(tok, sec=0.0, peak=0):
    return {"event": "metrics", "tok": tok, "sec": sec, "devices": [{"peak": peak}]}


class RowsTest(unittest.TestCase):
    def test_a_step_and_its_global_batch_count_once(self):
        events = [row for step in range(1, 7) for row in (metrics(step * 100), {"event": "note", "text": ""}, metrics(step * 100))]
        self.assertEqual([row["tok"] for row in bench_tools.rows_of(events)], [100, 200, 300, 400, 500, 600])
        self.assertEqual(bench_tools.rows_of(None), [])

    def test_the_rate_leaves_out_the_first_third(self):
        seconds = [9, 18, 19, 20, 21, 22]
        events = [row for i, sec in enumerate(seconds) for row in [metrics(1000 * (i + 1), sec, i)] * 2]
        self.assertEqual(bench_tools.rate_of(events), (1000.0, 5))

    def test_the_model_counts_as_many_flop_as_the_estimate(self):
        usual, executed = (bench_tools.flops_per_token([128] * 4, way) for way in (False, True))
        self.assertAlmostEqual(usual, 6 * 84.93e6 + 110592 * 128 + 6 * 24.03e6 * 0.15)
        self.assertAlmostEqual(usual - executed, 0.85 * 60 * 768**2)

    def test_a_speed_above_the_peak_of_the_card_cannot_be(self):
        most = bench_tools.PEAK_FLOPS / bench_tools.flops_per_token([128], executed=True)
        for gpu, rate, beyond in [(True, 0.99 * most, False), (True, 1.01 * most, True), (False, 2 * most, False)]:
            self.assertEqual(bench_tools.beyond_peak(mock.Mock(gpu=gpu), rate, [128]), beyond)


class RightTest(unittest.TestCase):
    def test_one_gpu_leaves_out_the_tests_of_two_ranks(self):
        one = "device     cpu: 16 cores\ndevice     cuda:0: NVIDIA H100, 80 GiB\n"
        self.assertEqual(right.gpus_of(one), 1)
        self.assertEqual(right.gpus_of(one + "device     cuda:1: NVIDIA H100, 80 GiB\n"), 2)
        self.assertEqual([right.test_filter(gpus) for gpus in (0, 1, 2)], ["-Ranks/*/1", "-Ranks/*/1", "*"])

    def test_the_outcome_of_tests_is_told_from_their_report(self):
        test = lambda name, result="COMPLETED", **more: dict(name=name, classname="Suite", status="RUN", result=result, **more)
        report = {"testsuites": [{"testsuite": [test("A"), test("B", "SKIPPED"), test("C", failures=[{"failure": "no"}]),
                                                dict(test("D"), status="NOTRUN")]}]}
        self.assertEqual(right.outcome_of(report), (3, 1, ["Suite.C"]))

    def losses(self, precision, limit, truth, losses):
        bench = mock.Mock()
        right.tell_losses(bench, precision, limit, truth, losses, (None, None))
        return bench.row.call_args.kwargs["bad"]

    def test_losses_too_far_apart_or_missing_are_bad(self):
        self.assertFalse(self.losses("bf16", 5e-3, [8.0, 7.0], [8.03, 7.0]))
        self.assertTrue(self.losses("bf16", 5e-3, [8.0, 7.0], [8.0, 7.04]))
        self.assertTrue(self.losses("bf16", 5e-3, [8.0, 7.0], [8.0]))
        self.assertTrue(self.losses("fp32", 1e-3, [8.0, 7.0], [8.0, float("nan")]))

    def test_losses_are_told_before_all_tests_of_operations(self):
        self.assertEqual(list(right.PARTS), ["doctor", "losses", "tests", "commands", "report", "attention"])

    def test_figures_of_both_devices_are_bad_where_they_are_apart(self):
        bench = mock.Mock()
        for figures, complete, bad in [({"a": (1.0, 1.01, 0.02)}, True, False), ({"a": (1.0, 1.01, 0.02)}, False, True),
                                       ({"a": (1.0, 1.0, 0), "b": (0.9, 1.0, 0.02)}, True, True),
                                       ({"a": (None, None, 0)}, True, False), ({"a": (None, 0.5, 0.1)}, True, True),
                                       ({"a": (float("nan"), 0.5, 0.1)}, True, True)]:
            right.tell_figures(bench, "figures", figures, complete)
            self.assertEqual(bench.row.call_args.kwargs["bad"], bad, figures)
        self.assertIn("a nan (processor: 0.5,", bench.row.call_args.args[2])


class StageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def stage(self, parts, *words, seconds=60):
        """Exit code of a stage of these parts, and its rows."""
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["stage", "--device", "cpu", "--out", str(self.out), *words]), \
                mock.patch.object(bench_tools, "PATIENCE", 1), contextlib.redirect_stdout(said):
            code = bench_tools.run_stage("trial", "", parts, seconds)
        self.said = said.getvalue()
        return code, [json.loads(line) for line in (self.out / "trial.jsonl").read_text().splitlines()]

    def test_a_part_that_hangs_costs_its_own_limit(self):
        def hang(bench):
            found.append(bench.execute(["sh", "-c", "echo begun; sleep 50 & sleep 50"]))
        found, begun = [], time.monotonic()
        with mock.patch.object(bench_tools, "GRACE", 1):
            code, rows = self.stage({"hang": Part(hang, 3, least=1), "next": Part(lambda bench: bench.row("fine", "yes"), 9)})
        self.assertLess(time.monotonic() - begun, 30)
        self.assertEqual(found[0].returncode, 124)
        self.assertEqual(found[0].stdout, "begun\n")
        self.assertIn("fine", [row["what"] for row in rows])

    def test_a_part_that_throws_is_a_row_and_the_others_follow(self):
        code, rows = self.stage({"broken": Part(lambda bench: {}["none"], 9), "next": Part(lambda bench: bench.row("fine", "yes"), 9)})
        self.assertEqual(code, 1)
        self.assertEqual([row["bad"] for row in rows if row["what"] in ("part broken", "fine")], [True, False])

    def test_a_bad_row_hides_none_after_it(self):
        parts = {"red": Part(lambda bench: bench.row("wrong", "1", bad=True), 9), "next": Part(lambda bench: bench.row("after", "1"), 9)}
        code, rows = self.stage(parts)
        self.assertEqual(code, 1)
        self.assertIn("after", [row["what"] for row in rows])

    def test_the_parts_before_leave_what_a_later_one_reserves(self):
        left = {}
        def take(name):
            return lambda bench: left.update({name: bench.left()})
        code, _ = self.stage({"first": Part(take("first"), 50), "kept": Part(take("kept"), 20, reserve=True)}, seconds=40)
        self.assertEqual(code, 0)
        self.assertAlmostEqual(left["first"], 20, delta=2)
        self.assertAlmostEqual(left["kept"], 20, delta=2)

    def test_only_the_chosen_parts_run_and_those_without_time_are_told(self):
        parts = {name: Part(lambda bench, name=name: bench.row(f"ran {name}", "1"), 9, least=1) for name in ("one", "two")}
        parts["extra"] = Part(lambda bench: bench.row("ran extra", "1"), 9, chosen=False)
        self.assertEqual([row["what"] for row in self.stage(parts)[1] if row["what"].startswith("ran")], ["ran one", "ran two"])
        self.assertEqual([row["what"] for row in self.stage(parts, "--only", "two,extra")[1] if row["what"].startswith("ran")],
                         ["ran two", "ran extra"])
        code, rows = self.stage(parts, "--seconds", "0")
        self.assertEqual(code, 1)
        self.assertEqual([row["value"] for row in rows if row["what"] == "part one"], ["no time left"])

    def test_the_table_at_the_end_has_each_row_once_more(self):
        self.stage({"one": Part(lambda bench: bench.row("a finding", "1.5"), 9)})
        self.assertEqual(self.said.count("a finding"), 2)
        self.assertIn("=== trial: good", self.said)
        self.assertIn("a finding", (self.out / "trial.txt").read_text())

    def test_the_files_of_the_gpus_are_open_until_the_end_and_one_that_does_not_open_is_left_out(self):
        (self.out / "gpu0").write_text("")
        (self.out / "gpu1").mkdir()
        opened = lambda: len(os.listdir("/proc/self/fd"))
        before = opened()
        with bench_tools.held_open(str(self.out / "gpu[0-9]*")):
            self.assertEqual(opened(), before + 1)
        self.assertEqual(opened(), before)

    def test_peers_keep_the_library_path_of_the_caller(self):
        def look(bench):
            found.append((bench.peer_environment.get("LD_LIBRARY_PATH"), bench.environment["LD_LIBRARY_PATH"]))
        found = []
        with mock.patch.dict(os.environ):
            os.environ.pop("LD_LIBRARY_PATH", None)
            self.stage({"look": Part(look, 9)})
            os.environ["LD_LIBRARY_PATH"] = "/own"
            self.stage({"look": Part(look, 9)})
        self.assertEqual([peers for peers, _ in found], [None, "/own"])
        self.assertTrue(all(str(HERE / "lib") in ours for _, ours in found))


class FakeToolsTest(unittest.TestCase):
    """Parts that need a GPU, with stand-ins for the programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fake(self, name, says, script=""):
        (self.folder / f"{name}.says").write_text(says)
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\ncat {file}.says\n")
        file.chmod(0o755)
        return str(file)

    def rows(self, module, part):
        """The rows of a part, with the sizes of a GPU."""
        words = ["stage", "--out", str(self.folder / "out"), "--programs", str(self.folder), "--only", part]
        tools = lambda name: str(self.folder / name) if (self.folder / name).exists() else None
        texts = mock.patch.object(bench_tools.Bench, "make_texts")
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()), texts, \
                mock.patch.object(module, "tool", tools, create=True), mock.patch.object(bench_tools, "tool", tools):
            self.code = module.main()
        stage = module.__name__
        return {row["what"]: row for row in map(json.loads, (self.folder / "out" / f"{stage}.jsonl").read_text().splitlines())}

    def test_the_step_is_told_kernel_by_kernel(self):
        step = [launch(PRODUCT, "40,000,000")] + [launch(NORM, "100,000")] * 100 + [launch(ADAM, "500,000")] * 4
        ncu = self.fake("ncu", csv_of(*step, *step), f'echo "$@" >{self.folder}/called')
        rows = self.rows(fast, "step")
        self.assertEqual(self.code, 0)
        self.assertEqual(rows["  addNormRows"]["value"], "100 x 100.0 us")
        self.assertEqual(rows["step, products"]["note"].split(), ["40.000", "ms", "76.9%"])
        self.assertIn(f"{512 * 128 / 0.052:,.0f} tokens/s at most", rows["step, all kernels"]["note"])
        self.assertTrue((self.folder / "out" / "step.csv.gz").exists())
        called = (self.folder / "called").read_text()
        self.assertRegex(called, r"--csv .* env LD_LIBRARY_PATH=\S+ \S+/batchwise train ")

    def test_the_first_run_alone_leaves_a_checkpoint_and_what_a_run_warns_of_is_said(self):
        note = lambda level, text: json.dumps(dict(event="note", level=level, text=text))
        self.fake("batchwise", "\n".join(['{"event":"run_started","run":"r"}', note("warning", "norm in bf16 is wrong on it"),
                                          note("info", "host syncs per step: 0.5 (5 in 10 steps)"), ""]),
                  f'if [ "$1" = train ]; then cp "$2" {self.folder}/run.yaml; fi')
        rows = self.rows(fast, "start")
        self.assertEqual(self.code, 0)
        self.assertEqual(rows["host syncs per step of training, outside logging"]["value"], "0.5")
        self.assertIn("checkpoint: {interval: []}", (self.folder / "run.yaml").read_text())
        self.assertIn("first run: norm in bf16 is wrong on it", (self.folder / "out" / "fast.log").read_text())
        bench = mock.Mock(weights=None, sizes=bench_tools.ON_GPU)
        self.assertIn("keep_last: 0}", bench_tools.config_of(bench, "full", 128, 8, 8, 5))

    def test_too_few_launches_are_bad(self):
        self.fake("ncu", csv_of(launch(NORM, "100,000")))
        self.assertTrue(self.rows(fast, "step")["step, kernel by kernel"]["bad"])
        self.assertEqual(self.code, 1)

    def test_a_profiler_that_is_missing_is_bad_on_a_gpu(self):
        self.assertTrue(self.rows(fast, "step")["Nsight Compute"]["bad"])

    def test_a_profiler_that_may_not_measure_says_so_once(self):
        self.fake("ncu", "==PROF== Connected to process 7\n==ERROR== ERR_NVGPUCTRPERM - no permission\n", "trap 'exit 1' EXIT")
        for part in ("step", "depth"):
            rows = self.rows(fast, part)
            self.assertEqual([what for what, row in rows.items() if row["bad"]], ["Nsight Compute"])
            self.assertEqual(rows["Nsight Compute"]["note"], "ERR_NVGPUCTRPERM - no permission")

    def test_kernels_in_depth(self):
        section = "GPU Speed Of Light Throughput"
        self.fake("ncu", csv_of(launch(NORM, "141.2", "us", section, "Duration"), launch(NORM, "70.1", "%", section, "DRAM Throughput"),
                                launch(NORM, "32", "register/thread", "Launch Statistics", "Registers Per Thread")))
        rows = self.rows(fast, "depth")
        self.assertEqual(rows["in depth: addNorm forward"]["value"], "141.2 us")
        self.assertEqual(rows["in depth: addNorm forward"]["note"], "DRAM Throughput 70.1 %; Registers Per Thread 32 register/thread")

    def test_ours_is_not_measured_again_after_a_peer_that_failed(self):
        (self.folder / "real128.tokens").write_text("2 7 3\n")
        bench = mock.Mock(last_ours=None, sizes=bench_tools.ON_GPU, folder=self.folder)
        with mock.patch.object(peers, "measure_ours", return_value=5.0) as ours, \
                mock.patch.object(peers, "measure_peer", side_effect=[{}, {"full": [2.0]}]):
            peers.compare(bench, "eager", 128, 60)
            self.assertEqual(ours.call_count, 2)
            peers.compare(bench, "compiled", 128, 60)
        self.assertEqual(ours.call_count, 4)
        self.assertEqual(bench.ratios.call_args.args[:2], ("RATIO ours / transformers compiled, full 128", [2.5]))

    def test_each_way_of_each_kernel_is_a_row_and_those_before_one_that_fails_too(self):
        for script, failed in [("", False), ("trap 'exit 134' EXIT", True)]:
            self.fake("kernel_bench", '{"what": "norm", "forward_us": 140.0, "forward_gbs": 2800, "forward_ratio": 3.1, '
                                      '"backward_us": 210.5, "backward_gbs": 1900, "backward_ratio": 2.2}\n', script)
            rows = self.rows(fast, "kernels")
            self.assertEqual(rows["norm, backward"]["value"], "210.5 us, 1,900 GB/s")
            self.assertEqual("kernels" in rows, failed)

    def test_a_failed_test_has_its_name_and_its_words_and_the_others_run(self):
        report = {"testsuites": [{"testsuite": [dict(name="Sums/1", classname="Kernels", status="RUN", result="COMPLETED",
                                                     failures=[{"failure": "3 is not 4"}])]}]}
        (self.folder / "report").write_text(json.dumps(report))
        self.fake("cuda_kernels_test", "Kernels.Sums/1: 3 is not 4\n",
                  f'for one; do case $one in --gtest_output=json:*) cp {self.folder}/report "${{one#*json:}}" ;; esac; done; '
                  "trap 'exit 1' EXIT")
        self.fake("cuda_model_test", "", f"touch {self.folder}/ran")
        rows = self.rows(right, "tests")
        self.assertEqual(self.code, 1)
        self.assertTrue(rows["cuda_kernels_test"]["bad"])
        self.assertIn("Kernels.Sums/1", rows["cuda_kernels_test"]["note"])
        self.assertIn("3 is not 4", (self.folder / "out" / "right.log").read_text())
        self.assertTrue((self.folder / "ran").exists())

    def test_what_comes_after_a_test_that_crashes_or_breaks_the_gpu_is_tried_without_it(self):
        test = lambda name, **more: dict(name=name, classname="K", status="RUN", result="COMPLETED", **more)
        broken = [{"failure": "device-side assert"}]
        for file, tests in [("all", [test("A"), test("B", failures=broken), test("C", failures=broken), test("D", failures=broken)]),
                            ("others", [test("C"), test("D", failures=broken)]), ("rest", [test("C"), test("D")])]:
            (self.folder / file).write_text(json.dumps({"testsuites": [{"testsuite": tests}]}))
        report = 'for one; do case $one in --gtest_output=json:*) report="${one#*json:}" ;; esac; done'
        self.fake("cuda_kernels_test", "", f"{report}; case $1 in *K.C:K.D) cp {self.folder}/others $report ;; *) cp "
                  f"{self.folder}/all $report ;; esac; trap 'exit 1' EXIT")
        self.fake("cuda_model_test", "[ RUN      ] K.A\n[       OK ] K.A\n[ RUN      ] K.B\n", f"{report}; case $1 in "
                  f"*-Ranks/*/1:K.A:K.B) cp {self.folder}/rest $report ;; *) trap 'exit 139' EXIT ;; esac")
        rows = self.rows(right, "tests")
        told = {what: (row["value"], row["bad"]) for what, row in rows.items() if what.startswith("cuda") and "says" not in what}
        self.assertEqual(told, {"cuda_kernels_test": ("1 of 4 passed", True),
                                "cuda_kernels_test, without K.B": ("1 of 2 passed", True), "cuda_model_test": ("exit 139", True),
                                "cuda_model_test, without K.B": ("2 of 2 passed", False)})
        self.assertEqual(rows["cuda_model_test"]["note"], "in K.B")

    def test_the_sanitizer_sees_bf16_alone_and_its_errors_are_bad(self):
        self.fake("cuda_kernels_test", "")
        self.fake("cuda_model_test", "")
        self.fake("compute-sanitizer", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 2 errors\n",
                  f'echo "$@" >>{self.folder}/called; case $* in *racecheck*) trap "exit 9" EXIT ;; esac')
        rows = self.rows(more, "sanitizer")
        self.assertEqual(rows["compute-sanitizer memcheck"]["value"], "clean")
        self.assertTrue(rows["compute-sanitizer racecheck"]["bad"])
        called = (self.folder / "called").read_text()
        self.assertIn("cuda_kernels_test --gtest_filter=*/1.*", called)

    def test_a_sanitizer_that_does_not_work_here_says_so_once(self):
        self.fake("cuda_kernels_test", "")
        self.fake("compute-sanitizer", "========= Error: Device not supported\n", "trap 'exit 1' EXIT")
        rows = self.rows(more, "sanitizer")
        self.assertEqual([what for what, row in rows.items() if row["bad"]], ["compute-sanitizer"])
        self.assertIn("Device not supported", rows["compute-sanitizer"]["note"])

    def test_the_wall_time_that_a_checkpoint_adds(self):
        walls = [[step, 0.1 * step + (0.004 if step > 8 else 0) + (0.006 if step > 16 else 0)] for step in range(1, 21)]
        bench = mock.Mock()
        bench.batchwise.return_value = json.dumps(dict(series=dict(wall=walls)))
        more.tell_added(bench, "run", [dict(ba=8, seconds=0.2), dict(ba=16, seconds=0.2)], 8, 0.1)
        self.assertEqual(bench.row.call_args.args[:2], ("wall time that a checkpoint adds to 4 steps", "5.0 ms"))
        self.assertIn("5.0% of a step (aim 3 %), 4.0 to 6.0 ms", bench.row.call_args.args[2])


class PackTest(unittest.TestCase):
    """pack.sh with stand-ins for the programs: what the limit does, and what is told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        names = [line.split("=(")[1].rstrip(")").split() for line in (HERE / "pack.sh").read_text().splitlines()
                 if line.startswith(("programs=(", "libraries=("))]
        for name in sum(names, []):
            (self.folder / "bin" / name).write_bytes(pathlib.Path("/bin/true").read_bytes())

    def pack(self):
        return subprocess.run([HERE / "pack.sh", self.folder, self.folder / "p.tgz"], capture_output=True, text=True)

    def test_what_is_packed_is_what_the_stages_import(self):
        done = self.pack()
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "there").mkdir()
        subprocess.run(["tar", "-xzf", self.folder / "p.tgz", "-C", self.folder / "there"], check=True)
        self.assertEqual(list((self.folder / "there" / "lib").iterdir()), [], "the C library is not packed")
        for stage in ("right", "fast", "more"):
            told = subprocess.run([sys.executable, self.folder / "there" / f"{stage}.py", "--help"], capture_output=True, text=True)
            self.assertEqual(told.returncode, 0, told.stderr)
        packed = {file.name for file in (self.folder / "there").glob("*.py")}
        self.assertLessEqual({"peer.py", "grouped_heads.py"}, packed)

    def test_a_program_that_is_not_built_is_named(self):
        (self.folder / "bin" / "kernel_bench").unlink()
        done = self.pack()
        self.assertEqual(done.returncode, 1)
        self.assertIn("bin/kernel_bench has not been built", done.stderr)

    def test_a_file_above_the_limit_is_refused_with_what_to_do(self):
        with open(self.folder / "bin" / "batchwise", "ab") as file:
            file.write(os.urandom(31_000_000))  # strip drops it: it belongs to no section
        script = self.folder / "commands"
        script.mkdir()
        (script / "strip").write_text('#!/bin/sh\ncp "$3" "$2"\n')
        (script / "strip").chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{script}:{os.environ['PATH']}"):
            done = self.pack()
        self.assertEqual(done.returncode, 1)
        self.assertIn("30 are allowed", done.stderr)
        self.assertIn("BATCHWISE_CUDA_ARCHITECTURES=90", done.stderr)
        self.assertFalse((self.folder / "p.tgz").exists())


@unittest.skipUnless(bench_tools.torch_folder(), "needs PyTorch")
class PeerTest(unittest.TestCase):
    def test_a_batch_has_its_lines_and_masks_15_percent_of_each(self):
        import torch

        import peer
        with tempfile.TemporaryDirectory() as folder:
            bench_tools.make_text(pathlib.Path(folder), 512, 64, 8, 32)
            text = peer.Text(f"{folder}/real64.tokens")
            lines = [list(map(int, line.split())) for line in pathlib.Path(folder, "real64.tokens").read_text().splitlines()]
        generator = torch.Generator().manual_seed(1)
        for number in (0, 1, 9):  # the last goes round the end
            ids, labels, real, tokens = text.batch(number, 5, None, generator)
            chosen = [lines[(number * 5 + i) % 32] for i in range(5)]
            self.assertEqual(tokens, sum(map(len, chosen)))
            self.assertEqual(ids.shape, (5, max(map(len, chosen))))
            for row, line in enumerate(chosen):
                masked = labels[row] != peer.IGNORED
                self.assertEqual(int(real[row].sum()), len(line))
                self.assertEqual(int(masked.sum()), max(1, round(0.15 * (len(line) - 2))))
                self.assertFalse(bool(masked[0] | masked[len(line) - 1:].any()))
                self.assertEqual(torch.where(masked, labels[row], ids[row])[:len(line)].tolist(), line)
                self.assertTrue(bool((ids[row][masked] == peer.MASK).all()))
                self.assertEqual(int(ids[row][len(line):].sum()), 0)
        self.assertEqual(text.batch(0, 5, 64, generator)[0].shape, (5, 64))


if __name__ == "__main__":
    unittest.main()
