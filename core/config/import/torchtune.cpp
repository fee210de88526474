// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/config/import/import_session.h"

// The configuration of a torchtune recipe: what concerns batch size, length and rate.

namespace batchwise::config {
namespace {

constexpr DirectName kTorchtuneDirect[] = {
    {"seed", "seed"},
    {"tokenizer.max_seq_len", "data.max_seq_len"},
    {"shuffle", "data.shuffle"},
    {"use_maximum_batch_size", "batch.use_maximum_batch_size"},
    {"enable_activation_checkpointing", "devices.activation_checkpointing"},
    {"batch_increase_function", "batch.growth.batch_increase_function", "the increment, asked once an epoch"},
};

constexpr SectionReason kTorchtuneReasons[] = {
    {"model", "the models are BERT as published, with the options of the group model"},
    {"tokenizer", "the tokenizer is WordPiece: tokenizer.path or tokenizer.train"},
    {"dataset", "the text is read from files named in data.train"},
    {"dataset_val", "evaluation text is named in data.eval"},
    {"packed", "rows of fixed length are not packed here; batch.tokens packs sequences up to a number of tokens"},
    {"batch_size_val", "evaluation gives the same figures for every batch size; see eval.microbatch_size"},
    {"loss", "the loss is that of masked tokens, per predicted token"},
    {"checkpointer", "checkpoints are kept in the workspace; weights come from model.init_from"},
    {"output_dir", "runs are kept in the workspace (--workspace)"},
    {"resume_from_checkpoint", "a run goes on with the command resume"},
    {"optimizer.fused", "the update is one pass over the weights in any case"},
    {"optimizer", "adamw has no such setting"},
    {"lr_scheduler", "no schedule here has this parameter"},
    {"optimizer_in_bwd",
     "gradients are summed over the whole step first; batch.device_train_microbatch_size saves memory"},
    {"metric_logger", "metrics go to the workspace; export writes them to other formats"},
    {"log_peak_memory_stats", "memory is always recorded"},
    {"log_level", "the terminal shows progress by itself"},
    {"compile", "there is nothing to compile"},
    {"enable_activation_offloading", "activations are kept; a smaller micro-batch needs less memory"},
    {"profiler", "speed and memory are always recorded"},
    {"cudnn_deterministic_mode", "runs repeat bit for bit unless devices.deterministic is false"},
    {"", "no field here means this"},
};

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string times(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what;
}

/// batch_size is what one device computes at once, so the global batch is that times accumulation times devices.
void importBatch(ImportSession& session) {
  const PeerValue* size = session.open("batch_size");
  const PeerValue* accumulation = session.open("gradient_accumulation_steps");
  if (size == nullptr || !size->integer()) {
    session.leave("gradient_accumulation_steps", "has no meaning without batch_size");
    return;
  }
  const std::int64_t passes = accumulation == nullptr ? 1 : accumulation->integer().value_or(1);
  const std::int64_t devices = session.devices().value_or(1);
  const std::string note = "batch_size x " + times(passes, "accumulated") + " x " + times(devices, "devices") +
                           (session.devices() ? "" : "; import with --devices if there were more");
  const std::string global = std::to_string(*size->integer() * passes * devices);
  if (!session.takeAsIs("batch_size", "batch.device_train_microbatch_size")) return;
  if (accumulation != nullptr && accumulation->integer())
    session.take("gradient_accumulation_steps", "batch.global_train_batch_size", global, note);
  else
    session.derive("batch_size", "batch.global_train_batch_size", global, note);
}

void importTorchtuneLength(ImportSession& session) {
  const PeerValue* epochs = session.open("epochs");
  const PeerValue* steps = session.open("max_steps_per_epoch");
  const std::optional<std::int64_t> count = epochs == nullptr ? 1 : epochs->integer();
  if (steps != nullptr && steps->integer() && count) {
    const std::string total = std::to_string(*count * *steps->integer()) + "ba";
    const std::string note =
        "epochs x max_steps_per_epoch; the data goes on after that many steps, where torchtune begins it again";
    if (session.take("max_steps_per_epoch", "max_duration", total, note) && epochs != nullptr)
      session.take("epochs", "max_duration", total, note);
    return;
  }
  if (epochs != nullptr) session.take("epochs", "max_duration", epochs->text + "ep");
}

void importTorchtuneOptimizer(ImportSession& session) {
  const PeerValue* component = session.open("optimizer._component_");
  if (component == nullptr) return;
  const std::string given = component->text;
  if (endsWith(given, ".AdamW"))
    session.take("optimizer._component_", "optimizer.name", "adamw");
  else
    session.leave("optimizer._component_", "the optimiser here is adamw; check rate and betas for it");
  constexpr DirectName names[] = {{"optimizer.lr", "optimizer.lr"},
                                  {"optimizer.betas", "optimizer.betas"},
                                  {"optimizer.eps", "optimizer.eps"},
                                  {"optimizer.weight_decay", "optimizer.weight_decay"}};
  session.takeAll(names);
  if (endsWith(given, ".AdamW")) assumeAdamDefaults(session, "optimizer", given, "[0.9, 0.999]", "0.01");
}

void importTorchtuneClipping(ImportSession& session) {
  if (!session.takeAsIs("clip_grad_norm", "optimizer.grad_clip_norm"))
    session.assume("clip_grad_norm", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
}

void importTorchtuneSchedule(ImportSession& session) {
  const PeerValue* component = session.open("lr_scheduler._component_");
  if (component == nullptr) {
    if (!session.document().has("lr_scheduler"))
      session.assume("lr_scheduler", "scheduler.name", "constant", "without a scheduler the rate stays");
    return;
  }
  const PeerValue* cycles = session.open("lr_scheduler.num_cycles");
  const bool halfCycle = cycles == nullptr || cycles->number() == 0.5;
  if (!endsWith(component->text, "get_cosine_schedule_with_warmup") || !halfCycle) {
    session.leave("lr_scheduler._component_", halfCycle ? "no schedule here is known by this name"
                                                        : "only half a cosine, num_cycles 0.5, is known");
    session.leave("lr_scheduler.num_warmup_steps", "belongs to a schedule that is not taken");
    return session.assume("lr_scheduler", "scheduler.name", "constant", "until you choose a schedule");
  }
  session.take("lr_scheduler._component_", "scheduler.name", "cosine_annealing_with_warmup");
  if (cycles != nullptr) session.take("lr_scheduler.num_cycles", "scheduler.name", "cosine_annealing_with_warmup");
  if (const PeerValue* steps = session.open("lr_scheduler.num_warmup_steps"))
    session.take(steps->key, "scheduler.t_warmup", steps->text + "ba");
}

void importMachine(ImportSession& session) {
  if (const PeerValue* type = session.open("dtype")) {
    const bool half = type->text == "bf16" || type->text == "fp16";
    session.take("dtype", "precision", type->text, half ? "weights and optimiser state stay in fp32 here" : "");
  }
  if (const PeerValue* device = session.open("device"))
    session.take("device", "devices.use", device->text.substr(0, device->text.find(':')));
}

/// Every so many steps, as an interval.
void importSteps(ImportSession& session, const std::string& key, const std::string& field) {
  if (const PeerValue* steps = session.open(key)) session.take(key, field, steps->text + "ba");
}

}  // namespace

void importTorchtune(ImportSession& session) {
  if (const PeerValue* function = session.open("batch_increase_function");
      function != nullptr && function->text.starts_with("lambda"))
    session.leave(function->key, "is Python; write it as a formula of epoch, current_batch_size and loss");
  session.takeAll(kTorchtuneDirect);
  importBatch(session);
  importTorchtuneLength(session);
  importTorchtuneOptimizer(session);
  importTorchtuneClipping(session);
  importTorchtuneSchedule(session);
  importMachine(session);
  importSteps(session, "log_every_n_steps", "log.interval");
  importSteps(session, "run_val_every_n_steps", "eval.interval");
  importSteps(session, "save_every_n_steps", "checkpoint.interval");
  session.leaveRest(kTorchtuneReasons);
}

}  // namespace batchwise::config
