// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

// Names of other training tools with the same meaning as one of ours.

namespace batchwise::config {

/// A name accepted, with a note, for one of our fields.
struct ExternalName {
  std::string theirs;
  std::string ours;
  std::string owner;  ///< the tool: "bert24", "Composer", "torchtune"
};
/// Returns all such names.
const std::vector<ExternalName>& externalNames();
/// Returns the entry of another tool's dotted name, or null.
const ExternalName* externalName(const std::string& theirs);

}  // namespace batchwise::config
