// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/config/config_file.h"
#include "tests/config/import/import_checks.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

constexpr const char* kBert = R"(# masked language model, base size
variables:
  rate: 5.0e-4
corpus: ./text-shards
max_seq_len: 128
tokenizer_name: bert-base-uncased
mlm_probability: 0.3
run_name: base-${seed}
model:
  name: bert
  use_pretrained: false
  pretrained_model_name: bert-base-uncased
  tokenizer_name: ${tokenizer_name}
  model_config:
    num_hidden_layers: 6
    vocab_size: 30_528
train_loader:
  dataset:
    local: ${corpus}
    remote: ${oc.env:REMOTE}
    tokenizer_name: ${tokenizer_name}
    max_seq_len: ${max_seq_len}
    shuffle: true
    mlm_probability: ${mlm_probability}
  drop_last: true
eval_loader:
  dataset:
    max_seq_len: ${max_seq_len}
    mlm_probability: 0.15
scheduler:
  name: linear_decay_with_warmup
  t_warmup: 0.06dur
  alpha_f: 0.02
optimizer:
  name: decoupled_adamw
  lr: ${variables.rate}
  betas: [0.9, 0.98]
  eps: 1.0e-06
  weight_decay: 1.0e-5
algorithms:
  gradient_clipping:
    clipping_type: norm
    clipping_threshold: 2.0
  fused_layernorm: true
scale_schedule_ratio: 0.5
max_duration: 286_720_000sp
eval_interval: 2000ba
save_interval: 1
save_num_checkpoints_to_keep: -1
save_folder: /checkpoints/${run_name}
global_train_batch_size: 4096
device_train_microbatch_size: auto
batch_rampup: 30_000_000sp
inital_global_train_batch_size: 512
seed: 17
precision: amp_bf16
callbacks:
  speed_monitor: {window_size: 500}
)";

TEST(ComposerImportTest, TakesWhatMeansTheSame) {
  const ConfigImport import = imported(kBert);
  EXPECT_EQ(import.format, ExternalFormat::Composer);
  expectValues(import, {{"name", "base-17"},
                        {"seed", "17"},
                        {"model.preset", "base"},
                        {"model.num_hidden_layers", "6"},
                        {"model.attention_probs_dropout_prob", "0.1"},
                        {"model.pad_vocab_to_multiple_of", "64"},
                        {"tokenizer.train.vocab_size", "30528"},
                        {"tokenizer.lowercase", "true"},
                        {"data.max_seq_len", "128"},
                        {"data.mlm_probability", "0.3"},
                        {"eval.mlm_probability", "0.15"},
                        {"data.shuffle", "true"},
                        {"scheduler.name", "linear_with_warmup"},
                        {"scheduler.t_warmup", "0.06dur"},
                        {"scheduler.alpha_f", "0.02"},
                        {"scale_schedule_ratio", "0.5"},
                        {"max_duration", "286720000sp"},
                        {"eval.interval", "[2000ba]"},
                        {"checkpoint.interval", "[1ep]"},
                        {"checkpoint.keep_last", "1000000"},
                        {"batch.global_train_batch_size", "4096"},
                        {"batch.device_train_microbatch_size", "auto"},
                        {"batch.rampup.duration", "30000000sp"},
                        {"batch.rampup.initial_global_train_batch_size", "512"},
                        {"precision", "bf16"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 5e-4);
  EXPECT_DOUBLE_EQ(import.config.optimizer.gradClipNorm, 2.0);
}

TEST(ComposerImportTest, ListsWhatHasNoPlaceHereWithTheReason) {
  const ConfigImport import = imported(kBert);
  expectNothingLost(import, kBert);
  expectLeft(import, {{"corpus", "no field here"},
                      {"tokenizer_name", "tokenizer.json"},
                      {"train_loader.dataset.tokenizer_name", "tokenizer.json"},
                      {"train_loader.dataset.local", "data.train"},
                      {"train_loader.dataset.remote", "${oc.env:REMOTE}"},
                      {"train_loader.drop_last", "no sample is dropped"},
                      {"algorithms.fused_layernorm", "does not depend"},
                      {"save_folder", "workspace"},
                      {"callbacks.speed_monitor.window_size", "always recorded"},
                      {"variables.rate", "refer"}});
}

TEST(ComposerImportTest, TheYamlNamesEveryFieldThatWasTakenEvenAtItsDefault) {
  const ConfigImport import = imported(kBert);
  EXPECT_THAT(import.yaml, HasSubstr("\nseed: 17\n"));
  EXPECT_THAT(import.yaml, HasSubstr("# From peer.yaml (composer)"));
  EXPECT_THAT(import.yaml, HasSubstr("  t_warmup: 0.06dur\n"));
  EXPECT_THAT(import.yaml, testing::Not(HasSubstr("log:")));
}

// p <- p (1 - wd lr / lr0) there, as with decouple_lr here.
TEST(ComposerImportTest, DecoupledWeightDecayIsDecoupledHere) {
  const ConfigImport import = imported(kBert);
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 1e-5);
  EXPECT_TRUE(import.config.optimizer.decoupleLr);
  EXPECT_THAT(noteOf(import, "optimizer.weight_decay"), HasSubstr("biases and layer norms"));
  const ConfigImport plain = imported("max_duration: 1ep\noptimizer: {name: adamw, lr: 5e-4, weight_decay: 1e-5}\n");
  EXPECT_DOUBLE_EQ(plain.config.optimizer.weightDecay, 1e-5);
  EXPECT_FALSE(plain.config.optimizer.decoupleLr);
}

TEST(ComposerImportTest, DefaultsThatDifferFromOursAreWrittenOut) {
  const ConfigImport import = imported("max_duration: 4\noptimizer: {name: decoupled_adamw, lr: 1e-3}\n");
  EXPECT_EQ(import.config.optimizer.betas, (std::vector<double>{0.9, 0.95}));
  EXPECT_DOUBLE_EQ(import.config.optimizer.eps, 1e-8);
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 1e-5);
  EXPECT_TRUE(import.config.optimizer.decoupleLr);
  EXPECT_DOUBLE_EQ(import.config.optimizer.gradClipNorm, 0);
  expectValues(import, {{"max_duration", "4ep"}, {"scheduler.name", "constant"}});
}

