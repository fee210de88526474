// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"

namespace batchwise {

struct SpecialIds {
  std::int32_t pad = 0;
  std::int32_t unknown = 0;  ///< -1: the tokenizer knows every text and has none
  std::int32_t cls = 0;
  std::int32_t sep = 0;
  std::int32_t mask = 0;
};

/// Token texts by id, and which tokens are special. Immutable and thread-safe.
class Vocabulary {
 public:
  static constexpr std::int64_t kMaxTokens = 4'000'000;

  /// Reads a WordPiece vocabulary: a vocab.txt (one token per line, the line number is the id; pieces inside a word
  /// start with "##") or a folder that contains one. Fails with NotFound, Io, or Config: no tokens, duplicates, a
  /// missing special token, or text that is not UTF-8.
  static Result<Vocabulary> load(const std::filesystem::path& path);
  /// Fails like load(); `name` names the source in messages.
  static Result<Vocabulary> fromTokens(std::vector<std::string> tokens, std::string_view name = "the vocabulary");

  /// Returns the vocabulary of a tokenizer that is no vocab.txt. `specialIds`: ascending, all that are never drawn as
  /// random tokens, those without a token (empty texts) among them.
  static Vocabulary of(std::vector<std::string> tokens, const SpecialIds& special,
                       std::vector<std::int32_t> specialIds);

  std::int32_t size() const { return static_cast<std::int32_t>(tokens_.size()); }
  const std::string& token(std::int32_t id) const { return tokens_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// Returns the id of `token`, by a search through all.
  std::optional<std::int32_t> id(std::string_view token) const;
  const SpecialIds& special() const { return special_; }
  /// Returns the special ids, ascending: those five, and more of a tokenizer.json.
  const std::vector<std::int32_t>& specialIds() const { return specialIds_; }
  /// Returns the content of its vocab.txt.
  std::string text() const;
  /// Hash of the tokens in order.
  Hash128 identity() const;

 private:
  Vocabulary() = default;

  std::vector<std::string> tokens_;
  SpecialIds special_;
  std::vector<std::int32_t> specialIds_;
};

}  // namespace batchwise
