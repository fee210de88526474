#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tables of the same random rows as pyarrow writes them, and what pyarrow reads of their texts again.

    tables_judge.py FOLDER SEED

FOLDER/*.parquet, *.arrow (one as `datasets` saves them, a stream), *.feather, and rows.jsonl.
"""

import json
import pathlib
import random
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

folder, draw = pathlib.Path(sys.argv[1]), random.Random(int(sys.argv[2]))
NAME = 'the "text"'


def text():
    kind = draw.random()
    if kind < 0.1:
        return None
    if kind < 0.105:
        return "a longer text, " * 2000
    return "".join(draw.choice('ab "\\\n\t\r\x01é漢😀') for _ in range(draw.randrange(30)))


def table(kind):
    return pa.table({
        "id": pa.array(range(len(rows))), NAME: pa.array(rows, kind),
        "words": pa.array([["a", "b"]] * len(rows)), "kind": pa.array(["x", "y"] * (len(rows) // 2)).dictionary_encode()})


rows = [text() for _ in range(2400)]
plain = table(pa.string())
pq.write_table(plain, folder / "plain.parquet")
pq.write_table(plain, folder / "groups.parquet", row_group_size=700, compression="zstd", use_dictionary=False)
pq.write_table(plain, folder / "pages.parquet", compression="gzip", data_page_size=2000, data_page_version="2.0")
pq.write_table(table(pa.large_string()), folder / "large.parquet", compression="none")
pa.feather.write_feather(plain, folder / "packed.feather", compression="lz4", chunksize=900)
with pa.ipc.new_file(folder / "file.arrow", plain.schema) as writer:
    writer.write_table(plain, max_chunksize=1100)
with pa.ipc.new_stream(folder / "stream.arrow", plain.schema) as writer:
    writer.write_table(plain, max_chunksize=1000)
views = table(pa.string_view())
with pa.ipc.new_stream(folder / "views.arrow", views.schema) as writer:
    writer.write_table(views)
pq.write_table(pa.table([["a"], [1]], names=["text", "text"]), folder / "twice.parquet")
task = {"words": [["a", "b c"], ["d", '"']] * 8, "tags": [["O", "B"], ["B", "O"]] * 8, "number": [0.1, 2, -3.5, 1e-7] * 4,
        "text": [f"text {i}" for i in range(16)], "class": ["x", "y"] * 8}
plain = pa.table({name: pa.array(values).dictionary_encode() if name == "class" else values for name, values in task.items()})
pq.write_table(plain, folder / "task.parquet")
large = pa.array(task["words"], pa.large_list(pa.large_string()))
pa.feather.write_feather(plain.set_column(0, "words", large), folder / "task.feather")
with open(folder / "task.jsonl", "w") as judged:
    for row in zip(*task.values()):
        print(json.dumps(dict(zip(task, row))), file=judged)
with open(folder / "rows.jsonl", "w") as judged:
    for value in pq.read_table(folder / "plain.parquet")[NAME].to_pylist():
        print(json.dumps({"text": value or ""}), file=judged)
