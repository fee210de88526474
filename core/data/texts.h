// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kCharsmapDamaged =
    "the character map of the normalizer 'Precompiled' is damaged; download tokenizer.json again";
inline std::string invalidUnicodeReplacedAtText(const auto& subject, const auto& count, const auto& path,
                                                const auto& line) {
  return formatText("{}: {} {} not valid Unicode; each was replaced by U+FFFD. The first: '{}', line {}", subject,
                    formatInteger(count), pluralText(count, "place is", "places are"), path, formatInteger(line));
}
inline std::string stoppedWhileReadingFileText(const auto& path) {
  return formatText("stopped while reading '{}'", path);
}

}  // namespace batchwise
