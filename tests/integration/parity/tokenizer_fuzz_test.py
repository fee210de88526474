# SPDX-License-Identifier: GPL-3.0-or-later
"""Random tokenizer.json files give the ids of Hugging Face `tokenizers`, or are refused by name.

    tokenizer_fuzz_test.py TOKENIZER_TOOL [--seconds N] [--count N] [--seed N] [--keep FOLDER]

Each file has random normalizers, pre-tokenizers, models, added tokens and post-processors, with all of their options;
its vocabulary is made of what its own steps make of random texts, so that few differences hide behind [UNK]. Sections
for truncation and padding are in some files: like transformers, we take no notice of them.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
try:
    import tokenizers
    from tokenizer_kinds import LLAMA3, QWEN2
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

ROLES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
ALPHABET = ["a", "b", "c", "S", "A", "é", "É", "б", "1", "2", "٣", ".", "-", "!", "'", "[", "]", "#", "<", ">", "_", " ", " ",
            " ", "  ", "\u00a0", "\n", "\r\n", "\t", "'s", "'LL", "e\u0301", "\u0301", "\u0323\u0307", "\u200d", "\u0345", "\U0001f600",
            "\U0001f468\u200d\U0001f469", "क्ष", "ﬁ", "…", "▁", "中", "\u3000", "각", "각", "\u0600", "½", "ß", "İ", "Σ", "\ufffd",
            "\u00ad", "\u0000", "\u2028", "ｱ", "Ǆ", "㎏", "\u1f88", "word", "the ", "##a", "Ġ", "<0x61>", "\u180e", "\u0f77", "\u1b44"]
PATTERNS = [LLAMA3, QWEN2, r"\s+", r"\p{N}", r"\p{N}+", " {2,}",
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


PATIENCE = 30  # seconds for a file


class Files:
    """Draws tokenizer.json files."""

    def __init__(self, seed, charsmap):
        self.draw, self.charsmap = random.Random(seed), charsmap

    def flag(self, object_, *names):
        """Sets flags to true or false, or leaves them out."""
        for name in names:
            if (value := self.draw.choice([True, False, None])) is not None:
                object_[name] = value
        return object_

    def text(self, most):
        return "".join(self.draw.choice(ALPHABET) for _ in range(self.draw.randint(1, most)))

    def pattern(self, regexes):
        if self.draw.random() < 0.5:
            return {"Regex": self.draw.choice(regexes)}
        return {"String": self.draw.choice([" ", "  ", "a", "▁", "-", "'", "\u00a0", "é", "中", "ab", ".", "aa", self.text(2)])}

    def normalizer(self, depth=0):
        kind = self.draw.choice(["none", "Bert", "Bert", "Form", "Form", "Lowercase", "StripAccents", "Strip", "Replace",
                                 "Prepend", "Precompiled", "Sequence", "Sequence", "Sequence"] * 4 + ["Nmt", "ByteLevel"])
        if kind == "Bert":
            made = self.flag({"type": "BertNormalizer"}, "strip_accents")
            for name in ("clean_text", "handle_chinese_chars", "lowercase"):
                made[name] = self.draw.random() < 0.7
            return made
        if kind == "Form":
            return {"type": self.draw.choice(["NFC", "NFD", "NFKC", "NFKD"])}
        if kind == "Strip":
            return {"type": "Strip", "strip_left": self.draw.random() < 0.5, "strip_right": self.draw.random() < 0.5}
        if kind == "Replace":
            return {"type": "Replace", "pattern": self.pattern([r"\s+", " {2,}"]),
                    "content": self.draw.choice(["", " ", "▁", "a", "é", "x y"])}
        if kind == "Prepend":
            return {"type": "Prepend", "prepend": self.draw.choice(["▁", " ", "a", "xy", ""])}
        if kind == "Precompiled":
            return {"type": "Precompiled", "precompiled_charsmap": self.charsmap}
        if kind == "Sequence":
            parts = [self.normalizer(depth + 1) for _ in range(self.draw.randint(0, 3))] if depth < 2 else []
            return {"type": "Sequence", "normalizers": [part for part in parts if part]}
        return None if kind == "none" else {"type": kind}

    def pre_tokenizer(self, depth=0):
        kind = self.draw.choice(["none", "BertPreTokenizer", "BertPreTokenizer", "ByteLevel", "ByteLevel", "WhitespaceSplit",
                                 "Whitespace", "Metaspace", "Metaspace", "Split", "Split", "Punctuation", "Digits",
                                 "Sequence", "Sequence"] * 4 + ["UnicodeScripts", "CharDelimiterSplit"])
        if kind == "ByteLevel":
            return self.flag({"type": kind, "add_prefix_space": self.draw.random() < 0.5, "trim_offsets": True}, "use_regex")
        if kind == "Metaspace":
            made = {"type": kind, "replacement": self.draw.choice(["▁", "▁", "_", "é", " "])}
            if self.draw.random() < 0.8:
                made["prepend_scheme"] = self.draw.choice(["always", "first", "never"])
            return self.flag(made, "split", "add_prefix_space")  # the last one of early files
        if kind == "Split":
            return {"type": kind, "pattern": self.pattern(PATTERNS), "behavior": self.draw.choice(BEHAVIORS),
                    "invert": self.draw.random() < 0.3}
        if kind == "Punctuation":
            return {"type": kind, "behavior": self.draw.choice(BEHAVIORS)}
        if kind == "Digits":
            return {"type": kind, "individual_digits": self.draw.random() < 0.5}
        if kind == "CharDelimiterSplit":
            return {"type": kind, "delimiter": "-"}
        if kind == "Sequence":
            parts = [self.pre_tokenizer(depth + 1) for _ in range(self.draw.randint(0, 3))] if depth < 2 else []
            return {"type": kind, "pretokenizers": [part for part in parts if part]}
        return None if kind == "none" else {"type": kind}

    def altered(self, state):
        """The file with a part that files of other versions, or edited ones, have in another form."""
        draw, model = self.draw, state["model"]
        if model["type"] == "BPE":
            change = draw.choice(["merge texts", "no type", "dropout", "unknown", "hole"])
            if change == "merge texts" and not any(" " in left + right for left, right in model["merges"]):
                model["merges"] = [" ".join(merge) for merge in model["merges"]]
            elif change == "dropout":
                model["dropout"] = draw.choice([0.0, 0.1])
        else:
            change = draw.choice(["no type", "no prefix", "unknown", "hole", "twice", "unknown id"])
            if change == "no prefix":
                model.pop("continuing_subword_prefix", None)
            elif change == "twice" and model["type"] == "Unigram":
                model["vocab"].insert(draw.randrange(5, len(model["vocab"])), list(draw.choice(model["vocab"])))
            elif change == "unknown id" and model["type"] == "Unigram":
                model["unk_id"] = draw.choice([None, 0, 7, 10_000])
        if change == "no type":
            del model["type"]
        elif change == "unknown" and "unk_token" in model:
            model["unk_token"] = draw.choice(["nowhere", "", "a"])
        elif change == "hole" and isinstance(model["vocab"], dict):
            model["vocab"][list(model["vocab"])[-1]] = len(model["vocab"]) + draw.choice([0, 1, 5])
        if draw.random() < 0.3 and state["added_tokens"]:
            draw.choice(state["added_tokens"]).pop(draw.choice(["single_word", "lstrip", "rstrip", "normalized", "special"]))
        return state

    def added_tokens(self):
        contents = list(ROLES.values())
        contents += [self.draw.choice(["covid-19", "Foo", "é", "e\u0301", " ", "  ", "a", "ab", "▁", "\n", "À la", "[mask]", "'s",
                                       "1", "É", "ﬁ", "中", "…", "##a", ".", "the", "Σ", "<x>", "İ", self.text(3)])
                     for _ in range(self.draw.choice([0, 0, 1, 2, 4]))]
        tokens = []
        for content in dict.fromkeys(contents):
            special = content in ROLES.values() and self.draw.random() < 0.95 or self.draw.random() < 0.2
            plain = content in ROLES.values() and self.draw.random() < 0.8
            token = {"content": content, "special": special}
            for name, share in (("single_word", 0.2), ("lstrip", 0.3), ("rstrip", 0.3), ("normalized", 0.5)):
                token[name] = not plain and self.draw.random() < share
            tokens.append(token)
        return tokens

    def words(self, state, texts):
        """What a model of the file reads of the texts, by the reference itself."""
        probe = dict(state, added_tokens=[], post_processor=None,
                     model={"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"})
        made = tokenizers.Tokenizer.from_str(json.dumps(probe))
        found = []
        for text in texts:
            if made.normalizer is not None:
                text = made.normalizer.normalize_str(text)
            found += [word for word, _ in made.pre_tokenizer.pre_tokenize_str(text)] if made.pre_tokenizer else [text]
        return found

    def pieces(self, words, most):
        pieces = set()
        for _ in range(most):
            word = self.draw.choice(words or ["a"])
            if word:
                begin = self.draw.randrange(len(word))
                pieces.add((begin, word[begin:begin + self.draw.randint(1, 5)]))
        return pieces

    def characters(self, words):
        known = sorted(set("".join(words)))
        share = self.draw.choice([1, 1, 0.9])
        return [c for c in known if self.draw.random() < share]

    def word_piece(self, words):
        prefix = self.draw.choice(["##", "##", "##", "", "@@"])
        vocab = list(ROLES.values()) + [x for c in self.characters(words) for x in (c, prefix + c)]
        vocab += [piece if begin == 0 else prefix + piece for begin, piece in self.pieces(words, 60)]
        return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": prefix,
                "max_input_chars_per_word": self.draw.choice([100, 100, 8, 3]),
                "vocab": {token: id_ for id_, token in enumerate(dict.fromkeys(vocab))}}

    def byte_pair(self, words, byte_level):
        vocab = list(ROLES.values()) + self.characters(words)
        if byte_level:
            vocab += sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
        fallback = self.draw.random() < 0.3
        if fallback:
            left_out = self.draw.choice([-1, -1, 0xC3, 0xE2])
            vocab += [f"<0x{byte:02X}>" for byte in range(256) if byte != left_out]
        vocab = dict.fromkeys(vocab)
        split = [[c for c in word if c in vocab] for word in words]
        merges = []
        for _ in range(self.draw.choice([0, 30, 80])):
            symbols = self.draw.choice(split or [[]])
            if len(symbols) < 2:
                continue
            at = self.draw.randrange(len(symbols) - 1)
            pair = (symbols[at], symbols[at + 1])
            symbols[at:at + 2] = ["".join(pair)]
            vocab["".join(pair)] = None
            merges.append(list(pair))
        made = {"type": "BPE", "dropout": None, "continuing_subword_prefix": self.draw.choice([None, None, None, ""]),
                "end_of_word_suffix": self.draw.choice([None, None, None, ""]), "byte_fallback": fallback,
                "unk_token": self.draw.choice(["[UNK]", "[UNK]", None]),
                "vocab": {token: id_ for id_, token in enumerate(vocab)}, "merges": merges}
        vocab_of_words = [word for word in words if 1 < len(word) < 12][:5]
        for word in vocab_of_words:
            made["vocab"].setdefault(word, len(made["vocab"]))
        return self.flag(made, "fuse_unk", "ignore_merges")

    def unigram(self, words):
        pieces = list(ROLES.values()) + self.characters(words) + [piece for _, piece in self.pieces(words, 80)]
        fallback = self.draw.random() < 0.3
        if fallback:
            pieces += [f"<0x{byte:02X}>" for byte in range(256)]
        scores = self.draw.choice([lambda: -self.draw.randint(1, 5), lambda: self.draw.uniform(-12, 0), lambda: 0.0])
        return {"type": "Unigram", "unk_id": 1, "byte_fallback": fallback,
                "vocab": [[piece, float(scores())] for piece in dict.fromkeys(pieces)]}

    def post_processor(self, ids):
        cls, sep = ids["[CLS]"], ids["[SEP]"]
        special = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
        if self.draw.random() < 0.1:
            special["[SEP]"]["ids"] = self.draw.choice([[7], [sep, cls], []])
        part = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
        body = {"Sequence": {"id": "A", "type_id": 0}}
        second = {"Sequence": {"id": "B", "type_id": 1}}
        single = self.draw.choice([[part("[CLS]"), body, part("[SEP]")], [body], [body, part("[SEP]")], [part("[CLS]"), body]])
        template = {"type": "TemplateProcessing", "single": single, "pair": single + [second], "special_tokens": special}
        kinds = [None, template, template, {"type": "BertProcessing", "sep": ["[SEP]", sep], "cls": ["[CLS]", cls]},
                 {"type": "RobertaProcessing", "sep": ["[SEP]", sep], "cls": ["[CLS]", cls], "trim_offsets": True,
                  "add_prefix_space": self.draw.random() < 0.5},
                 {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}]
        made = self.draw.choice(kinds)
        if self.draw.random() < 0.15:
            made = {"type": "Sequence", "processors": [p for p in (made, self.draw.choice([None, kinds[-1]])) if p]}
        return made

    def file(self, texts):
        state = {"version": "1.0", "truncation": None, "padding": None, "normalizer": self.normalizer(),
                 "pre_tokenizer": self.pre_tokenizer()}
        if self.draw.random() < 0.05:  # BERT's own
            state["normalizer"] = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                                   "strip_accents": None, "lowercase": self.draw.random() < 0.5}
            state["pre_tokenizer"] = {"type": "BertPreTokenizer"}
        words = self.words(state, texts)
        byte_level = "ByteLevel" in json.dumps(state["pre_tokenizer"])
        model = self.draw.choice(["word_piece", "byte_pair", "unigram"])
        if byte_level and self.draw.random() < 0.9:
            model = "byte_pair"
        state["model"] = self.byte_pair(words, byte_level) if model == "byte_pair" else getattr(self, model)(words)
        vocab = state["model"]["vocab"]
        ids = vocab if isinstance(vocab, dict) else {piece: id_ for id_, (piece, _) in enumerate(vocab)}
        added, next_id = self.added_tokens(), len(ids)
        for token in added:
            token["id"] = ids.get(token["content"], next_id)
            next_id += token["id"] == next_id
        if self.draw.random() < 0.05:
            self.draw.choice(added)["id"] += self.draw.randint(1, 3)
        if self.draw.random() < 0.2:
            self.draw.shuffle(added)
        state["added_tokens"] = added
        state["post_processor"] = self.post_processor(ids)
        state["decoder"] = self.draw.choice([None, {"type": "WordPiece", "prefix": "##", "cleanup": True}])
        if self.draw.random() < 0.1:
            state["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
        if self.draw.random() < 0.1:
            state["padding"] = {"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                                "pad_type_id": 0, "pad_token": "[PAD]"}
        return self.altered(state) if self.draw.random() < 0.15 else state

    def texts(self, count):
        texts = [self.text(14) for _ in range(count - 4)]
        texts += ["".join(chr(self.draw.choice([self.draw.randrange(0x3000), self.draw.randrange(0xE000, 0x20000)]))
                          for _ in range(12)) for _ in range(2)]
        return texts + [self.text(3) * self.draw.randint(5, 40), "".join(self.draw.choice("abc1é") for _ in range(200))]

    def with_tokens(self, texts, state):
        """The texts, and others with the added tokens in them."""
        contents = [token["content"] for token in state["added_tokens"]]
        more = []
        for _ in range(len(texts)):
            parts = [self.draw.choice([self.draw.choice(contents), self.text(3), " ", ""]) for _ in range(self.draw.randint(1, 5))]
            text = "".join(parts)
            more.append(self.draw.choice([text, text, text.lower(), text.upper()]))
        return texts + more


class Tool:
    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace")

    def encode(self, state, texts, mode):
        """The answer; None if the tool has ended."""
        names = json.dumps(ROLES)
        self.process.stdin.write(json.dumps({"file": json.dumps(state), "config": names, "texts": texts, "mode": mode}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.start()
        return None


class Fuzz:
    def __init__(self, tool, options):
        self.tool, self.options = tool, options
        self.accepted = self.refused = self.compared = self.failures = 0
        self.reasons = {}

    def judge(self, reference, texts, plain):
        reference.encode_special_tokens = plain
        return [reference.encode(text, add_special_tokens=False).ids for text in texts]

    def one(self, files):
        texts = files.texts(25)
        try:
            state = files.file(texts)
            reference = tokenizers.Tokenizer.from_str(json.dumps(state))
            reference.no_truncation()
            reference.no_padding()
            texts = files.with_tokens(texts, state)
            expected = self.judge(reference, texts, False)
            framed = reference.encode("a").ids
            inner = reference.encode("a", add_special_tokens=False).ids
            plain = self.judge(reference, texts, True)
        except BaseException as refusal:  # a panic of the reference is no Exception
            if isinstance(refusal, KeyboardInterrupt):
                raise
            return
        answer = self.tool.encode(state, texts, "recognize")
        if answer is None:
            return self.fail(state, "", expected[0], [], "crash")
        if "refused" in answer:
            self.refused += 1
            reason = answer["refused"][:60]
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
            return
        self.accepted += 1
        self.compare(state, texts, expected, answer["ids"], "recognize")
        frames = {answer[name] for name in ("cls", "sep", "mask", "pad")}
        frame = framed[:len(framed) - len(inner)] if framed != inner else []
        if frame and framed not in ([answer["cls"]] + inner + [answer["sep"]], [answer["cls"]] + inner, inner + [answer["sep"]]):
            self.fail(state, "a", framed, [answer["cls"], answer["sep"]], "frame")
        # What frames a text cannot stand in a training text; the rest is equal.
        kept = [i for i, ids in enumerate(plain) if not frames & set(ids)]
        if answer["bert"]:  # reads special tokens as words; the reference seeks them first
            kept = [i for i in kept if plain[i] == self.judge(reference, [texts[i]], False)[0]]
        chosen = [texts[i] for i in kept]
        answer = self.tool.encode(state, chosen, "plain")
        if answer is None:
            return self.fail(state, "", expected[0], [], "crash")
        self.compare(state, chosen, [plain[i] for i in kept], answer["ids"], "plain")

    def compare(self, state, texts, expected, found, mode):
        self.compared += len(texts)
        different = [i for i in range(len(texts)) if expected[i] != found[i]]
        if different:
            shortest = min(different, key=lambda i: len(texts[i]))
            self.fail(state, texts[shortest], expected[shortest], found[shortest], mode)

    def fail(self, state, text, expected, found, mode):
        """Counts, prints and keeps a difference."""
        self.failures += 1
        print(f"FAILED {mode}: {text!r}: {found} is not {expected}")
        shown = {name: value for name, value in state.items() if name not in ("model", "decoder", "version")}
        shown["model"] = {name: value for name, value in state["model"].items() if name not in ("vocab", "merges")}
        print("   ", json.dumps(shown), flush=True)
        if self.options.keep:
            folder = pathlib.Path(self.options.keep)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{self.failures}.json").write_text(json.dumps({"file": state, "text": text, "expected": expected, "found": found}))


def work(options, charsmap, number, end, progress):
    """Tries one file after the other, in a process of its own: some files end the reference, or it never answers."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the reference reports its panics
    sys.stderr = sys.stdout
    fuzz = Fuzz(Tool(options.tool), options)
    fuzz.failures = before = progress[4]
    while time.monotonic() < end and number < options.seed * 1_000_000 + options.count and fuzz.failures < options.most:
        progress[0] = number
        fuzz.one(Files(number, charsmap))
        number += 1
        for place, count in enumerate((fuzz.accepted, fuzz.refused, fuzz.compared, fuzz.failures - before)):
            progress[place + 5] = count
    for reason, count in sorted(fuzz.reasons.items(), key=lambda entry: -entry[1])[:12]:
        print(f"{count:6} refused: {reason}", flush=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seconds", type=float, default=1800 if os.environ.get("BATCHWISE_TEST_TIER") == "full" else 20)
    parser.add_argument("--count", type=int, default=10**9, help="files at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=20, help="failures after which to stop")
    parser.add_argument("--keep", help="folder for the files that differ")
    options = parser.parse_args()
    charsmap = subprocess.run([options.tool, "charsmap"], check=True, capture_output=True, text=True).stdout.strip()
    end = time.monotonic() + options.seconds
    # Number of the file; accepted, refused, compared, failures of ended processes, then of the one that works.
    progress = multiprocessing.Array("q", 9, lock=False)
    number, ended = options.seed * 1_000_000, False
    while not ended:
        worker = multiprocessing.Process(target=work, args=(options, charsmap, number, end, progress))
        worker.start()
        seen, since = -1, time.monotonic()
        while worker.is_alive() and time.monotonic() < since + PATIENCE:
            worker.join(0.5)
            if progress[0] != seen:
                seen, since = progress[0], time.monotonic()
        ended = worker.exitcode == 0
        if worker.is_alive():
            worker.kill()
            worker.join()
        for place in range(1, 5):
            progress[place] += progress[place + 4]
            progress[place + 4] = 0
        number = progress[0] + 1
    _, accepted, refused, compared, failures = progress[:5]
    print(f"{accepted} files, {refused} refused, {compared} texts compared, {failures} differences")
    return 1 if failures or accepted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
