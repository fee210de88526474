// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "tests/config/import/import_checks.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = R"({
	"train_batch_size": 64,
	"train_micro_batch_size_per_gpu": 4,
	"gradient_accumulation_steps": 2,
	"steps_per_print": 100,
	"optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.9, 0.98], "eps": 1e-7, "weight_decay": 0.05}},
	"scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 1e-4, "warmup_num_steps": 50,
		"total_num_steps": 1000, "warmup_type": "linear"}},
	"gradient_clipping": 1.0,
	"bf16": {"enabled": true},
	"fp16": {"enabled": false, "loss_scale": 0},
	"zero_optimization": {"stage": 2}
})";

TEST(DeepSpeedImportTest, TakesSizesOptimizerScheduleAndPrecision) {
  const ConfigImport import = imported(kFile);
  EXPECT_EQ(import.format, ExternalFormat::DeepSpeed);
  expectValues(import, {{"batch.global_train_batch_size", "64"},
                        {"batch.device_train_microbatch_size", "4"},
                        {"scheduler.name", "linear_with_warmup"},
                        {"scheduler.t_warmup", "50ba"},
                        {"max_duration", "1000ba"},
                        {"precision", "bf16"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 1e-4);
  EXPECT_DOUBLE_EQ(import.config.optimizer.eps, 1e-7);
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 0.05);
  EXPECT_DOUBLE_EQ(import.config.optimizer.gradClipNorm, 1.0);
  expectNothingLost(import, kFile);
  expectLeft(import, {{"optimizer.params.lr", "warmup_max_lr"},
                      {"fp16.enabled", "off"},
                      {"zero_optimization.stage", "whole model"},
                      {"steps_per_print", "terminal"}});
}

struct SizeCase {
  const char* text;
  std::int64_t devices;  ///< 0: not said
  std::int64_t global;
  const char* micro;
};

TEST(DeepSpeedImportTest, AnyOneOfTheSizesMayBeMissing) {
  for (const SizeCase& one : {
           SizeCase{R"({"train_batch_size":64,"bf16":{"enabled":false}})", 0, 64, "auto"},
           SizeCase{R"({"train_batch_size": 64, "gradient_accumulation_steps": 4})", 2, 64, "8"},
           SizeCase{R"({"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 4})", 2, 64, "8"},
           SizeCase{R"({"train_micro_batch_size_per_gpu": 8})", 0, 8, "8"},
           SizeCase{R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"})", 0, 256, "auto"},
       }) {
    SCOPED_TRACE(one.text);
    const auto devices = one.devices > 0 ? std::optional(one.devices) : std::nullopt;
    expectValues(imported(one.text, {std::nullopt, devices}),
                 {{"batch.global_train_batch_size", std::to_string(one.global)},
                  {"batch.device_train_microbatch_size", one.micro}});
  }
}

TEST(DeepSpeedImportTest, SizesThatContradictEachOtherAreRefused) {
  const std::string text = recipe("deepspeed-sizes.json");
  const auto of = [](std::int64_t devices) { return ImportOptions{std::nullopt, devices, true}; };
  EXPECT_THAT(refusalOf(text, of(8)), HasSubstr("256 is not 8 x 1 x 8 = 64"));
  EXPECT_THAT(noteOf(imported(text, of(32)), "batch.global_train_batch_size"), "");
  expectNothingLost(imported(text), text);
  EXPECT_THAT(imported(text).taken.back().note, HasSubstr("256 = 8 x 1 accumulated x 32 devices"));
  EXPECT_THAT(
      refusalOf(R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 3})"),
      HasSubstr("for any number of devices"));
  EXPECT_THAT(refusalOf(R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8})", of(2)),
              HasSubstr("not a multiple of 16"));
  EXPECT_THAT(refusalOf(R"({"train_batch_size": 8, "bf16": {"enabled": true}, "fp16": {"enabled": true}})"),
              HasSubstr("fp16.enabled and bf16.enabled are both true"));
}

struct ScheduleCase {
  const char* text;
  const char* name;
  const char* expression;
};

