# SPDX-License-Identifier: GPL-3.0-or-later
"""A model predicts in transformers what `fill-mask` predicts, whatever special tokens its tokenizer has: exported, and
started from a folder whose padding token is another one.  Usage: special_tokens_test.py BATCHWISE [NAME...]

The quick tier tries each tokenizer with one family, the full one (BATCHWISE_TEST_TIER=full) with all, and continues
from each export."""
import os
import sys

from judge import *
from tokenizer_kinds import BERT_SPECIAL, edited
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LINES = ["the quick fox jumps over the lazy dog", "the lazy dog reports that the fox is quick",
         "a dog and a fox and a bird met over there", "birds jump over quick dogs"] * 4
FULL = os.environ.get("BATCHWISE_TEST_TIER") == "full"
TEXTS = ["the [MASK] dog", "quick \u2603 fox [MASK] zebra the lazy dog reports [MASK] is", "over the [MASK]"][:3 if FULL else 2]
FAMILIES = ["bert", "roberta", "xlm-roberta", "modernbert", "eurobert"]
SIZES = "hidden_size: 32, num_attention_heads: 2, num_hidden_layers: 2, intermediate_size: 48, initializer_range: 0.4, " \
        "layer_norm_eps: 0.001"
PLAIN = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
NAMES = dict(cls_token="<s>", sep_token="</s>", mask_token="<mask>")


def byte_level(special, unknown=None):
    made = Tokenizer(models.BPE(unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=290, special_tokens=special, show_progress=False,
                                                        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return made


def unigram(special=PLAIN):
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(LINES, trainers.UnigramTrainer(vocab_size=60, special_tokens=special, unk_token="<unk>",
                                                            show_progress=False))
    return made


def wordpiece(special, unknown="[UNK]"):
    made = Tokenizer(models.WordPiece(unk_token=unknown))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=90, special_tokens=special,
                                                              show_progress=False))
    return made


def framed(made, first, last):
    parts = [p for p in (first, "$A", last) if p]
    pair = parts + ["$B:1"] + ([f"{last}:1"] if last else [])
    made.post_processor = processors.TemplateProcessing(
        single=" ".join(parts), pair=" ".join(pair),
        special_tokens=[(t, made.token_to_id(t)) for t in {first, last} if t])
    return made


def bert_as_published():
    return framed(wordpiece(BERT_SPECIAL), "[CLS]", "[SEP]"), {}


def roberta_as_published():
    made = byte_level(PLAIN)
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return made, dict(tokenizer_class="RobertaTokenizer", **NAMES, pad_token="<pad>")


def no_padding_token():
    return framed(byte_level(["<s>", "</s>", "<unk>", "<mask>"]), "<s>", "</s>"), {}


def no_padding_token_in_unigram():
    return framed(unigram(["<s>", "</s>", "<unk>", "<mask>"]), "<s>", "</s>"), {}


def padding_is_the_end():
    return framed(byte_level(PLAIN), "<s>", "</s>"), dict(NAMES, pad_token="</s>")


def padding_is_unknown():
    return framed(unigram(), "<s>", "</s>"), dict(NAMES, pad_token="<unk>")


def padding_is_the_mask():
    return framed(byte_level(["<s>", "</s>", "<mask>"]), "<s>", "</s>"), dict(NAMES, pad_token="<mask>")


def one_token_for_all():
    end = "<|endoftext|>"
    made = framed(byte_level([end, "<mask>"]), end, end)
    return made, dict(bos_token=end, eos_token=end, unk_token=end, pad_token=end, mask_token="<mask>")


def padding_in_the_middle():
    made = byte_level(["<s>", "</s>", "<unk>", "<mask>"])
    made.add_special_tokens([AddedToken("<pad>"), AddedToken("<extra>")])
    return framed(made, "<s>", "</s>"), {}


def special_tokens_last():
    made = wordpiece(["[UNK]"])
    made.add_special_tokens([AddedToken(t) for t in ("[SEP]", "[CLS]", "[MASK]", "[PAD]")])
    return framed(made, "[CLS]", "[SEP]"), {}


def added_before_and_behind():
    made = byte_level(["<|one|>", "<|two|>", "<s>", "<|three|>", "<pad>", "</s>", "<mask>"])
    made.add_tokens([AddedToken("fox", single_word=True), AddedToken("zebra", normalized=True)])
    made.add_special_tokens([AddedToken("<|last|>")])
    return framed(made, "<s>", "</s>"), {}


def no_frame():
    return byte_level(PLAIN), dict(NAMES, pad_token="<pad>")


def no_frame_by_names_of_text_generation():
    return wordpiece(["<eos>", "<bos>", "<unk>", "<mask>"], "<unk>"), dict(bos_token="<bos>", eos_token="<eos>",
                                                                             mask_token="<mask>")