struct ScheduleCase {
  const char* text;
  const char* name;
  Values values;
};

TEST(ComposerImportTest, Schedules) {
  const std::vector<ScheduleCase> cases = {
      {"{name: cosine_with_warmup, t_warmup: 100ba, alpha_f: 0.1}",
       "cosine_annealing_with_warmup",
       {{"scheduler.t_warmup", "100ba"}, {"scheduler.alpha_f", "0.1"}}},
      {"{name: constant_with_warmup, t_warmup: 3_000_000_000tok}",
       "constant_with_warmup",
       {{"scheduler.t_warmup", "3000000000tok"}}},
      {"{name: warmup_stable_decay, t_warmup: 1000ba, t_decay: 0.1dur, alpha_f: 0.001}",
       "warmup_stable_decay",
       {{"scheduler.t_decay", "0.1dur"}}},
      {"{name: one_minus_sqrt, t_decay: 50_000_000tok, t_max: 50_000_000tok}",
       "one_minus_sqrt",
       {{"scheduler.t_max", "50000000tok"}}},
      {"{name: multistep, milestones: [10ba, 20ba], gamma: 0.5}", "multistep", {{"scheduler.gamma", "0.5"}}},
      {"{name: polynomial, power: 2.0}", "polynomial", {{"scheduler.power", "2"}}},
      {"{name: inv_sqrt_with_warmup, t_warmup: 10ba}", "constant", {}},
      {"{name: step, gamma: 0.5}", "linear_with_warmup", {}},  // step_size missing: given back
  };
  for (const ScheduleCase& one : cases) {
    SCOPED_TRACE(one.text);
    const std::string text = "max_duration: 100000000000tok\nscheduler: " + std::string(one.text) + "\n";
    const ConfigImport import = partlyImported(text);
    expectValues(import, {{"scheduler.name", one.name}});
    expectValues(import, one.values);
    expectNothingLost(import, text);
  }
}

TEST(ComposerImportTest, ParametersOfAScheduleThatIsNotTakenAreLeft) {
  const std::string text = "max_duration: 1ep\nscheduler: {name: inv_sqrt_with_warmup, t_warmup: 10ba}\n";
  EXPECT_THAT(refusalOf(text), HasSubstr("inv_sqrt_with_warmup"));
  const ConfigImport import = partlyImported(text);
  expectLeft(import, {{"scheduler.name", "inv_sqrt_with_warmup"}, {"scheduler.t_warmup", "not taken"}});
}

TEST(ComposerImportTest, TheSizeWarmupOfThePackerNeedsTheNumberOfDevices) {
  const std::string text =
      "max_duration: 1719900000000tok\nglobal_train_batch_size: 4608\ndevice_train_microbatch_size: 96\n"
      "train_loader: {sequence_packing: true, batch_size_warmup_min_size: 96, batch_size_warmup_tokens: "
      "50_000_000_000tok}\n";
  expectLeft(imported(text), {{"train_loader.batch_size_warmup_min_size", "--devices"},
                              {"train_loader.batch_size_warmup_tokens", "--devices"}});
  expectValues(imported(text), {{"batch.tokens.max_tokens", "128"}, {"batch.tokens.packing", "best_fit"}});
}

TEST(ComposerImportTest, WhatRulesRefuseIsGivenBack) {
  const ConfigImport above = partlyImported(
      "max_duration: 1ep\nglobal_train_batch_size: 64\nbatch_rampup: 10ba\ninital_global_train_batch_size: 128\n");
  expectLeft(above, {{"inital_global_train_batch_size", "above"}});
}

