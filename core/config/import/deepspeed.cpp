// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cctype>

#include "core/config/import/import_session.h"

// DeepSpeed's JSON: batch sizes, optimiser, schedule, precision and the token budget of its data efficiency section.

namespace batchwise::config {
namespace {

const std::string kBudget = "data_efficiency.data_sampling.dynamic_batching.";

constexpr SectionReason kDeepSpeedReasons[] = {
    {"zero_optimization", "each device holds the whole model"},
    {"zero_allow_untested_optimizer", "each device holds the whole model"},
    {"optimizer", "adamw has no such setting"},
    {"scheduler", "no schedule here has this parameter"},
    {"fp16", "the loss scale of fp16 is found while running"},
    {"bf16", "weights and optimiser state stay in fp32"},
    {"amp", "see precision"},
    {"data_efficiency.data_sampling.dynamic_batching.verbose", "the command batches shows every pack"},
    {"data_efficiency.data_sampling.dynamic_batching", "the token budget has no such setting"},
    {"data_efficiency.data_sampling.curriculum_learning", "sequences come in the order of the data, shuffled or not"},
    {"data_efficiency.data_routing", "every token passes every layer; model.layer_drop leaves out whole layers"},
    {"data_efficiency.data_sampling", "the text is read from files named in data.train"},
    {"data_efficiency", "see batch.tokens"},
    {"curriculum_learning", "sequences come in the order of the data, shuffled or not"},
    {"gradient_accumulation_steps", "follows from the sizes of global batch and micro-batch, and the devices"},
    {"steps_per_print", "the terminal shows progress by itself"},
    {"wall_clock_breakdown", "speed and memory are always recorded"},
    {"memory_breakdown", "speed and memory are always recorded"},
    {"flops_profiler", "speed and memory are always recorded"},
    {"tensorboard", "metrics go to the workspace; export writes them to other formats"},
    {"wandb", "metrics go to the workspace; export writes them to other formats"},
    {"csv_monitor", "metrics go to the workspace; export --csv writes them out"},
    {"activation_checkpointing", "activations are kept; a smaller micro-batch needs less memory"},
    {"prescale_gradients", "gradients are divided by the number of predicted tokens, once"},
    {"gradient_predivide_factor", "gradients are divided by the number of predicted tokens, once"},
    {"communication_data_type", "gradients are summed in fp32"},
    {"", "no field here means this"},
};

bool isAuto(const PeerValue* value) {
  return value != nullptr && value->text == "auto";
}

void leaveAutos(ImportSession& session) {
  for (const PeerValue& value : session.document().values())
    if (isAuto(&value)) session.leave(value.key, "is filled in by the program that starts DeepSpeed; give the number");
}

/// train_batch_size = micro-batch x accumulation x devices: any one of the four may be missing.
void importSizes(ImportSession& session) {
  const auto number = [&](const char* key) {
    const PeerValue* value = session.document().find(key);
    return value == nullptr ? std::nullopt : value->integer();
  };
  const auto global = number("train_batch_size"), micro = number("train_micro_batch_size_per_gpu"),
             accumulation = number("gradient_accumulation_steps");
  session.takeAsIs("train_batch_size", "batch.global_train_batch_size");
  session.takeAsIs("train_micro_batch_size_per_gpu", "batch.device_train_microbatch_size");
  const std::int64_t passes = std::max<std::int64_t>(1, accumulation.value_or(1));
  const std::int64_t devices = session.devices().value_or(1);
  const std::string counted = std::to_string(passes) + " accumulated, " + std::to_string(devices) + " devices" +
                              (session.devices() ? "" : "; import with --devices if there were more");
  if (global && accumulation && session.devices())
    session.derive("gradient_accumulation_steps", "batch.device_train_microbatch_size",
                   std::to_string(std::max<std::int64_t>(1, *global / (passes * devices))), counted);
  if (micro)
    session.derive("train_micro_batch_size_per_gpu", "batch.global_train_batch_size",
                   std::to_string(*micro * passes * devices), counted);
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void importDeepSpeedOptimizer(ImportSession& session) {
  const PeerValue* type = session.open("optimizer.type");
  if (type == nullptr) return;
  const std::string name = lowered(type->text);
  const PeerValue* mode = session.open("optimizer.params.adam_w_mode");
  const bool decoupled = name == "adamw" || (name == "adam" && (mode == nullptr || mode->isTrue()));
  if (decoupled) {
    session.take("optimizer.type", "optimizer.name", "adamw",
                 name == "adam" ? "DeepSpeed's Adam decays weights as AdamW does unless adam_w_mode is false" : "");
    if (mode != nullptr) session.take(mode->key, "optimizer.name", "adamw");
  } else {
    session.leave("optimizer.type",
                  "the optimiser here is adamw, with decoupled weight decay; check rate and betas for it");
  }
  constexpr DirectName names[] = {{"optimizer.params.lr", "optimizer.lr"},
                                  {"optimizer.params.betas", "optimizer.betas"},
                                  {"optimizer.params.eps", "optimizer.eps"},
                                  {"optimizer.params.weight_decay", "optimizer.weight_decay"}};
  // A schedule of DeepSpeed brings its own rate, which takes this one's place.
  if (session.has("optimizer.lr"))
    session.leave("optimizer.params.lr", "the scheduler's warmup_max_lr is in use instead");
  session.takeAll(names);
  if (decoupled) assumeAdamDefaults(session, "optimizer.params", "DeepSpeed", "[0.9, 0.999]", "0");
}

void importDeepSpeedPrecision(ImportSession& session) {
  for (const std::string key : {"bf16.enabled", "bfloat16.enabled", "fp16.enabled"}) {
    const PeerValue* enabled = session.open(key);
    if (enabled == nullptr) continue;
    if (enabled->isTrue())
      session.take(key, "precision", key[0] == 'b' ? "bf16" : "fp16", "weights and optimiser state stay in fp32");
    else
      session.leave(key, "is off and changes nothing");
  }
}

void importDeepSpeedClipping(ImportSession& session) {
  if (!session.takeAsIs("gradient_clipping", "optimizer.grad_clip_norm"))
    session.assume("gradient_clipping", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
}

/// True if the budget and the sections it stands in are switched on.
bool budgetIsOn(ImportSession& session) {
  const PeerValue* own = session.document().find(kBudget + "enabled");
  const auto notOff = [&](const char* key) {
    const PeerValue* value = session.document().find(key);
    return value == nullptr || !value->isFalse();
  };
  return own != nullptr && own->isTrue() && notOff("data_efficiency.enabled") &&
         notOff("data_efficiency.data_sampling.enabled");
}

void importScaling(ImportSession& session) {
  const std::string key = kBudget + "lr_scaling_method";
  const PeerValue* method = session.document().find(key);
  const std::string name = method == nullptr ? "linear" : method->null ? "none" : method->text;
  if (method == nullptr || method->null)
    session.assume(key, "lr_scaling.method", name);
  else
    session.take(key, "lr_scaling.method", lowered(name) == "none" ? "none" : name);
  if (session.config().lrScaling.method == "none") return;
  session.derive("train_batch_size", "lr_scaling.reference_batch_size",
                 std::to_string(session.config().batch.globalTrainBatchSize),
                 "DeepSpeed compares the samples of a step with train_batch_size, which also counts the packs");
}

/// Today's names and those of the pull request's text.
constexpr std::array<std::pair<const char*, const char*>, 9> kBudgetNames = {{
    {"max_tokens", "batch.tokens.max_tokens"},
    {"max_batch_size", "batch.tokens.max_batch_size"},
    {"sequence_picking_order", "batch.tokens.sequence_picking_order"},
    {"sentence_picking_order", "batch.tokens.sequence_picking_order"},
    {"required_microbatches_of_same_size", "batch.tokens.required_microbatches_of_same_size"},
    {"required_microbatches_of_same_sizes", "batch.tokens.required_microbatches_of_same_size"},
    {"required_microbatches_of_same_seqlen", "batch.tokens.required_microbatches_of_same_seqlen"},
    {"required_microbatches_of_same_lengths", "batch.tokens.required_microbatches_of_same_seqlen"},
    {"metrics_path", "batch.tokens.metrics_path"},
}};

void importBudget(ImportSession& session) {
  const std::string section = kBudget.substr(0, kBudget.size() - 1);
  if (!session.document().has(section)) return;
  if (!budgetIsOn(session)) return session.leaveBelow(section, "dynamic_batching is off");
  const PeerValue* most = session.open(kBudget + "max_tokens");
  if (most != nullptr && !most->integer() && most->number())
    session.take(most->key, "batch.tokens.max_tokens", std::to_string(static_cast<std::int64_t>(*most->number())),
                 "cut to a whole number, as DeepSpeed does");
  for (const auto& [theirs, ours] : kBudgetNames) session.takeAsIs(kBudget + theirs, ours);
  if (!session.has("batch.tokens.max_tokens"))
    return session.leaveBelow(section, "there is no budget without max_tokens");
  session.take(kBudget + "enabled", "batch.tokens.max_tokens",
               std::to_string(*session.config().batch.tokens.maxTokens));
  const PeerValue* least = session.open(kBudget + "min_batch_size");
  if (least != nullptr && session.takeAsIs(least->key, "batch.tokens.min_batch_size") && least->integer() > 1)
    session.derive(least->key, "batch.tokens.on_small_pack", "discard",
                   "as documented; DeepSpeed's code ends packing there and loses the rest");
  session.derive(kBudget + "max_tokens", "batch.device_train_microbatch_size", "1",
                 "a device computes one pack at once; sizes count packs");
  session.leave("train_micro_batch_size_per_gpu", "a device computes one pack at once under a token budget");
  session.takeAsIs("data_efficiency.seed", "seed");
}

}  // namespace

void importDeepSpeed(ImportSession& session) {
  leaveAutos(session);
  session.takeAsIs("seed", "seed");
  importDeepSpeedSchedule(session);
  importDeepSpeedOptimizer(session);
  importDeepSpeedClipping(session);
  importDeepSpeedPrecision(session);
  importBudget(session);
  importSizes(session);
  if (session.has("batch.tokens.max_tokens")) importScaling(session);
  session.leaveRest(kDeepSpeedReasons);
}

}  // namespace batchwise::config
