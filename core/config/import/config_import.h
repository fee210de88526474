// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Tool that a configuration file belongs to.
enum class ExternalFormat { Composer, Torchtune, DeepSpeed, Transformers, Xlm };
template <>
inline constexpr auto kChoiceNames<ExternalFormat> = namesInFiles("composer", "torchtune", "deepspeed", "transformers",
                                                                  "xlm");

/// An imported setting.
struct TakenSetting {
  std::string from;  ///< external dotted name; with " (default)" if the file omits it and its default differs from ours
  std::string to;    ///< our field
  std::string value;  ///< as in our file
  std::string note;   ///< how its meaning or value changed; empty: unchanged
};

/// What follows from a setting that is not imported.
enum class ImportEffect {
  None,       ///< what is learned does not depend on it, or it is so here in any case
  ToBeGiven,  ///< it has to be named here: text, tokenizer, weights, number of devices
  Differs,    ///< the result would train another model
};
template <>
inline constexpr auto kChoiceNames<ImportEffect> = namesInFiles("none", "to_be_given", "differs");

/// A setting without an equivalent.
struct SettingNotTaken {
  std::string key;  ///< with " (default)" if the file omits it
  std::string value;
  std::string why;  ///< with a remedy
  ImportEffect effect = ImportEffect::None;
};

/// An imported configuration. `yaml` always loads without errors.
struct ConfigImport {
  ExternalFormat format = ExternalFormat::Composer;
  TrainConfig config;
  std::string yaml;  ///< all imported fields, in the order of the reference page, after a comment
  std::vector<TakenSetting> taken;
  std::vector<SettingNotTaken> notTaken;  ///< those that differ first, then those to be given
  std::vector<std::string> notes;         ///< about the result as a whole, as config check shows them

  bool isPartial() const { return !notTaken.empty() && notTaken.front().effect == ImportEffect::Differs; }
};

/// Inputs that a file may not contain.
struct ImportOptions {
  std::optional<ExternalFormat> format;  ///< empty: detected from the setting names
  std::optional<std::int64_t>
      devices;          ///< number of devices that the file was written for; per-device sizes are multiplied by it
  bool partly = false;  ///< import what can be imported, although the result would train another model
};

/// Imports a Composer (bert24, ModernBERT) YAML file, a torchtune recipe's configuration, a DeepSpeed JSON file, the
/// arguments of transformers' Trainer and run_mlm (JSON, YAML or a command), or the command of an XLM training.
/// `${...}` is resolved within the file. Fails with Config if the text is none of them, if most of its names are
/// unknown to its tool, if its sizes contradict each other, and, unless `partly` is set, if the result would train
/// another model.
Result<ConfigImport> importConfig(const std::string& text, const std::string& sourceName,
                                  const ImportOptions& options = {});

inline constexpr std::int64_t kMaxImportedBytes = std::int64_t{4} << 20;

/// Returns the settings of a YAML or JSON file by their dotted names; none if it cannot be read.
std::map<std::string, std::string> flatSettings(const std::string& text);

/// Same for a file. Also fails with NotFound or Io.
Result<ConfigImport> importConfigFile(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace batchwise
