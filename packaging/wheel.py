#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the programs of a build folder, Qt and every library they need into a wheel.

    wheel.py BUILD_FOLDER OUTPUT_FOLDER

LibTorch stays outside: the trainer finds it beside the installed package, see core/run/torch_library.h. From the
system come only the libraries of glibc and of the compiler, which every machine has that runs programs at all, and
MPI for those who train with mpirun.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEPS = Path(os.environ.get("BATCHWISE_DEPS") or ROOT / ".deps").resolve()  # see packaging/setup.sh
PACKAGES = DEPS / "venv/lib/python3.11/site-packages"
CUDART = DEPS / "cuda/lib64/libcudart.so.13"  # a LibTorch without CUDA brings none
DYGRAPHS = Path("/usr/share/javascript/dygraphs/dygraph.min.js")  # in every report: core/analysis/CMakeLists.txt
TAG = "py3-none-manylinux_2_36_x86_64"  # glibc of Debian 12
PROGRAMS = ["batchwise", "batchwise-studio", "libbatchwise_trainer.so", "libbatchwise_mpi.so", "libbatchwise_tables.so"]
PLUGINS = [
    "iconengines/libqsvgicon.so", "imageformats/libqsvg.so", "platforminputcontexts", "platforms/libqoffscreen.so",
    "platforms/libqwayland-generic.so", "platforms/libqxcb.so", "platformthemes/libqxdgdesktopportal.so",
    "wayland-decoration-client", "wayland-shell-integration", "xcbglintegrations",
]
SYSTEM = re.compile(r"(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s)\.so.*")
TORCH = re.compile(r"(libtorch|libc10).*")
MPI = re.compile(r"lib(mpi|open-rte|open-pal).*")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(file):
    """The names of the libraries that the file asks for."""
    return output("patchelf", "--print-needed", str(file)).split()


def outside(name):
    return any(pattern.fullmatch(name) for pattern in (SYSTEM, TORCH, MPI))


def system_libraries():
    """Name -> path, of all that the dynamic linker knows."""
    found = re.findall(r"^\s+(\S+) \(libc6,x86-64[^)]*\) => (\S+)$", output("/sbin/ldconfig", "-p"), re.M)
    others = [CUDART, *(PACKAGES / "pyarrow").glob("lib*.so.*")]
    return {name: Path(path) for name, path in reversed(found)} | {path.name: path for path in others}


def add_libraries(folder, files):
    """Copies what `files` need, and what that needs, into the folder. Returns name -> where it came from."""
    known = system_libraries()
    copied = {}
    waiting = list(files)
    while waiting:
        for name in needed(waiting.pop()):
            if outside(name) or name in copied:
                continue
            if name not in known:
                sys.exit(f"wheel.py: {name} is not installed: run ./packaging/run doctor, which installs what is missing")
            copied[name] = known[name].resolve()
            shutil.copy(copied[name], folder / name)
            waiting.append(folder / name)
    return copied