TEST(DeepSpeedImportTest, Schedules) {
  for (
      const ScheduleCase& one : {
          ScheduleCase{R"({"type": "WarmupLR", "params": {"warmup_num_steps": 100, "warmup_type": "linear"}})",
                       "constant_with_warmup", "\"\""},
          ScheduleCase{R"({"type": "WarmupLR", "params": {"warmup_num_steps": 100}})", "expression",
                       "\"ba < 100 ? log(ba + 1) / log(100) : 1\""},
          ScheduleCase{
              R"({"type": "WarmupDecayLR", "params": {"warmup_num_steps": 10, "total_num_steps": 30, "warmup_type": "linear",
                   "warmup_min_lr": 0.00025}})",
              "expression",
              "\"ba < 10 ? 0.25 + 0.75 * (ba / 10) : 0.25 + 0.75 * (ba < 30 ? 1 - (ba - 10) / (30 - 10) : 0)\""},
          ScheduleCase{
              R"({"type": "WarmupCosineLR", "params": {"warmup_num_steps": 10, "total_num_steps": 30, "warmup_type": "linear"}})",
              "cosine_annealing_with_warmup", "\"\""},
          ScheduleCase{R"({"type": "OneCycle", "params": {"cycle_min_lr": 1e-5}})", "constant", "\"\""},
          ScheduleCase{R"({"type": "WarmupDecayLR", "params": {"warmup_num_steps": 50, "total_num_steps": 20}})",
                       "constant", "\"\""},
      }) {
    SCOPED_TRACE(one.text);
    const ConfigImport import =
        partlyImported(R"({"train_batch_size": 8, "scheduler": )" + std::string(one.text) + "}");
    expectValues(import, {{"scheduler.name", one.name}, {"batch.global_train_batch_size", "8"}});
    EXPECT_EQ("\"" + import.config.scheduler.expression + "\"", one.expression);
  }
}

// The schedules of transformers' manual, which fills in what is auto.
TEST(DeepSpeedImportTest, WhatIsFilledInLaterIsAskedForAndHasNoDefault) {
  for (
      const char* schedule :
      {R"({"type": "WarmupLR", "params": {"warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto"}})",
       R"({"type": "WarmupDecayLR", "params": {"last_batch_iteration": -1, "total_num_steps": "auto",
            "warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto"}})"}) {
    SCOPED_TRACE(schedule);
    const std::string text = R"({"scheduler": )" + std::string(schedule) +
                             R"(, "fp16": {"enabled": "auto"}, "gradient_clipping": "auto", "train_batch_size": "auto",
                             "gradient_accumulation_steps": "auto", "train_micro_batch_size_per_gpu": "auto",
                             "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "eps": "auto",
                             "weight_decay": "auto"}}, "zero_optimization": {"reduce_bucket_size": "auto"}})";
    const ConfigImport import = imported(text);
    for (const char* field : {"optimizer.lr", "optimizer.betas", "optimizer.eps", "optimizer.weight_decay",
                              "optimizer.grad_clip_norm", "scheduler.t_warmup", "scheduler.expression"})
      EXPECT_EQ(noteOf(import, field), "not taken") << field;
    expectValues(import, {{"optimizer.name", "adamw"}, {"scheduler.name", "constant"}});
    expectLeft(import, {{"scheduler.type", "numbers of steps"},
                        {"gradient_clipping", "give the number"},
                        {"zero_optimization.reduce_bucket_size", "whole model"}});
    expectNothingLost(import, text);
  }
}

// A warm-up from above 0 starts at a share of its highest rate, which transformers takes from the optimizer.
TEST(DeepSpeedImportTest, AHighestRateThatIsFilledInIsThatOfTheOptimizer) {
  const auto withRate = [](const std::string& rate) {
    return R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": )" + rate +
           R"(}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 1e-5, "warmup_max_lr": "auto",
              "warmup_num_steps": 10, "warmup_type": "linear"}}})";
  };
  const ConfigImport known = imported(withRate("4e-5"));
  expectValues(known, {{"scheduler.name", "expression"}});
  EXPECT_EQ(known.config.scheduler.expression, "ba < 10 ? 0.25 + 0.75 * (ba / 10) : 1");
  EXPECT_DOUBLE_EQ(known.config.optimizer.lr, 4e-5);
  expectNothingLost(known, withRate("4e-5"));

  const ConfigImport unknown = imported(withRate(R"("auto")"));
  expectValues(unknown, {{"scheduler.name", "constant"}});
  expectLeft(unknown, {{"scheduler.type", "its highest rate"}, {"scheduler.params.warmup_min_lr", "its highest rate"}});
  expectNothingLost(unknown, withRate(R"("auto")"));
}

