// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "core/base/plain_text.h"
#include "core/config/messages.h"
#include "core/config/schema_builder.h"

// Declares the fields of the run, the model and the text.

namespace batchwise::config {
namespace {

Message checkRunName(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(' ') == std::string::npos) return messages::runNameBlank();
  return plainLineProblem(text, 200);
}

Message checkLabel(const std::string& text) {
  constexpr std::size_t kLongestLabel = 80;
  return plainLineProblem(text, kLongestLabel);
}

Message checkFieldName(const std::string& path) {
  return findField(path) != nullptr && path != "zip" ? Message() : messages::zipFieldUnknown();
}

void declareRun(SchemaBuilder& s) {
  s.field("version", {.min = 1, .max = 1, .advanced = true},
          "Version of this file format. Files of a later version need a later program.", &TrainConfig::version);
  s.field("name", {.check = checkRunName},
          "Name of the run in lists and charts. Empty: experiment, variant and seed, or without an experiment the date "
          "and time of the launch.",
          &TrainConfig::name);
  s.field("experiment", {.check = checkLabel},
          "Name shared by the runs that answer one question: variants, each with several seeds. Shown in lists, charts "
          "and reports; has no effect on the training.",
          &TrainConfig::experiment);
  s.field("variant", {.check = checkLabel},
          "What this run tries within its experiment, in a few words. Runs of one variant differ in the seed only.",
          &TrainConfig::variant);
  s.field("seed", {.min = 0},
          "One number from which initial weights, data order, training masks and dropout follow. Equal seeds and "
          "settings give "
          "equal runs.",
          &TrainConfig::seed);
  s.field("zip", {.check = checkFieldName, .advanced = true},
          "Fields whose lists of values advance together: the first run has the first value of each, the second run "
          "the second. The lists have equal lengths. All other lists are combined with each other.",
          &TrainConfig::zip);
}

void declareModel(SchemaBuilder& s) {
  constexpr auto model = &TrainConfig::model;
  s.field("model.preset", {},
          "BERT sizes as published, layers x width: tiny 2x128, mini 4x256, small 4x512, base 12x768, large 24x1024. "
          "The sizes below override it one by one.",
          model, &ModelConfig::preset);
  s.field("model.init_from", {},
          "Folder in the Hugging Face layout (config.json, model.safetensors) whose weights and sizes to start from. "
          "Empty: fresh weights.",
          model, &ModelConfig::initFrom);
  s.field("model.hidden_size", {.min = 1, .max = 16384, .unit = messages::unitFeatures(), .advanced = true},
          "Width of the encoder. Must be a multiple of num_attention_heads.", model, &ModelConfig::hiddenSize);
  s.field("model.num_hidden_layers", {.min = 1, .max = 1000, .unit = messages::unitLayers(), .advanced = true},
          "Depth of the encoder.", model, &ModelConfig::numHiddenLayers);
  s.field("model.num_attention_heads", {.min = 1, .max = 1024, .unit = messages::unitHeads(), .advanced = true},
          "Attention heads per layer; each gets hidden_size / num_attention_heads features.", model,
          &ModelConfig::numAttentionHeads);
  s.field("model.intermediate_size", {.min = 1, .max = 262144, .unit = messages::unitFeatures(), .advanced = true},
          "Width inside the feed-forward part; usually 4 x hidden_size.", model, &ModelConfig::intermediateSize);
  s.field("model.max_position_embeddings", {.min = 3, .max = 65536, .unit = messages::unitTokens(), .advanced = true},
          "Number of positions with a learned embedding; at least data.max_seq_len.", model,
          &ModelConfig::maxPositionEmbeddings);
  s.field("model.type_vocab_size", {.min = 1, .max = 1024, .advanced = true},
          "Number of segment types. Training uses type 0; the others are only exported.", model,
          &ModelConfig::typeVocabSize);
  s.field("model.hidden_act", {.advanced = true}, "Activation of the feed-forward part; gelu_new is the tanh form.",
          model, &ModelConfig::hiddenAct);
  s.field("model.hidden_dropout_prob", {.min = 0, .below = 1},
          "Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on "
          "devices or micro-batch.",
          model, &ModelConfig::hiddenDropoutProb);
  s.field("model.attention_probs_dropout_prob", {.min = 0, .below = 1, .advanced = true},
          "Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.", model,
          &ModelConfig::attentionProbsDropoutProb);
  s.field("model.initializer_range", {.above = 0, .max = 10, .advanced = true}, "Standard deviation of fresh weights.",
          model, &ModelConfig::initializerRange);
  s.field("model.layer_norm_eps", {.above = 0, .max = 1, .advanced = true},
          "Added to the variance in layer norms, which are always computed in fp32. auto: that of model.init_from, "
          "else BERT's 1e-12. Deep models train more stably with 1e-5.",
          model, &ModelConfig::layerNormEps);
  s.field("model.norm", {.advanced = true},
          "Position of the layer norms: post as in BERT (weights are compatible with Hugging Face); pre is more stable "
          "in deep models.",
          model, &ModelConfig::norm);
  s.field("model.attention_logit_l2", {.min = 0, .advanced = true},
          "Weight of a penalty on the squared attention logits, which limits their growth. 0: none.", model,
          &ModelConfig::attentionLogitL2);
  s.field("model.layer_drop", {.min = 0, .below = 1, .advanced = true},
          "Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.", model,
          &ModelConfig::layerDrop);
  s.field("model.tie_word_embeddings", {.advanced = true},
          "The output layer shares its weights with the word embeddings, as in BERT.", model,
          &ModelConfig::tieWordEmbeddings);
}

void declareText(SchemaBuilder& s) {
  constexpr auto tokenizer = &TrainConfig::tokenizer;
  s.field("tokenizer.path", {},
          "Folder with a vocab.txt (WordPiece) to use. Empty: a vocabulary is trained on the training text.", tokenizer,
          &TokenizerConfig::path);
  s.field(
      "tokenizer.train.vocab_size", {.min = 100, .max = 1'000'000, .unit = messages::unitPieces()},
      "Size of the vocabulary to train, special tokens included. Ignored with an existing vocabulary (tokenizer.path).",
      tokenizer, &TokenizerConfig::trainVocabSize);
  s.field("tokenizer.lowercase", {}, "Lowercase the text and strip accents, as bert-base-uncased does.", tokenizer,
          &TokenizerConfig::lowercase);

  constexpr auto data = &TrainConfig::data;
  s.field(
      "data.train", {},
      "Training text: files, folders or patterns such as text/*.txt, also .gz. Relative to the folder of this file.",
      data, &DataConfig::train);
  s.field("data.eval", {},
          "Evaluation text, in the same forms. Empty: the share data.holdout of the training documents.", data,
          &DataConfig::eval);
  s.field("data.format", {},
          "How documents are separated: text by blank lines, lines one per line, jsonl one JSON object per line (see "
          "text_field). demo generates its own text and needs no files.",
          data, &DataConfig::format);
  s.field("data.text_field", {}, "Field of each JSON object that holds the text; for jsonl.", data,
          &DataConfig::textField);
  s.field("data.max_seq_len", {.min = 3, .max = 65536, .unit = messages::unitTokens()},
          "Longest sequence in tokens, [CLS] and [SEP] included. Longer documents are split; no text is lost.", data,
          &DataConfig::maxSeqLen);
  s.field(
      "data.shuffle", {},
      "Draw the samples of each epoch in a new order, which depends on seed and epoch. Off: the order of the files.",
      data, &DataConfig::shuffle);
  s.field("data.mlm_probability", {.above = 0, .max = 1},
          "Share of the tokens of each sequence to be predicted in training; at least one per sequence.", data,
          &DataConfig::mlmProbability);
  s.field("data.join_documents", {},
          "Fill sequences up with the next document. Off: a short document is a short sequence.", data,
          &DataConfig::joinDocuments);
  s.field(
      "data.holdout", {.min = 0, .max = 0.5},
      "Share of the documents, chosen by their hash, held out for evaluation if data.eval is empty. 0: no evaluation.",
      data, &DataConfig::holdout);
  s.field("data.demo_seed", {.min = 0, .advanced = true},
          "The text of the demo follows from this number, independent of the seed of the run.", data,
          &DataConfig::demoSeed);
}

void declareLength(SchemaBuilder& s) {
  s.field("max_duration", {.above = 0, .units = lengthUnits()},
          "How long the run is: epochs, global batches, samples, tokens or seconds of training.",
          &TrainConfig::maxDuration);
  s.field("scale_schedule_ratio", {.above = 0, .max = 1e6, .advanced = true},
          "Stretches max_duration and the times of the schedule by this factor; warm-up only with "
          "scheduler.scale_warmup; never intervals or ramps.",
          &TrainConfig::scaleScheduleRatio);
}

}  // namespace

void declareDataFields(SchemaBuilder& s) {
  declareRun(s);
  declareModel(s);
  declareText(s);
  declareLength(s);
}

}  // namespace batchwise::config
