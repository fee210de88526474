#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the tokenizers of every family on one core beside Hugging Face's `tokenizers`, on the same text.

    .deps/venv/bin/python tests/bench/tokenizer_json_vs_hf.py build/dev/bin/tokenizer_tool ../shared/data [--kind mmbert]

Both read the same tokenizer.json of 30,000 tokens, trained on the text, and encode the same documents (paragraphs)
without special tokens: theirs with encode_batch_fast, which computes no offsets, ours with an encoder that starts with
an empty cache in each round. Times are of the processor, the best of the rounds.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration" / "parity"))
import tokenizer_kinds  # noqa: E402
from tokenizer_json_test import documents_of  # noqa: E402


def timed(tokenizer, documents):
    begin = time.process_time()
    tokenizer.encode_batch_fast(documents, add_special_tokens=False)
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("data")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    documents = documents_of(options.data, None)
    size = sum(len(document.encode()) for document in documents) / 1e6
    charsmap = subprocess.run([options.tool, "charsmap"], check=True, capture_output=True, text=True).stdout.strip()
    tokenizer_kinds.SIZE = 30_000
    slowest = float("inf")
    print(f"{size:.1f} MB in {len(documents)} documents\n{'kind':16} {'batchwise':>12} {'tokenizers':>12} {'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        texts = pathlib.Path(folder) / "texts.json"
        texts.write_text(json.dumps(documents))
        for kind, tokenizer in tokenizer_kinds.all_kinds(documents, charsmap, options.kind):
            path = pathlib.Path(folder) / (kind + ".json")
            tokenizer.save(str(path))
            tokenizer.encode_special_tokens = True
            theirs = min(timed(tokenizer, documents) for _ in range(options.rounds))
            (pathlib.Path(folder) / "tokenizer_config.json").write_text('{"cls_token": "<s>", "sep_token": "</s>"}')
            ours = json.loads(subprocess.run([options.tool, "time", str(path), str(texts), str(options.rounds)], check=True,
                                             capture_output=True, text=True).stdout)["seconds"]
            slowest = min(slowest, theirs / ours)
            print(f"{kind:16} {size / ours:7.1f} MB/s {size / theirs:7.1f} MB/s {theirs / ours:8.1f}", flush=True)
    print(f"least ratio {slowest:.1f}")


if __name__ == "__main__":
    main()
