# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs the LibTorch that training needs; `batchwise setup` starts this file.

It goes beside this package where pip may write and has no other torch, else into an environment of its own in the
user's data folder; the trainer looks in both. pip does the work: its settings for proxies, mirrors and caches count.
"""
import argparse
import json
import os
import re
import shutil
import signal
import site
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # PyPI has only the build with CUDA
UNPACKED = 3  # times the size of the download, at most


def requirement():
    """What the extra `train` of this package asks for: torch==2.11.*"""
    package = next(found for found in metadata.distributions(path=[str(PACKAGE.parent)]) if found.name == "batchwise")
    named = [text.split(";")[0].strip() for text in package.requires or [] if "train" in text]
    return named[0].replace(" ", "").replace("(", "").replace(")", "")


def has_gpu():
    program = shutil.which("nvidia-smi")
    if not program:
        return False
    return "GPU" in subprocess.run([program, "-L"], capture_output=True, text=True, check=False).stdout


def data_folder():
    base = os.environ.get("XDG_DATA_HOME", "")
    return Path(base if os.path.isabs(base) else Path.home() / ".local/share", "batchwise")


def torch_in(packages):
    """The version of the torch in a folder of packages: "2.11.0+cpu"; None without one."""
    try:
        text = (packages / "torch/version.py").read_text()
    except OSError:
        return None
    found = re.search(r"^__version__ = '([^']*)'", text, re.M)
    return found.group(1) if found and (packages / "torch/lib/libtorch_cpu.so").exists() else None


def fits(version):
    return version is not None and version.startswith(requirement().removeprefix("torch==").removesuffix("*"))


class Place:
    """Where torch goes: beside this package, or into an environment of its own."""

    def __init__(self):
        packages = PACKAGE.parent
        managed = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
        user = site.ENABLE_USER_SITE and packages == Path(site.getusersitepackages()).resolve()
        own = packages == Path(sysconfig.get_path("platlib")).resolve()
        other = (packages / "torch").exists() and not fits(torch_in(packages))
        free_to_use = os.access(packages, os.W_OK) and (sys.prefix != sys.base_prefix or not managed)
        if free_to_use and (user or own) and not other:
            self.folder, self.python = packages, sys.executable
            self.options = ["--user"] if user else []
        else:
            self.folder, self.options = data_folder() / "torch", []
            self.python = str(self.folder / "bin/python")

    def installed(self):
        """The version of torch that is there and fits, or None."""
        inside = self.folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        version = torch_in(self.folder if self.folder == PACKAGE.parent else inside)
        return version if fits(version) else None

    def existing(self):
        """The folder, or the nearest above it that is there."""
        return next(folder for folder in [self.folder, *self.folder.parents] if folder.exists())

    def make(self):
        if Path(self.python).exists():
            return
        made = run([sys.executable, "-m", "venv", "--clear", str(self.folder)])
        if made != 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            sys.exit("batchwise setup: this Python cannot make an environment (see above): on Debian and Ubuntu install "
                     "python3-venv, or install batchwise into an environment that you may write to")


def run(command, **options):
    """Its exit status. It ends with this process, and does not take modules from the current folder or PYTHONPATH."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(command, cwd="/", env=environment, **options) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            raise


def has_pip(python):
    return run([python, "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def what_to_load(place, wanted, cuda):
    """How many bytes pip is going to load, None if nobody says."""
    python = place.python if Path(place.python).exists() else sys.executable
    if not has_pip(python):
        if python == place.python:
            sys.exit("batchwise setup: this Python has no pip: install it (on Debian and Ubuntu python3-pip, elsewhere "
                     f"{python} -m ensurepip), and call this again")
        return None
    apart = [] if python == place.python else ["--ignore-installed"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        done = run([python, "-m", "pip", "install", "--quiet", "--dry-run", "--report", str(report), *apart, *wanted],
                   stdout=subprocess.DEVNULL)
        if done != 0:
            other = "" if cuda else "; --cuda takes the larger build from pip's own index"
            sys.exit(f"batchwise setup: pip does not find it (see above): check the network, or pip's proxy settings{other}")
        files = json.loads(report.read_text())["install"]
    versions = [file["metadata"]["version"] for file in files if file["metadata"]["name"] == "torch"]
    if not cuda and not all(version.endswith("+cpu") for version in versions):
        sys.exit(f"batchwise setup: the build without CUDA is not at {CPU_INDEX}, or that cannot be reached; --cuda takes "
                 "the larger build")
    total = 0
    for file in files:
        try:
            request = urllib.request.Request(file["download_info"]["url"], method="HEAD")
            with urllib.request.urlopen(request, timeout=10) as answer:
                total += int(answer.headers["Content-Length"])
        except (OSError, TypeError, ValueError):
            return None
    return total


def said_size(size):
    return "of a size that the server does not tell" if size is None else f"{size / 1e9:.1f} GB"


def confirmed(question):
    if not sys.stdin.isatty():
        sys.exit(f"{question}\nbatchwise setup: there is no terminal to ask on; --yes installs without a question")
    try:
        return input(f"{question} [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        print()
        return False


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="batchwise setup", description="Install the LibTorch that training needs.")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cuda", action="store_true", help="the build for NVIDIA GPUs, also if none is found here")
    kind.add_argument("--cpu", action="store_true", help="the much smaller build without CUDA")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--tell", action="store_true", help=argparse.SUPPRESS)  # for the window: what would be done, as JSON
    options = parser.parse_args(arguments)
    cuda = options.cuda or (not options.cpu and has_gpu())
    place = Place()
    there = place.installed()
    if there and (options.cuda or options.cpu) and there.endswith("+cpu") == cuda:
        again = ["--force-reinstall"]  # pip takes one build for the other
        there = None
    else:
        again = []
    wanted = [*place.options, *again, *([] if cuda else ["--extra-index-url", CPU_INDEX]), requirement()]
    size = 0 if there else what_to_load(place, wanted, cuda)
    free = shutil.disk_usage(place.existing()).free
    if options.tell:
        print(json.dumps({"requirement": requirement(), "cuda": cuda, "bytes": size, "folder": str(place.folder), "free": free}))
        return 0
    if there:
        print(f"torch {there} is installed in {place.folder}; training needs nothing more")
        return 0
    if size and free < UNPACKED * size:
        sys.exit(f"batchwise setup: {place.folder} has {free / 1e9:.1f} GB free, and {UNPACKED * size / 1e9:.1f} GB are needed")
    print(f"{requirement()} {'with' if cuda else 'without'} CUDA, to load: {said_size(size)}, into {place.folder}", flush=True)
    if not options.yes and not confirmed("Install it?"):
        return 1
    place.make()
    if run([place.python, "-m", "pip", "install", *wanted]) != 0:
        sys.exit("batchwise setup: pip did not finish (see above); the next call goes on with what has been loaded")
    if not place.installed():
        sys.exit(f"batchwise setup: pip put torch somewhere else than into {place.folder}: name its folder torch/lib in "
                 "BATCHWISE_TORCH")
    print("Training is ready: batchwise train demo")
    return 0


def end(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nbatchwise setup: canceled; the next call goes on with what has been loaded")
