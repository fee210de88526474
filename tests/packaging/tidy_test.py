# SPDX-License-Identifier: GPL-3.0-or-later
"""The changed C++ files have no warning of .clang-tidy: python3 tidy_test.py BUILD_FOLDER [FILE...]

Changed are the files that differ from where this branch left main, those that are not committed, and for a header the
.cpp file of its name. At most a minute is spent, beginning with what was changed last; what is left over is named. With
FILEs, checks these, however long it takes. Exit code 77 if clang-tidy or git is not there.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("app/", "core/", "ui/")
BASES = ("origin/HEAD", "origin/main", "main")
SKIPPED = 77
BUDGET_SEC = 50
# What the compiler of the preset knows and clang-tidy does not: precompiled headers, and warnings, which it has judged.
FOREIGN = re.compile(r"-Winvalid-pch|-fpch-preprocess|-W.*|-fno-pch-timestamp|-emit-pch")


def git(*words):
    """The lines of git's answer; none if it has no answer."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def changed_files():
    base = next((found[0] for found in (git("merge-base", "HEAD", ref) for ref in BASES) if found), "HEAD")
    names = git("diff", "--name-only", "--diff-filter=d", base)
    names += git("ls-files", "--others", "--exclude-standard")
    paths = {(ROOT / name).with_suffix(".cpp") for name in names
             if name.startswith(FOLDERS) and name.endswith((".cpp", ".h"))}
    return sorted((path for path in paths if path.exists()), key=lambda path: -path.stat().st_mtime)


def plain_command(words):
    """The compiler's arguments without its launcher (ccache), precompiled headers, warnings, input and output."""
    words = [word for word in words if word != "-Xclang"]
    start = next(i for i, word in enumerate(words) if re.search(r"(\+\+|c\+\+)(-\d+)?$", word))
    kept, rest = [words[start]], iter(words[start + 1:])
    for word in rest:
        if word in ("-o", "-c", "-include", "-include-pch"):
            next(rest)
        elif not FOREIGN.fullmatch(word):
            kept.append(word)
    return kept


def commands(build, files):
    """A compilation database of `files`. One that is compiled together with others takes the command of all of them."""
    by_file = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["file"])
        by_file[unit] = entry
        if unit.is_relative_to(build) and unit.exists():
            together = re.findall(r'^#include "(/.+)"$', unit.read_text(), re.M)
            by_file.update((pathlib.Path(name), entry) for name in together)
    found = []
    for file in files:
        entry = by_file.get(file)
        if entry:
            command = plain_command(shlex.split(entry["command"])) + ["-c", str(file)]
            found.append({"directory": entry["directory"], "file": str(file), "arguments": command})
    return found


def tidy(folder, file, until):
    """What clang-tidy has to say of the file, and whether that is nothing; None if there was no time for it."""
    left = None if until is None else until - time.monotonic()
    if left is not None and left <= 0:
        return None
    try:
        done = subprocess.run(["nice", "clang-tidy", "--quiet", f"-p={folder}", file], capture_output=True, text=True,
                              timeout=left)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode == 0, done.stdout


def main(build, named):
    if not shutil.which("clang-tidy") or not git("rev-parse", "HEAD"):
        print("clang-tidy or git is missing")
        return SKIPPED
    build = pathlib.Path(build).resolve()
    database = commands(build, [pathlib.Path(name).resolve() for name in named] or changed_files())
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(database))
    until = None if named else time.monotonic() + BUDGET_SEC
    files = [entry["file"] for entry in database]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda file: tidy(folder, file, until), files))
    for result in results:
        if result and not result[0]:
            print(result[1])
    late = [file for file, result in zip(files, results) if result is None]
    bad = sum(result is not None and not result[0] for result in results)
    print(f"{len(files) - len(late)} files checked, {bad} with warnings")
    if late:
        print(f"no time for {len(late)} more; to check them: python3 {__file__} {build} " + " ".join(late))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
