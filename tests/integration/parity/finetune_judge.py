# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning by PyTorch and transformers, as `judge --method finetune` does it, and what it is tried on: small folders of
every family, and tasks whose answer is planted in the text.  Used by finetune_test.py and finetune_vs_transformers.py."""
import os
import random
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import BertWordPieceTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (AutoConfig, AutoModelForMaskedLM, AutoModelForSequenceClassification, AutoTokenizer,
                          PreTrainedTokenizerFast)

WORDS = [a + b + c for a in "bdfgklmn" for b in "aeiou" for c in "prst"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NAMES = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL))


def tokenizer_of(texts, types, size=2000):
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(texts, vocab_size=size, special_tokens=SPECIAL, show_progress=False)
    second = 1 if types else 0
    trained._tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair=f"[CLS] $A [SEP] $B:{second} [SEP]:{second}",
        special_tokens=[(name, trained.token_to_id(name)) for name in ("[CLS]", "[SEP]")])
    inputs = ["input_ids", "token_type_ids", "attention_mask"] if types else ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, model_input_names=inputs, model_max_length=64,
                                   **NAMES)


def config_of(family, vocabulary, **sizes):
    sizes = dict(dict(vocab_size=vocabulary, hidden_size=48, num_attention_heads=4, num_hidden_layers=2,
                      intermediate_size=96, max_position_embeddings=64, pad_token_id=0), **sizes)
    sizes["max_position_embeddings"] += family == "roberta"
    ends = dict(bos_token_id=2, eos_token_id=3)
    own = dict(bert={}, roberta=dict(type_vocab_size=1, **ends), eurobert=dict(num_key_value_heads=2, mask_token_id=4, **ends),
               modernbert=dict(local_attention=8, cls_token_id=2, sep_token_id=3, **ends))
    return AutoConfig.for_model(family, **own[family], **sizes)


def write_folder(folder, family, texts, seed=1, scale=1.0, vocabulary=2000, **sizes):
    tokenizer = tokenizer_of(texts, family == "bert", vocabulary)
    torch.manual_seed(seed)
    model = AutoModelForMaskedLM.from_config(config_of(family, len(tokenizer), **sizes))
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(scale)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def planted(count, seed):
    """Sentences of made-up words, and whether they have "good" or "bad" in them."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        words = draw.choices(WORDS, k=draw.randint(3, 12))
        label = draw.choice(["bad", "good"])
        words.insert(draw.randrange(len(words) + 1), label)
        rows.append((words, label))
    return rows


def outputs(folder, kind, inputs, most):
    """What transformers computes for each input of an exported folder.  Fails if a tensor is missing or unused."""
    model, report = kind.from_pretrained(folder, output_loading_info=True)
    wrong = {key: sorted(report[key]) for key in ("missing_keys", "unexpected_keys", "mismatched_keys") if report[key]}
    if wrong:
        raise AssertionError(f"{folder}: {wrong}")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for given in inputs:
        words = isinstance(given, list)
        encoded = tokenizer(*([given] if words else given), is_split_into_words=words, truncation=True, max_length=most,
                            return_tensors="pt")
        with torch.no_grad():
            logits = model.eval()(**encoded).logits[0]
        if words:
            of = encoded.word_ids(0)
            logits = logits[[place for place, word in enumerate(of) if word is not None and word not in of[:place]]]
        found.append(logits)
    return model, found


def fine_tuned(folder, train, validation, classes, rate, seed, epochs, batch=32, most=64, test=None):
    """Fine-tunes with AdamW, 10 % warm-up, linear decay and padded batches; `train` and so on: lists of (text, label).
    Returns the accuracy on the test part, else on validation, of the best epoch, and samples per second of training."""
    torch.manual_seed(seed)
    model = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=len(classes), attn_implementation="sdpa")
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def encoded(rows):
        ids = [tokenizer(text, truncation=True, max_length=most)["input_ids"] for text, _ in rows]
        return list(zip(ids, [classes.index(label) for _, label in rows]))

    def padded(rows):
        return tokenizer.pad({"input_ids": [ids for ids, _ in rows]}, return_tensors="pt"), torch.tensor([y for _, y in rows])

    def accuracy(rows):
        right = 0
        with torch.no_grad():
            for first in range(0, len(rows), 64):
                given, labels = padded(rows[first: first + 64])
                right += int((model.eval()(**given).logits.argmax(-1) == labels).sum())
        return right / len(rows)

    train, parts = encoded(train), [encoded(part) for part in (validation, test) if part]
    undecayed = [w for name, w in model.named_parameters() if name.endswith(".bias") or "norm" in name.lower()]
    known = {id(w) for w in undecayed}
    decayed = [w for w in model.parameters() if id(w) not in known]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": undecayed, "weight_decay": 0.0}],
                                  lr=rate, fused=True)
    steps = epochs * -(-len(train) // batch)
    warm = round(0.1 * steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: (step + 1) / warm if step < warm else (steps - step) / (steps - warm))
    best, seconds, order = (-1.0, None), 0.0, random.Random(seed)
    for _ in range(epochs):
        order.shuffle(train)
        begin = time.perf_counter()
        model.train()
        for first in range(0, len(train), batch):
            given, labels = padded(train[first: first + batch])
            optimizer.zero_grad()
            model(**given, labels=labels).loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        seconds += time.perf_counter() - begin
        found = [accuracy(part) for part in parts]
        best = max(best, (found[0], found[-1]), key=lambda one: one[0])
    return best[1], epochs * len(train) / seconds
