# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of any training loop, logged so that the window shows them live."""
import atexit
import contextlib
import json
import os
import re
import secrets
import sys
import time
import warnings
from json.encoder import encode_basestring_ascii
from pathlib import Path

_NUMBERS = {float, int}
_open = []  # runs that have not ended, the current one last


def _plain(value):
    """What JSON has for a value: its number, if it is a scalar of numpy, torch or jax."""
    try:
        return value.item()
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return str(value)[:1000]


def _shortened(value):
    """Without lists; texts up to 1,000 characters."""
    if isinstance(value, dict):
        return {key: _shortened(its) for key, its in value.items() if not isinstance(its, (list, tuple))}
    return value[:1000] if isinstance(value, str) else value


_encode = json.JSONEncoder(default=_plain, separators=(",", ":"), check_circular=False).encode


def _encode_numbers(data):
    """As _encode(), in two thirds of the time."""
    line = "{" + ",".join([f"{encode_basestring_ascii(str(name))}:{value!r}" for name, value in data.items()]) + "}"
    return _encode(data) if ":nan" in line or "inf" in line else line  # Python's names are not those of JSON


def logged_folder(workspace=None):
    base = os.environ.get("XDG_DATA_HOME", "")
    return Path(workspace or Path(base if os.path.isabs(base) else Path.home() / ".local/share", "batchwise"), "logged")


class _Settings(dict):
    """A dictionary whose changes are logged at once; its values are attributes too."""

    def __init__(self, write):
        super().__setattr__("_write", write)

    def update(self, values=(), allow_val_change=None, **more):  # as W&B has it
        added = dict(vars(values) if hasattr(values, "__dict__") and not isinstance(values, dict) else values, **more)
        super().update(added)
        self._write(added)

    def __setitem__(self, name, value):
        self.update({name: value})

    __setattr__ = __setitem__

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


class Run:
    """A run that init() has started. Also a context: left by an exception, the run has failed."""

    def __init__(self, file, run_id, project, name, step):
        self.id, self.project, self.name, self.step = run_id, project, name, step
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        self._process, self._ended = os.getpid(), False
        self._before = "\n" if os.fstat(self._file).st_size else ""  # ends a line that is half written
        self.config = _Settings(lambda added: self._write({"_config": added}))
        self.summary = _Settings(lambda added: self._write({"_config": {"summary": added}}))

    def log(self, data, step=None, commit=None):
        """Logs numbers by their names. They are in the file when this returns, whatever becomes of the process then.

        Nested dictionaries join names by "/"; what is no number is left out, and so are names that begin with
        "_". Without `step` the steps count from 0, one each call; `commit=False` leaves the step to the next call too. A
        step before the last one is left out with a warning, and so is what cannot be written as a whole, as on a full
        disk. Threads and forked processes may log to the same run.
        """
        if not isinstance(data, dict):
            raise TypeError("log() takes a dictionary")
        if step is not None and step < self.step:
            return warnings.warn("what is logged at a step before the last one is left out", stacklevel=2)
        at = self.step if step is None else int(step)
        if _NUMBERS.issuperset(map(type, data.values())):
            line = _encode_numbers(data)
        else:
            data = _shortened(data)
            line = _encode(data)
        if '"_' in line:
            data = {name: value for name, value in data.items() if str(name)[:1] != "_"}
            line = _encode(data)
        if data:
            self._append(f'{{"_step":{at},"_timestamp":{time.time():.6f},{line[1:]}\n')
            dict.update(self.summary, data)
        self.step = at + 1 if commit or (commit is None and step is None) else at

    def finish(self, exit_code=None, quiet=None, error=None):
        """Ends the run: finished, or failed by another exit code than 0 or an exception. Again it does nothing."""
        if self._ended or os.getpid() != self._process:
            return  # a forked process leaves the run to its parent
        if isinstance(error, SystemExit) and not error.code:
            error = None
        state = "stopped" if isinstance(error, KeyboardInterrupt) else "failed" if error or exit_code else "finished"
        reason = f"{type(error).__name__}: {error}" if error else f"exit code {exit_code}" if exit_code else ""
        self._write({"_state": state, "_reason": reason})
        self._ended = True
        os.close(self._file)
        _open.remove(self)

    def _write(self, line):
        self._append(_encode(line) + "\n")

    def _append(self, line):
        if self._ended:
            raise RuntimeError(f"run '{self.name}' has ended; call init() again")
        whole, self._before = (self._before + line).encode("ascii"), ""
        try:
            if os.write(self._file, whole) < len(whole):
                raise OSError("the disk is full")
        except OSError as problem:
            self._before = "\n"
            warnings.warn(f"run '{self.name}' is not logged: {problem}", stacklevel=3)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.finish(error=error)