def no_end():
    return framed(byte_level(PLAIN), "<s>", None), dict(NAMES, pad_token="<pad>")


def no_start():
    return framed(unigram(), None, "</s>"), dict(NAMES, pad_token="<pad>")


def offsets_and_no_frame():
    made = byte_level(PLAIN)
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    return made, dict(NAMES, pad_token="<pad>")


def mask_by_another_name():
    return framed(byte_level(["<s>", "<pad>", "</s>", "<blank>"]), "<s>", "</s>"), dict(mask_token="<blank>")


def mask_strips_by_its_configuration():
    return framed(byte_level(PLAIN), "<s>", "</s>"), dict(
        NAMES, mask_token=dict(__type="AddedToken", content="<mask>", lstrip=True, rstrip=False, normalized=False,
                               single_word=False, special=True))


def mask_is_no_added_token():
    made = framed(wordpiece(BERT_SPECIAL), "[CLS]", "[SEP]")
    made = edited(made, lambda state: state.update(added_tokens=[]))
    return made, dict(cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", pad_token="[PAD]", unk_token="[UNK]")


def another_class_than_the_file():
    """BERT's class over a file that keeps the case: version 5 builds some classes anew from the vocabulary."""
    made = wordpiece(BERT_SPECIAL)
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return framed(made, "[CLS]", "[SEP]"), dict(tokenizer_class="BertTokenizer", do_lower_case=False)


def class_of_another_family():
    return framed(unigram(), "<s>", "</s>"), dict(NAMES, tokenizer_class="XLMRobertaTokenizer", pad_token="<pad>")


def bert_with_more_tokens():
    made, config = bert_as_published()
    made.add_tokens([AddedToken("zebra", single_word=True, normalized=False)])
    return made, dict(tokenizer_class="BertTokenizer")


def one_segment_type():
    made, _ = bert_with_more_tokens()
    return made, dict(tokenizer_class="BertTokenizer", model_input_names=["input_ids", "token_type_ids", "attention_mask"])


def holes_in_the_ids():
    def move(state):
        state["model"]["vocab"] = {t: i if i < 40 else i + 7 for t, i in state["model"]["vocab"].items()}
    return edited(framed(wordpiece(BERT_SPECIAL), "[CLS]", "[SEP]"), move), {}


KINDS = [bert_as_published, roberta_as_published, no_padding_token, no_padding_token_in_unigram, padding_is_the_end,
         padding_is_unknown, padding_is_the_mask, one_token_for_all, padding_in_the_middle, special_tokens_last,
         added_before_and_behind, no_frame, no_frame_by_names_of_text_generation, no_end, no_start, offsets_and_no_frame,
         mask_by_another_name, mask_strips_by_its_configuration, mask_is_no_added_token, another_class_than_the_file,
         class_of_another_family, bert_with_more_tokens, one_segment_type, holes_in_the_ids]


def save_tokenizer(folder, made, config):
    folder.mkdir(exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    if config:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))


def train(folder, name, model, tokenizer):
    (folder / "text.txt").write_text("\n\n".join(LINES[:4]))
    (folder / f"{name}.yaml").write_text(
        f"version: 1\nname: {name}\nmodel: {{{model}}}\ntokenizer: {{path: {tokenizer}}}\n"
        "data: {train: [text.txt], max_seq_len: 40, holdout: 0}\nmax_duration: 1ba\n"
        "batch: {global_train_batch_size: 2}\noptimizer: {lr: 0, weight_decay: 0}\ndevices: {use: cpu, threads: 1}\n")
    batchwise(folder, "train", f"{name}.yaml")


def ours(folder, name, text):
    answer = json.loads(batchwise(folder, "fill-mask", name, text, "--top", "1000", "--json"))
    return [sorted(((one["token"], one["probability"]) for one in mask), key=lambda x: -x[1])
            for mask in answer["masks"]]


def theirs(folder):
    """Probabilities of every token for each mask of each text: alone, and in one padded batch."""
    made = AutoModelForMaskedLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    texts = [text.replace("[MASK]", tokenizer.mask_token) for text in TEXTS]
    alone = []
    for given in ([tokenizer(text, return_tensors="pt") for text in texts] +
                  [tokenizer(texts, return_tensors="pt", padding=True)]):
        with torch.no_grad():
            logits = made(**given).logits
        masks = (given["input_ids"] == tokenizer.mask_token_id) & given["attention_mask"].bool()
        alone.append([row[places].softmax(-1) for row, places in zip(logits, masks)])
    return tokenizer, [one[0] for one in alone[:-1]], alone[-1]