def add_plugins(folder):
    source = Path(output("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
    added = {}
    for name in PLUGINS:
        found = sorted((source / name).glob("*.so")) if (source / name).is_dir() else [source / name]
        for plugin in found:
            target = folder / plugin.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(plugin, target)
            added[target] = plugin
    return added


def add_stand_ins(folder, trainer):
    """Libraries for the two that a LibTorch without CUDA lacks. The trainer calls them on a GPU only, but for the
    count of devices, which is 0."""
    folder.mkdir()
    wanted = set(re.findall(r" U (\S+)$", output("nm", "-D", str(trainer)), re.M))
    for name in ("libc10_cuda.so", "libtorch_cuda.so"):
        there = re.findall(r" ([A-Z]) (\S+)$", output("nm", "-D", "--defined-only", str(PACKAGES / "torch/lib" / name)), re.M)
        code = [".section .note.GNU-stack,\"\",@progbits"]
        for kind, symbol in there:
            if symbol not in wanted:
                continue
            data = kind in "BD"
            body = ".zero 64" if data else "xor %eax, %eax; ret" if "device_count" in symbol else "jmp abort@PLT"
            code += [".data" if data else ".text", f".globl {symbol}",
                     f".type {symbol}, @{'object' if data else 'function'}", f"{symbol}: {body}", f".size {symbol}, .-{symbol}"]
        source = folder / f"{name}.s"
        source.write_text("\n".join(code) + "\n")
        subprocess.run(["gcc", "-shared", "-o", str(folder / name), f"-Wl,-soname,{name}", str(source)], check=True)
        source.unlink()


def owners(paths):
    """The Debian packages that the files came with."""
    packages = set()
    for path in paths:
        for form in {str(path), str(path).removeprefix("/usr")}:
            answer = subprocess.run(["dpkg", "-S", form], capture_output=True, text=True)
            packages.update(line.split(":")[0] for line in answer.stdout.splitlines())
    return sorted(packages)


def add_licenses(folder, sources):
    folder.mkdir()
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    for package in owners(source for source in sources if DEPS not in source.parents and source != CUDART.resolve()):
        terms = Path("/usr/share/doc", package, "copyright")
        if not terms.exists():
            sys.exit(f"wheel.py: {package} does not say under which license it is: {terms} is missing")
        shutil.copy(terms, folder / f"{package}.txt")
    shutil.copy(sorted(PACKAGES.glob("nvidia_cuda_*.dist-info/licenses/License.txt"))[0], folder / "cuda-toolkit.txt")
    for name in ("LICENSE.txt", "NOTICE.txt"):
        shutil.copy(next(PACKAGES.glob(f"pyarrow-*.dist-info/licenses/{name}")), folder / f"arrow-{name}")


def version():
    return re.search(r"project\(batchwise VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    requirements = (ROOT / "packaging" / "requirements-torch.txt").read_text()
    torch = re.search(r"^torch==(\d+\.\d+)", requirements, re.M).group(1)
    return "\n".join([
        "Metadata-Version: 2.1", "Name: batchwise", f"Version: {version()}",
        "Summary: Desktop dashboard and trainer of text encoders, with batch size as a schedule",
        "License: GPL-3.0-or-later", "Classifier: Operating System :: POSIX :: Linux", "Requires-Python: >=3.10",
        "Provides-Extra: train", f"Requires-Dist: torch=={torch}.*; extra == 'train'",
        "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()])


ENTRY_POINTS = """[console_scripts]
batchwise = batchwise._programs:batchwise
batchwise-studio = batchwise._programs:studio
"""


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_wheel(path, folder):
    """What is in the folder, and the texts that pip reads."""
    info = f"batchwise-{version()}.dist-info"
    texts = {
        f"{info}/METADATA": metadata(), f"{info}/entry_points.txt": ENTRY_POINTS,
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: batchwise\nRoot-Is-Purelib: false\nTag: {TAG}\n"}
    partial = path.with_suffix(".partial")
    record = ""
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, data, mode):
            nonlocal record
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            record += record_line(name, data)
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            add(str(file.relative_to(folder)), file.read_bytes(), 0o100755 if os.access(file, os.X_OK) else 0o100644)
        for name, text in texts.items():
            add(name, text.encode(), 0o100644)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    partial.rename(path)


def stage(build, folder):
    """Fills the folder with the package `batchwise`."""
    package = folder / "batchwise"
    binaries, libraries, plugins = package / "bin", package / "lib", package / "plugins"
    shutil.copytree(ROOT / "python" / "batchwise", package, ignore=shutil.ignore_patterns("__pycache__"))
    for made in (binaries, libraries, plugins):
        made.mkdir()
    for name in PROGRAMS:
        shutil.copy(build / "bin" / name, binaries / name)
    (binaries / "qt.conf").write_text("[Paths]\nPrefix = ..\nPlugins = plugins\n")
    add_stand_ins(binaries / "no_cuda", binaries / "libbatchwise_trainer.so")
    own_plugins = add_plugins(plugins)
    copied = add_libraries(libraries, [*(binaries / name for name in PROGRAMS), *own_plugins])
    for file in [*(binaries / name for name in PROGRAMS), *(libraries / name for name in copied), *own_plugins]:
        file.chmod(0o755)
        subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)
        origin = "$ORIGIN" if file.parent == libraries else "$ORIGIN/" + os.path.relpath(libraries, file.parent)
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", origin, str(file)], check=True)
    add_licenses(package / "licenses", [*copied.values(), *own_plugins.values(), DYGRAPHS])
    data = folder / f"batchwise-{version()}.data" / "data"
    output("cmake", "--install", str(build), "--component", "share", "--prefix", str(data))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"batchwise-{version()}-{TAG}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        stage(build, Path(scratch))
        write_wheel(path, Path(scratch))
    print(path)


if __name__ == "__main__":
    main()
