// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/base/text.h"
#include "tests/config/import/import_checks.h"

// The settings of the field's own pretraining files (tests/vectors/cases/import-recipes).

namespace batchwise::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const ImportOptions kEight = {std::nullopt, 8};

/// What the files of all sizes and phases share.
const Values kModernBert = {{"model.family", "modernbert"},
                            {"model.local_attention", "128"},
                            {"model.global_attn_every_n_layers", "3"},
                            {"model.hidden_dropout_prob", "0.1"},
                            {"model.attention_probs_dropout_prob", "0"},
                            {"model.layer_norm_eps", "1e-05"},
                            {"model.hidden_act", "gelu"},
                            {"model.pad_vocab_to_multiple_of", "64"},
                            {"tokenizer.train.kind", "byte_bpe"},
                            {"optimizer.name", "stable_adamw"},
                            {"optimizer.decouple_lr", "true"},
                            {"optimizer.grad_clip_norm", "0"},
                            {"precision", "bf16"}};

struct RecipeCase {
  const char* file;
  Values values;
};

TEST(RecipeImportTest, ModernBertAndItsRelativesAreTheModelThatTheyTrain) {
  const std::vector<RecipeCase> cases = {
      {"modernbert-pretrain.yaml",
       {{"model.preset", "base"},
        {"model.num_hidden_layers", "22"},
        {"model.rope_theta", "10000"},
        {"model.local_rope_theta", "10000"},
        {"optimizer.weight_decay", "1e-05"},
        {"data.mlm_probability", "0.3"},
        {"eval.mlm_probability", "0.15"},
        {"batch.tokens.max_tokens", "1024"},
        {"batch.tokens.packing", "best_fit"},
        {"batch.device_train_microbatch_size", "96"},
        {"scheduler.name", "warmup_stable_decay"},
        {"scheduler.t_warmup", "3000000000tok"},
        {"eval.interval", "[4000ba]"}}},
      {"modernbert-extension.yaml",
       {{"model.rope_theta", "160000"},
        {"model.local_rope_theta", "10000"},
        {"data.max_seq_len", "8192"},
        {"batch.tokens.max_tokens", "8192"},
        {"batch.rampup.stages", "[]"},
        {"scheduler.name", "constant_with_warmup"},
        {"scheduler.t_warmup", "0tok"}}},
      {"modernbert-decay.yaml",
       {{"scheduler.name", "one_minus_sqrt"},
        {"scheduler.t_decay", "50000000000tok"},
        {"scheduler.t_max", "50000000000tok"},
        {"scheduler.alpha_f", "0.001"},
        {"max_duration", "50000000000tok"}}},
      {"modernbert-large.yaml", {{"model.preset", "large"}, {"model.intermediate_size", "2624"}}},
      {"ettin-base.yaml",
       {{"batch.tokens.max_tokens", "none"},
        {"batch.rampup.stages", "[]"},
        {"eval.interval", "[]"},
        {"checkpoint.interval", "[8500000000tok]"}}},
      {"mmbert-decay.yaml",
       {{"model.local_rope_theta", "160000"},
        {"tokenizer.train.vocab_size", "256000"},
        {"data.mlm_probability", "0.05"},
        {"scheduler.name", "one_minus_sqrt"},
        {"batch.rampup.stages", "[]"},
        {"optimizer.betas", "[0.9, 0.95]"}}},
  };
  for (const RecipeCase& one : cases) {
    SCOPED_TRACE(one.file);
    const std::string text = recipe(one.file);
    const ConfigImport import = imported(text, kEight);
    expectValues(import, kModernBert);
    expectValues(import, one.values);
    expectNothingLost(import, text);
    EXPECT_FALSE(import.isPartial());
  }
}

// tests/vectors/rampup.json, "landed thresholds 1..6 over 50_000_000_000tok world=8", on all eight devices.
TEST(RecipeImportTest, TheRampHasTheSizesAndTimesOfThePacker) {
  const std::vector<std::int64_t> thresholds = {0, 416666667, 1250000000, 2500000000, 4166666667, 6250000000};
  const auto stages = imported(recipe("modernbert-pretrain.yaml"), kEight).config.batch.rampup.stages;
  ASSERT_EQ(stages.size(), thresholds.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(stages[i].at, Time::of(8 * thresholds[i], TimeUnit::Token));
    EXPECT_EQ(stages[i].globalTrainBatchSize, 768 * static_cast<std::int64_t>(i + 1));
  }
}

