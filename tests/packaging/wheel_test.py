# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel in a bare Debian, as a plain user: python3 wheel_test.py BUILD_FOLDER DEPS_FOLDER

Makes the wheel of the programs in the build folder, and a root of nothing but Python (by mmdebstrap, from the package
server), installs the one into the other, opens the window, trains with a LibTorch that lies in a folder, once with CUDA
and once without, and takes it away again. Full tier only: exit code 77 without it, without root, or without the server.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
RELEASE = "bookworm"
BINARY = r"batchwise/bin|batchwise/lib|batchwise/plugins"
# What no wheel may bring: glibc, the compiler's library, MPI of the machine, and LibTorch.
FROM_ELSEWHERE = re.compile(r"lib(torch|c10|mpi|open-rte|open-pal)")


TABLE = """
import sys, pyarrow, pyarrow.parquet
texts = [f"the {i % 7} foxes and {i} hens of a story" for i in range(2000)]
pyarrow.parquet.write_table(pyarrow.table({"text": texts}), sys.argv[1])
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Root:
    """A bare root with one user, and LibTorch below /opt with and without CUDA."""

    def __init__(self, folder, deps):
        packages = deps / "venv/lib/python3.11/site-packages"
        self.folder = folder
        made = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--include=python3-venv,file", RELEASE, str(folder)],
            capture_output=True, text=True)
        if made.returncode != 0:
            skip(f"no bare root: {made.stderr.strip()[-300:]}")
        subprocess.run(["chroot", folder, "useradd", "--create-home", "user"], check=True)
        for name in ("torch", "nvidia"):
            self.mount(packages / name, folder / "opt/cuda" / name)
        if (deps / "cuda").is_symlink():  # what a system's toolkit has, the set-up links to
            toolkit = (deps / "cuda").readlink()
            self.mount(toolkit, folder / toolkit.relative_to("/"))
        self.mount("/proc", folder / "proc")
        self.mount("/dev", folder / "dev")
        self.add_torch_without_cuda(packages)

    def mount(self, source, target):
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", str(source), str(target)], check=True)

    def add_torch_without_cuda(self, packages):
        libraries = self.folder / "opt/cpu/torch/lib"
        libraries.mkdir(parents=True)
        (self.folder / "opt/cpu/nvidia").symlink_to("/opt/cuda/nvidia")
        for library in (packages / "torch/lib").glob("lib*.so*"):
            if "cuda" not in library.name:
                (libraries / library.name).symlink_to(f"/opt/cuda/torch/lib/{library.name}")

    def user(self, command, **variables):
        """Runs the command as the user, with nothing of this process's environment."""
        settings = [f"{name}={value}" for name, value in variables.items()]
        return subprocess.run(
            ["chroot", "--userspec=user:user", self.folder, "/usr/bin/env", "-i", "HOME=/home/user", "LANG=C.UTF-8",
             "PATH=/home/user/env/bin:/usr/bin:/bin", *settings, "sh", "-c", f"cd ~ && {command}"],
            capture_output=True, text=True, timeout=600)


def require(done, text=""):
    shown = f"{done.args[-1]}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, shown
    assert text in done.stdout + done.stderr, shown
    return done.stdout


def check(root):
    require(root.user("python3 -m venv env && env/bin/pip install --no-index --quiet /wheel/*.whl"))
    before = set((root.folder / "home/user").iterdir())
    require(root.user("batchwise --version"), "batchwise")

    libraries = require(root.user("find env -type f | xargs file | grep ELF | cut -d: -f1")).split()
    binaries = [name for name in libraries if re.search(BINARY, name)]
    assert len(binaries) > 40, binaries
    for name in binaries:
        for line in root.user(f"ldd {name}").stdout.splitlines():
            assert "not found" not in line or FROM_ELSEWHERE.search(line), f"{name}: {line}"

    require(root.user("batchwise prepare pretrain --set data.format=parquet --set 'data.train=[/wheel/texts.parquet]' "
                      "--set tokenizer.train.vocab_size=300"))
    window = root.user("timeout 5 batchwise-studio", QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR="/home/user")
    assert window.returncode == 124, f"the window did not stay: {window.returncode} {window.stderr}"

    lacking = root.user("batchwise train demo")
    assert lacking.returncode != 0 and "call batchwise setup" in lacking.stderr, lacking.stderr
    for kind in ("cuda", "cpu"):
        require(root.user("batchwise train demo --set max_duration=2ba --json", BATCHWISE_TORCH=f"/opt/{kind}/torch/lib"),
                "finished")

    require(root.user("pip uninstall --yes --quiet batchwise"))
    left = require(root.user("find env -path '*batchwise*'"))
    assert left == "", left
    new = {path.name for path in (root.folder / "home/user").iterdir()} - {path.name for path in before}
    assert new <= {".local", ".config", ".cache"}, new


def inside(scratch, deps):
    """In a mount namespace of its own: what is mounted below the root goes with this process."""
    root = Root(pathlib.Path(scratch, "root"), pathlib.Path(deps))
    shutil.copytree(pathlib.Path(scratch, "dist"), root.folder / "wheel")
    check(root)
    print("the wheel works in a bare root")
    return 0


def main(build, deps):
    if os.environ.get("BATCHWISE_TEST_TIER") != "full":
        skip("--full makes a bare root and trains in it")
    if os.geteuid() != 0 or not shutil.which("mmdebstrap") or not shutil.which("patchelf"):
        skip("it needs root, mmdebstrap and patchelf")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="batchwise-wheel-"))
    try:
        subprocess.run([sys.executable, ROOT / "packaging/wheel.py", build, scratch / "dist"], check=True)
        wheel = next((scratch / "dist").glob("*.whl"))
        assert wheel.stat().st_size <= 90 << 20, f"{wheel.stat().st_size} bytes"
        subprocess.run([pathlib.Path(deps, "venv/bin/python"), "-c", TABLE, scratch / "dist/texts.parquet"], check=True)
        return subprocess.run(["unshare", "--mount", sys.executable, __file__, "--inside", scratch, deps]).returncode
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(inside(*sys.argv[2:]) if sys.argv[1] == "--inside" else main(*sys.argv[1:]))
