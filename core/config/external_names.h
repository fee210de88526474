// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

// Names of other training tools with the same meaning as one of ours.

namespace batchwise::config {

/// A name accepted, with a note, for the field or section `path`.
struct ExternalName {
  std::string path;   ///< ours
  std::string owner;  ///< the tool: "bert24", "Composer", "DeepSpeed"
};

/// Returns what another tool's dotted name stands for; empty if unknown.
std::optional<ExternalName> externalName(const std::string& path);

/// All such names, for the reference page.
struct ExternalNameRow {
  std::string theirs;
  std::string ours;
  std::string owner;
};
const std::vector<ExternalNameRow>& externalNames();

}  // namespace batchwise::config