def _find(folder, run_id, title):
    """The newest run with that id, or else of that name: its file, its id, and the step behind its last one."""
    found = []
    for file in folder.glob("*.jsonl"):
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError), open(file, "rb") as opened:
            first = json.loads(opened.readline())
            if first["_id"] == run_id if run_id else first["_name"] == title:
                found.append((os.path.getmtime(file), file, first["_id"]))
    if not found:
        return None, run_id, 0
    _, file, run_id = max(found)
    with open(file, "rb") as opened:
        for start in (max(0, os.path.getsize(file) - (1 << 20)), 0):
            opened.seek(start)
            if steps := re.findall(rb'^{"_step":(\d+),.*}$', opened.read(), re.M):
                return file, run_id, int(steps[-1]) + 1
    return file, run_id, 0


def init(project=None, name=None, config=None, *, id=None, resume=None, reinit=None, mode=None,  # noqa: A002
         workspace=None, group=None, job_type=None, tags=None, notes=None, **others):
    """Starts a run and returns it. batchwise.log() and the like mean the run that was started last.

    It is a file in the folder "logged" of `workspace` (default: the user's). `config`: a dictionary, or what argparse
    returns. `resume`: "allow" goes on with the newest run of this `id`, or else `name`, "must" fails with ValueError if
    there is none. The run before is finished, unless `reinit` is "create_new", or "return_previous", which returns it.
    `mode="disabled"` logs nothing. Other arguments are ignored. A run ends by finish(), as a context, or with the program
    (not with a process of multiprocessing), failed if by an exception. What sys.exit() says is known only of a context:
    without one the run has finished. A killed one counts as stopped ten minutes later.
    """
    if _open and reinit == "return_previous":
        return _open[-1]
    if reinit != "create_new":
        finish()
    folder, file, step = logged_folder(workspace), None, 0
    id = re.sub(r"[^\w-]", "-", id or "")  # noqa: A001
    name = name or time.strftime("%Y-%m-%d %H:%M:%S")
    title = f"{project}/{name}" if project else name
    if resume and resume != "never":
        file, id, step = _find(folder, id, title)  # noqa: A001
    if resume == "must" and not file:
        raise ValueError(f"there is no run '{id or title}' to resume")
    if not file:
        if not id or (folder / f"{id}.jsonl").exists():
            id = f"{id or 'run'}-{secrets.token_hex(4)}"  # noqa: A001
        file = folder / f"{id}.jsonl"
        if mode != "disabled":
            folder.mkdir(parents=True, exist_ok=True)
    run = Run(os.devnull if mode == "disabled" else file, id, project, name, step)
    more = {"group": group, "job_type": job_type, "tags": tags, "notes": notes}
    run._write({"_batchwise": 1, "_name": title, "_id": id, "_state": "running",
                "_config": {key: value for key, value in more.items() if value}})
    run.config.update(config or {})
    _open.append(run)
    return run


def log(data, step=None, commit=None):
    if not _open:
        raise RuntimeError("there is no run; call init() before log()")
    _open[-1].log(data, step, commit)


def finish(exit_code=None, quiet=None):
    if _open:
        _open[-1].finish(exit_code)


def login(*_, **__):
    return True  # scripts for W&B call it


@atexit.register
def _finish_all():
    for run in list(_open):  # a notebook survives its errors
        run.finish(error=None if hasattr(sys, "ps1") else getattr(sys, "last_value", None))
