// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "core/base/text.h"
#include "core/config/schema_builder.h"

// Declares the fields of the run and the text.

namespace batchwise::config {
namespace {

std::string checkRunName(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(' ') == std::string::npos)
    return "is blank; give a name, or leave it out";
  return plainLineProblem(text, 200);
}

std::string checkLabel(const std::string& text) {
  constexpr std::size_t kLongestLabel = 80;
  return plainLineProblem(text, kLongestLabel);
}

std::string checkFieldName(const std::string& path) {
  return findField(path) != nullptr && path != "zip"
             ? std::string()
             : "is not a field of the configuration; name fields in full, such as optimizer.lr";
}

void declareRun(SchemaBuilder& s) {
  s.group("", "Run");
  s.field("version", "File version", {.min = 1, .max = 1, .advanced = true},
          "Version of this file format. Files of a later version need a later program.", &TrainConfig::version);
  s.field("name", "Name", {.check = checkRunName},
          "Name of the run in lists and charts. Empty: experiment, variant and seed, or without an experiment the date "
          "and time of the launch.",
          &TrainConfig::name);
  s.field("experiment", "Experiment", {.check = checkLabel},
          "Name shared by the runs that answer one question: variants, each with several seeds. Shown in lists, charts "
          "and reports; has no effect on the training.",
          &TrainConfig::experiment);
  s.field("variant", "Variant", {.check = checkLabel},
          "What this run tries within its experiment, in a few words. Runs of one variant differ in the seed only.",
          &TrainConfig::variant);
  s.field("seed", "Random seed", {.min = 0},
          "One number from which initial weights, data order, training masks and dropout follow. Equal seeds and "
          "settings give "
          "equal runs.",
          &TrainConfig::seed);
  s.field("zip", "Values that advance together", {.check = checkFieldName, .advanced = true},
          "Fields whose lists of values advance together: the first run has the first value of each, the second run "
          "the second. The lists have equal lengths. All other lists are combined with each other.",
          &TrainConfig::zip);
}

void declareText(SchemaBuilder& s) {
  s.group("tokenizer", "Vocabulary");
  s.group("tokenizer.train", "New vocabulary");
  s.group("data", "Data");
  constexpr auto tokenizer = &TrainConfig::tokenizer;
  s.field("tokenizer.path", "Existing vocabulary", {},
          "Tokenizer to use: a folder with a tokenizer.json of Hugging Face (WordPiece, byte-level BPE, Unigram) or a "
          "vocab.txt (WordPiece), or the file itself. Empty: that of model.init_from, else one is trained on the "
          "training text.",
          tokenizer, &TokenizerConfig::path);
  s.field("tokenizer.train.kind", "New vocabulary: kind", {},
          "Kind of vocabulary to train: wordpiece as BERT, or byte_bpe (byte-level byte-pair encoding), which knows "
          "every character and is never lowercased. Ignored with an existing vocabulary (tokenizer.path).",
          tokenizer, &TokenizerConfig::trainKind);
  s.field(
      "tokenizer.train.vocab_size", "New vocabulary: size", {.min = 100, .max = 1'000'000, .unit = "pieces"},
      "Size of the vocabulary to train, special tokens included. Ignored with an existing vocabulary (tokenizer.path).",
      tokenizer, &TokenizerConfig::trainVocabSize);
  s.field("tokenizer.lowercase", "Lowercase", {},
          "Lowercase the text and strip accents, as bert-base-uncased does: with a vocab.txt and with a trained "
          "wordpiece vocabulary. A tokenizer.json, or the do_lower_case of a model folder, decides this itself.",
          tokenizer, &TokenizerConfig::lowercase);

  constexpr auto data = &TrainConfig::data;
  s.field(
      "data.train", "Training text", {},
      "Training text: files, folders or patterns such as text/*.txt, also .gz and .zst. Relative to the folder of this "
      "file; ~/ is the home folder. Or sources: [{name: web, path: web/*.txt, weight: 0.7}, {name: own, path: own, "
      "weight: 0.3}]. The weights are shares of the tokens; without any, a source has as many as its text. An epoch "
      "has all of the source that is repeated least, and each of the others as often as its share asks for.",
      data, &DataConfig::train);
  s.field(
      "data.temperature", "Temperature of the sources", {.above = 0, .max = 100, .advanced = true},
      "Evens out the shares of the sources: each is raised to 1 / temperature. 1: as they are; large: nearly equal.",
      data, &DataConfig::temperature);
  s.field("data.remove_duplicates", "Remove duplicates", {.advanced = true},
          "Leave out documents that have occurred before, letter for letter, in the training text. Needs about 50 "
          "bytes of memory per document while the text is prepared.",
          data, &DataConfig::removeDuplicates);
  s.field("data.eval", "Evaluation text", {},
          "Evaluation text, in the same forms. Empty: the share data.holdout of the training documents.", data,
          &DataConfig::eval);
  s.field("data.format", "Data: format", {},
          "How documents are separated: text by blank lines, lines one per line, jsonl one JSON object per line, csv "
          "one row (.csv has commas, .tsv tabs), parquet one row of a Parquet or Arrow file, mds one sample of a shard "
          "of MosaicML Streaming; text_field names the field or column of these four. demo generates its own text and "
          "needs no files.",
          data, &DataConfig::format);
  s.field("data.text_field", "Text field", {},
          "Field of each JSON object, or column of the table, that holds the text.", data, &DataConfig::textField);
  s.field("data.max_seq_len", "Longest sequence", {.min = 3, .max = 65536, .unit = kUnitTokens},
          "Longest sequence in tokens, [CLS] and [SEP] included. Longer documents are split; no text is lost.", data,
          &DataConfig::maxSeqLen);
  s.field(
      "data.shuffle", "Shuffle", {},
      "Draw the samples of each epoch in a new order, which depends on seed and epoch. Off: the order of the files.",
      data, &DataConfig::shuffle);
  s.field("data.mlm_probability", "Share of masked tokens", {.above = 0, .max = 1},
          "Share of the tokens of each sequence to be predicted in training; at least one per sequence.", data,
          &DataConfig::mlmProbability);
  s.field("data.mlm_probability_end", "Share of masked tokens at the end", {.above = 0, .max = 1, .advanced = true},
          "Share of predicted tokens at the end of the run, or of the stage that sets it; it changes linearly from "
          "data.mlm_probability. auto: it stays the same.",
          data, &DataConfig::mlmProbabilityEnd);
  s.field("data.mask_unit", "Masked together", {.advanced = true},
          "What training masks together: single tokens, or all tokens of a word (whole-word masking). Evaluations mask "
          "single tokens.",
          data, &DataConfig::maskUnit);
  s.field("data.join_documents", "Join documents", {},
          "Fill sequences up with the next document. Off: a short document is a short sequence.", data,
          &DataConfig::joinDocuments);
  s.field("data.document_separator", "Separator between documents", {.advanced = true},
          "With join_documents: [SEP] and [CLS] between the documents of a sequence. Off: they follow one another "
          "without a mark, which needs data.attention_across_documents.",
          data, &DataConfig::documentSeparator);
  s.field("data.attention_across_documents", "Attention across documents", {.advanced = true},
          "With join_documents: tokens also attend to the other documents of their sequence. Off: each document is "
          "computed as if it stood alone.",
          data, &DataConfig::attentionAcrossDocuments);
  s.field("data.holdout", "Held out for evaluation", {.min = 0, .max = 0.5},
          "Share of the documents, chosen by their hash, held out for evaluation if data.eval is empty. auto: 1 % of a "
          "text "
          "of 2 MB or more, up to 10 % of a smaller one, nothing beside eval.sets. 0: no evaluation.",
          data, &DataConfig::holdout);
  s.field("data.demo_seed", "Seed of the demo text", {.min = 0, .advanced = true},
          "The text of the demo follows from this number, independent of the seed of the run.", data,
          &DataConfig::demoSeed);
}

void declareLength(SchemaBuilder& s) {
  s.field(
      "max_duration", "Length of the run", {.above = 0, .units = lengthUnits()},
      "How long the run is: epochs, global batches, samples, tokens or seconds of training. A part of an epoch is that "
      "share of its samples.",
      &TrainConfig::maxDuration);
  s.field("scale_schedule_ratio", "Schedule stretch factor", {.above = 0, .max = 1e6, .advanced = true},
          "Stretches max_duration and the times of the schedule by this factor; warm-up only with "
          "scheduler.scale_warmup; never intervals or ramps.",
          &TrainConfig::scaleScheduleRatio);
  s.field("stages", "Stages of the run", {.advanced = true},
          "Parts of the run, one after the other, each with its end and what it changes: [{until: 0.8dur}, {until: "
          "1dur, data.max_seq_len: 512, data.mlm_probability: 0.15}]. Weights, optimizer state and clocks carry over, "
          "and evaluations stay those of the run. dur in the schedule or batch plan of a stage means the stage; a "
          "stage without its own schedule continues that of the run. Empty: a run of one stage.",
          &TrainConfig::stages);
}

}  // namespace

void declareNameFields(SchemaBuilder& s) {
  declareRun(s);
}

void declareDataFields(SchemaBuilder& s) {
  declareText(s);
  declareLength(s);
}

}  // namespace batchwise::config
