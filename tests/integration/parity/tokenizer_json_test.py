# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokenizers of every family give the ids of Hugging Face `tokenizers`, for real text, random text of every plane and
text made to hurt.  Usage: tokenizer_json_test.py TOKENIZER_TOOL [DATA_FOLDER] [--kind NAME] [--quick]"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import tokenizers
    from tokenizer_kinds import all_kinds
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

FALLBACK = ["The quick brown foxes' tails weren't there; they've gone 1,234 times over the lazy dogs.", "Ein Gl\u00fcck!",
            "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439, \u043c\u0438\u0440", "\u4f60\u597d\uff0c\u4e16\u754c", "it's 2024-05-17 @ 12:30"]
FRAMES = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "<s>", "<pad>", "</s>", "<mask>", "<bos>", "<eos>"]
# Ranges in which the rules meet, besides whole planes.
RANGES = [(0x0, 0x17F), (0x2B0, 0x5FF), (0x600, 0x1FFF), (0x2000, 0x2BFF), (0x3000, 0x30FF), (0x3400, 0x9FFF),
          (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xF900, 0xFFFF), (0x10000, 0x11FFF), (0x300, 0x36F), (0x1100, 0x11FF),
          (0x1D000, 0x1F9FF), (0x1F1E6, 0x1F1FF), (0x20000, 0x2FA1F), (0xE0000, 0xE01EF), (0x900, 0xDFF)]


def random_lines(count, seed):
    draw = random.Random(seed)
    lines = []
    for number in range(count):
        style = draw.randrange(len(RANGES) + 17)
        line = ""
        for _ in range(draw.randint(1, 40)):
            low, high = (style << 16, (style << 16) + 0xFFFF) if style < 17 else RANGES[style - 17]
            if style >= 17 and draw.random() < 1 / 3:
                low, high = draw.choice(RANGES)
            c = draw.randint(low, high)
            line += chr(c) if not 0xD800 <= c < 0xE000 else ""
            if draw.random() < 1 / 8:
                line += draw.choice("  a.\n'1")
        lines.append(line)
    return lines


def class_lines(count, seed):
    """Random strings over few characters of each class, in which all the rules of the patterns meet."""
    draw = random.Random(seed)
    alphabet = ["a", "b", "S", "\u00e9", "\u0431", "1", "2", "\u0663", ".", "-", "!", " ", " ", "\u00a0", "\n", "\r", "\t", "'", "'s",
                "'LL", "'\u017f", "e\u0301", "\u0301", "\u200d", "\U0001f600", "\U0001f468\u200d\U0001f469", "\u0915\u094d\u0937", "\ufb01", "\u2581", "\u4e2d", "\u3000",
                "\uac01", "\u1100\u1161", "\u0600", "\u00a9\u200d"]
    return ["".join(draw.choice(alphabet) for _ in range(draw.randint(1, 14))) for _ in range(count)]


def code_points(end):
    lines = []
    for c in range(end):
        if 0xD800 <= c < 0xE000:
            continue
        x = chr(c)
        lines.append(x)
        if c % 8 == 0:
            framed = ""
        framed += f" a{x}b 1{x}2 {x} .{x}! e{x}\u0301 {x}\u0301{x}"
        if c % 8 == 7:
            lines.append(framed)
    return lines


def hurting(tokenizer):
    added = [t.content for t in tokenizer.get_added_tokens_decoder().values()]
    lines = ["", " ", "  ", "\n", "a", " a", "a ", "\u2581", " \u2581 ", "\u2581\u2581a", "x" * 5000, "ab " * 2000, "\u0301", "\r\n", "a\r\n\r\nb", "\u00e9" * 300,
             "1" * 50, "!" * 50, "'s't're've'm'll'd'S'T'RE'VE'M'LL'D '\u017f", "don't won't I'LL", "\ufffd", "a\ufffdb", "a\0b"]
    lines += [f"a{' ' * n}b" for n in range(1, 31)] + [" " * n for n in range(1, 31)]
    lines += [f"{' ' * n}\n{' ' * n}x" for n in range(0, 10)]
    for token in added:
        lines += [token, f"a{token}b", f"a {token} b", f"  {token}  ", f"{token}{token}", f"_{token}.", f"\u00a0{token}\n c",
                  token[:-1], token.upper(), f"{token} {token[:2]}"]
    draw = random.Random(5)
    lines += [draw.choice([" ", "", "a", "\n"]).join(draw.choice(added) for _ in range(5)) for _ in range(200)]
    return lines


def long_lines():
    draw = random.Random(9)
    return ["".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(1_000_000)), "a" * 200_000, "\u4e2d\u6587" * 50_000,
            "ab1" * 100_000]