TEST(RecipeImportTest, WithoutPackingNoSizeGrows) {
  const ConfigImport import = imported(recipe("ettin-base.yaml"), kEight);
  expectLeft(import, {{"train_loader.batch_size_warmup_min_size", "sequence_packing"},
                      {"train_loader.batch_size_warmup_tokens", "sequence_packing"}});
  EXPECT_FALSE(import.config.batch.rampup.enabled());
}

TEST(RecipeImportTest, SizesThatAreNoWholeRowsGrowEvenly) {
  const std::string head = "max_duration: 1000000tok\nglobal_train_batch_size: 30\ndevice_train_microbatch_size: 4\n";
  const std::string ramp =
      "train_loader: {sequence_packing: true, batch_size_warmup_min_size: 4, batch_size_warmup_tokens: 100_000tok}\n";
  expectValues(imported(head + ramp, {std::nullopt, 1}), {{"batch.rampup.duration", "100000tok"},
                                                          {"batch.rampup.initial_global_train_batch_size", "4"},
                                                          {"batch.rampup.growth", "linear"}});
}

TEST(RecipeImportTest, WhatTheFileCannotGiveIsAskedForFirst) {
  const ConfigImport import = imported(recipe("modernbert-decay.yaml"), kEight);
  EXPECT_EQ(import.notTaken.front().effect, ImportEffect::ToBeGiven);
  expectLeft(import,
             {{"load_path", "model.init_from"}, {"reset_time", "of its own"}, {"tokenizer_name", "tokenizer.json"}});
  EXPECT_THAT(import.yaml,
              AllOf(HasSubstr("# Still to be named: load_path = checkpoints/"), Not(HasSubstr("Not theirs"))));
}

/// Returns the published file with another value of one of the model's choices; without a value, without the choice.
std::string withChoice(const std::string& name, const std::string& value) {
  std::string text = recipe("modernbert-pretrain.yaml");
  const std::size_t at = text.find(" " + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t end = text.find_first_of(",}", at);
  const bool isLast = text[end] == '}';
  return text.replace(at, end - at + (value.empty() && !isLast ? 1 : 0),
                      value.empty() ? "" : " " + name + ": " + value);
}

TEST(RecipeImportTest, AFlexBertWithAnotherChoiceIsAnotherModel) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"attention_layer", "base"},
                                                                      {"bert_layer", "parallel_prenorm"},
                                                                      {"embedding_layer", "absolute_pos"},
                                                                      {"mlp_layer", "mlp"},
                                                                      {"normalization", "rmsnorm"},
                                                                      {"final_norm", "false"},
                                                                      {"skip_first_prenorm", "false"},
                                                                      {"embed_norm", "false"},
                                                                      {"attn_qkv_bias", "true"},
                                                                      {"mlp_out_bias", "true"},
                                                                      {"head_pred_act", "silu"},
                                                                      {"activation_function", "silu"},
                                                                      {"mlp_dropout_prob", "0.1"},
                                                                      {"rotary_emb_dim", "32"},
                                                                      {"rotary_emb_interleaved", "true"},
                                                                      {"rotary_emb_scale_base", "512"},
                                                                      {"init_method", "default"},
                                                                      {"loss_function", "something_else"},
                                                                      {"global_attn_every_n_layers", "-1"},
                                                                      {"hidden_act", "swish"},
                                                                      {"masked_prediction", "true, causal_mask: true"},
                                                                      {"compile_model", "true, moe_experts: 8"}}) {
    SCOPED_TRACE(name);
    const std::string text = withChoice(name, value);
    EXPECT_THAT(refusalOf(text, kEight), AllOf(HasSubstr("another model"), HasSubstr("--partly")));
    expectNothingLost(partlyImported(text, kEight), text);
  }
  for (const char* name : {"attention_layer", "embedding_layer", "mlp_layer", "final_norm", "skip_first_prenorm",
                           "head_pred_act", "init_method"})
    EXPECT_THAT(refusalOf(withChoice(name, ""), kEight), HasSubstr(std::string(name) + " (default)"));
  for (const char* name : {"padding", "rotary_emb_dim", "embed_dropout_prob", "attn_qkv_bias", "masked_prediction"})
    EXPECT_FALSE(imported(withChoice(name, ""), kEight).isPartial()) << name;
}

