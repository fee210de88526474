# SPDX-License-Identifier: GPL-3.0-or-later
"""`batchwise setup` with stand-ins for pip and nvidia-smi. Nothing is installed."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Notes how it is called; a dry run reports one file of 1,000 bytes.
PIP = """
import json, os, pathlib, sys
log = pathlib.Path(os.environ["PIP_LOG"])
log.write_text(log.read_text() + json.dumps(sys.argv[1:]) + "\\n" if log.exists() else json.dumps(sys.argv[1:]) + "\\n")
wheel = pathlib.Path(os.environ["WHEEL"])
if "--dry-run" in sys.argv:
    report = sys.argv[sys.argv.index("--report") + 1]
    files = [{"download_info": {"url": wheel.as_uri()}}] if wheel.exists() else []
    pathlib.Path(report).write_text(json.dumps({"install": files}))
sys.exit(int(os.environ.get("PIP_FAILS", "0")))
"""

VENV = """
import pathlib, sys
folder = pathlib.Path(sys.argv[1])
(folder / "bin").mkdir(parents=True)
(folder / "bin" / "python").symlink_to(sys.executable)
"""

MANAGED = pathlib.Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()


class SetupTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="batchwise-setup-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.packages = self.folder / "packages"
        for name, text in (("pip", PIP), ("venv", VENV)):
            (self.packages / name).mkdir(parents=True)
            (self.packages / name / "__init__.py").touch()
            (self.packages / name / "__main__.py").write_text(text)
        shutil.copytree(ROOT / "python" / "batchwise", self.packages / "batchwise")
        info = self.packages / "batchwise-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: batchwise\nVersion: 0.1.0\nProvides-Extra: train\n"
            "Requires-Dist: torch==2.11.*; extra == 'train'\n")
        self.wheel = self.folder / "torch.whl"
        self.wheel.write_bytes(b"0" * 1000)
        self.commands = self.folder / "commands"
        self.commands.mkdir()

    def setup(self, *arguments, **variables):
        environment = {
            "PATH": str(self.commands), "PYTHONPATH": str(self.packages), "PIP_LOG": str(self.folder / "log"),
            "WHEEL": str(self.wheel), "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run([sys.executable, "-m", "batchwise.setup", *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=environment, check=False)

    def calls(self):
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def add_gpu(self):
        program = self.commands / "nvidia-smi"
        program.write_text("#!/bin/sh\necho 'GPU 0: a card'\n")
        program.chmod(0o755)

    def test_without_a_gpu_the_build_without_cuda_is_taken(self):
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without CUDA", done.stdout)
        self.assertIn("https://download.pytorch.org/whl/cpu", self.calls()[-1])
        self.assertIn("torch==2.11.*", self.calls()[-1])
        self.assertNotIn("--dry-run", self.calls()[-1])

    def test_with_a_gpu_the_build_comes_from_pips_own_index(self):
        self.add_gpu()
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls()[-1], ["install", "torch==2.11.*"])

    @unittest.skipUnless(MANAGED, "pip may install beside this Python's packages")
    def test_the_systems_packages_are_left_alone(self):
        done = self.setup("--yes")
        self.assertIn(f"into {self.folder}/.local/share/batchwise/torch", done.stdout)

    def test_nothing_is_loaded_without_a_question(self):
        done = self.setup()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--yes", done.stderr)
        self.assertEqual([call for call in self.calls() if "--dry-run" not in call], [])

    def test_what_is_there_is_not_loaded_again(self):
        self.wheel.unlink()
        done = self.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is installed", done.stdout)
        self.assertEqual(len(self.calls()), 1)

    def test_a_failure_of_pip_says_what_would_do(self):
        done = self.setup("--yes", PIP_FAILS="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--cuda", done.stderr)


if __name__ == "__main__":
    unittest.main()
