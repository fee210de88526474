# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a comparison in headless Chromium, driven over its debugging pipe: python3 report_page_test.py BATCHWISE

Exit code 77 without Chromium."""

import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

BATCHWISE = sys.argv.pop(1)
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
HOSTILE = "</script><script>alert(1)</script><!--<script>&\"'"


class Page:
    """A page in a browser of its own; `problems`: what its console and its policy reported."""

    def __init__(self, folder, file):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        os.set_inheritable(commands, True), os.set_inheritable(answers, True)
        self.browser = subprocess.Popen(  # the browser reads from 3 and writes to 4
            ["sh", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "sh", CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
             "--window-size=1200,4000", "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            close_fds=False, stderr=subprocess.DEVNULL)
        os.close(commands), os.close(answers)
        self.read, self.session, self.number, self.problems = os.fdopen(self.answers, "rb"), None, 0, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=file.as_uri())
        self.value("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def message(self):
        text = bytearray()
        while (byte := self.read.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            text += byte
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while (message := self.message()).get("id") != self.number:
            if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                self.problems.append(message)
        return message["result"]

    def value(self, script):
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def close(self):
        self.browser.kill()
        self.browser.wait()
        self.read.close()
        os.close(self.commands)


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="batchwise-report-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def report(self, runs, series, rows, *options):
        """Imports runs of the shapes 8 / step plus noise; returns the page of their comparison."""
        noise = random.Random(1)
        for run in range(runs):
            folder = self.folder / "logs" / f"run-{run}"
            folder.mkdir(parents=True)
            with open(folder / "metrics.csv", "w", newline="", encoding="utf-8") as file:
                table = csv.writer(file)
                table.writerow(["step", "loss", HOSTILE, *(f"m{i}" for i in range(2, series))][:series + 1])
                for step in range(1, rows + 1 - run):
                    loss = "nan" if run == 1 and step == rows // 2 else 2 + run + 8 / step + noise.gauss(0, 0.1)
                    table.writerow([step, loss, *(f"{-noise.random():.5f}" for _ in range(1, series))])
        workspace = ["--workspace", str(self.folder / "w")]
        self.program(*workspace, "import", str(self.folder / "logs"))
        found = [run["id"] for run in json.loads(self.program(*workspace, "--json", "runs", "list"))["runs"]]
        page = self.folder / "report.html"
        self.program(*workspace, "runs", "compare", *found, "--at", "batches", "--report", str(page), *options)
        return page

    def program(self, *arguments):
        done = subprocess.run([BATCHWISE, *arguments], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def open(self, file):
        page = Page(self.folder / "profile", file)
        self.addCleanup(page.close)
        return page

    def test_a_reader_hides_smooths_zooms_sorts_and_prints(self):
        points = self.folder / "points.csv"
        page = self.open(self.report(3, 3, 200, "--smoothing", "0.8", "--points", str(points)))
        self.assertEqual(page.value("document.querySelectorAll('.chart').length"), 3)
        self.assertTrue(page.value("[...document.querySelectorAll('.chart canvas:first-of-type')].every(canvas =>"
                                   "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0))"))
        self.assertIn(HOSTILE, page.value("[...document.querySelectorAll('h3')].map(title => title.textContent)"))
        with open(points, encoding="utf-8") as file:
            row = next(row for row in csv.DictReader(file) if row["run"] == "run-2" and row["steps"] == "50")
        drawn = "data.charts[0].drawn[data.lines.findIndex(line => line.label === 'run-2')][49]"
        self.assertAlmostEqual(page.value(drawn), float(row["loss smoothed"]), delta=1e-5)
        page.value("tools.smoothing.value = 0; tools.smoothing.oninput()")
        self.assertAlmostEqual(page.value(drawn), float(row["loss"]), delta=1e-5)
        page.value("document.querySelector('.run input').click(); tools.log.click()")
        self.assertEqual(page.value("data.charts.map(chart => chart.graph.visibility())"), [[False, True, True]] * 3)
        self.assertTrue(page.value("data.charts.every(chart => chart.graph.getOption('logscale'))"))
        place = page.value("data.charts[0].div.getBoundingClientRect().toJSON()")
        for kind, right, buttons in (("mousePressed", 200, 1), ("mouseMoved", 300, 1), ("mouseReleased", 300, 0), ("mouseMoved", 250, 0)):
            page.call("Input.dispatchMouseEvent", type=kind, x=place["x"] + right, y=place["y"] + 100, buttons=buttons,
                      button="none" if kind == "mouseMoved" else "left", clickCount=1)
        low, high = page.value("data.charts[2].graph.xAxisRange()")
        self.assertTrue(20 < low < high < 120, (low, high))
        self.assertTrue(low < int(page.value("find('x').value").removesuffix(" steps")) < high)
        values = page.value("[...document.querySelectorAll('.run output')].map(output => output.value)")
        self.assertEqual([value != "" for value in values], [False, True, True])
        page.value("tools.whole.click()")
        self.assertEqual(page.value("data.charts[2].graph.xAxisRange()"), [1, 200])
        for order in (1, -1):
            page.value("document.querySelectorAll('th')[1].click()")
            cells = page.value("[...document.querySelector('tbody').rows].map(row => numberOf(row.cells[1].textContent))")
            self.assertEqual(cells, sorted(cells, key=lambda cell: order * cell))
        self.assertEqual(page.value("['41.2k', '−1.7 ± 0.4 %, better', '3 h 12 min', '5.0e-4', '2.3 (2 of 3)'].map(numberOf)"),
                         [41200, -1.7, 11520, 0.0005, 2.3])
        self.assertGreater(len(page.call("Page.printToPDF")["data"]), 10_000)
        self.assertEqual(page.problems, [])

    def test_fifty_runs_have_less_than_five_megabytes_and_keep_extremes(self):
        file = self.report(50, 20, 1500)
        self.assertLess(file.stat().st_size, 5e6)
        page = self.open(file)
        self.assertEqual(page.value("data.charts.map(chart => chart.lines.length)"), [50] * 20)
        highest = page.value("Math.max(...data.charts[0].lines[data.lines.findIndex(line => line.label === 'run-0')].y)")
        self.assertAlmostEqual(highest, 10, delta=0.5)  # that of the first step
        self.assertEqual(page.problems, [])


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: there is no Chromium")
        sys.exit(77)
    unittest.main()
