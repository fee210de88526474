// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/file_check.h"

#include <unistd.h>

#include "core/batch/lengths_file.h"
#include "core/data/text_source.h"
#include "core/exchange/hugging_face.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/planned_shape.h"
#include "core/run/messages.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Findings = std::vector<PreflightFinding>;

void checkPattern(const LoadedConfig& loaded, TextFormat format, const std::string& field, const std::string& pattern,
                  Findings& found) {
  const auto files = findTextFiles({pattern}, loaded.baseFolder, format);
  if (!files.ok()) {
    const fs::path start = loaded.baseFolder.empty() ? fs::current_path() : loaded.baseFolder;
    found.push_back({true, field, files.error().message, messages::nameExistingFiles(start.string())});
    return;
  }
  for (const fs::path& file : *files)
    if (access(file.c_str(), R_OK) != 0)
      found.push_back(
          {true, field, messages::inputFileNotReadable(file.string()), messages::grantAccountReadPermission()});
}

void checkText(const LoadedConfig& loaded, Findings& found) {
  const DataConfig& data = loaded.config.data;
  const auto format = textFormatFromName(data.format);
  if (!format.ok()) return;  // the demo format has its own text
  for (const std::string& pattern : data.train) checkPattern(loaded, *format, "data.train", pattern, found);
  for (const std::string& pattern : data.eval) checkPattern(loaded, *format, "data.eval", pattern, found);
}

bool checkVocabulary(const LoadedConfig& loaded, Findings& found) {
  const TokenizerConfig& tokenizer = loaded.config.tokenizer;
  const bool own = !tokenizer.path.empty();
  if (!own && loaded.config.model.initFrom.empty()) return true;
  const auto vocabulary = Vocabulary::load(loaded.baseFolder / (own ? tokenizer.path : loaded.config.model.initFrom));
  if (vocabulary.ok()) return true;
  found.push_back({true, "tokenizer.path", vocabulary.error().message,
                   own ? messages::nameVocabularyOrLeaveEmpty() : messages::nameVocabularyOfModel()});
  return false;
}

bool checkStartFiles(const LoadedConfig& loaded, Findings& found) {
  const fs::path folder = loaded.baseFolder / loaded.config.model.initFrom;
  const bool split = access((folder / "model.safetensors.index.json").c_str(), R_OK) == 0;
  const std::size_t before = found.size();
  for (const char* name : {"config.json", "model.safetensors"})
    if (!(split && name == std::string_view{"model.safetensors"}) && access((folder / name).c_str(), R_OK) != 0)
      found.push_back({true, "model.init_from", messages::weightsFolderLacksReadableFile(folder.string(), name),
                       messages::nameHuggingFaceFolder()});
  return found.size() == before;
}

void checkShape(const LoadedConfig& loaded, Findings& found) {
  const auto shape = plannedShape(loaded);
  if (!shape.ok()) {
    const Message message = shape.error().full();
    const std::string field = fieldOfMessage(message);
    found.push_back({true, field.empty() ? "model.init_from" : field, withoutField(message, field), {}});
    return;
  }
  const TrainConfig& config = loaded.config;
  if (plansGpus(config)) {
    const bool half = config.precision == "bf16" || config.precision == "fp16";
    if (const auto fits = checkGpuHeadSize(*shape, half); !fits.ok())
      found.push_back(
          {true, "model.num_attention_heads", withoutField(fits.error().message, "model.num_attention_heads"), {}});
  }
  if (config.model.initFrom.empty()) return;
  if (const auto fits = checkModelFolder(loaded.baseFolder / config.model.initFrom, *shape); !fits.ok())
    found.push_back({true, "model.init_from", fits.error().full(), {}});
}

void checkLengthsFile(const LoadedConfig& loaded, Findings& found) {
  const fs::path file = metricsFile(loaded);
  if (file.empty()) return;
  std::error_code unknown;
  if (fs::exists(file, unknown)) {
    if (const auto lengths = openLengths(file); !lengths.ok())
      found.push_back({true, "batch.tokens.metrics_path", lengths.error().text(), {}});
    return;
  }
  fs::path folder = fs::absolute(file, unknown).parent_path();
  while (!fs::exists(folder, unknown) && folder.has_relative_path()) folder = folder.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    found.push_back({true, "batch.tokens.metrics_path", messages::lengthsFolderNotWritable(folder.string()),
                     messages::namePlaceAccountCanWrite()});
}

}  // namespace

Message missingTextMessage(const TrainConfig& config) {
  if (config.data.format == "demo" || !config.data.train.empty()) return {};
  return messages::dataFieldNamesNoText();
}

std::vector<PreflightFinding> checkFiles(const LoadedConfig& loaded) {
  Findings found;
  checkText(loaded, found);
  const bool vocabulary = checkVocabulary(loaded, found);
  const bool start = loaded.config.model.initFrom.empty() || checkStartFiles(loaded, found);
  if (start && vocabulary) checkShape(loaded, found);
  checkLengthsFile(loaded, found);
  return found;
}

}  // namespace batchwise
