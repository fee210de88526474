// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "core/config/import/import_session.h"
#include "core/config/schema.h"

// Composer's YAML as bert24 and ModernBERT use it.

namespace batchwise::config {
namespace {

constexpr DirectName kComposerDirect[] = {
    {"run_name", "name"},
    {"name", "name"},
    {"seed", "seed"},
    {"global_seed", "seed"},
    {"variables.global_seed", "seed"},
    {"scale_schedule_ratio", "scale_schedule_ratio"},
    {"global_train_batch_size", "batch.global_train_batch_size"},
    {"train_batch_size", "batch.global_train_batch_size"},  // in older files
    {"device_train_microbatch_size", "batch.device_train_microbatch_size"},
    {"device_eval_microbatch_size", "eval.microbatch_size"},
    {"train_loader.dataset.max_seq_len", "data.max_seq_len"},
    {"max_seq_len", "data.max_seq_len"},
    {"variables.max_seq_len", "data.max_seq_len"},
    {"eval_loader.dataset.max_seq_len", "data.max_seq_len"},
    {"train_loader.dataset.mlm_probability", "data.mlm_probability"},
    {"mlm_probability", "data.mlm_probability"},
    {"eval_loader.dataset.mlm_probability", "data.mlm_probability"},
    {"train_loader.dataset.shuffle", "data.shuffle"},
    {"deterministic_mode", "devices.deterministic"},
};

// Sizes and times of bert24's ramp and of what ModernBERT shipped in its place.
constexpr const char* kWarmupSections[] = {"", "train_loader."};

constexpr SectionReason kComposerReasons[] = {
    {"train_loader.dataset.shuffle_seed", "the order follows from seed"},
    {"train_loader.drop_last", "no sample is dropped here: the last global batch of an epoch may be short"},
    {"train_loader.sequence_packing",
     "rows of fixed length are not packed here; batch.tokens packs sequences up to a number of tokens"},
    {"train_loader", "the text is read from files named in data.train and prepared into a cache"},
    {"eval_loader.dataset.mlm_probability",
     "evaluation predicts the same share of tokens as training, data.mlm_probability"},
    {"eval_loader", "evaluation text is named in data.eval, or held out of data.train"},
    {"evaluators", "evaluation text is named in data.eval; the loss and accuracy of masked tokens are measured"},
    {"data_local", "the text is read from files named in data.train"},
    {"data_remote", "the text is read from files named in data.train; there is no streaming"},
    {"model", "the models are BERT as published, with the options of the group model"},
    {"optimizer.filter_bias_norm_wd", "biases and layer norms are always left out of weight decay"},
    {"optimizer", "adamw has no such setting"},
    {"scheduler", "no schedule here has this parameter"},
    {"batch_rampup", "see batch.rampup"},
    {"global_eval_batch_size", "evaluation gives the same figures for every batch size; see eval.microbatch_size"},
    {"device_eval_batch_size", "evaluation gives the same figures for every batch size; see eval.microbatch_size"},
    {"device_train_batch_size", "follows from batch.global_train_batch_size and the devices"},
    {"grad_accum", "accumulation follows from batch.device_train_microbatch_size; give that instead"},
    {"save_folder", "checkpoints are kept in the workspace (--workspace)"},
    {"save_overwrite", "a run never writes over another one's checkpoints"},
    {"load_path", "a run goes on with the command resume, weights come from model.init_from"},
    {"autoresume", "a run goes on with the command resume"},
    {"reset_time", "the command resume with --fork starts anew from a checkpoint"},
    {"callbacks", "rate, speed, memory and gradient norm are always recorded"},
    {"loggers", "metrics go to the workspace; export writes them to other formats"},
    {"progress_bar", "the terminal shows progress by itself"},
    {"log_to_console", "the terminal shows progress by itself"},
    {"console_log_interval", "the terminal shows progress by itself"},
    {"python_log_level", "the terminal shows progress by itself"},
    {"fsdp_config", "each device holds the whole model"},
    {"deepspeed_config", "each device holds the whole model; import that file by itself for its batch settings"},
    {"dist_timeout", "set by the launcher"},
    {"compile_config", "there is nothing to compile"},
    {"algorithms", "of Composer's algorithms only gradient_clipping by norm has a field, optimizer.grad_clip_norm"},
    {"eval_subset_num_batches", "the whole of data.eval is evaluated"},
    {"train_subset_num_batches", "an epoch holds all of data.train; shorten the run with max_duration"},
    {"spin_dataloaders", "a resume finds its place in the data without reading up to it"},
    {"variables", "a value that other settings refer to"},
};

/// A Time of Composer's, where a bare whole number counts epochs.
std::string composerTime(const PeerValue& value) {
  return value.integer() ? std::to_string(*value.integer()) + "ep" : value.text;
}

void importInterval(ImportSession& session, const std::string& key, const std::string& field) {
  const PeerValue* value = session.open(key);
  if (value == nullptr) return;
  const bool never = value->integer() == 0;
  session.take(key, field, never ? "[]" : "[" + composerTime(*value) + "]",
               value->integer() && !never ? "a number without a unit counts epochs" : "");
}

void importComposerLength(ImportSession& session) {
  if (const PeerValue* value = session.open("max_duration"))
    session.take("max_duration", "max_duration", composerTime(*value),
                 value->integer() ? "a number without a unit counts epochs" : "");
  importInterval(session, "eval_interval", "eval.interval");
  importInterval(session, "save_interval", "checkpoint.interval");
  const PeerValue* keep = session.open("save_num_checkpoints_to_keep");
  if (keep == nullptr) return;
  if (keep->integer() == -1)
    session.take(keep->key, "checkpoint.keep_last", "1000000", "all: the most that can be kept");
  else
    session.takeAsIs(keep->key, "checkpoint.keep_last");
}

void importComposerPrecision(ImportSession& session) {
  static const std::map<std::string, std::string> names = {
      {"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"amp", "fp16"}, {"fp32", "fp32"}};
  if (const PeerValue* value = session.open("precision")) {
    const auto found = names.find(value->text);
    if (found == names.end())
      session.leave("precision", "the formats here are fp32, tf32, bf16 and fp16, with weights in fp32");
    else
      session.take("precision", "precision", found->second);
  }
  const PeerValue* device = session.open("device");
  if (device != nullptr && (device->text == "gpu" || device->text == "cpu"))
    session.take("device", "devices.use", device->text == "gpu" ? "cuda" : "cpu");
}

/// Their decoupled optimisers multiply the weights by 1 - weight_decay x lr / (initial lr), ours by 1 - weight_decay x
/// lr.
void importDecoupledDecay(ImportSession& session) {
  const double rate = session.config().optimizer.lr;
  const PeerValue* decay = session.open("optimizer.weight_decay");
  const std::string key = "optimizer.weight_decay";
  if (decay == nullptr && !session.document().has(key)) {
    if (rate > 0)
      session.assume(key, "optimizer.weight_decay", shortNumber(1e-5 / rate), "the default 1e-5, divided by lr");
    return;
  }
  if (decay == nullptr) return;
  if (!(rate > 0) || !decay->number())
    return session.leave(key, "is to be divided by lr, and that gives no number here");
  session.take(key, "optimizer.weight_decay", shortNumber(*decay->number() / rate),
               decay->text +
                   " divided by lr: a decoupled optimiser takes weight_decay x lr / (initial lr) off the "
                   "weights in a step, adamw here weight_decay x lr");
}

void importComposerOptimizer(ImportSession& session) {
  if (!session.document().has("optimizer")) return;
  const PeerValue* name = session.open("optimizer.name");
  const std::string given = name == nullptr ? "" : name->text;
  const bool decoupled = given.rfind("decoupled_", 0) == 0;
  if (given == "decoupled_adamw" || given == "adamw" || given == "AdamW")
    session.take("optimizer.name", "optimizer.name", "adamw");
  else
    session.leave("optimizer.name", "the optimiser here is adamw; check rate and betas for it");
  constexpr DirectName names[] = {
      {"optimizer.lr", "optimizer.lr"}, {"optimizer.betas", "optimizer.betas"}, {"optimizer.eps", "optimizer.eps"}};
  session.takeAll(names);
  session.assume("optimizer.lr", "optimizer.lr", "1e-3", "the default of " + given);
  if (decoupled)
    importDecoupledDecay(session);
  else
    session.takeAsIs("optimizer.weight_decay", "optimizer.weight_decay");
  assumeAdamDefaults(session, "optimizer", given, decoupled ? "[0.9, 0.95]" : "[0.9, 0.999]", decoupled ? "" : "0.01");
}

void importComposerClipping(ImportSession& session) {
  const std::string section = "algorithms.gradient_clipping.";
  const PeerValue* type = session.open(section + "clipping_type");
  const PeerValue* threshold = session.open(section + "clipping_threshold");
  if (type != nullptr && threshold != nullptr && type->text == "norm") {
    session.takeAsIs(section + "clipping_threshold", "optimizer.grad_clip_norm");
    session.derive(section + "clipping_type", "optimizer.grad_clip_norm", threshold->text);
    return;
  }
  session.assume("algorithms.gradient_clipping", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
}

std::string ourSchedule(const std::string& name) {
  static const std::map<std::string, std::string> names = {{"linear_decay_with_warmup", "linear_with_warmup"},
                                                           {"cosine_with_warmup", "cosine_annealing_with_warmup"},
                                                           {"cosine", "cosine_annealing"},
                                                           {"cosine_warmup", "cosine_annealing_with_warmup"}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

void importComposerSchedule(ImportSession& session) {
  const PeerValue* name = session.open("scheduler.name");
  if (name == nullptr) {
    if (!session.document().has("scheduler"))
      session.assume("scheduler", "scheduler.name", "constant", "without a scheduler the rate stays");
    return;
  }
  const std::string given = name->text;
  if (!session.take("scheduler.name", "scheduler.name", ourSchedule(given))) {
    session.assume("scheduler", "scheduler.name", "constant", "until you choose a schedule");
    return session.leaveBelow("scheduler", "belongs to a schedule that is not taken");
  }
  for (const std::string& parameter : scheduleParameters(ourSchedule(given)))
    session.takeAsIs("scheduler." + parameter, "scheduler." + parameter);
}

void importRamp(ImportSession& session) {
  session.takeAsIs("batch_rampup", "batch.rampup.duration",
                   "stages of equal samples; every step has exactly its size, none is cut short");
  for (const char* key : {"inital_global_train_batch_size", "initial_global_train_batch_size"})
    session.takeAsIs(key, "batch.rampup.initial_global_train_batch_size");
}

/// The packer's size per device, which grows by one sample, as a linear ramp over all devices.
void importSizeWarmup(ImportSession& session) {
  for (const std::string section : kWarmupSections) {
    const std::string tokens = section + "batch_size_warmup_tokens", least = section + "batch_size_warmup_min_size";
    const PeerValue* length = session.open(tokens);
    const PeerValue* size = session.open(least);
    if (length == nullptr || size == nullptr) continue;
    if (!session.devices() || !size->integer()) {
      session.leave(least,
                    "counts samples per device, and the file does not say how many devices; import with --devices");
      session.leave(tokens, "without batch_size_warmup_min_size there is no ramp");
      continue;
    }
    const std::string text = length->integer() ? length->text + "tok" : length->text;
    if (!session.take(tokens, "batch.rampup.duration", text, "stages of equal samples, there of equal steps")) continue;
    session.take(least, "batch.rampup.initial_global_train_batch_size",
                 std::to_string(*size->integer() * *session.devices()), "per device there, of all devices here");
    session.derive(tokens, "batch.rampup.growth", "linear", "their size grows by equal amounts");
  }
}

}  // namespace

void importComposer(ImportSession& session) {
  importComposerModel(session);
  session.takeAll(kComposerDirect);
  importComposerLength(session);
  importComposerPrecision(session);
  importComposerOptimizer(session);
  importComposerClipping(session);
  importComposerSchedule(session);
  importRamp(session);
  importSizeWarmup(session);
  session.leaveRest(kComposerReasons);
}

}  // namespace batchwise::config
