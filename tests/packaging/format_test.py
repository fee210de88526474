# SPDX-License-Identifier: GPL-3.0-or-later
"""Every C++ file of the project is formatted by .clang-format: python3 format_test.py CLANG_FORMAT

CLANG_FORMAT is the version that the wheels of the tests pin, because each version formats in a way of its own. Exit code
77 if it is not there.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["app", "core", "tests", "ui"]
ENDINGS = {".cpp", ".h", ".cu", ".cuh"}
SKIPPED = 77
SHOWN = 10


def sources():
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.suffix in ENDINGS)


def unformatted(clang_format, files):
    command = [clang_format, "--dry-run", "--ferror-limit=1", *files]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return sorted({line.split(":")[0] for line in told.splitlines() if "clang-format-violations" in line})


def main(clang_format):
    if not pathlib.Path(clang_format).exists():
        print(f"there is no {clang_format}")
        return SKIPPED
    files = sources()
    found = unformatted(clang_format, files)
    for file in found[:SHOWN]:
        print(f"not formatted: {file}; {clang_format} -i {file} does it")
    print(f"{len(files)} files, {len(found)} not formatted")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
