// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/unicode.h"

namespace batchwise {

/// The replacements that SentencePiece compiles into a model ("precompiled_charsmap"), applied as Hugging Face's
/// normalizer Precompiled does. Immutable and thread-safe.
class Charsmap {
 public:
  /// Parses a map in base64. Fails with Config if it is damaged.
  static Result<Charsmap> parse(std::string_view base64);

  /// Appends the normalized text: each grapheme cluster of less than six bytes is replaced by what its beginning is
  /// mapped to, and other clusters character by character.
  void append(std::string& out, std::string_view text) const;

 private:
  std::optional<std::string_view> replacement(std::string_view text) const;
  void appendCluster(std::string& out, std::string_view cluster) const;

  std::vector<std::uint32_t> units_;  // double array of darts-clone
  std::string replacements_;          // each ends with NUL
  std::array<bool, 128> plain_{};     // ASCII characters that stay
  const unicode::ClassTable* classes_ = &unicode::classTable();
};

}  // namespace batchwise
