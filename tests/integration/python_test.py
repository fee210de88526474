# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package against a run that the program trained: python_test.py PROGRAM PYTHON_WITH_ARROW"""

import csv
import io
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import batchwise  # noqa: E402

PROGRAM, PYTHON_WITH_ARROW = sys.argv.pop(1), sys.argv.pop(1)
os.environ["BATCHWISE_PROGRAM"] = PROGRAM


class ReadingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="batchwise-python-")
        cls.workspace = os.path.join(cls.scratch.name, "runs")
        for name in ("first", "second"):
            cls.program("train", "demo", "--set", "max_duration=6ba", "--set", f"name={name}")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def program(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments, "--workspace", cls.workspace], capture_output=True, text=True,
                              check=True).stdout

    def test_runs_are_rows(self):
        table = batchwise.runs(self.workspace)
        self.assertEqual(sorted(table["name"]), ["first", "second"])
        self.assertEqual(set(table["status"]), {"finished"})

    def test_series_are_what_the_csv_has(self):
        table = batchwise.series(["first", "second"], "loss", workspace=self.workspace)
        self.assertEqual(set(table["run"]), {"first", "second"})
        for run in ("first", "second"):
            rows = csv.DictReader(io.StringIO(self.program("metrics", run, "--series", "loss", "--csv")))
            written = [float(row["loss"]) for row in rows if row["loss"]]
            read = [value for name, value in zip(table["run"], table["value"]) if name == run]
            self.assertEqual(read, written)
            self.assertGreater(len(read), 4)
            self.assertTrue(all(math.isfinite(value) for value in read))

    def test_all_series_come_without_a_choice(self):
        self.assertIn("lr", batchwise.series("latest", workspace=self.workspace)["series"])

    def test_what_the_program_says_is_the_error(self):
        with self.assertRaisesRegex(batchwise.BatchwiseError, "third"):
            batchwise.series("third", workspace=self.workspace)

    def test_with_arrow_the_tables_are_its(self):
        code = f"import batchwise as b; t = b.series('first', 'loss', {self.workspace!r}); print(t.schema.field('value').type)"
        done = subprocess.run([PYTHON_WITH_ARROW, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(done.stdout.strip(), "double")


if __name__ == "__main__":
    unittest.main()
