#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes FOLDER/rows.csv or rows.tsv, random rows with quotes, separators and line breaks, and FOLDER/rows.jsonl, what
Python's csv module reads in their second column.

    csv_judge.py FOLDER SEED csv|tsv
"""

import csv
import json
import pathlib
import random
import sys

folder, seed, ending = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
separator = "\t" if ending == "tsv" else ","
draw = random.Random(seed)


def some(alphabet: str) -> str:
    return "".join(draw.choice(alphabet) for _ in range(draw.randrange(6)))


def field() -> str:
    if draw.random() < 0.4:
        return draw.choice(["", "a"]) + some("b ;é").strip() + draw.choice(["", 'x"', 'x""y"'])
    quoted = some(f'a"é \n{separator}').replace('"', '""')
    return f'"{quoted}"' + draw.choice(["", "", "", "b", 'b"c'] if "\n" not in quoted else [""])


rows = [separator.join(field() for _ in range(3)) for _ in range(2000)]
end = draw.choice(["\n", "\r\n"])
text = draw.choice(["", "\ufeff"]) + separator.join(["id", '"the ""text"""', "other"]) + end + end.join(rows)
text += draw.choice(["", end])
file = folder / f"rows.{ending}"
file.write_bytes(text.encode())
with open(file, encoding="utf-8-sig", newline="") as source, open(folder / "rows.jsonl", "w") as judged:
    for row in csv.DictReader(source, delimiter=separator):
        assert None not in row and None not in row.values(), row
        print(json.dumps({"text": row['the "text"']}), file=judged)
