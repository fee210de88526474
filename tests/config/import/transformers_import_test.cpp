// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "tests/config/import/import_checks.h"

namespace batchwise::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TransformersImportTest, TrainingArgumentsAreTheirOwnFormat) {
  for (const char* name : {"trainer.json", "trainer.yaml"}) {
    SCOPED_TRACE(name);
    const std::string text = recipe(name);
    const ConfigImport import = imported(text, {std::nullopt, 2});
    EXPECT_EQ(import.format, ExternalFormat::Transformers);
    expectValues(import, {{"batch.global_train_batch_size", "256"},
                          {"batch.device_train_microbatch_size", "32"},
                          {"max_duration", "3ep"},
                          {"scheduler.name", "cosine_annealing_with_warmup"},
                          {"optimizer.grad_clip_norm", "1"},
                          {"seed", "42"}});
    EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 5e-5);
    EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 0.01);
    expectNothingLost(import, text);
    EXPECT_THAT(refusalOf(text, {ExternalFormat::Torchtune, {}}), HasSubstr("known of torchtune"));
  }
}

// The defaults of TrainingArguments in transformers 5.23.
TEST(TransformersImportTest, WhatIsLeftOutHasTheDefaultOfTransformers) {
  const ConfigImport import = imported(R"({"output_dir": "o", "per_device_train_batch_size": 8})");
  expectValues(import, {{"batch.global_train_batch_size", "8"},
                        {"max_duration", "3ep"},
                        {"scheduler.name", "linear_with_warmup"},
                        {"scheduler.t_warmup", "0ba"},
                        {"optimizer.betas", "[0.9, 0.999]"},
                        {"optimizer.grad_clip_norm", "1"},
                        {"precision", "fp32"},
                        {"seed", "42"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 5e-5);
  EXPECT_DOUBLE_EQ(import.config.optimizer.eps, 1e-8);
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 0);
}

TEST(TransformersImportTest, WordsThatPyYamlTakesForTrueAreTrue) {
  expectValues(imported("max_steps: 9\nlearning_rate: 1e-4\nbf16: yes\nfp16: off\n"), {{"precision", "bf16"}});
  EXPECT_THAT(refusalOf("max_steps: 9\nbf16: On\nfp16: True\n"), HasSubstr("both true"));
}

// As PyYAML 6.0 reads them.
TEST(TransformersImportTest, NumbersOfOtherBasesAreThoseOfPyYaml) {
  expectValues(imported("num_train_epochs: 3\nper_device_train_batch_size: 017\nseed: 0x1_F\n"),
               {{"batch.global_train_batch_size", "15"}, {"seed", "31"}});
  EXPECT_EQ(flatSettings("octal: -0_17\nbinary: +0b101\nquoted: '017'\nlist: [017, 018, 0]\nmeant: ${octal}1\n"
                         "yaml12: 0o17\nreal: 017.5\n"),
            (std::map<std::string, std::string>{{"octal", "-15"},
                                                {"binary", "5"},
                                                {"quoted", "017"},
                                                {"list", "[15, 018, 0]"},
                                                {"meant", "-151"},
                                                {"yaml12", "0o17"},
                                                {"real", "017.5"}}));
}

TEST(TransformersImportTest, NoNormIsNoClipping) {
  const ConfigImport import = imported(R"({"max_steps": 9, "learning_rate": 1e-4, "max_grad_norm": null})");
  expectValues(import, {{"optimizer.grad_clip_norm", "0"}});
}

TEST(TransformersImportTest, SavingTheBestIsNoInterval) {
  const std::string text = R"({"max_steps": 9, "learning_rate": 1e-4, "save_strategy": "best", "save_steps": 50})";
  const ConfigImport import = imported(text);
  EXPECT_EQ(noteOf(import, "checkpoint.interval"), "not taken");
  expectLeft(import, {{"save_strategy", "keep_best"}});
  expectNothingLost(import, text);
}

struct TrainerScheduleCase {
  const char* arguments;
  Values values;
};

// Rates equal those of get_scheduler() in transformers 5.23 over 100 steps to 1e-15, warm-up from 1e-10 aside.
TEST(TransformersImportTest, Schedules) {
  const std::vector<TrainerScheduleCase> cases = {
      {R"("warmup_ratio": 0.0615)", {{"scheduler.name", "linear_with_warmup"}, {"scheduler.t_warmup", "7ba"}}},
      {R"("warmup_steps": 0.05)", {{"scheduler.t_warmup", "5ba"}}},
      {R"("warmup_steps": 9, "warmup_ratio": 0.5)", {{"scheduler.t_warmup", "9ba"}}},
      {R"("lr_scheduler_type": "constant", "warmup_steps": 9)", {{"scheduler.name", "constant"}}},
      {R"("lr_scheduler_type": "polynomial", "warmup_steps": 10)",
       {{"scheduler.name", "polynomial_with_warmup"}, {"scheduler.power", "1"}, {"scheduler.alpha_f", "0.001"}}},
      {R"("lr_scheduler_type": "SchedulerType.INVERSE_SQRT", "warmup_steps": 10)",
       {{"scheduler.name", "inverse_sqrt"}}},
      {R"("lr_scheduler_type": "cosine_with_min_lr", "lr_scheduler_kwargs": {"min_lr": 1e-5})",
       {{"scheduler.alpha_f", "0.1"}}},
      {R"("lr_scheduler_type": "warmup_stable_decay", "lr_scheduler_kwargs": {"num_decay_steps": 20})",
       {{"scheduler.t_decay", "20ba"}, {"scheduler.decay_schedule", "cosine"}, {"scheduler.alpha_f", "0"}}},
      {R"("lr_scheduler_type": "warmup_stable_decay", "lr_scheduler_kwargs": {"num_decay_steps": 9, "min_lr_ratio": 0.1})",
       {{"scheduler.t_decay", "9ba"}, {"scheduler.alpha_f", "0.1"}}},
  };
  for (const TrainerScheduleCase& one : cases) {
    SCOPED_TRACE(one.arguments);
    const std::string text = R"({"max_steps": 100, "learning_rate": 1e-4, )" + std::string(one.arguments) + "}";
    const ConfigImport import = imported(text);
    expectValues(import, one.values);
    expectNothingLost(import, text);
  }
}

TEST(TransformersImportTest, WhatTrainsAnotherModelIsRefused) {
  for (
      const char* arguments :
      {R"("optim": "adafactor")", R"("lr_scheduler_type": "reduce_lr_on_plateau")", R"("label_smoothing_factor": 0.1)",
       R"("lr_scheduler_type": "cosine", "lr_scheduler_kwargs": {"num_cycles": 2})", R"("neftune_noise_alpha": 5)",
       R"("lr_scheduler_type": "warmup_stable_decay", "warmup_steps": 5, "lr_scheduler_kwargs": {"num_decay_steps": 9, "min_lr_ratio": 0.1})",
       R"("lr_scheduler_type": "inverse_sqrt")", R"("model_name_or_path": "microsoft/deberta-v3-base")",
       R"("model_type": "electra")", R"("model_type": "bert", "config_overrides": "rotary=1")"}) {
    const std::string text = R"({"max_steps": 100, "learning_rate": 1e-4, "seed": 1, )" + std::string(arguments) + "}";
    EXPECT_THAT(refusalOf(text), HasSubstr("another model")) << arguments;
    expectNothingLost(partlyImported(text), text);
  }
  EXPECT_THAT(refusalOf(R"({"max_steps": 9, "fp16": true, "bf16": true})"), HasSubstr("both true"));
  EXPECT_FALSE(imported(R"({"max_steps": 9, "seed": 1, "label_smoothing_factor": 0.0, "optim": "adamw_torch_fused"})")
                   .isPartial());
}

TEST(TransformersImportTest, TheCommandOfTheScriptNamesTextAndModel) {
  const std::string text = recipe("run_mlm.command");
  const ConfigImport import = imported(text);
  expectValues(import, {{"batch.global_train_batch_size", "128"},  // 16 x 4 x 2, of torchrun
                        {"data.train", "[text/train.txt]"},
                        {"data.eval", "[text/valid.txt]"},
                        {"data.format", "lines"},
                        {"data.join_documents", "false"},
                        {"data.max_seq_len", "256"},
                        {"data.mlm_probability", "0.2"},
                        {"eval.mlm_probability", "0.2"},
                        {"max_duration", "1000ba"},
                        {"scheduler.t_warmup", "62ba"},
                        {"eval.interval", "[100ba]"},
                        {"checkpoint.interval", "[500ba]"},
                        {"log.interval", "50ba"},
                        {"precision", "fp16"}});
  EXPECT_EQ(import.config.model.initFrom, "./roberta");
  expectNothingLost(import, text);
  EXPECT_THAT(import.yaml, testing::Not(HasSubstr("training text")));
}

TEST(TransformersImportTest, LaunchersSayHowManyDevicesThereWere) {
  for (const char* launcher : {"torchrun --nnodes 2 --nproc-per-node=4", "deepspeed --num_nodes 2 --num_gpus=4",
                               "accelerate launch --num_processes 8 --num_machines 2"}) {
    SCOPED_TRACE(launcher);
    const ConfigImport import =
        imported(std::string(launcher) + " run.py --learning_rate 1e-4 --per_device_train_batch_size 4\n");
    expectValues(import, {{"batch.global_train_batch_size", "32"}});
  }
}

TEST(TransformersImportTest, TextsAreJoinedUnlessTakenLineByLine) {
  const ConfigImport import = imported(
      R"({"model_type": "bert", "config_overrides": "hidden_size=256,num_hidden_layers=4,num_attention_heads=4",
      "train_file": "a.jsonl", "learning_rate": 1e-4})");
  expectValues(import, {{"model.family", "bert"},
                        {"model.hidden_size", "256"},
                        {"model.attention_probs_dropout_prob", "0.1"},
                        {"data.format", "jsonl"},
                        {"data.join_documents", "true"},
                        {"data.attention_across_documents", "true"},
                        {"data.max_seq_len", "512"},
                        {"data.holdout", "0.05"}});
  expectValues(imported(R"({"model_type": "bert", "train_file": "a.csv"})"),
               {{"data.train", "[a.csv]"}, {"data.format", "csv"}});
  const ConfigImport hub =
      imported(R"({"model_name_or_path": "bert-base-cased", "dataset_name": "wikitext", "max_seq_length": 128})");
  expectValues(hub, {{"model.preset", "base"}, {"tokenizer.lowercase", "false"}});
  EXPECT_EQ(hub.notTaken.front().effect, ImportEffect::ToBeGiven);
  expectLeft(hub, {{"model_name_or_path", "model.init_from"}, {"dataset_name", "data.train"}});
}

