# SPDX-License-Identifier: GPL-3.0-or-later
"""The tokenizer files of an export are what transformers expects: AutoTokenizer loads them and gives the ids of a
BertTokenizer made from the vocabulary alone.  Usage: tokenizer_test.py MODEL_TOOL"""
from judge import *
from transformers import AutoConfig, BertTokenizer

TEXTS = ["t7 t12 T99", "  t5\tt6\n", "t7, t8!", "t\u00e9t7 t7\u0301", "\u4e2dt9", "t" * 120, "[MASK] t7 [SEP]", "", "t15t16 unknown"]

checks = Checks()
with temporary_folder() as name:
    folder = pathlib.Path(name)
    run_tool({"mode": "none", "preset": "tiny", "vocab_size": 199, "steps": [], "export": str(folder / "out")})
    loaded = AutoTokenizer.from_pretrained(folder / "out")
    plain = BertTokenizer(vocab=str(folder / "out" / "vocab.txt"), do_lower_case=True)
    for text in TEXTS:
        checks.equal(f"ids of {text[:20]!r}", loaded(text)["input_ids"], plain(text)["input_ids"])
    pair = loaded("t5", "t6")
    checks.equal("a pair", (pair["input_ids"], pair["token_type_ids"]), ([2, 5, 3, 6, 3], [0, 0, 0, 1, 1]))
    checks.equal("mask token", (loaded.mask_token, loaded.mask_token_id), ("[MASK]", 4))
    checks.equal("padding", loaded(["t5", "t5 t6"], padding=True)["attention_mask"], [[1, 1, 1, 0], [1, 1, 1, 1]])
    checks.equal("longest", loaded.model_max_length, 128)
    checks.equal("model type", AutoConfig.from_pretrained(folder / "out").model_type, "bert")
checks.finish()
