// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/config_import.h"

#include <algorithm>
#include <array>

#include "core/base/file.h"
#include "core/config/import/import_session.h"

namespace batchwise {
namespace {

using config::ImportSession;
using config::PeerDocument;
using config::PeerValue;

constexpr std::array<std::pair<PeerFormat, std::string_view>, 3> kNames = {
    {{PeerFormat::Composer, "composer"}, {PeerFormat::Torchtune, "torchtune"}, {PeerFormat::DeepSpeed, "deepspeed"}}};

bool hasAny(const PeerDocument& document, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return document.has(key); });
}

/// By names that only one of the three has.
std::optional<PeerFormat> recognise(const PeerDocument& document) {
  const auto isComponent = [](const PeerValue& value) {
    return value.key == "_component_" || value.key.find("._component_") != std::string::npos;
  };
  if (std::any_of(document.values().begin(), document.values().end(), isComponent)) return PeerFormat::Torchtune;
  if (hasAny(document, {"max_duration", "global_train_batch_size", "device_train_microbatch_size", "train_loader",
                        "algorithms", "batch_rampup"}))
    return PeerFormat::Composer;
  if (hasAny(document, {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization", "data_efficiency",
                        "gradient_clipping", "scheduler.type", "optimizer.type"}))
    return PeerFormat::DeepSpeed;
  if (hasAny(document, {"scheduler.name", "optimizer.name"})) return PeerFormat::Composer;
  if (hasAny(document, {"gradient_accumulation_steps", "epochs", "max_steps_per_epoch"})) return PeerFormat::Torchtune;
  return std::nullopt;
}

}  // namespace

std::string_view peerFormatName(PeerFormat format) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& row) { return row.first == format; })->second;
}

std::optional<PeerFormat> peerFormatFromName(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& row) { return row.second == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

Result<ConfigImport> importConfig(const std::string& text, const std::string& sourceName,
                                  const ImportOptions& options) {
  const Result<PeerDocument> document = PeerDocument::read(text, sourceName);
  if (!document.ok()) return document.error();
  const std::optional<PeerFormat> format = options.format ? options.format : recognise(*document);
  if (!format)
    return Error::config(
               "no name in it belongs to Composer, torchtune or DeepSpeed; if it is one of theirs, say which with "
               "--from")
        .within(sourceName);
  ImportSession session(*document, *format, options);
  switch (*format) {
    case PeerFormat::Composer: importComposer(session); break;
    case PeerFormat::Torchtune: importTorchtune(session); break;
    case PeerFormat::DeepSpeed: importDeepSpeed(session); break;
  }
  return session.finish(sourceName);
}

Result<ConfigImport> importConfigFile(const std::filesystem::path& file, const ImportOptions& options) {
  const Result<std::string> text = readFile(file, kLargestImportedBytes);
  if (!text.ok()) return text.error();
  return importConfig(*text, file.filename().string(), options);
}

}  // namespace batchwise
