// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <string>

#include "core/config/import/import_session.h"

// Imports batch_size_warmup_* of ModernBERT's packer. The size grows by one row of micro-batch x max_seq_len per device
// and has each value for an equal number of steps: from a rows to b, it passes from k to k + 1 after tokens x (a + ...
// + k) / (a + ... + b - 1), which each device counts for itself, rounded up. Source: src/sequence_packer.py.

namespace batchwise::config {
namespace {

constexpr const char* kImportRampupNeedsPacking =
    "without train_loader.sequence_packing: true nothing reads it there, so the batch size is full from the start";

constexpr std::int64_t kMostStages = 64;

struct SizeWarmup {
  std::string minimumKey, tokensKey;
  std::int64_t first = 0;  ///< rows of a step at the start
  std::int64_t last = 0;   ///< rows of a full step
  std::int64_t row = 0;    ///< samples of one row on each device, over all devices
  double tokens = 0;
  std::int64_t devices = 1;
};

std::string stagesOf(const SizeWarmup& warmup) {
  const auto sumTo = [&](std::int64_t size) {  // first + ... + size - 1
    return static_cast<double>(size - warmup.first) * static_cast<double>(warmup.first + size - 1) / 2;
  };
  const double each = std::ceil(warmup.tokens / static_cast<double>(warmup.devices));
  std::string stages;
  double before = -1;
  for (std::int64_t size = warmup.last; size >= warmup.first; --size) {
    const double at = std::ceil(each / sumTo(warmup.last) * sumTo(size)) * static_cast<double>(warmup.devices);
    if (at == before) continue;  // the larger size starts at the same time
    before = at;
    stages = "{at: " + std::to_string(static_cast<std::int64_t>(at)) +
             "tok, global_train_batch_size: " + std::to_string(size * warmup.row) + "}" + (stages.empty() ? "" : ", ") +
             stages;
  }
  return "[" + stages + "]";
}

void importAsStages(ImportSession& session, const SizeWarmup& warmup) {
  if (!session.importSetting(warmup.tokensKey, "batch.rampup.stages", stagesOf(warmup),
                             "one row per device more at a time, with an equal number of steps for each size, as "
                             "there; a global batch is several such steps"))
    return;
  session.importSetting(warmup.minimumKey, "batch.rampup.stages", stagesOf(warmup),
                        "per device there, over all devices here");
}

/// Too many sizes for a table, or sizes that are no whole rows.
void importAsDuration(ImportSession& session, const SizeWarmup& warmup, std::int64_t samples) {
  const std::string tokens = std::to_string(static_cast<std::int64_t>(warmup.tokens)) + "tok";
  if (!session.importSetting(warmup.tokensKey, "batch.rampup.duration", tokens,
                             "stages have equal numbers of samples here, equal numbers of steps there"))
    return;
  session.importSetting(warmup.minimumKey, "batch.rampup.initial_global_train_batch_size", std::to_string(samples),
                        "per device there, over all devices here");
  session.derive(warmup.tokensKey, "batch.rampup.growth", "linear", "their size grows by equal amounts");
}

void importWarmupOf(ImportSession& session, const std::string& section) {
  SizeWarmup warmup{section + "batch_size_warmup_min_size", section + "batch_size_warmup_tokens"};
  const ExternalValue* length = session.open(warmup.tokensKey);
  const ExternalValue* least = session.open(warmup.minimumKey);
  if (length == nullptr || least == nullptr || !least->integer()) return;
  const auto leave = [&](const char* why, ImportEffect effect = ImportEffect::None) {
    for (const std::string& key : {warmup.tokensKey, warmup.minimumKey}) session.skip(key, why, effect);
  };
  if (!session.config().batch.tokens.enabled()) return leave(kImportRampupNeedsPacking);
  const std::string text = withoutUnderscores(length->text);
  warmup.tokens = std::strtod(text.c_str(), nullptr);  // its unit counts for nothing there
  if (!(warmup.tokens > 0)) return leave("a ramp of no length: the batch size is full from the start");
  if (!session.devices())
    return leave(
        "the ramp starts from a size per device, and the file does not say how many devices; give their number "
        "(--devices)",
        ImportEffect::ToBeGiven);
  const BatchConfig& batch = session.config().batch;
  warmup.devices = *session.devices();
  const std::int64_t samples = *least->integer() * warmup.devices;
  const std::int64_t micro = batch.deviceTrainMicrobatchSize.value_or(1);
  warmup.row = micro * warmup.devices;
  warmup.first = samples / warmup.row;
  warmup.last = batch.globalTrainBatchSize / warmup.row;
  const bool inRows = samples % warmup.row == 0 && batch.globalTrainBatchSize % warmup.row == 0 && warmup.first >= 1;
  if (samples >= batch.globalTrainBatchSize) return leave("starts at the full size: no ramp");
  if (inRows && warmup.last - warmup.first < kMostStages) return importAsStages(session, warmup);
  importAsDuration(session, warmup, samples);
}

}  // namespace

void importSizeWarmup(ImportSession& session) {
  for (const char* section : {"", "train_loader."}) importWarmupOf(session, section);
}

}  // namespace batchwise::config
