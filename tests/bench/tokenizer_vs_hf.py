#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of tokenization on one core: `data_bench` beside the fast BertTokenizer of Hugging Face, on the same text.

    .deps/venv/bin/python tests/bench/tokenizer_vs_hf.py --bench build/dev/bin/data_bench --text some/text.txt

Both use a vocabulary of 8,192: ours is trained by data_bench on the text; theirs is trained by `tokenizers` on it, since
the speed hardly depends on which pieces there are. Prints both speeds and their ratio.
"""
import argparse
import json
import os
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"


def our_speed(bench, text):
    output = subprocess.run([bench, "--benchmark_filter=^Encode$", "--benchmark_format=json"], check=True, text=True,
                            capture_output=True, env={**os.environ, "BATCHWISE_BENCH_TEXT": text}).stdout
    return json.loads(output)["benchmarks"][0]["bytes_per_second"]


def their_speed(text, rounds):
    from tokenizers import BertWordPieceTokenizer
    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train([text], vocab_size=8192, show_progress=False)
    with open(text, encoding="utf-8", errors="replace") as file:
        documents = [document for document in file.read().split("\n \n") if document.strip()]
    best = min(timed(tokenizer, documents) for _ in range(rounds))
    return sum(len(document.encode()) for document in documents) / best


def timed(tokenizer, documents):
    start = time.process_time()
    tokenizer.encode_batch(documents, add_special_tokens=False)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours, theirs = our_speed(options.bench, options.text), their_speed(options.text, options.rounds)
    print(f"batchwise    {ours / 1e6:8.1f} MB/s\ntokenizers   {theirs / 1e6:8.1f} MB/s\nratio        {ours / theirs:8.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
