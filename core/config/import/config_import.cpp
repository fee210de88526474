// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/config_import.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/config/import/import_session.h"

namespace batchwise {
namespace {

using config::ExternalDocument;
using config::ExternalValue;
using config::ImportSession;

bool hasAny(const ExternalDocument& document, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return document.has(key); });
}

std::optional<ExternalFormat> detectFormat(const ExternalDocument& document) {
  const auto isComponent = [](const ExternalValue& value) {
    return value.key == "_component_" || value.key.find("._component_") != std::string::npos;
  };
  if (std::any_of(document.values().begin(), document.values().end(), isComponent)) return ExternalFormat::Torchtune;
  if (hasAny(document, {"max_duration", "global_train_batch_size", "device_train_microbatch_size", "train_loader",
                        "algorithms", "batch_rampup"}))
    return ExternalFormat::Composer;
  if (hasAny(document, {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization", "data_efficiency",
                        "gradient_clipping", "scheduler.type", "optimizer.type"}))
    return ExternalFormat::DeepSpeed;
  if (hasAny(document, {"scheduler.name", "optimizer.name"})) return ExternalFormat::Composer;
  if (hasAny(document, {"mlm_steps", "emb_dim", "bptt", "lgs"})) return ExternalFormat::Xlm;
  if (hasAny(document, {"per_device_train_batch_size", "per_gpu_train_batch_size", "num_train_epochs", "max_steps",
                        "lr_scheduler_type", "learning_rate", "model_name_or_path", "model_type", "max_grad_norm"}))
    return ExternalFormat::Transformers;
  if (hasAny(document, {"gradient_accumulation_steps", "epochs", "max_steps_per_epoch"}))
    return ExternalFormat::Torchtune;
  return std::nullopt;
}

}  // namespace

Result<ConfigImport> importConfig(const std::string& text, const std::string& sourceName,
                                  const ImportOptions& options) {
  ASSIGN_OR_RETURN(const auto document, ExternalDocument::read(text, sourceName));
  const std::optional<ExternalFormat> format = options.format ? options.format : detectFormat(document);
  if (!format)
    return Error::config(
               "no name in it belongs to Composer, torchtune, DeepSpeed, transformers or XLM; if it is a file of one "
               "of them, say of which (--from)")
        .within(sourceName);
  ImportSession session(document, *format, options);
  switch (*format) {
    case ExternalFormat::Composer: importComposer(session); break;
    case ExternalFormat::Torchtune: importTorchtune(session); break;
    case ExternalFormat::DeepSpeed: importDeepSpeed(session); break;
    case ExternalFormat::Transformers: importTransformers(session); break;
    case ExternalFormat::Xlm: importXlm(session); break;
  }
  Result<ConfigImport> import = session.finish(sourceName);
  if (!import.ok()) return import.error().within(sourceName);
  return import;
}

std::map<std::string, std::string> flatSettings(const std::string& text) {
  std::map<std::string, std::string> settings;
  if (const auto document = config::ExternalDocument::read(text, "settings"); document.ok())
    for (const config::ExternalValue& value : document->values())
      settings[value.key] = value.null ? "null" : value.text;
  return settings;
}

Result<ConfigImport> importConfigFile(const std::filesystem::path& file, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const auto text, readFile(file, kMaxImportedBytes));
  return importConfig(text, file.filename().string(), options);
}

}  // namespace batchwise
