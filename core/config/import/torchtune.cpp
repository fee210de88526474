// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/config/import/import_session.h"

// Imports a torchtune recipe's configuration: batch size, length and rate.

namespace batchwise::config {
namespace {

constexpr DirectName kTorchtuneDirect[] = {
    {"seed", "seed"},
    {"tokenizer.max_seq_len", "data.max_seq_len"},
    {"shuffle", "data.shuffle"},
    {"use_maximum_batch_size", "batch.use_maximum_batch_size"},
    {"enable_activation_checkpointing", "devices.activation_checkpointing"},
    {"batch_increase_function", "batch.growth.batch_increase_function", "the increment, evaluated once per epoch"},
};

constexpr SectionReason kTorchtuneReasons[] = {
    {"model", kImportDecoderModel, ImportEffect::Differs},
    {"tokenizer.path", kImportNameTokenizer, ImportEffect::ToBeGiven},
    {"tokenizer", kImportNameTokenizer},
    {"dataset", kImportTextFromFiles},
    {"dataset_val", "evaluation text is named in data.eval"},
    {"packed",
     "batch.tokens packs sequences up to a number of tokens, and data.join_documents fills them with the next "
     "document"},
    {"batch_size_val", kImportEvaluationBatchIsFree},
    {"loss", "the loss is the mean over the masked tokens"},
    {"checkpointer", "checkpoints are kept in the workspace; weights come from model.init_from"},
    {"output_dir", kImportRunsInWorkspace},
    {"resume_from_checkpoint", kImportResumeIsACommand},
    {"optimizer.fused optimizer.foreach", "the update is one pass over the weights in any case"},
    {"optimizer", kImportNoSuchOptimizerSetting, ImportEffect::Differs},
    {"lr_scheduler", "no schedule here has this parameter"},
    {"optimizer_in_bwd",
     "gradients are accumulated over the whole step before the optimizer runs; to save memory, use a smaller "
     "batch.device_train_microbatch_size"},
    {"metric_logger", kImportMetricsInWorkspace},
    {"log_peak_memory_stats", "memory is always recorded"},
    {"log_level", kImportTerminalShowsProgress},
    {"compile", kImportNothingToCompile},
    {"enable_activation_offloading",
     "devices.activation_checkpointing computes activations again instead of keeping them"},
    {"profiler", kImportSpeedAndMemoryRecorded},
    {"cudnn_deterministic_mode", "runs repeat bit for bit unless devices.deterministic is false"},
};

void importBatch(ImportSession& session) {
  const ExternalValue* size = session.open("batch_size");
  if (size == nullptr || !size->integer())
    return session.skip("gradient_accumulation_steps", "has no meaning without batch_size");
  if (session.importAsIs("batch_size", "batch.device_train_microbatch_size"))
    importGlobalBatch(session, "batch_size", *size->integer(), "gradient_accumulation_steps");
}

void importTorchtuneLength(ImportSession& session) {
  const ExternalValue* epochs = session.open("epochs");
  const ExternalValue* steps = session.open("max_steps_per_epoch");
  const std::optional<std::int64_t> count = epochs == nullptr ? 1 : epochs->integer();
  if (steps != nullptr && steps->integer() && count) {
    const std::string total = std::to_string(*count * *steps->integer()) + "ba";
    const std::string note =
        "epochs x max_steps_per_epoch; after that many steps the data continues here, while torchtune starts it again";
    if (session.importSetting("max_steps_per_epoch", "max_duration", total, note) && epochs != nullptr)
      session.importSetting("epochs", "max_duration", total, note);
    return;
  }
  if (epochs != nullptr) session.importSetting("epochs", "max_duration", epochs->text + "ep");
}

void importTorchtuneOptimizer(ImportSession& session) {
  const ExternalValue* component = session.open("optimizer._component_");
  if (component == nullptr) return;
  const std::string given = component->text;
  if (given.ends_with(".AdamW"))
    session.importSetting("optimizer._component_", "optimizer.name", "adamw");
  else
    session.skip("optimizer._component_", kImportOptimizerNotAdamw, ImportEffect::Differs);
  constexpr DirectName names[] = {{"optimizer.lr", "optimizer.lr"},
                                  {"optimizer.betas", "optimizer.betas"},
                                  {"optimizer.eps", "optimizer.eps"},
                                  {"optimizer.weight_decay", "optimizer.weight_decay"}};
  session.importAll(names);
  if (given.ends_with(".AdamW")) assumeAdamDefaults(session, "optimizer", given, "[0.9, 0.999]", "0.01");
}

void importTorchtuneSchedule(ImportSession& session) {
  const ExternalValue* component = session.open("lr_scheduler._component_");
  if (component == nullptr) {
    if (!session.document().has("lr_scheduler"))
      session.assume("lr_scheduler", "scheduler.name", "constant", "without a scheduler the learning rate is constant");
    return;
  }
  const ExternalValue* cycles = session.open("lr_scheduler.num_cycles");
  const bool halfCycle = cycles == nullptr || cycles->number() == 0.5;
  if (!component->text.ends_with("get_cosine_schedule_with_warmup") || !halfCycle) {
    session.skip("lr_scheduler._component_",
                 halfCycle ? "no schedule here is known by this name" : "only half a cosine, num_cycles 0.5, is known",
                 ImportEffect::Differs);
    session.skip("lr_scheduler.num_warmup_steps", "belongs to a schedule that is not taken");
    return session.assume("lr_scheduler", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  session.importSetting("lr_scheduler._component_", "scheduler.name", "cosine_annealing_with_warmup");
  if (cycles != nullptr)
    session.importSetting("lr_scheduler.num_cycles", "scheduler.name", "cosine_annealing_with_warmup");
  if (const ExternalValue* steps = session.open("lr_scheduler.num_warmup_steps"))
    session.importSetting(steps->key, "scheduler.t_warmup", steps->text + "ba");
}

void importMachine(ImportSession& session) {
  if (const ExternalValue* type = session.open("dtype")) {
    const bool half = type->text == "bf16" || type->text == "fp16";
    session.importSetting("dtype", "precision", type->text, half ? kStateStaysFp32 : std::string());
  }
  if (const ExternalValue* device = session.open("device"))
    session.importSetting("device", "devices.use", device->text.substr(0, device->text.find(':')));
}

/// Imports a number of steps as an interval.
void importSteps(ImportSession& session, const std::string& key, const std::string& field) {
  if (const ExternalValue* steps = session.open(key)) session.importSetting(key, field, steps->text + "ba");
}

}  // namespace

void importTorchtune(ImportSession& session) {
  if (const ExternalValue* function = session.open("batch_increase_function");
      function != nullptr && function->text.starts_with("lambda"))
    session.skip(function->key, "is Python; write it as a formula of epoch, current_batch_size and loss");
  session.importAll(kTorchtuneDirect);
  importBatch(session);
  importTorchtuneLength(session);
  importTorchtuneOptimizer(session);
  session.importAsIs("clip_grad_norm", "optimizer.grad_clip_norm");
  session.assume("clip_grad_norm", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
  importTorchtuneSchedule(session);
  importMachine(session);
  importSteps(session, "log_every_n_steps", "log.interval");
  importSteps(session, "run_val_every_n_steps", "eval.interval");
  importSteps(session, "save_every_n_steps", "checkpoint.interval");
  session.skipRest(kTorchtuneReasons);
}

}  // namespace batchwise::config
