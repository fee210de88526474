# SPDX-License-Identifier: GPL-3.0-or-later
"""The pack works on systems that have nothing of ours: packs the built programs, unpacks them in bare roots of Debian 13 and
Ubuntu 24.04 with PyTorch and transformers, and runs right.py and fast.py there with --device cpu, peers included.
  pack_test.py BUILD CACHE [--always]
CACHE keeps what is taken from the archives and the package index: 0.2 GB a root, 4 GB of wheels. In the full tier only
(BATCHWISE_TEST_TIER=full) or with --always. Exit code 77 if it is not wanted, or cannot be tried: without root's rights,
mmdebstrap, or an archive that answers.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
LARGEST = 30_000_000
# The versions that the project is built and tested with (packaging/requirements-torch.txt, requirements-test.txt).
WHEELS = ["torch==2.11.0", "transformers==5.23.0", "numpy"]
# Suite: its archive, its Python, and what mmdebstrap is told besides. Debian 13 has the keys of Ubuntu's archive.
KEYRING = "./usr/share/keyrings/ubuntu-archive-keyring.gpg"
ROOTS = {"trixie": ("http://deb.debian.org/debian", "3.13", ["--include=ubuntu-keyring"]),
         "noble": ("http://archive.ubuntu.com/ubuntu", "3.12", ["--components=main,universe", "--keyring=CACHE/ubuntu.gpg"])}
PACKAGES = "python3-venv,g++,python3-dev"  # a compiler: torch.compile wants one
PLATFORMS = [f"manylinux{one}_x86_64" for one in [*(f"_2_{minor}" for minor in range(39, 4, -1)), 2014, 2010, 1]]
EXPECTED = {"right": ["batchwise doctor", "cuda_kernels_test", "cuda_model_test", "batchwise doctor --gpu",
                      "losses of 3 steps, fp32", "losses of 3 steps, bf16", "evaluations of a run", "batchwise eval",
                      "batchwise noise", "batchwise judge, probe", "batchwise judge, finetune"],
            "fast": ["host syncs per step of training, outside logging", "batchwise, full 128, as it is",
                     "RATIO ours / transformers eager, full 128", "RATIO ours / transformers eager, real 128",
                     "RATIO ours / transformers compiled, full 128", "RATIO ours / transformers compiled, real 128"]}


class Missing(Exception):
    """What a root needs cannot be had here."""


def call(*command, **more):
    return subprocess.run(list(map(str, command)), check=True, **more)


def fetch(what, *command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"{what}: {(done.stderr.strip().splitlines() or ['nothing said'])[-1]}")


def fetch_root(suite, cache):
    archive, _, told = ROOTS[suite]
    tar = cache / f"{suite}.tar"
    if tar.exists():
        return
    if (cache / "trixie.tar").exists():
        with open(cache / "ubuntu.gpg", "wb") as file:
            call("tar", "-xOf", cache / "trixie.tar", KEYRING, stdout=file)
    fetch(f"the root of {suite}", "mmdebstrap", "--variant=minbase", f"--include={PACKAGES}",
          *[one.replace("CACHE", str(cache)) for one in told], suite, f"{tar}.part.tar", archive)
    pathlib.Path(f"{tar}.part.tar").rename(tar)


def fetch_wheels(python, cache):
    """One folder for all Pythons: most wheels are for any."""
    done = cache / "wheels" / f"complete-{python}"
    if not done.exists():
        fetch(f"the wheels for Python {python}", sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:",
              "--implementation=cp", f"--python-version={python}",
              *[word for platform in PLATFORMS for word in ("--platform", platform)], "--dest", cache / "wheels", *WHEELS)
        done.touch()


def make_root(suite, cache, folder):
    """A root with PyTorch and transformers in /venv, as one gets them."""
    fetch_root(suite, cache)
    fetch_wheels(ROOTS[suite][1], cache)
    root = folder / suite
    root.mkdir()
    call("tar", "-xf", cache / f"{suite}.tar", "-C", root, "--exclude=./dev/*")
    for name in ("wheels", "pack", "out"):
        (root / name).mkdir()
    made = inside(root, "python3 -m venv /venv && /venv/bin/pip install --quiet --no-index --find-links /wheels " +
                  " ".join(f"'{one}'" for one in WHEELS), cache)
    if made != 0:
        raise Missing(f"PyTorch in the root of {suite}: exit {made}")
    return root


def inside(root, command, cache):
    """Exit code of a shell's command in the root, with an environment of its own and no network."""
    mounts = (f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && "
              f"mount --bind {cache}/wheels {root}/wheels && "
              f"exec env -i HOME=/root LANG=C.UTF-8 PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONUNBUFFERED=1 "
              f'chroot {root} /bin/sh -c "$0"')
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--net", "/bin/sh", "-c", mounts, command]).returncode


def problems_of(stage, code, rows):
    found = {row["what"] for row in rows}
    bad = [f"{stage}: {row['what']}: {row['value']} {row['note']}" for row in rows if row["bad"]]
    return bad + [f"{stage}: no row {what}" for what in EXPECTED[stage] if what not in found] + \
        ([f"{stage}: exit {code}"] if code else [])


def try_stages(suite, root, pack, cache):
    call("tar", "-xzf", pack, "-C", root / "pack")
    problems = []
    for stage in EXPECTED:
        print(f"--- {suite}: {stage}.py", flush=True)
        code = inside(root, f"python3 /pack/{stage}.py --device cpu --seconds 1500 --out /out", cache)
        file = root / "out" / f"{stage}.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        problems += [f"{suite}, {one}" for one in problems_of(stage, code, rows)]
    return problems


def main(build, cache):
    if os.environ.get("BATCHWISE_TEST_TIER") != "full" and "--always" not in sys.argv:
        print("in the full tier only (BATCHWISE_TEST_TIER=full), or with --always")
        return SKIPPED
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("needs mmdebstrap and root's rights, for a root of another system")
        return SKIPPED
    cache.mkdir(parents=True, exist_ok=True)
    problems, tried = [], []
    with tempfile.TemporaryDirectory(prefix="batchwise-pack-", dir=cache) as made:
        folder = pathlib.Path(made)
        pack = folder / "batchwise-gpu.tgz"
        call(HERE / "pack.sh", build, pack)
        if pack.stat().st_size > LARGEST:
            problems.append(f"the pack has {pack.stat().st_size} bytes")
        for suite in ROOTS:
            try:
                root = make_root(suite, cache, folder)
            except Missing as reason:
                print(f"not tried: {reason}")
                continue
            problems += try_stages(suite, root, pack, cache)
            tried.append(suite)
            shutil.rmtree(root)
    print("tried in:", ", ".join(tried) or "no system", *problems, sep="\n")
    return 1 if problems else 0 if tried else SKIPPED


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
