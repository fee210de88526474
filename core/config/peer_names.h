// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

// Names of other trainers that mean the same as one of ours.

namespace batchwise::config {

/// A name that is accepted for the field or section `path`, with a note.
struct PeerName {
  std::string path;   ///< ours
  std::string owner;  ///< whose name it is: "bert24", "Composer", "DeepSpeed"
};

/// What a peer's dotted name stands for. Empty if it is none.
std::optional<PeerName> peerName(const std::string& path);

/// All of them, for the reference page: (theirs, ours, whose).
struct PeerRow {
  std::string theirs;
  std::string ours;
  std::string owner;
};
const std::vector<PeerRow>& peerNames();

}  // namespace batchwise::config
