// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "core/base/plain_text.h"
#include "core/config/messages.h"
#include "core/config/model_presets.h"
#include "core/config/schema_builder.h"

// Declares the fields of the run, the model and the text.

namespace batchwise::config {
namespace {

std::string checkRunName(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(' ') == std::string::npos)
    return "is blank; give a name, or leave it out";
  return plainLineProblem(text, 200);
}

void declareRun(SchemaBuilder& s) {
  s.field("version", &TrainConfig::version)
      .min(1)
      .max(1)
      .advanced()
      .help("Version of this file format. Files of a later version need a later program.");
  s.field("name", &TrainConfig::name)
      .check(checkRunName)
      .help("What the run is called in lists and charts. Left out: the date and time of the launch.");
  s.field("seed", &TrainConfig::seed)
      .min(0)
      .help(
          "One number from which initial weights, data order, masks and dropout follow. Equal seeds and settings give "
          "equal runs.");
}

void declareModel(SchemaBuilder& s) {
  constexpr auto model = &TrainConfig::model;
  s.field("model.preset", model, &ModelConfig::preset)
      .choices(modelPresetNames())
      .help(
          "BERT sizes as published, layers x width: tiny 2x128, mini 4x256, small 4x512, base 12x768, large 24x1024. "
          "The sizes below override it one by one.");
  s.field("model.init_from", model, &ModelConfig::initFrom)
      .help(
          "Folder in the Hugging Face layout (config.json, model.safetensors) whose weights and sizes to start from. "
          "Empty: fresh weights.");
  s.field("model.hidden_size", model, &ModelConfig::hiddenSize)
      .min(1)
      .max(16384)
      .unit(messages::unitFeatures())
      .advanced()
      .help("Width of the encoder. Must be a multiple of num_attention_heads.");
  s.field("model.num_hidden_layers", model, &ModelConfig::numHiddenLayers)
      .min(1)
      .max(1000)
      .unit(messages::unitLayers())
      .advanced()
      .help("Depth of the encoder.");
  s.field("model.num_attention_heads", model, &ModelConfig::numAttentionHeads)
      .min(1)
      .max(1024)
      .unit(messages::unitHeads())
      .advanced()
      .help("Attention heads per layer; each gets hidden_size / num_attention_heads features.");
  s.field("model.intermediate_size", model, &ModelConfig::intermediateSize)
      .min(1)
      .max(262144)
      .unit(messages::unitFeatures())
      .advanced()
      .help("Width inside the feed-forward part; usually 4 x hidden_size.");
  s.field("model.max_position_embeddings", model, &ModelConfig::maxPositionEmbeddings)
      .min(3)
      .max(65536)
      .unit(messages::unitTokens())
      .advanced()
      .help("Positions with a learned embedding; at least data.max_seq_len.");
  s.field("model.type_vocab_size", model, &ModelConfig::typeVocabSize)
      .min(1)
      .max(1024)
      .advanced()
      .help("Segment types. Training uses type 0; others are kept for export.");
  s.field("model.hidden_act", model, &ModelConfig::hiddenAct)
      .choices({"gelu", "gelu_new", "relu"})
      .advanced()
      .help("Activation of the feed-forward part; gelu_new is the tanh form.");
  s.field("model.hidden_dropout_prob", model, &ModelConfig::hiddenDropoutProb)
      .min(0)
      .below(1)
      .help(
          "Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on "
          "devices or micro-batch.");
  s.field("model.attention_probs_dropout_prob", model, &ModelConfig::attentionProbsDropoutProb)
      .min(0)
      .below(1)
      .advanced()
      .help("Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.");
  s.field("model.initializer_range", model, &ModelConfig::initializerRange)
      .above(0)
      .max(10)
      .advanced()
      .help("Standard deviation of fresh weights.");
  s.field("model.layer_norm_eps", model, &ModelConfig::layerNormEps)
      .above(0)
      .max(1)
      .advanced()
      .help(
          "Added to the variance in layer norms, which are computed in fp32 whatever precision says. auto: that of "
          "model.init_from, else BERT's 1e-12; deep models train more safely with 1e-5.");
  s.field("model.norm", model, &ModelConfig::norm)
      .choices({"post", "pre"})
      .advanced()
      .help(
          "Where layer norms stand: post as in BERT (weights interchange with Hugging Face), pre is steadier in deep "
          "models.");
  s.field("model.attention_logit_l2", model, &ModelConfig::attentionLogitL2)
      .min(0)
      .advanced()
      .help("Weight of a penalty on the squared attention logits; keeps them from growing without end. 0: none.");
  s.field("model.layer_drop", model, &ModelConfig::layerDrop)
      .min(0)
      .below(1)
      .advanced()
      .help("Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.");
  s.field("model.tie_word_embeddings", model, &ModelConfig::tieWordEmbeddings)
      .advanced()
      .help("The output layer shares its weights with the word embeddings, as in BERT.");
}

void declareText(SchemaBuilder& s) {
  constexpr auto tokenizer = &TrainConfig::tokenizer;
  s.field("tokenizer.path", tokenizer, &TokenizerConfig::path)
      .help("Folder with a vocab.txt (WordPiece) to use. Empty: a vocabulary is trained on the training text.");
  s.field("tokenizer.train.vocab_size", tokenizer, &TokenizerConfig::trainVocabSize)
      .min(100)
      .max(1'000'000)
      .unit(messages::unitPieces())
      .help("Size of the vocabulary to train, special tokens included. Without meaning when tokenizer.path is given.");
  s.field("tokenizer.lowercase", tokenizer, &TokenizerConfig::lowercase)
      .help("Lowercase the text and strip accents, as bert-base-uncased does.");

  constexpr auto data = &TrainConfig::data;
  s.field("data.train", data, &DataConfig::train)
      .help(
          "Training text: files, folders or patterns such as text/*.txt, also .gz. Relative to the folder of this "
          "file.");
  s.field("data.eval", data, &DataConfig::eval)
      .help("Evaluation text, in the same forms. Left out: the share data.holdout of the training documents.");
  s.field("data.format", data, &DataConfig::format)
      .choices({"text", "lines", "jsonl", "demo"})
      .help(
          "How documents are told apart: text by blank lines, lines one per line, jsonl one JSON object per line (see "
          "text_field); "
          "demo makes a corpus of its own and needs no files.");
  s.field("data.text_field", data, &DataConfig::textField)
      .help("Field of each JSON object that holds the text; for jsonl.");
  s.field("data.max_seq_len", data, &DataConfig::maxSeqLen)
      .min(3)
      .max(65536)
      .unit(messages::unitTokens())
      .help("Longest sequence, [CLS] and [SEP] included. Longer documents are cut into pieces, none is lost.");
  s.field("data.shuffle", data, &DataConfig::shuffle)
      .help(
          "Draw the samples of each epoch in an order of its own, given by seed and epoch. Off: the order of the "
          "files.");
  s.field("data.mlm_probability", data, &DataConfig::mlmProbability)
      .above(0)
      .max(1)
      .help("Share of the tokens of each sequence to be predicted; at least one per sequence.");
  s.field("data.join_documents", data, &DataConfig::joinDocuments)
      .help("Fill sequences up with the next document. Off: a short document is a short sequence.");
  s.field("data.holdout", data, &DataConfig::holdout)
      .min(0)
      .max(0.5)
      .help(
          "Share of the documents, chosen by their hash, kept for evaluation when data.eval is left out. 0: no "
          "evaluation.");
}

void declareLength(SchemaBuilder& s) {
  s.field("max_duration", &TrainConfig::maxDuration)
      .units(lengthUnits())
      .above(0)
      .help("How long the run is: epochs, global batches, samples, tokens or seconds of training.");
  s.field("scale_schedule_ratio", &TrainConfig::scaleScheduleRatio)
      .above(0)
      .max(1e6)
      .advanced()
      .help(
          "Stretches max_duration and the times of the schedule by this factor; warm-up only with "
          "scheduler.scale_warmup; never intervals or ramps.");
}

}  // namespace

void declareDataFields(SchemaBuilder& s) {
  declareRun(s);
  declareModel(s);
  declareText(s);
  declareLength(s);
}

}  // namespace batchwise::config
