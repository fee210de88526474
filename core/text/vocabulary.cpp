// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/text/unicode.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxVocabularyBytes = std::int64_t{256} << 20;

std::string lineOf(std::string_view name, std::size_t id) {
  return formatText("{}, line {}", name, id + 1);
}

Result<void> checkTexts(const std::vector<std::string>& tokens, std::string_view name) {
  if (tokens.empty()) return Error::config(formatText("{} has no tokens; it needs one per line", name));
  if (static_cast<std::int64_t>(tokens.size()) > Vocabulary::kMaxTokens)
    return Error::config(
        formatText("{} has {} tokens; at most {} are possible", name, tokens.size(), Vocabulary::kMaxTokens));
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].empty()) return Error::config(formatText("{}: is empty; each line needs a token", lineOf(name, id)));
    if (!unicode::isWellFormed(tokens[id])) return Error::config(formatText("{}: is not UTF-8 text", lineOf(name, id)));
  }
  return {};
}

}  // namespace

Result<Vocabulary> Vocabulary::load(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "vocab.txt" : path;
  auto content = readFile(file, kMaxVocabularyBytes);
  if (!content.ok()) {
    Error error = content.error();
    if (folder && error.code == ErrorCode::NotFound)
      error.message = formatText("the folder '{}' holds no vocab.txt", path.native());
    return error;
  }
  std::string_view text = *content;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> tokens = partsOf(text, '\n');
  for (std::string& token : tokens)
    if (token.ends_with('\r')) token.pop_back();
  return fromTokens(std::move(tokens), "'" + file.native() + "'");
}

Result<Vocabulary> Vocabulary::fromTokens(std::vector<std::string> tokens, std::string_view name) {
  RETURN_IF_ERROR(checkTexts(tokens, name));
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < tokens.size(); ++id)
    if (const auto [first, isNew] = ids.emplace(tokens[id], static_cast<std::int32_t>(id)); !isNew)
      return Error::config(formatText("{}: '{}' is on line {} already; each token must appear only once",
                                      lineOf(name, id), tokens[id], first->second + 1));
  Vocabulary vocabulary;
  SpecialIds& special = vocabulary.special_;
  const std::pair<const char*, std::int32_t*> wanted[] = {{"[PAD]", &special.pad},
                                                          {"[UNK]", &special.unknown},
                                                          {"[CLS]", &special.cls},
                                                          {"[SEP]", &special.sep},
                                                          {"[MASK]", &special.mask}};
  std::string missing;
  for (const auto& [token, id] : wanted) {
    const auto found = ids.find(token);
    if (found == ids.end())
      missing.append(missing.empty() ? "" : ", ").append(token);
    else
      vocabulary.specialIds_.push_back(*id = found->second);
  }
  if (!missing.empty())
    return Error::config(formatText(
        "{} lacks {}; a BERT vocabulary has [PAD], [UNK], [CLS], [SEP] and [MASK], each on a line of its own", name,
        missing));
  if (tokens.size() == std::size(wanted))
    return Error::config(formatText("{} has only special tokens; it needs pieces of words too", name));
  std::sort(vocabulary.specialIds_.begin(), vocabulary.specialIds_.end());
  vocabulary.tokens_ = std::move(tokens);
  return vocabulary;
}

Vocabulary Vocabulary::of(std::vector<std::string> tokens, const SpecialIds& special,
                          std::vector<std::int32_t> specialIds) {
  Vocabulary vocabulary;
  vocabulary.tokens_ = std::move(tokens);
  vocabulary.special_ = special;
  vocabulary.specialIds_ = std::move(specialIds);
  return vocabulary;
}

std::optional<std::int32_t> Vocabulary::id(std::string_view token) const {
  const auto found = std::find(tokens_.begin(), tokens_.end(), token);
  if (found == tokens_.end()) return std::nullopt;
  return static_cast<std::int32_t>(found - tokens_.begin());
}

std::string Vocabulary::text() const {
  std::string text;
  for (const std::string& token : tokens_) text.append(token).push_back('\n');
  return text;
}

Hash128 Vocabulary::identity() const {
  return hash128(std::string_view(text()));
}

}  // namespace batchwise