TEST(XlmImportTest, TheFlagsAreReadAndTheOutputLayerIsNotOurs) {
  const std::string text = recipe("xlm.command");
  EXPECT_THAT(refusalOf(text), AllOf(HasSubstr("output layer"), HasSubstr("another model")));
  const ConfigImport import = partlyImported(text, {std::nullopt, 2});
  EXPECT_EQ(import.format, ExternalFormat::Xlm);
  expectValues(import, {{"name", "xlm_en"},
                        {"model.hidden_size", "1024"},
                        {"model.intermediate_size", "4096"},
                        {"model.num_hidden_layers", "12"},
                        {"model.hidden_act", "gelu"},
                        {"data.max_seq_len", "256"},
                        {"data.mlm_probability", "0.15"},
                        {"batch.global_train_batch_size", "16"},
                        {"max_duration", "6000000sp"},
                        {"eval.interval", "[600000sp]"},
                        {"scheduler.name", "inverse_sqrt"},
                        {"scheduler.t_warmup", "30000ba"},
                        {"scheduler.warmup_init_lr", "1e-07"},
                        {"optimizer.grad_clip_norm", "5"},
                        {"precision", "fp16"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 0.01);
  expectNothingLost(import, text);
}

TEST(XlmImportTest, OtherObjectivesAreOtherModels) {
  for (const char* flags :
       {"--mlm_steps en-fr", "--mlm_steps en --clm_steps en", "--mlm_steps en --sinusoidal_embeddings true",
        "--mlm_steps en,fr --lgs en-fr", "--mlm_steps en --optimizer adam_cosine,lr=0.1"}) {
    const std::string text = "python train.py --emb_dim 64 " + std::string(flags) + "\n";
    const ConfigImport import = partlyImported(text);
    EXPECT_GE(std::ranges::count_if(import.notTaken, [](const auto& s) { return s.effect == ImportEffect::Differs; }),
              2)
        << flags;
    expectNothingLost(import, text);
  }
}

}  // namespace
}  // namespace batchwise::test
