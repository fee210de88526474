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

/// Whose configuration file it is.
enum class PeerFormat { Composer, Torchtune, DeepSpeed };
/// "composer", "torchtune", "deepspeed".
std::string_view peerFormatName(PeerFormat format);
std::optional<PeerFormat> peerFormatFromName(std::string_view name);

/// A setting that became one of ours.
struct TakenSetting {
  std::string from;   ///< their dotted name; with " (default)" where the file is silent and their default is not ours
  std::string to;     ///< our field
  std::string value;  ///< as our file has it
  std::string note;   ///< how its meaning or number changed; empty: the same
};

/// A setting that has no place here.
struct SettingNotTaken {
  std::string key;
  std::string value;
  std::string why;  ///< and what would do
};

/// A peer's configuration as ours. `yaml` loads without errors, whatever the file said.
struct ConfigImport {
  PeerFormat format = PeerFormat::Composer;
  TrainConfig config;
  std::string yaml;  ///< every field that was taken, in the order of the reference page, below a comment
  std::vector<TakenSetting> taken;
  std::vector<SettingNotTaken> notTaken;
  std::vector<std::string> notes;  ///< of the result as a whole, as config check shows them
};

/// What a file may leave open.
struct ImportOptions {
  std::optional<PeerFormat> format;     ///< empty: told from the names in it
  std::optional<std::int64_t> devices;  ///< how many the file was written for; sizes per device are multiplied by it
};

/// Turns a Composer (bert24, ModernBERT) YAML file, a torchtune recipe's configuration or a DeepSpeed JSON file into
/// ours.
/// `${...}` is resolved where it points into the same file. Fails with Config if the text is not YAML or JSON, or is
/// not recognised as any of the three.
Result<ConfigImport> importConfig(const std::string& text, const std::string& sourceName,
                                  const ImportOptions& options = {});

/// The largest file that is read, in bytes.
inline constexpr std::int64_t kLargestImportedBytes = std::int64_t{4} << 20;

/// The same from a file. Fails with NotFound or Io, too.
Result<ConfigImport> importConfigFile(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace batchwise
