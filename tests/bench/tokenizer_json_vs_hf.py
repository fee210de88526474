#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the tokenizers of every family on one core beside Hugging Face's `tokenizers`, on the same text.

    .deps/venv/bin/python tests/bench/tokenizer_json_vs_hf.py build/dev/bin/tokenizer_tool ../shared/data [--kind mmbert]

Both read the same tokenizer.json of 30,000 tokens, trained on the text, and encode the same documents (paragraphs)
without special tokens: theirs with encode_batch and with encode_batch_fast, which computes no offsets, whichever is
faster, on one thread and with the cache of the rounds before; ours with an encoder that starts with an empty cache in
each round. Rounds alternate; times are of the processor, the best of the rounds. --folder keeps the tokenizers and takes
those that are there, --at-least fails if a kind is slower than that.
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
import tokenizers  # noqa: E402
from tokenizer_json_test import documents_of  # noqa: E402


def timed(encode, documents):
    begin = time.process_time()
    encode(documents, add_special_tokens=False)
    return time.process_time() - begin


def kinds(options, folder, documents):
    """(name, file of the tokenizer) of each kind."""
    charsmap = subprocess.run([options.tool, "charsmap"], check=True, capture_output=True, text=True).stdout.strip()
    tokenizer_kinds.SIZE = 30_000
    for kind in options.kind or tokenizer_kinds.KINDS:
        path = folder / kind / "tokenizer.json"
        if not path.exists():
            path.parent.mkdir()
            (path.parent / "tokenizer_config.json").write_text('{"cls_token": "<s>", "sep_token": "</s>"}')
            dict(tokenizer_kinds.all_kinds(documents, charsmap, [kind]))[kind].save(str(path))
        yield kind, path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("data")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--at-least", type=float, default=0.0)
    options = parser.parse_args()
    documents = documents_of(options.data, None)
    size = sum(len(document.encode()) for document in documents) / 1e6
    slowest = float("inf")
    print(f"{size:.1f} MB in {len(documents)} documents\n{'kind':16} {'batchwise':>12} {'tokenizers':>12} {'ratio':>8}")
    with tempfile.TemporaryDirectory() as temporary:
        texts = pathlib.Path(temporary) / "texts.json"
        texts.write_text(json.dumps(documents))
        for kind, path in kinds(options, options.folder or pathlib.Path(temporary), documents):
            tokenizer = tokenizers.Tokenizer.from_file(str(path))
            tokenizer.encode_special_tokens = True
            theirs, ours = [], []
            for _ in range(options.rounds):
                theirs += [timed(encode, documents) for encode in (tokenizer.encode_batch_fast, tokenizer.encode_batch)]
                ours.append(json.loads(subprocess.run([options.tool, "time", str(path), str(texts), "1"], check=True,
                                                      capture_output=True, text=True).stdout)["seconds"])
            ratio = min(theirs) / min(ours)
            slowest = min(slowest, ratio)
            print(f"{kind:16} {size / min(ours):7.1f} MB/s {size / min(theirs):7.1f} MB/s {ratio:8.1f}", flush=True)
    print(f"least ratio {slowest:.1f}")
    return 0 if slowest >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
