# SPDX-License-Identifier: GPL-3.0-or-later
"""Batchwise: a desktop dashboard of experiments, and a trainer of text encoders."""
