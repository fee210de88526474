// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema_builder.h"

// Declares the fields of the model.

namespace batchwise::config {
namespace {

constexpr auto kModel = &TrainConfig::model;

void declareArchitecture(SchemaBuilder& s) {
  s.group("model", "Model");
  s.field("model.family", "Model: family", {},
          "Architecture of the encoder. auto: that of model.init_from, else bert. modernbert: rotary positions, gated "
          "feed-forward, windows of local attention; eurobert: rotary positions, SwiGLU, grouped key and value heads.",
          kModel, &ModelConfig::family);
  s.field(
      "model.preset", "Model: size", {},
      "Named sizes of the family: tiny, mini and small to try out, base and large as published; eurobert also 210m, "
      "610m and 2.1b. The sizes below override it one by one.",
      kModel, &ModelConfig::preset);
  s.field("model.init_from", "Start from weights in", {},
          "Folder in the Hugging Face layout (config.json, model.safetensors or pytorch_model.bin), also of "
          "sentence-transformers, whose weights and sizes to start from. "
          "Empty: fresh weights.",
          kModel, &ModelConfig::initFrom);
  s.field("model.tile_from", "Tile the weights of", {.advanced = true},
          "Folder of a smaller model of the same family whose weights fill the larger one by repetition, as "
          "ModernBERT-large was initialized from ModernBERT-base. Empty: fresh weights.",
          kModel, &ModelConfig::tileFrom);
}

void declareSizes(SchemaBuilder& s) {
  s.field("model.hidden_size", "Hidden size", {.min = 1, .max = 16384, .unit = "features", .advanced = true},
          "Width of the encoder. Must be a multiple of num_attention_heads.", kModel, &ModelConfig::hiddenSize);
  s.field("model.num_hidden_layers", "Layers", {.min = 1, .max = 1000, .unit = "layers", .advanced = true},
          "Depth of the encoder.", kModel, &ModelConfig::numHiddenLayers);
  s.field("model.num_attention_heads", "Attention heads", {.min = 1, .max = 1024, .unit = "heads", .advanced = true},
          "Attention heads per layer; each gets hidden_size / num_attention_heads features.", kModel,
          &ModelConfig::numAttentionHeads);
  s.field("model.num_key_value_heads", "Key and value heads",
          {.min = 1, .max = 1024, .unit = "heads", .advanced = true},
          "eurobert: heads of keys and values, each shared by a group of attention heads. auto: that of the preset.",
          kModel, &ModelConfig::numKeyValueHeads);
  s.field(
      "model.intermediate_size", "Intermediate size", {.min = 1, .max = 262144, .unit = "features", .advanced = true},
      "Width inside the feed-forward part; in BERT usually 4 x hidden_size.", kModel, &ModelConfig::intermediateSize);
  s.field("model.max_position_embeddings", "Maximum positions",
          {.min = 3, .max = 65536, .unit = kUnitTokens, .advanced = true},
          "Longest sequence that the model is built for; at least data.max_seq_len. In bert and roberta the number of "
          "learned positions.",
          kModel, &ModelConfig::maxPositionEmbeddings);
  s.field("model.type_vocab_size", "Segment types", {.min = 1, .max = 1024, .advanced = true},
          "bert, roberta: number of segment types. Training uses type 0; the others are only exported.", kModel,
          &ModelConfig::typeVocabSize);
  s.field("model.pad_vocab_to_multiple_of", "Pad vocabulary to a multiple of",
          {.min = 1, .max = 1024, .unit = kUnitTokens, .advanced = true},
          "Rounds the rows of the word embeddings up to a multiple of this, which GPUs compute faster, such as 64; the "
          "added rows stand for no token.",
          kModel, &ModelConfig::padVocabToMultipleOf);
  s.field("model.extend_vocab", "Extend the vocabulary", {.advanced = true},
          "If the tokenizer has tokens that model.init_from does not have, add embeddings for them, initialized with "
          "the mean of the known ones. Off: such a tokenizer is refused.",
          kModel, &ModelConfig::extendVocab);
}

void declareAttention(SchemaBuilder& s) {
  s.field("model.global_attn_every_n_layers", "Global attention every",
          {.min = 1, .max = 1000, .unit = "layers", .advanced = true},
          "modernbert: every n-th layer, from the first on, attends to the whole sequence, the others to a window.",
          kModel, &ModelConfig::globalAttnEveryNLayers);
  s.field("model.local_attention", "Local attention window",
          {.min = 1, .max = 65536, .unit = kUnitTokens, .advanced = true},
          "modernbert: window of the local layers; half of it on each side of a token.", kModel,
          &ModelConfig::localAttention);
  s.field("model.rope_theta", "RoPE base", {.above = 0, .max = 1e9, .advanced = true},
          "Base of the rotary positions in layers with global attention; larger for longer sequences.", kModel,
          &ModelConfig::ropeTheta);
  s.field("model.local_rope_theta", "RoPE base of local layers", {.above = 0, .max = 1e9, .advanced = true},
          "modernbert: base of the rotary positions in the local layers.", kModel, &ModelConfig::localRopeTheta);
  s.field("model.attention_logit_l2", "Attention logit penalty", {.min = 0, .advanced = true},
          "Weight of a penalty on the squared attention logits, which limits their growth. 0: none.", kModel,
          &ModelConfig::attentionLogitL2);
}

void declareDetails(SchemaBuilder& s) {
  s.field("model.hidden_act", "Activation", {.advanced = true},
          "Activation of the feed-forward part; gelu_new is the tanh form. auto: that of the family.", kModel,
          &ModelConfig::hiddenAct);
  s.field("model.hidden_dropout_prob", "Dropout", {.min = 0, .below = 1},
          "Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on "
          "devices or micro-batch. auto: 0.1 in bert and roberta, 0 in the others.",
          kModel, &ModelConfig::hiddenDropoutProb);
  s.field("model.attention_probs_dropout_prob", "Attention dropout", {.min = 0, .below = 1, .advanced = true},
          "Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.", kModel,
          &ModelConfig::attentionProbsDropoutProb);
  s.field("model.initializer_range", "Initial weight deviation", {.above = 0, .max = 10, .advanced = true},
          "Standard deviation of fresh weights. auto: 0.02.", kModel, &ModelConfig::initializerRange);
  s.field(
      "model.layer_norm_eps", "Layer norm epsilon", {.above = 0, .max = 1, .advanced = true},
      "Added to the variance in norms, which are always computed in fp32. auto: that of model.init_from, else 1e-12 "
      "in bert and 1e-5 in the other families. Deep models train more stably with 1e-5.",
      kModel, &ModelConfig::layerNormEps);
  s.field("model.norm", "Layer norm position", {.advanced = true},
          "bert: position of the layer norms: post as published; pre is more stable in deep models, but cannot be "
          "exported. auto: that of the family.",
          kModel, &ModelConfig::norm);
  s.field("model.layer_drop", "Layer drop", {.min = 0, .below = 1, .advanced = true},
          "Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.", kModel,
          &ModelConfig::layerDrop);
  s.field("model.tie_word_embeddings", "Tie word embeddings", {.advanced = true},
          "The output layer shares its weights with the word embeddings. auto: that of model.init_from, else yes but "
          "for eurobert and neobert.",
          kModel, &ModelConfig::tieWordEmbeddings);
}

}  // namespace

void declareModelFields(SchemaBuilder& s) {
  declareArchitecture(s);
  declareSizes(s);
  declareAttention(s);
  declareDetails(s);
}

}  // namespace batchwise::config
