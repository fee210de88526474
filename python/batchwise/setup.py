# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs the LibTorch that training needs: `batchwise setup`, or python -m batchwise.setup.

It goes beside this package where pip may write, else into an environment of its own in the user's data folder; the
trainer looks in both. pip does the work: its settings for proxies, mirrors and caches count.
"""
import argparse
import json
import os
import shutil
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
    named = [text.split(";")[0].strip() for text in metadata.requires("batchwise") or [] if "train" in text]
    return named[0].replace(" ", "").replace("(", "").replace(")", "")


def has_gpu():
    program = shutil.which("nvidia-smi")
    if not program:
        return False
    return "GPU" in subprocess.run([program, "-L"], capture_output=True, text=True, check=False).stdout


def data_folder():
    base = os.environ.get("XDG_DATA_HOME", "")
    return Path(base if os.path.isabs(base) else Path.home() / ".local/share", "batchwise")


def takes_packages(folder):
    """Whether pip may install beside this package: not into a folder of the system's packages."""
    managed = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
    return os.access(folder, os.W_OK) and (sys.prefix != sys.base_prefix or not managed)


def target():
    """The Python whose pip installs it, and the folder where it goes; makes the environment if it needs one."""
    if takes_packages(PACKAGE.parent):
        return sys.executable, PACKAGE.parent
    folder = data_folder() / "torch"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return str(python), folder


def pip(python, *arguments, **options):
    return subprocess.run([python, "-m", "pip", *arguments], check=False, **options)


def choice(python, cuda):
    """The arguments of pip for the build with or without CUDA."""
    return [requirement()] if cuda else ["--index-url", CPU_INDEX, requirement()]


def download_bytes(python, wanted):
    """How much pip is going to load, None if nobody says; 0 if all is there."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        done = pip(python, "install", "--quiet", "--dry-run", "--report", str(report), *wanted, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            other = "; --cuda takes the larger build from pip's own index" if CPU_INDEX in wanted else ""
            sys.exit(f"batchwise setup: pip does not find it (see above): check the network, or pip's proxy settings{other}")
        links = [item["download_info"]["url"] for item in json.loads(report.read_text())["install"]]
    total = 0
    for link in links:
        try:
            with urllib.request.urlopen(urllib.request.Request(link, method="HEAD"), timeout=10) as answer:
                total += int(answer.headers["Content-Length"])
        except (OSError, TypeError, ValueError):
            return None
    return total


def said_size(size):
    return "of a size that the server does not tell" if size is None else f"{size / 1e9:.1f} GB"


def confirmed(question):
    if not sys.stdin.isatty():
        sys.exit(f"{question}\nbatchwise setup: there is no terminal to ask on; --yes installs without a question")
    return input(f"{question} [Y/n] ").strip().lower() in ("", "y", "yes")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="batchwise setup", description="Install the LibTorch that training needs.")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cuda", action="store_true", help="the build for NVIDIA GPUs, also if none is found here")
    kind.add_argument("--cpu", action="store_true", help="the much smaller build without CUDA")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_args(arguments)
    cuda = options.cuda or (not options.cpu and has_gpu())
    python, folder = target()
    wanted = choice(python, cuda)
    size = download_bytes(python, wanted)
    if size == 0:
        print(f"{requirement()} is installed in {folder}; training needs nothing more")
        return 0
    free = shutil.disk_usage(folder).free
    if size and free < UNPACKED * size:
        sys.exit(f"batchwise setup: {folder} has {free / 1e9:.1f} GB free, and {UNPACKED * size / 1e9:.1f} GB are needed")
    print(f"{requirement()} {'with' if cuda else 'without'} CUDA, to load: {said_size(size)}, into {folder}")
    if not options.yes and not confirmed("Install it?"):
        return 1
    done = pip(python, "install", *wanted)
    if done.returncode != 0:
        sys.exit("batchwise setup: pip did not finish (see above); the next call goes on with what has been loaded")
    print("Training is ready: batchwise train demo")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nbatchwise setup: canceled; the next call goes on with what has been loaded")