std::string withBudget(const std::string& fields) {
  return R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": 2, "data_efficiency": {"enabled": true, "seed": 42,
      "data_sampling": {"enabled": true, "dynamic_batching": {)" +
         fields + "}}}}";
}

TEST(DeepSpeedImportTest, ABudgetThatIsOffLeavesTheRestOfTheFileAlone) {
  for (const char* fields : {R"("enabled": false, "max_tokens": 4096)", R"("enabled": true, "min_batch_size": 2)"}) {
    SCOPED_TRACE(fields);
    const std::string text = withBudget(fields);
    const ConfigImport import = imported(text);
    EXPECT_FALSE(import.config.batch.tokens.enabled());
    expectValues(import, {{"batch.global_train_batch_size", "16"}, {"batch.device_train_microbatch_size", "2"}});
    expectNothingLost(import, text);
  }
}

TEST(DeepSpeedImportTest, TheTokenBudgetWithAllItsFields) {
  const std::string text = withBudget(
      R"("enabled": true, "lr_scaling_method": "sqrt", "min_batch_size": 2, "max_batch_size": 10, "max_tokens": 4096,
         "sequence_picking_order": "seqlen", "required_microbatches_of_same_size": true,
         "required_microbatches_of_same_seqlen": true, "metrics_path": "./lengths/", "verbose": true)");
  const ConfigImport import = imported(text);
  expectValues(import, {{"batch.tokens.max_tokens", "4096"},
                        {"batch.tokens.min_batch_size", "2"},
                        {"batch.tokens.max_batch_size", "10"},
                        {"batch.tokens.sequence_picking_order", "seqlen"},
                        {"batch.tokens.required_microbatches_of_same_size", "true"},
                        {"batch.tokens.required_microbatches_of_same_seqlen", "true"},
                        {"batch.tokens.on_small_pack", "discard"},
                        {"batch.global_train_batch_size", "16"},
                        {"batch.device_train_microbatch_size", "1"},
                        {"lr_scaling.method", "sqrt"},
                        {"lr_scaling.reference_batch_size", "16"},
                        {"seed", "42"}});
  EXPECT_EQ(import.config.batch.tokens.metricsPath, "./lengths/");
  expectNothingLost(import, text);
  expectLeft(import, {{"train_micro_batch_size_per_gpu", "one pack"},
                      {"data_efficiency.data_sampling.dynamic_batching.verbose", "batches"}});
}

TEST(DeepSpeedImportTest, TheNamesOfThePullRequestAreKnown) {
  expectValues(imported(withBudget(R"("enabled": true, "max_tokens": 100, "sentence_picking_order": "random",
      "required_microbatches_of_same_sizes": true, "required_microbatches_of_same_lengths": true)")),
               {{"batch.tokens.sequence_picking_order", "random"},
                {"batch.tokens.required_microbatches_of_same_size", "true"},
                {"batch.tokens.required_microbatches_of_same_seqlen", "true"},
                {"lr_scaling.method", "linear"}});  // DeepSpeed's default
}

TEST(DeepSpeedImportTest, ABudgetThatIsOffOrHasNoSizeChangesNothing) {
  const ConfigImport off = imported(withBudget(R"("enabled": false, "max_tokens": 100)"));
  EXPECT_FALSE(off.config.batch.tokens.enabled());
  EXPECT_EQ(off.config.lrScaling.method, LrScalingMethod::None);
  expectLeft(off, {{"data_efficiency.data_sampling.dynamic_batching.max_tokens", "off"}});
  const ConfigImport empty = imported(withBudget(R"("enabled": true, "min_batch_size": 3)"));
  EXPECT_FALSE(empty.config.batch.tokens.enabled());
  expectLeft(empty, {{"data_efficiency.data_sampling.dynamic_batching.min_batch_size", "max_tokens"}});
}

TEST(DeepSpeedImportTest, ABudgetWhoseBoundsCrossIsGivenBack) {
  const ConfigImport import =
      partlyImported(withBudget(R"("enabled": true, "max_tokens": 100, "min_batch_size": 20, "max_batch_size": 10)"));
  expectLeft(import, {{"data_efficiency.data_sampling.dynamic_batching.min_batch_size", "above max_batch_size"}});
  expectValues(import, {{"batch.tokens.max_batch_size", "10"}});
}

}  // namespace
}  // namespace batchwise::test
