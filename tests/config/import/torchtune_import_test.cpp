// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "tests/config/import/import_checks.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRecipe = R"(output_dir: /tmp/finetune
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /models/tokenizer.model
  max_seq_len: 512
dataset:
  _component_: torchtune.datasets.text_completion_dataset
  packed: False
seed: null
shuffle: True
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
  output_dir: ${output_dir}/weights
batch_size: 4
epochs: 2
gradient_accumulation_steps: 8
max_steps_per_epoch: null
clip_grad_norm: null
optimizer:
  _component_: torch.optim.AdamW
  fused: True
  lr: 2e-5
  weight_decay: 0.1
lr_scheduler:
  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup
  num_warmup_steps: 100
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
device: cuda
dtype: bf16
compile: False
enable_activation_checkpointing: True
log_every_n_steps: 5
batch_increase_function: "epoch % 3 == 0 ? current_batch_size : 0"
)";

TEST(TorchtuneImportTest, TakesBatchLengthAndRate) {
  const ConfigImport import = partlyImported(kRecipe);
  EXPECT_EQ(import.format, ExternalFormat::Torchtune);
  expectValues(import, {{"batch.device_train_microbatch_size", "4"},
                        {"batch.global_train_batch_size", "32"},
                        {"max_duration", "2ep"},
                        {"data.max_seq_len", "512"},
                        {"data.shuffle", "true"},
                        {"scheduler.name", "cosine_annealing_with_warmup"},
                        {"scheduler.t_warmup", "100ba"},
                        {"log.interval", "5ba"},
                        {"devices.use", "cuda"},
                        {"precision", "bf16"}});
  EXPECT_EQ(import.config.batch.growth.batchIncreaseFunction, "epoch % 3 == 0 ? current_batch_size : 0");
  EXPECT_TRUE(import.config.devices.activationCheckpointing);
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 2e-5);
  EXPECT_DOUBLE_EQ(import.config.optimizer.weightDecay, 0.1);
  EXPECT_EQ(import.config.optimizer.betas, (std::vector<double>{0.9, 0.999}));
  EXPECT_DOUBLE_EQ(import.config.optimizer.gradClipNorm, 0);
  expectNothingLost(import, kRecipe);
  EXPECT_THAT(refusalOf(kRecipe), HasSubstr("model._component_"));
}

TEST(TorchtuneImportTest, AFunctionInPythonIsNotTaken) {
  const ConfigImport import =
      imported("batch_size: 4\nepochs: 1\nbatch_increase_function: 'lambda epoch, size: size'\n");
  EXPECT_EQ(import.config.batch.growth.batchIncreaseFunction, "");
  expectLeft(import, {{"batch_increase_function", "is Python"}});
}

TEST(TorchtuneImportTest, ListsTheRestWithTheReason) {
  expectLeft(partlyImported(kRecipe), {{"model._component_", "next token"},
                                       {"tokenizer.path", "tokenizer.json"},
                                       {"dataset.packed", "data.train"},
                                       {"checkpointer.output_dir", "workspace"},
                                       {"optimizer.fused", "one pass"},
                                       {"loss._component_", "masked tokens"},
                                       {"compile", "nothing to compile"}});
}

TEST(TorchtuneImportTest, TheGlobalBatchCountsDevices) {
  const ConfigImport import = partlyImported(kRecipe, {std::nullopt, 4});
  EXPECT_EQ(import.config.batch.globalTrainBatchSize, 128);
  EXPECT_THAT(noteOf(partlyImported(kRecipe), "batch.global_train_batch_size"), HasSubstr("--devices"));
}

struct LengthCase {
  const char* text;
  const char* duration;
};

TEST(TorchtuneImportTest, Lengths) {
  for (const LengthCase& one :
       {LengthCase{"epochs: 3", "3ep"}, LengthCase{"epochs: 3\nmax_steps_per_epoch: 100", "300ba"},
        LengthCase{"max_steps_per_epoch: 100", "100ba"}, LengthCase{"batch_size: 2", "1ep"}}) {
    SCOPED_TRACE(one.text);
    expectValues(imported(one.text, {ExternalFormat::Torchtune, std::nullopt}), {{"max_duration", one.duration}});
  }
}

TEST(TorchtuneImportTest, OptimizersAndSchedulesThatAreNotKnownAreLeft) {
  const ConfigImport import = partlyImported(
      "optimizer: {_component_: bitsandbytes.optim.PagedAdamW8bit, lr: 1e-4}\n"
      "lr_scheduler: {_component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup, num_warmup_steps: "
      "9, "
      "num_cycles: 2}\n");
  expectLeft(import, {{"optimizer._component_", "adamw"},
                      {"lr_scheduler._component_", "half a cosine"},
                      {"lr_scheduler.num_warmup_steps", "not taken"}});
  expectValues(import, {{"scheduler.name", "constant"}});
  EXPECT_DOUBLE_EQ(import.config.optimizer.lr, 1e-4);
}

}  // namespace
}  // namespace batchwise::test
