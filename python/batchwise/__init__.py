# SPDX-License-Identifier: GPL-3.0-or-later
"""Batchwise: a desktop dashboard of experiments, and a trainer of text encoders."""

__all__ = ["BatchwiseError", "runs", "series"]


def __getattr__(name):  # late: the commands of the package start without it
    if name not in __all__:
        raise AttributeError(f"module 'batchwise' has no attribute '{name}'")
    from . import reading  # noqa: PLC0415
    return getattr(reading, name)