TEST(RecipeImportTest, SettingsThatTheModelHasAreTakenWhateverTheirValue) {
  expectValues(imported(withChoice("sliding_window", "64"), kEight), {{"model.local_attention", "64"}});
  expectValues(imported(withChoice("rotary_emb_dim", "64"), kEight), {{"model.family", "modernbert"}});
  expectValues(imported(withChoice("num_hidden_layers", "7"), kEight), {{"model.num_hidden_layers", "7"}});
  std::string none = withChoice("sliding_window", "-1");
  none.replace(none.find("global_attn_every_n_layers: 3"), 29, "global_attn_every_n_layers: -1");
  expectValues(imported(none, kEight), {{"model.global_attn_every_n_layers", "1"}});
}

TEST(RecipeImportTest, WhatAShortenedFileLeavesOutHasFlexBertsDefault) {
  const std::string text = recipe("modernbert-shortened.yaml");
  EXPECT_THAT(refusalOf(text, kEight),
              AllOf(HasSubstr("model.model_config.final_norm (default) = false"), HasSubstr("modernbert has true"),
                    HasSubstr("embedding_layer"), Not(HasSubstr("mlp_layer"))));
  const ConfigImport import = partlyImported(text, kEight);
  expectValues(import, {{"model.family", "modernbert"},
                        {"model.preset", "base"},
                        {"optimizer.name", "stable_adamw"},
                        {"optimizer.decouple_lr", "true"},
                        {"optimizer.weight_decay", "1e-05"},
                        {"batch.tokens.max_tokens", "1024"}});
  EXPECT_TRUE(import.isPartial());
  EXPECT_THAT(import.yaml, HasSubstr("# Not theirs: model.model_config.final_norm (default) = false"));
  EXPECT_THAT(refusalOf(recipe("modernbert-minimal.yaml")), HasSubstr("norm_kwargs.bias (default) = true"));
}

TEST(RecipeImportTest, ModelsThatAreNoneOfOursAreRefusedByName) {
  EXPECT_THAT(refusalOf(recipe("mosaic-bert.yaml")), AllOf(HasSubstr("model.name = mosaic_bert"), HasSubstr("ALiBi"),
                                                           HasSubstr("algorithms.gated_linear_units = {}")));
  EXPECT_THAT(
      refusalOf(recipe("alibi.yaml")),
      AllOf(HasSubstr("algorithms.alibi = {}"), HasSubstr("callbacks.ema = {}"), Not(HasSubstr("fused_layernorm"))));
  EXPECT_THAT(refusalOf("max_duration: 1ep\nmodel: {name: flex_gpt, model_config: {causal_mask: true}}\n"),
              HasSubstr("next token"));
  EXPECT_THAT(
      refusalOf("max_duration: 1ep\nmodel: {name: hf_bert, pretrained_model_name: microsoft/deberta-v3-base}\n"),
      HasSubstr("deberta"));
  EXPECT_THAT(refusalOf("max_duration: 1ep\noptimizer: {name: lamb, lr: 1e-3}\n"), HasSubstr("optimizer.name = lamb"));
  for (const char* name : {"mosaic-bert.yaml", "alibi.yaml"})
    expectNothingLost(partlyImported(recipe(name)), recipe(name));
}

TEST(RecipeImportTest, ModelsOfTransformersHaveTheirFamily) {
  const std::string text = recipe("hf-bert.yaml");
  const ConfigImport import = imported(text);
  expectValues(import,
               {{"model.family", "bert"}, {"model.preset", "base"}, {"model.attention_probs_dropout_prob", "0.1"}});
  expectNothingLost(import, text);
  expectValues(imported("max_duration: 1ep\nmodel: {name: hf_bert, pretrained_model_name: FacebookAI/roberta-large}\n"),
               {{"model.family", "roberta"}, {"model.preset", "large"}});
}

}  // namespace
}  // namespace batchwise::test
