#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the man page of the command line, made from its own help, to stdout: man_page.py PROGRAM"""
import os
import subprocess
import sys


def output(*command):
    environment = {"PATH": os.environ["PATH"], "HOME": "/~"}  # nothing of who makes the page
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return text.replace("/~/", "~/")


def commands(program, path=()):
    """All commands below `path`, groups before what they hold: ("runs",), ("runs", "list")."""
    for name in output(program, "complete", *path, "").split():
        yield (*path, name)
        yield from commands(program, (*path, name)) if is_group(program, (*path, name)) else ()


def is_group(program, path):
    return "Subcommands:" in output(program, *path, "--help")


def literal(text):
    """Text that troff prints as it stands."""
    lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip().splitlines()]
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def main(program):
    title, *rest = output(program, "--help").splitlines()
    version = output(program, "--version").split()[-1]
    print(f'.TH BATCHWISE 1 "" "Batchwise {version}"\n.SH NAME\nbatchwise \\- {literal(title)}')
    print(f".SH SYNOPSIS\n.nf\n{literal(chr(10).join(rest))}\n.fi\n.SH COMMANDS")
    for path in commands(program):
        print(f".SS batchwise {' '.join(path)}\n.nf\n{literal(output(program, *path, '--help'))}\n.fi")
    print(".SH SEE ALSO\n.BR batchwise\\-studio ,\nthe window, whose menu Help has the manual")


if __name__ == "__main__":
    main(*sys.argv[1:])