TEST(ComposerImportTest, ReferencesThatLeadNowhereAreReported) {
  const ConfigImport import = partlyImported(
      "max_duration: ${length}\nseed: ${a}\na: ${b}\nb: ${a}\noptimizer:\n  name: adamw\n  lr: ${.rate}\n  rate: 1e-4\n"
      "global_train_batch_size: ${two words ${seed}}\n");
  expectLeft(import,
             {{"max_duration", "${length}"}, {"seed", "back to itself"}, {"global_train_batch_size", "refers to"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 1e-4);
}

TEST(ComposerImportTest, ASectionHasWhatItMergesButForItsOwnNames) {
  const ConfigImport import = imported(
      "optimizer_base: &base\n  name: decoupled_adamw\n  lr: 5e-4\n  eps: 1e-7\n"
      "optimizer:\n  <<: *base\n  lr: 8e-4\n"
      "scheduler: {<<: [{name: constant}, {name: cosine_with_warmup}]}\n"
      "max_duration: 10ba\nglobal_train_batch_size: 64\n");
  expectValues(import, {{"optimizer.decouple_lr", "true"}, {"scheduler.name", "constant"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 8e-4);
  EXPECT_DOUBLE_EQ(import.config.optimizer.eps, 1e-7);
}

// OmegaConf and DeepSpeed refuse such a file; PyYAML and json take the last.
TEST(ComposerImportTest, ANameThatIsGivenTwiceIsRefused) {
  EXPECT_THAT(refusalOf("max_duration: 10ba\nglobal_train_batch_size: 64\nglobal_train_batch_size: 128\n"),
              HasSubstr("'global_train_batch_size' is given twice"));
  EXPECT_THAT(refusalOf(R"({"train_batch_size": 8, "optimizer": {"type": "Adam", "type": "AdamW"}})"),
              HasSubstr("'optimizer.type' is given twice"));
}

TEST(ComposerImportTest, AFileIsOneDocument) {
  const std::string text = "---\nmax_duration: 10ba\nglobal_train_batch_size: 64\n---\n";
  expectValues(imported(text), {{"max_duration", "10ba"}});
  EXPECT_THAT(refusalOf(text + "max_duration: 20ba\n"), HasSubstr("several YAML documents"));
}

TEST(ComposerImportTest, CarriageReturnsAloneEndLines) {
  expectValues(imported("max_duration: 10ba\rglobal_train_batch_size: 64\rseed: 5\r"),
               {{"max_duration", "10ba"}, {"batch.global_train_batch_size", "64"}, {"seed", "5"}});
}

TEST(ComposerImportTest, WhatIsNoPeersFileIsRefused) {
  for (const char* text : {"", "just words", "[1, 2]", "a: [", "flour: 200\nsugar: 50\n"}) {
    const auto result = importConfig(text, "cake.yaml");
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::Config);
    EXPECT_THAT(result.error().text(), HasSubstr("cake.yaml"));
  }
  EXPECT_THAT(refusalOf("flour: 200\n", {ExternalFormat::Composer, {}}), HasSubstr("only 0 of its 1 settings"));
  EXPECT_TRUE(importConfig("flour: 200\n", "cake.yaml", {ExternalFormat::Composer, {}, true}).ok());
}

TEST(ComposerImportTest, ASizeThatTheDevicesCannotShareIsRefused) {
  const std::string text = "max_duration: 3ep\nglobal_train_batch_size: 100\nmax_seq_len: 64\n";
  EXPECT_THAT(refusalOf(text, {std::nullopt, 3, true}), HasSubstr("100 is not a multiple of 3 devices"));
  EXPECT_EQ(imported(text, {std::nullopt, 4, true}).config.batch.globalTrainBatchSize, 100);
}

TEST(ComposerImportTest, OlderFilesNameTheGlobalBatchLikeDeepSpeed) {
  const ConfigImport import =
      partlyImported("max_duration: 3ep\ntrain_batch_size: 96\nscheduler: {name: nosuch, t_max: 5ba}\n");
  EXPECT_EQ(import.format, ExternalFormat::Composer);
  expectValues(import,
               {{"batch.global_train_batch_size", "96"}, {"max_duration", "3ep"}, {"scheduler.name", "constant"}});
}

TEST(ComposerImportTest, AScheduleThatIsNotTakenLeavesTheRestOfTheFileAlone) {
  const ConfigImport import = partlyImported(
      "max_duration: 3ep\nscheduler: {name: nosuch, t_max: 5ba}\nbatch_rampup: 0.1dur\n"
      "inital_global_train_batch_size: 8\nglobal_train_batch_size: 64\n");
  expectValues(import, {{"batch.rampup.duration", "0.1dur"},
                        {"batch.rampup.initial_global_train_batch_size", "8"},
                        {"batch.global_train_batch_size", "64"}});
  expectLeft(import, {{"scheduler.t_max", "not taken"}});
}

}  // namespace
}  // namespace batchwise::test