def documents_of(folder, limit):
    texts = []
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in (".txt", ".tsv"):
            texts += [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()][:limit]
    return texts


class Judge:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, pathlib.Path(folder)
        self.compared = self.failures = 0

    def ours(self, mode, path, texts):
        (self.folder / "texts.json").write_text(json.dumps(texts))
        subprocess.run([self.tool, "encode", mode, str(path), str(self.folder / "texts.json"), str(self.folder / "ids.json")],
                       check=True, timeout=600)
        return json.loads((self.folder / "ids.json").read_text())

    def compare(self, kind, what, tokenizer, path, texts, mode="recognize", judged=None):
        tokenizer.encode_special_tokens = mode == "plain"
        expected = [tokenizer.encode(text, add_special_tokens=False).ids for text in judged or texts]
        if mode == "plain":  # a piece that frames texts is unknown to us in a training text
            unknown = next((i for i in map(tokenizer.token_to_id, ("<unk>", "[UNK]")) if i is not None), None)
            frames = {tokenizer.token_to_id(name) for name in FRAMES} - {None}
            expected = [[unknown if i in frames else i for i in ids] for ids in expected]
        found = self.ours(mode, path, texts)
        different = [i for i in range(len(texts)) if found[i] != expected[i]]
        self.compared += len(texts)
        self.failures += len(different)
        for i in different[:3]:
            print(f"FAILED {kind}, {what}, {mode}: {texts[i][:80]!r}: {found[i][:12]} is not {expected[i][:12]}")
        print(f"{kind:16} {what:12} {mode:10} {len(texts):8} texts, {len(different)} differ", flush=True)


def check(judge, kind, tokenizer, lines, quick):
    folder = judge.folder / kind
    folder.mkdir()
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    names = dict(zip(("cls_token", "sep_token"), ("<s>", "</s>")))
    (folder / "tokenizer_config.json").write_text(json.dumps(names))
    judge.compare(kind, "corpora", tokenizer, folder, lines)
    judge.compare(kind, "planes", tokenizer, folder, random_lines(2_000 if quick else 10_000, 1))
    judge.compare(kind, "classes", tokenizer, folder, class_lines(5_000 if quick else 30_000, 2))
    judge.compare(kind, "code points", tokenizer, folder, code_points(0x3000 if quick else 0x110000))
    for mode in ("recognize", "plain"):
        if kind == "bert" and mode == "plain":
            continue  # its special tokens in text are read as words; the reference lowers their case before it seeks them
        judge.compare(kind, "hurting", tokenizer, folder, hurting(tokenizer), mode)
    if not quick:
        judge.compare(kind, "long", tokenizer, folder, long_lines())
    ill = [[0x61, 0xFF, 0x62], [0xE2, 0x82], [0x61, 0xED, 0xA0, 0x80, 0x62], [0xF0, 0x9F, 0x98], [0xC3, 0x28, 0x20, 0xC3]]
    judge.compare(kind, "ill-formed", tokenizer, folder, ill, judged=[bytes(b).decode("utf-8", "replace") for b in ill])


def check_training(judge, lines):
    """What we train is read by `tokenizers` and gives the same ids."""
    text = judge.folder / "train.txt"
    text.write_text("\n".join(lines))
    folder = judge.folder / "trained"
    folder.mkdir()
    subprocess.run([judge.tool, "train", "4000", str(text), str(folder)], check=True, timeout=600)
    made = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    if made.get_vocab_size() != 4000:
        judge.failures += 1
        print("FAILED: the trained vocabulary has", made.get_vocab_size(), "tokens")
    judge.compare("trained", "corpora", made, folder, lines)
    judge.compare("trained", "classes", made, folder, class_lines(5_000, 3))
    judge.compare("trained", "hurting", made, folder, hurting(made))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("data", nargs="?", default=str(pathlib.Path(__file__).resolve().parents[4] / "shared" / "data"))
    parser.add_argument("--kind", action="append")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    lines = documents_of(options.data, 400 if options.quick else None) if os.path.isdir(options.data) else []
    lines = lines or FALLBACK * 50
    charsmap = subprocess.run([options.tool, "charsmap"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="batchwise-tokenizers-") as folder:
        judge = Judge(options.tool, folder)
        for kind, tokenizer in all_kinds(lines[:4000], charsmap, options.kind):
            check(judge, kind, tokenizer, lines, options.quick)
        if not options.kind:
            check_training(judge, lines[:4000])
    print(f"{judge.compared} texts compared, {judge.failures} differ")
    return 1 if judge.failures or judge.compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
