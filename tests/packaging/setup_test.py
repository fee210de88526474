# SPDX-License-Identifier: GPL-3.0-or-later
"""`batchwise setup` with stand-ins for pip and nvidia-smi. Nothing is installed."""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Notes how it is called. A dry run reports one file of 1,000 bytes; the other puts a torch beside itself.
PIP = """
import json, os, pathlib, sys, sysconfig, time
log = pathlib.Path(os.environ["PIP_LOG"])
log.write_text((log.read_text() if log.exists() else "") + json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "--version":
    sys.exit()
version = os.environ.get("PIP_HAS") or ("2.11.0+cpu" if "--extra-index-url" in sys.argv else "2.11.0+cu130")
if "--dry-run" in sys.argv:
    report = sys.argv[sys.argv.index("--report") + 1]
    file = {"metadata": {"name": "torch", "version": version}, "download_info": {"url": pathlib.Path(os.environ["WHEEL"]).as_uri()}}
    pathlib.Path(report).write_text(json.dumps({"install": [file]}))
elif os.environ.get("PIP_FAILS") != "install":
    time.sleep(float(os.environ.get("PIP_TAKES", 0)))
    torch = pathlib.Path(sysconfig.get_path("platlib"), "torch")
    (torch / "lib").mkdir(parents=True, exist_ok=True)
    (torch / "lib/libtorch_cpu.so").touch()
    (torch / "version.py").write_text(f"__version__ = '{version}'\\n")
sys.exit(os.environ.get("PIP_FAILS") == ("--dry-run" if "--dry-run" in sys.argv else "install"))
"""


def add_environment(folder):
    """An environment with that pip; returns its Python and its folder of packages."""
    venv.create(folder, symlinks=True, with_pip=False)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "pip").mkdir()
    (packages / "pip/__init__.py").touch()
    (packages / "pip/__main__.py").write_text(PIP)
    return folder / "bin/python", packages


def add_package(packages):
    shutil.copytree(ROOT / "python" / "batchwise", packages / "batchwise", ignore=shutil.ignore_patterns("__pycache__"))
    info = packages / "batchwise-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: batchwise\nVersion: 0.1.0\nProvides-Extra: train\n"
        "Requires-Dist: torch==2.11.*; extra == 'train'\n")


def add_torch(packages, version):
    (packages / "torch/lib").mkdir(parents=True)
    (packages / "torch/lib/libtorch_cpu.so").touch()
    (packages / "torch/version.py").write_text(f"__version__ = '{version}'\n")


class SetupTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="batchwise-setup-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()
        self.python, self.packages = add_environment(self.folder / "env")
        add_package(self.packages)
        self.own = self.folder / ".local/share/batchwise/torch"
        self.wheel = self.folder / "torch.whl"
        self.wheel.write_bytes(b"0" * 1000)
        self.commands = self.folder / "commands"
        self.commands.mkdir()

    def command(self, *arguments, packages=None, **variables):
        environment = {"PATH": str(self.commands), "PIP_LOG": str(self.folder / "log"), "WHEEL": str(self.wheel),
                       "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        program = (packages or self.packages) / "batchwise/setup.py"
        return {"args": [self.python, program, *arguments], "stdin": subprocess.DEVNULL, "env": environment, "text": True,
                "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def setup(self, *arguments, **variables):
        return subprocess.run(**self.command(*arguments, **variables), check=False)

    def calls(self):
        log = self.folder / "log"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [line for line in lines if line[0] == "install"]

    def installs(self):
        return [call for call in self.calls() if "--dry-run" not in call]

    def add_gpu(self):
        program = self.commands / "nvidia-smi"
        program.write_text("#!/bin/sh\necho 'GPU 0: a card'\n")
        program.chmod(0o755)

    def test_without_a_gpu_the_build_without_cuda_is_taken(self):
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without CUDA", done.stdout)
        self.assertEqual(self.installs(),
                         [["install", "--extra-index-url", "https://download.pytorch.org/whl/cpu", "torch==2.11.*"]])

    def test_with_a_gpu_the_build_comes_from_pips_own_index(self):
        self.add_gpu()
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installs(), [["install", "torch==2.11.*"]])

    def test_a_build_of_the_other_kind_is_replaced_when_asked_for(self):
        add_torch(self.packages, "2.11.0+cpu")
        self.add_gpu()
        self.assertIn("is installed", self.setup("--yes").stdout)
        self.assertIn("is installed", self.setup("--yes", "--cpu").stdout)
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.setup("--yes", "--cuda").returncode, 0)
        self.assertEqual(self.installs(), [["install", "--force-reinstall", "torch==2.11.*"]])

    def test_a_larger_build_than_the_one_wanted_is_not_loaded(self):
        done = self.setup("--yes", PIP_HAS="2.11.0")
        self.assertIn("the build without CUDA is not at", done.stderr)
        self.assertEqual(self.installs(), [])

    def test_a_torch_of_another_version_stays_and_an_own_environment_is_used(self):
        add_torch(self.packages, "2.4.1")
        _, packages = add_environment(self.own)
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"into {self.own}", done.stdout)
        self.assertIn("2.4.1", (self.packages / "torch/version.py").read_text())
        self.assertIn("2.11", (packages / "torch/version.py").read_text())

    def test_a_package_in_a_folder_that_pip_does_not_use_gets_an_own_environment(self):
        elsewhere = self.folder / "elsewhere"
        add_package(elsewhere)
        told = json.loads(self.setup("--tell", packages=elsewhere).stdout)
        self.assertEqual(told["folder"], str(self.own))
        self.assertFalse(self.own.exists(), "nothing is made before it was asked for")
        self.assertIn("--ignore-installed", self.calls()[-1])

    def test_an_environment_that_cannot_be_made_is_told(self):
        add_torch(self.packages, "2.4.1")
        self.own.parent.mkdir(parents=True)
        self.own.touch()
        done = self.setup("--yes")
        self.assertIn("cannot make an environment", done.stderr)
        self.assertEqual(self.installs(), [])

    def test_without_pip_it_says_what_would_do(self):
        shutil.rmtree(self.packages / "pip")
        self.assertIn("has no pip", self.setup("--yes").stderr)

    def test_nothing_is_loaded_without_a_question(self):
        done = self.setup()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--yes", done.stderr)
        self.assertEqual(self.installs(), [])

    def test_the_window_is_told_what_would_be_done(self):
        told = json.loads(self.setup("--tell", "--cuda").stdout)
        self.assertEqual((told["requirement"], told["cuda"], told["bytes"]), ("torch==2.11.*", True, 1000))
        self.assertEqual(self.installs(), [])

    def test_a_failure_of_pip_says_what_would_do(self):
        for step, told in (("--dry-run", "--cuda takes the larger build"), ("install", "did not finish")):
            done = self.setup("--yes", PIP_FAILS=step)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(told, done.stderr)

    def test_canceled_it_ends_pip_too(self):
        with subprocess.Popen(**self.command("--yes", PIP_TAKES="60")) as process:
            while not self.installs():
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=20)  # the pipe stays open as long as pip runs
        self.assertIn("canceled", errors)
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
