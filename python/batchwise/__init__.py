# SPDX-License-Identifier: GPL-3.0-or-later
"""Batchwise: a desktop dashboard of experiments, and a trainer of text encoders."""

_MODULES = {"BatchwiseError": "reading", "runs": "reading", "series": "reading", "TrainerCallback": "transformers",
            "Run": "recording", "init": "recording", "log": "recording", "finish": "recording", "login": "recording"}
_OF_THE_RUN = ["run", "config", "summary"]
__all__ = [*_MODULES, *_OF_THE_RUN]  # noqa: PLE0604


def __getattr__(name):  # late: the commands of the package start without it
    import importlib  # noqa: PLC0415
    if name in _OF_THE_RUN:
        run = (importlib.import_module(".recording", __name__)._open or [None])[-1]
        return run if name == "run" or run is None else getattr(run, name)
    if name not in _MODULES:
        raise AttributeError(f"module 'batchwise' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
