# SPDX-License-Identifier: GPL-3.0-or-later
"""What Nsight Compute (ncu --csv) has measured: the kernels of one training step, and the metrics of one kernel."""
import collections
import csv
import re

SECONDS = {"s": 1, "second": 1, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "usecond": 1e-6, "ns": 1e-9, "nsecond": 1e-9}
APART = 50  # launches: those of one optimizer step are closer to each other
KINDS = [("kernels of ours", r"batchwise::"), ("products", r"gemm|nvjet|cutlass_|xmma|cublas|splitK"),
         ("attention", r"flash|fmha|attention"), ("optimizer", r"FusedAdam|multi_tensor_apply")]


def rows_of_csv(text):
    """The rows of ncu among what the program itself has printed."""
    return list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))


def launches_of(text):
    """Name and seconds of each launch, of `--metrics gpu__time_duration.sum`."""
    return [(row["Kernel Name"], number(row["Metric Value"]) * SECONDS[row["Metric Unit"]]) for row in rows_of_csv(text)
            if row.get("Metric Name") == "gpu__time_duration.sum"]


def number(text):
    return float(text.replace(",", ""))


def step_of(launches):
    """The launches of the last whole step: those between two ends of the fused AdamW. None if there are not two."""
    last = [i for i, (name, _) in enumerate(launches) if "FusedAdam" in name]
    ends = [end for end, after in zip(last, last[1:] + [None]) if after is None or after - end > APART]
    return launches[ends[-2] + 1:ends[-1] + 1] if len(ends) >= 2 else None


def short_name(full):
    """The name of a kernel without arguments and namespaces, and of LibTorch's general kernels with what they compute."""
    text = re.sub(r"\(anonymous namespace\)::|<unnamed>::|\b(void|at::native|batchwise)(::| )|\((int|bool)\)", "", full)
    base = re.split(r"[<(]", text, maxsplit=1)[0].split("::")[-1]
    computes = re.search(r"\b(cutlass_\w+|\w*Functor\w*|\w+_kernel_cuda\w*|\w+Ops?)\b", text[len(base):])
    return f"{base} {computes.group(1)}"[:56] if computes and computes.group(1) != base else base[:56]


def kind_of(full):
    return next((kind for kind, names in KINDS if re.search(names, full)), "others of LibTorch")


def table_of(step, name_of):
    """Sum of seconds and number of launches by `name_of` each kernel's full name, longest first."""
    sums, counts = collections.Counter(), collections.Counter()
    for name, seconds in step:
        sums[name_of(name)] += seconds
        counts[name_of(name)] += 1
    return [(name, seconds, counts[name]) for name, seconds in sums.most_common()]


def metrics_of(text):
    """Metrics by section and name, of `--section ...`: the value with its unit."""
    return {(row["Section Name"], row["Metric Name"]): f"{row['Metric Value']} {row['Metric Unit']}".strip()
            for row in rows_of_csv(text) if row.get("Metric Name") and row.get("Section Name")}