def compare(checks, folder, name, exported):
    tokenizer, alone, batched = theirs(exported)
    special = {i for i, token in tokenizer.added_tokens_decoder.items() if token.special} | {*tokenizer.all_special_ids}
    special |= {*range(max(tokenizer.get_vocab().values()))} - {*tokenizer.get_vocab().values()}  # ids without a token
    for number, text in enumerate(TEXTS):
        found = ours(folder, name, text)
        for kind, judged in (("alone", alone), ("in a batch", batched)):
            what = f"{name}, {text!r} {kind}"
            checks.equal(f"{what}: masks", len(found), len(judged[number]))
            for own, row in zip(found, judged[number]):
                row[sorted(special)] = 0
                values, ids = (best.tolist() for best in row.topk(20))
                different = [(token, value, shown(tokenizer, i), best) for (token, value), i, best
                             in zip(own, ids, values) if abs(best - value) > 1e-5]
                checks.equal(f"{what}: probabilities", different[:3], [])
                checks.equal(f"{what}: best", own[0][0], shown(tokenizer, ids[0]).replace("\u2581", " "))


def exports(checks, family, kind, model=""):
    name = f"{family}-{kind.__name__}"
    with temporary_folder() as folder:
        folder = pathlib.Path(folder)
        save_tokenizer(folder / "tokenizer", *kind())
        train(folder, name, f"family: {family}, {SIZES}{model}", "tokenizer")
        batchwise(folder, "export", name, "--hf", "out")
        compare(checks, folder, name, folder / "out")
        takes_pairs(checks, name, folder / "out")
        if not FULL:
            return
        # What was exported is read as the same model.
        train(folder, f"{name}-again", "init_from: out", "out")
        compare(checks, folder, f"{name}-again", folder / "out")


def saved_model(folder, family, size, **config):
    """A folder as transformers saves it, with weights that make every token matter."""
    own = dict(bert=dict(max_position_embeddings=48), modernbert=dict(norm_eps=1e-3), eurobert=dict(rms_norm_eps=1e-3),
               roberta=dict(type_vocab_size=1, max_position_embeddings=420, layer_norm_eps=1e-3))
    own["xlm-roberta"] = dict(type_vocab_size=1, max_position_embeddings=420)
    made = fresh(family, vocab_size=size, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48,
                 **own[family], **config)
    filled(made, 5, 0.4).save_pretrained(folder)


def starts(checks, family, kind, padding):
    """Of a folder, pad_token_id of config.json decides the positions, whatever the tokenizer pads with."""
    name = f"{family}-{kind.__name__}-{padding}"
    with temporary_folder() as folder:
        folder = pathlib.Path(folder)
        made, config = kind()
        size = made.get_vocab_size()
        ids = dict(start=made.token_to_id("<s>"), end=made.token_to_id("</s>"), unknown=made.token_to_id("<unk>"),
                   word=made.token_to_id("\u2581the") or made.token_to_id("the"), last=size - 1, none=-1, first=0)
        given = {} if padding == "unsaid" else {"pad_token_id": ids[padding]}
        saved_model(folder / "start", family, size, **given)
        # As an export has it: the class of a family would make the tokenizer anew.
        save_tokenizer(folder / "start", made, dict(NAMES, pad_token="</s>", tokenizer_class="PreTrainedTokenizerFast",
                                                    **config))
        train(folder, name, "init_from: start", "start")
        compare(checks, folder, name, folder / "start")
        batchwise(folder, "export", name, "--hf", "out")
        compare(checks, folder, name, folder / "out")


def main():
    checks = Checks()
    chosen = sys.argv[2:]
    cases = [(exports, family, kind) for number, kind in enumerate(KINDS)
             for family in (FAMILIES if FULL or chosen else [FAMILIES[(1, 0, 2, 3, 1, 4)[number % 6]]])]
    paddings = ["start", "end", "unknown", "word", "last", "none", "first", "unsaid"]
    cases += [(starts, family, no_padding_token_in_unigram, padding) for family in ("roberta", "xlm-roberta")
              for padding in (paddings if FULL or chosen else paddings[1:3 if family == "roberta" else 2])]
    if FULL:
        cases += [(starts, family, no_padding_token, padding) for family in FAMILIES
                  for padding in ("start", "end", "unknown", "last")]
    for make, *case in cases:
        name = "-".join([make.__name__, *(part if isinstance(part, str) else part.__name__ for part in case)])
        if chosen and not any(c in name for c in chosen):
            continue
        try:
            make(checks, *case)
        except Exception as failure:
            checks.equal(name, f"{type(failure).__name__} {str(failure)[-300:]}", "no failure")
    checks.finish()


main()
