// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace batchwise::fuzz {

/// A file that our own writer made, with changes: inputs stay small and reach what lies behind the first check of a
/// large file. A change is 5 bytes and what is written: file (1), offset (3, taken modulo the size), length (1) and so
/// many bytes; length 255: the file ends at the offset; length 254: its last two pages of 4096 bytes change places.
inline void applyEdits(std::span<const std::uint8_t> edits, const std::vector<std::string*>& files) {
  constexpr std::size_t kHead = 5, kPage = 4096;
  while (edits.size() >= kHead) {
    std::string& file = *files[edits[0] % files.size()];
    const std::size_t offset = edits[1] + 256U * edits[2] + 65536U * edits[3];
    std::size_t length = edits[4];
    edits = edits.subspan(kHead);
    if (file.empty()) continue;
    const std::size_t at = offset % file.size();
    if (length == 255) {
      file.resize(at);
      continue;
    }
    if (length == 254 && file.size() >= 2 * kPage) {
      const std::string last = file.substr(file.size() - kPage);
      file.resize(file.size() - kPage);
      file.insert(file.size() - kPage, last);
      continue;
    }
    length = std::min({length, edits.size(), file.size() - at});
    file.replace(at, length, reinterpret_cast<const char*>(edits.data()), length);
    edits = edits.subspan(length);
  }
}

}  // namespace batchwise::fuzz
