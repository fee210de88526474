# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tunes the same model on film reviews with `batchwise judge --method finetune` and with transformers + PyTorch, turn
by turn, and prints how many samples each trains on in a second of the clock: without evaluation, loading and tokenizing.
Equal threads, fp32, batches, AdamW and clipping; transformers pads each batch to its longest text and takes SDPA attention
and fused AdamW.  The model has random weights: speed does not depend on them.

Usage: finetune_vs_transformers.py BATCHWISE [--family bert|roberta|modernbert|eurobert] [--layers N] [--hidden N] [--texts N]
       [--batch N] [--threads N] [--rounds N] [--at-least RATIO]
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Both sides wait without spinning, or a busy machine would decide the comparison.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/integration/parity"))
try:
    from finetune_judge import fine_tuned, torch, write_folder
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("batchwise")
    parser.add_argument("--family", default="bert")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--texts", type=int, default=1600)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=0.0)
    return parser.parse_args()


def reviews(name):
    shared = pathlib.Path(os.environ.get("BATCHWISE_SHARED", ROOT.parent / "shared/data"))
    with open(shared / "movie-reviews" / f"{name}.tsv", newline="") as file:
        return [(row["text"], row["label"]) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def ours(args, folder):
    cores = sorted(os.sched_getaffinity(0))[:args.threads]
    done = subprocess.run([args.batchwise, "judge", "model", "--task", "task.yaml", "--method", "finetune", "--rates", "1e-4",
                           "--seeds", "1", "--epochs", "1", "--batch", str(args.batch), "--max-seq-len", "64", "--again",
                           "--device", "cpu", "--json"], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, XDG_DATA_HOME=str(folder / "runs")),
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["scores"][0]["samples_per_sec"]


def main():
    args = parse()
    torch.set_num_threads(args.threads)
    train, validation = reviews("train")[:args.texts], reviews("valid")[:64]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_folder(folder / "model", args.family, [text for text, _ in train], vocabulary=8000, hidden_size=args.hidden,
                     num_hidden_layers=args.layers, num_attention_heads=args.hidden // 64, intermediate_size=4 * args.hidden)
        for part, rows in (("train", train), ("validation", validation)):
            (folder / f"{part}.jsonl").write_text("".join(
                json.dumps(dict(text=text, label=label)) + "\n" for text, label in rows))
        (folder / "task.yaml").write_text("name: reviews\nkind: classification\ntrain: train.jsonl\n"
                                          "validation: validation.jsonl\ntext: text\nlabel: label\n")
        ratios = []
        for number in range(1, args.rounds + 1):
            own = ours(args, folder)
            theirs = fine_tuned(folder / "model", train, validation, ["negative", "positive"], 1e-4, number, 1, args.batch)[1]
            ratios.append(own / theirs)
            print(f"round {number}: batchwise {own:.1f} samples/s, transformers {theirs:.1f}, ratio {ratios[-1]:.2f}",
                  flush=True)
    ratio = statistics.median(ratios)
    print(f"{args.family} {args.layers} x {args.hidden}, {args.threads} threads, batch {args.batch}: median ratio {ratio:.2f}")
    sys.exit(ratio < args.at_least)


if __name__ == "__main__":
    main()
