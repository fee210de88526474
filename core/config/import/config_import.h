// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Tool that a configuration file belongs to.
enum class ExternalFormat { Composer, Torchtune, DeepSpeed };
template <>
inline constexpr auto kChoiceNames<ExternalFormat> = namesInFiles("composer", "torchtune", "deepspeed");

/// An imported setting.
struct TakenSetting {
  std::string from;  ///< external dotted name; with " (default)" if the file omits it and its default differs from ours
  std::string to;    ///< our field
  std::string value;  ///< as in our file
  Message note;       ///< how its meaning or value changed; empty: unchanged
};

/// A setting without an equivalent.
struct SettingNotTaken {
  std::string key;
  std::string value;
  Message why;  ///< with a remedy
};

/// An imported configuration. `yaml` always loads without errors.
struct ConfigImport {
  ExternalFormat format = ExternalFormat::Composer;
  TrainConfig config;
  std::string yaml;  ///< all imported fields, in the order of the reference page, after a comment
  std::vector<TakenSetting> taken;
  std::vector<SettingNotTaken> notTaken;
  std::vector<Message> notes;  ///< about the result as a whole, as config check shows them
};

/// Inputs that a file may not contain.
struct ImportOptions {
  std::optional<ExternalFormat> format;  ///< empty: detected from the setting names
  std::optional<std::int64_t>
      devices;  ///< number of devices that the file was written for; per-device sizes are multiplied by it
};

/// Imports a Composer (bert24, ModernBERT) YAML file, a torchtune recipe's configuration or a DeepSpeed JSON file.
/// `${...}` is resolved within the file. Fails with Config if the text is not YAML or JSON, or is none of the three.
Result<ConfigImport> importConfig(const std::string& text, const std::string& sourceName,
                                  const ImportOptions& options = {});

inline constexpr std::int64_t kMaxImportedBytes = std::int64_t{4} << 20;

/// Same for a file. Also fails with NotFound or Io.
Result<ConfigImport> importConfigFile(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace batchwise
