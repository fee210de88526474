// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

std::string tokenizerPartUnsupportedText(const auto& part, const auto& type, const auto& known) {
  return formatText("the {} '{}' is not supported; supported are {}", part, type, known);
}

using nlohmann::json;

constexpr JsonLimits kTokenizerLimits{.depth = 64, .bytes = std::size_t{256} << 20, .values = 16'000'000};
constexpr std::size_t kBytes = 256;

const json& member(const json& object, const char* name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string typeOf(const json& part) {
  const json& type = member(part, "type");
  return type.is_string() ? type.get<std::string>() : std::string("?");
}

std::string shortText(const json& value) {
  constexpr std::size_t kLongest = 200;
  std::string text = jsonText(value);
  if (text.size() <= kLongest) return text;
  text.resize(kLongest);
  while (!unicode::isWellFormed(text)) text.pop_back();  // half a character
  return text + "...";
}

Error badField(const json& part, const char* name) {
  return Error::config(formatText("'{}' of '{}' is missing or has a wrong value: {}", name, typeOf(part),
                                  shortText(member(part, name))));
}
Error unsupportedOption(const json& part, const char* name) {
  return Error::config(formatText("the option '{}' of '{}' has the value {}, which is not supported", name,
                                  typeOf(part), shortText(member(part, name))));
}

Result<bool> flagOf(const json& part, const char* name, bool otherwise) {
  const json& value = member(part, name);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean()) return badField(part, name);
  return value.get<bool>();
}

Result<std::string> textOf(const json& part, const char* name, std::optional<std::string> otherwise = std::nullopt) {
  const json& value = member(part, name);
  if (value.is_null() && otherwise) return *otherwise;
  if (!value.is_string()) return badField(part, name);
  return value.get<std::string>();
}

/// Requires that an option has no effect: is missing, null, false, zero or empty.
Result<void> checkUnused(const json& part, const char* name) {
  const json& value = member(part, name);
  const bool unused = value.is_null() || value == json(false) || value == json("") || (value.is_number() && value == 0);
  return unused ? Result<void>() : Result<void>(unsupportedOption(part, name));
}

bool isTokenId(const json& value) {
  return value.is_number_integer() && value >= 0 && value < Vocabulary::kMaxTokens;
}

Result<std::int32_t> idOf(const json& value, const json& part, const char* name) {
  if (!isTokenId(value)) return badField(part, name);
  return value.get<std::int32_t>();
}

/// Calls take(part) for the parts of a list of `name`, or for the part itself if it is no Sequence.
template <typename Take>
Result<void> eachPart(const json& part, const char* name, const Take& take) {
  if (part.is_null()) return {};
  if (typeOf(part) != "Sequence") return take(part);
  const json& parts = member(part, name);
  if (!parts.is_array()) return badField(part, name);
  for (const json& one : parts) RETURN_IF_ERROR(eachPart(one, name, take));
  return {};
}

/// What a Replace or Split looks for: a text, or a regular expression in its place.
struct PatternField {
  std::string text, expression;
};

Result<PatternField> patternOf(const json& part) {
  const json& pattern = member(part, "pattern");
  const json &text = member(pattern, "String"), &expression = member(pattern, "Regex");
  // The reference finds an empty text before each character.
  if (text.is_string() && !text.get_ref<const std::string&>().empty()) return PatternField{text.get<std::string>(), {}};
  if (!expression.is_string() || expression.get_ref<const std::string&>().empty()) return badField(part, "pattern");
  return PatternField{{}, expression.get<std::string>()};
}

// ---- normalizers

class NormalizerReader {
 public:
  Result<std::vector<NormalizerStep>> read(const json& part) {
    RETURN_IF_ERROR(eachPart(part, "normalizers", [this](const json& one) { return take(one); }));
    return std::move(steps_);
  }

 private:
  Result<void> take(const json& part) {
    static const std::map<std::string, unicode::NormalForm> kForms = {{"NFC", unicode::NormalForm::Nfc},
                                                                      {"NFD", unicode::NormalForm::Nfd},
                                                                      {"NFKC", unicode::NormalForm::Nfkc},
                                                                      {"NFKD", unicode::NormalForm::Nfkd}};
    const std::string type = typeOf(part);
    if (const auto form = kForms.find(type); form != kForms.end()) return add(FormStep{form->second});
    if (type == "Lowercase") return add(LowercaseStep{});
    if (type == "StripAccents") return add(StripAccentsStep{});
    if (type == "BertNormalizer") return takeBert(part);
    if (type == "Strip") return takeStrip(part);
    if (type == "Replace") return takeReplace(part);
    if (type == "Prepend") {
      ASSIGN_OR_RETURN(auto text, textOf(part, "prepend"));
      if (text.empty()) return unsupportedOption(part, "prepend");  // the reference then adds unknown tokens
      return add(PrependStep{std::move(text)});
    }
    if (type == "Precompiled") {
      if (member(part, "precompiled_charsmap").is_null()) return {};
      ASSIGN_OR_RETURN(const auto text, textOf(part, "precompiled_charsmap"));
      ASSIGN_OR_RETURN(auto map, Charsmap::parse(text));
      return add(CharsmapStep{std::make_shared<const Charsmap>(std::move(map))});
    }
    return Error::config(
        tokenizerPartUnsupportedText("normalizer", type,
                                     "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Replace, "
                                     "Strip, Prepend, Precompiled, Sequence"));
  }

  Result<void> takeBert(const json& part) {
    ASSIGN_OR_RETURN(const bool clean, flagOf(part, "clean_text", true));
    ASSIGN_OR_RETURN(const bool chinese, flagOf(part, "handle_chinese_chars", true));
    ASSIGN_OR_RETURN(const bool lower, flagOf(part, "lowercase", true));
    ASSIGN_OR_RETURN(const bool accents, flagOf(part, "strip_accents", lower));
    if (clean) steps_.emplace_back(CleanTextStep{});
    if (chinese) steps_.emplace_back(SpacedChineseStep{});
    if (accents) {
      steps_.emplace_back(FormStep{unicode::NormalForm::Nfd});
      steps_.emplace_back(StripAccentsStep{unicode::kStripped});
    }
    if (lower) steps_.emplace_back(LowercaseStep{});
    return {};
  }

  Result<void> takeStrip(const json& part) {
    ASSIGN_OR_RETURN(const bool left, flagOf(part, "strip_left", true));
    ASSIGN_OR_RETURN(const bool right, flagOf(part, "strip_right", true));
    return add(StripStep{left, right});
  }

  Result<void> takeReplace(const json& part) {
    ReplaceStep step;
    ASSIGN_OR_RETURN(step.by, textOf(part, "content"));
    ASSIGN_OR_RETURN(auto pattern, patternOf(part));
    if (pattern.expression == " {2,}")
      step.pattern = ReplaceStep::Pattern::SpaceRuns;
    else if (pattern.expression == "\\s+")
      step.pattern = ReplaceStep::Pattern::WhiteRuns;
    else if (!pattern.expression.empty())
      return Error::config(
          formatText("'Replace' has a regular expression that is not supported: {}", pattern.expression));
    step.text = std::move(pattern.text);
    return add(std::move(step));
  }

  Result<void> add(NormalizerStep step) {
    steps_.push_back(std::move(step));
    return {};
  }

  std::vector<NormalizerStep> steps_;
};

// ---- pre-tokenizers

Result<SplitBehavior> behaviorOf(const json& part, const char* name) {
  static const std::map<std::string, SplitBehavior> kBehaviors = {
      {"Removed", SplitBehavior::Removed},
      {"Isolated", SplitBehavior::Isolated},
      {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
      {"MergedWithNext", SplitBehavior::MergedWithNext},
      {"Contiguous", SplitBehavior::Contiguous}};
  ASSIGN_OR_RETURN(const auto text, textOf(part, name, "Isolated"));
  const auto found = kBehaviors.find(text);
  if (found == kBehaviors.end()) return badField(part, name);
  return found->second;
}

class PreTokenizerReader {
 public:
  Result<std::vector<PreTokenizerStep>> read(const json& part) {
    RETURN_IF_ERROR(eachPart(part, "pretokenizers", [this](const json& one) { return take(one); }));
    return std::move(steps_);
  }
  bool byteLevel() const { return byteLevel_; }

 private:
  Result<void> take(const json& part) {
    const std::string type = typeOf(part);
    if (byteLevel_)
      return Error::config(
          formatText("the pre-tokenizer '{}' follows 'ByteLevel', which is supported only as the last one", type));
    if (type == "ByteLevel") return takeByteLevel(part);
    if (type == "BertPreTokenizer") return add(BertPreTokenizerStep{});
    if (type == "WhitespaceSplit") return add(WhitespaceSplitStep{});
    if (type == "Whitespace") return add(WhitespaceStep{});
    if (type == "Metaspace") return takeMetaspace(part);
    if (type == "Split") return takeSplit(part);
    if (type == "Punctuation") {
      ASSIGN_OR_RETURN(const auto behavior, behaviorOf(part, "behavior"));
      return add(PunctuationStep{behavior});
    }
    if (type == "Digits") {
      ASSIGN_OR_RETURN(const bool individual, flagOf(part, "individual_digits", false));
      return add(DigitsStep{individual});
    }
    return Error::config(tokenizerPartUnsupportedText(
        "pre-tokenizer", type,
        "BertPreTokenizer, ByteLevel, Split, Metaspace, WhitespaceSplit, Whitespace, Punctuation, Digits, Sequence"));
  }

  Result<void> takeByteLevel(const json& part) {
    ASSIGN_OR_RETURN(const bool prefix, flagOf(part, "add_prefix_space", true));
    ASSIGN_OR_RETURN(const bool pattern, flagOf(part, "use_regex", true));
    byteLevel_ = true;
    steps_.emplace_back(ByteLevelStep{prefix});
    if (pattern) steps_.emplace_back(SplitStep{SplitPattern::Gpt2, {}, SplitBehavior::Isolated, false});
    return {};
  }

  Result<void> takeMetaspace(const json& part) {
    MetaspaceStep step;
    ASSIGN_OR_RETURN(step.replacement, textOf(part, "replacement", step.replacement));
    if (step.replacement.empty()) return badField(part, "replacement");
    ASSIGN_OR_RETURN(const bool prefix, flagOf(part, "add_prefix_space", true));  // of files before 0.15
    ASSIGN_OR_RETURN(const auto scheme, textOf(part, "prepend_scheme", prefix ? "always" : "never"));
    ASSIGN_OR_RETURN(step.split, flagOf(part, "split", true));
    using Prepend = MetaspaceStep::Prepend;
    if (scheme == "always")
      step.prepend = Prepend::Always;
    else if (scheme == "never")
      step.prepend = Prepend::Never;
    else if (scheme == "first")
      step.prepend = Prepend::First;
    else
      return badField(part, "prepend_scheme");
    return add(std::move(step));
  }

  Result<void> takeSplit(const json& part) {
    SplitStep step;
    ASSIGN_OR_RETURN(step.behavior, behaviorOf(part, "behavior"));
    ASSIGN_OR_RETURN(step.invert, flagOf(part, "invert", false));
    ASSIGN_OR_RETURN(auto pattern, patternOf(part));
    if (!pattern.expression.empty() && !findSplitPattern(pattern.expression, step.pattern))
      return Error::config(
          formatText("'Split' has a regular expression that is not supported: {}", pattern.expression));
    step.text = std::move(pattern.text);
    return add(std::move(step));
  }

  Result<void> add(PreTokenizerStep step) {
    steps_.push_back(std::move(step));
    return {};
  }

  std::vector<PreTokenizerStep> steps_;
  bool byteLevel_ = false;
};

// ---- models

Result<void> setToken(std::vector<std::string>& tokens, std::int32_t id, const std::string& text) {
  if (static_cast<std::size_t>(id) >= tokens.size()) tokens.resize(static_cast<std::size_t>(id) + 1);
  std::string& place = tokens[static_cast<std::size_t>(id)];
  if (!place.empty() && place != text)
    return Error::config(formatText("the tokens '{}' and '{}' have the same id {}", place, text, id));
  place = text;
  return {};
}

using TokenIds = std::unordered_map<std::string, std::int32_t>;

/// Returns a score as the reference reads it: all its digits as an integer, divided by a power of ten, which may differ
/// from the nearest number in the last bit, and then decides between pieces that add up to the same.
double scoreOf(double value) {
  std::array<char, 32> text;
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific);
  std::string_view digits(text.data(), static_cast<std::size_t>(written.ptr - text.data()));
  int exponent = 0;
  const std::size_t mark = digits.find('e');
  std::from_chars(digits.data() + mark + (digits[mark + 1] == '+' ? 2 : 1), digits.data() + digits.size(), exponent);
  std::uint64_t significand = 0;
  for (const char c : digits.substr(0, mark)) {
    if (c == '.') continue;
    significand = significand * 10 + static_cast<std::uint64_t>(c - '0');
  }
  exponent -= mark > 2 ? static_cast<int>(mark) - 2 : 0;
  const std::string powerText = "1e" + std::to_string(std::abs(exponent));
  double power = 1.0;
  std::from_chars(powerText.data(), powerText.data() + powerText.size(), power);
  const double read =
      exponent < 0 ? static_cast<double>(significand) / power : static_cast<double>(significand) * power;
  if (!std::isfinite(power) || power > 1e300) return value;
  return value < 0 ? -read : read;
}

class ModelReader {
 public:
  explicit ModelReader(TokenizerDefinition& definition) : definition_(definition) {}

  Result<void> read(const json& part) {
    // Files of early versions name no type.
    std::string type = typeOf(part);
    if (type == "?" && member(part, "vocab").is_array()) type = "Unigram";
    if (type == "?" && member(part, "merges").is_array()) type = "BPE";
    if (type == "?" && member(part, "continuing_subword_prefix").is_string()) type = "WordPiece";
    if (definition_.byteLevel && (type == "WordPiece" || type == "Unigram"))
      return Error::config(
          formatText("the pre-tokenizer 'ByteLevel' is supported for the model 'BPE' only, not for '{}'", type));
    if (type == "WordPiece") return readWordPiece(part);
    if (type == "BPE") return readBytePair(part);
    if (type == "Unigram") return readUnigram(part);
    return Error::config(tokenizerPartUnsupportedText("model", type, "WordPiece, BPE, Unigram"));
  }

 private:
  Result<TokenIds> readVocabulary(const json& part) {
    const json& vocabulary = member(part, "vocab");
    if (!vocabulary.is_object() || vocabulary.empty()) return badField(part, "vocab");
    TokenIds ids;
    ids.reserve(vocabulary.size());
    for (const auto& [text, value] : vocabulary.items()) {
      if (!isTokenId(value))
        return Error::config(formatText("the token '{}' has the id {}; ids are integers from 0 to below {}", text,
                                        shortText(value), Vocabulary::kMaxTokens));
      const auto id = value.get<std::int32_t>();
      RETURN_IF_ERROR(setToken(definition_.tokens, id, text));
      ids.emplace(text, id);
    }
    return ids;
  }

  Result<void> readWordPiece(const json& part) {
    WordPieceSpec spec;
    ASSIGN_OR_RETURN(const auto ids, readVocabulary(part));
    ASSIGN_OR_RETURN(definition_.unknown, textOf(part, "unk_token", "[UNK]"));
    ASSIGN_OR_RETURN(spec.continuation, textOf(part, "continuing_subword_prefix", "##"));
    const auto unknown = ids.find(definition_.unknown);
    if (unknown == ids.end()) return badField(part, "unk_token");
    spec.unknown = unknown->second;
    const json& longest = member(part, "max_input_chars_per_word");
    if (!longest.is_null()) {
      if (!longest.is_number_integer() || longest < 0 || longest > 1'000'000'000)
        return badField(part, "max_input_chars_per_word");
      spec.maxCodePoints = longest.get<int>();
    }
    spec.tokens.assign(ids.begin(), ids.end());
    if (spec.maxCodePoints > static_cast<int>(kMaxPieceBytes)) {  // longer pieces than a word are never found
      for (const auto& [text, id] : spec.tokens) RETURN_IF_ERROR(checkPiece(text));
    }
    definition_.model = std::move(spec);
    return {};
  }

  /// Long pieces make a tokenizer slow: each byte of a text may cost as many steps as the longest piece has bytes.
  Result<void> checkPiece(const std::string& text) {
    if (text.size() > kMaxPieceBytes)
      return Error::config(formatText("the token {} has {} bytes; at most {} are supported", shortText(text),
                                      text.size(), kMaxPieceBytes));
    piecesBytes_ += text.size();
    if (piecesBytes_ <= kMaxPiecesBytes) return {};
    return Error::config(
        formatText("the tokens of the model have more than {} of text together, which is not supported",
                   formatBytes(kMaxPiecesBytes)));
  }

  Result<void> readBytePair(const json& part) {
    for (const char* unused : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
      RETURN_IF_ERROR(checkUnused(part, unused));
    BytePairSpec spec;
    spec.symbols = definition_.byteLevel ? BytePairSymbols::Bytes : BytePairSymbols::Characters;
    ASSIGN_OR_RETURN(const auto ids, readVocabulary(part));
    ASSIGN_OR_RETURN(definition_.unknown, textOf(part, "unk_token", ""));
    if (const auto unknown = ids.find(definition_.unknown); unknown != ids.end()) spec.unknown = unknown->second;
    ASSIGN_OR_RETURN(spec.fuseUnknown, flagOf(part, "fuse_unk", false));
    ASSIGN_OR_RETURN(spec.ignoreMerges, flagOf(part, "ignore_merges", false));
    ASSIGN_OR_RETURN(const bool byteFallback, flagOf(part, "byte_fallback", false));
    if (byteFallback && !definition_.byteLevel) spec.byteTokens = byteTokens(ids);
    std::size_t bytes = 0;
    for (const auto& [text, id] : ids) {
      if (!definition_.byteLevel) {
        spec.tokens.emplace_back(text, id);
      } else if (auto raw = bytesOfByteLevelText(text)) {
        bytes += raw->size() == 1 ? 1 : 0;
        spec.tokens.emplace_back(std::move(*raw), id);
      }
    }
    if (byteFallback && definition_.byteLevel && bytes < kBytes) return unsupportedOption(part, "byte_fallback");
    RETURN_IF_ERROR(readMerges(part, ids, spec));
    definition_.model = std::move(spec);
    return {};
  }

  Result<void> readMerges(const json& part, const TokenIds& ids, BytePairSpec& spec) {
    const json& merges = member(part, "merges");
    if (!merges.is_array()) return badField(part, "merges");
    spec.merges.reserve(merges.size());
    std::string joined;
    for (std::size_t number = 0; number < merges.size(); ++number) {
      const json& merge = merges[number];
      std::string left, right;
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      } else if (merge.is_string()) {
        const auto& text = merge.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
          return Error::config(
              formatText("merge {} of the model 'BPE' is not a pair of tokens: {}", number + 1, shortText(merge)));
        left = text.substr(0, space);
        right = text.substr(space + 1);
      } else {
        return Error::config(
            formatText("merge {} of the model 'BPE' is not a pair of tokens: {}", number + 1, shortText(merge)));
      }
      joined.assign(left).append(right);
      const auto one = ids.find(left), two = ids.find(right), both = ids.find(joined);
      if (one == ids.end() || two == ids.end() || both == ids.end())
        return Error::config(formatText(
            "merge {} of the model 'BPE' joins '{}' and '{}', but one of the two, or the result, is not a token",
            number + 1, left, right));
      // A merge of tokens that are no bytes never happens in a byte-level model.
      if (definition_.byteLevel && (!bytesOfByteLevelText(left) || !bytesOfByteLevelText(right))) continue;
      spec.merges.push_back({one->second, two->second, both->second});
    }
    return {};
  }

  Result<void> readUnigram(const json& part) {
    UnigramSpec spec;
    const json& vocabulary = member(part, "vocab");
    if (!vocabulary.is_array() || vocabulary.empty()) return badField(part, "vocab");
    if (vocabulary.size() > static_cast<std::size_t>(Vocabulary::kMaxTokens)) return badField(part, "vocab");
    TokenIds ids;
    for (const json& piece : vocabulary) {
      if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number())
        return badField(part, "vocab");
      const auto id = static_cast<std::int32_t>(spec.pieces.size());
      spec.pieces.emplace_back(piece[0].get<std::string>(), scoreOf(piece[1].get<double>()));
      RETURN_IF_ERROR(checkPiece(spec.pieces.back().first));
      definition_.tokens.push_back(spec.pieces.back().first);
      ids[spec.pieces.back().first] = id;
    }
    ASSIGN_OR_RETURN(spec.unknown, idOf(member(part, "unk_id"), part, "unk_id"));
    if (static_cast<std::size_t>(spec.unknown) >= spec.pieces.size()) return badField(part, "unk_id");
    definition_.unknown = spec.pieces[static_cast<std::size_t>(spec.unknown)].first;
    ASSIGN_OR_RETURN(const bool byteFallback, flagOf(part, "byte_fallback", false));
    if (byteFallback) spec.byteTokens = byteTokens(ids);
    definition_.model = std::move(spec);
    return {};
  }

  static std::vector<std::int32_t> byteTokens(const TokenIds& ids) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::vector<std::int32_t> found(kBytes, -1);
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      const std::string name = std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
      if (const auto id = ids.find(name); id != ids.end()) found[byte] = id->second;
    }
    return found;
  }

  TokenizerDefinition& definition_;
  std::size_t piecesBytes_ = 0;
};

// ---- added tokens and frames

/// The ids that `tokenizers` gives added tokens, whatever the file says: that of the model, else the next one behind
/// those of the model and of the tokens added so far.
class AddedIds {
 public:
  AddedIds(const std::vector<std::string>& tokens, std::size_t inModel) : inModel_(static_cast<std::int32_t>(inModel)) {
    for (std::size_t id = 0; id < tokens.size(); ++id)
      if (!tokens[id].empty()) known_[tokens[id]] = static_cast<std::int32_t>(id);
  }

  std::int32_t of(const std::string& content) {
    const auto [place, isNew] = known_.emplace(content, std::max(most_ + 1, inModel_));
    most_ = std::max(most_, place->second);
    return place->second;
  }

 private:
  TokenIds known_;
  std::int32_t inModel_;
  std::int32_t most_ = -1;  // of the added tokens so far
};

Result<AddedToken> addedToken(const json& entry) {
  AddedToken token;
  const json& id = member(entry, "id");
  if (!entry.is_object() || !member(entry, "content").is_string() || !isTokenId(id))
    return Error::config(formatText("an added token has no valid id and content: {}", shortText(entry)));
  token.id = id.get<std::int32_t>();
  token.content = entry["content"].get<std::string>();
  if (token.content.size() > kMaxPieceBytes)
    return Error::config(formatText("the token {} has {} bytes; at most {} are supported", shortText(token.content),
                                    token.content.size(), kMaxPieceBytes));
  ASSIGN_OR_RETURN(token.special, flagOf(entry, "special", false));
  ASSIGN_OR_RETURN(token.singleWord, flagOf(entry, "single_word", false));
  ASSIGN_OR_RETURN(token.leftStrip, flagOf(entry, "lstrip", false));
  ASSIGN_OR_RETURN(token.rightStrip, flagOf(entry, "rstrip", false));
  ASSIGN_OR_RETURN(token.normalized, flagOf(entry, "normalized", !token.special));
  return token;
}

/// `inModel`: tokens of the model.
Result<void> readAdded(const json& list, std::size_t inModel, TokenizerDefinition& definition) {
  if (list.is_null()) return {};
  if (!list.is_array()) return badField(json{{"added_tokens", list}}, "added_tokens");
  AddedIds ids(definition.tokens, inModel);
  const Normalizer normalizer(definition.normalizer);
  std::set<std::string> seen, normalized;
  for (const json& entry : list) {
    ASSIGN_OR_RETURN(auto token, addedToken(entry));
    if (token.content.empty()) continue;
    if (!seen.insert(token.content).second)
      return Error::config(formatText("the token {} is added twice; add it once", shortText(token.content)));
    if (const std::int32_t given = ids.of(token.content); given != token.id)
      return Error::config(
          formatText("the added token {} has the id {}, but Hugging Face tokenizers, which number added tokens in "
                     "their order, give it {}: load and save the file with them, or put the tokens into that order",
                     shortText(token.content), token.id, given));
    Normalizer::Buffers buffers;
    const std::string sought(token.normalized ? normalizer.apply(token.content, buffers) : token.content);
    if (sought.empty())
      return Error::config(
          formatText("the normalizer leaves nothing of the added token {}, which is sought in normalized text: set its "
                     "'normalized' to false",
                     shortText(token.content)));
    // Which one of them the reference finds is a matter of chance.
    if (token.normalized && !normalized.insert(sought).second)
      return Error::config(
          formatText("the added token {} is sought in normalized text as {}, and so is another one; set 'normalized' "
                     "to false or take one of them out",
                     shortText(token.content), shortText(sought)));
    RETURN_IF_ERROR(setToken(definition.tokens, token.id, token.content));
    definition.added.push_back(std::move(token));
  }
  return {};
}

class FrameReader {
 public:
  explicit FrameReader(TokenizerDefinition& definition) : definition_(definition) {}

  Result<void> read(const json& part) {
    RETURN_IF_ERROR(eachPart(part, "processors", [this](const json& one) { return take(one); }));
    if (before_.size() > 1 || behind_.size() > 1)
      return Error::config(formatText(
          "the post-processor puts {} tokens before and {} tokens behind a text; at most one each is supported",
          before_.size(), behind_.size()));
    if (!before_.empty()) definition_.before = before_.front();
    if (!behind_.empty()) definition_.behind = behind_.front();
    return {};
  }

 private:
  Result<void> take(const json& part) {
    const std::string type = typeOf(part);
    if (type == "ByteLevel") return {};  // about offsets only
    if (type == "BertProcessing" || type == "RobertaProcessing") {
      RETURN_IF_ERROR(takePair(part, "cls", before_));
      RETURN_IF_ERROR(takePair(part, "sep", behind_));
      definition_.between.assign(type == "RobertaProcessing" ? 2 : 1, behind_.back());
      return {};
    }
    if (type == "TemplateProcessing") return takeTemplate(part);
    return Error::config(tokenizerPartUnsupportedText(
        "post-processor", type, "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence"));
  }

  Result<void> takePair(const json& part, const char* name, std::vector<std::int32_t>& ids) {
    const json& pair = member(part, name);
    if (!pair.is_array() || pair.size() != 2) return badField(part, name);
    ASSIGN_OR_RETURN(const auto id, idOf(pair[1], part, name));
    return add(id, part, name, ids);
  }

  Result<void> takeTemplate(const json& part) {
    const json& single = member(part, "single");
    if (!single.is_array()) return badField(part, "single");
    for (const char* list : {"single", "pair"}) RETURN_IF_ERROR(checkTypes(part, list));
    bool behind = false;
    for (const json& piece : single) {
      if (!piece.contains("Sequence")) {
        RETURN_IF_ERROR(takeSpecial(piece, part, "single", behind ? behind_ : before_));
        continue;
      }
      if (behind) return badField(part, "single");
      behind = true;
    }
    if (!behind) return badField(part, "single");
    int texts = 0;
    for (const json& piece : member(part, "pair")) {
      if (piece.contains("Sequence"))
        ++texts;
      else if (texts == 1)
        RETURN_IF_ERROR(takeSpecial(piece, part, "pair", definition_.between));
    }
    return {};
  }

  /// Requires the types of segments to be whole numbers, as `tokenizers` does.
  Result<void> checkTypes(const json& part, const char* list) {
    for (const json& piece : member(part, list))
      for (const char* kind : {"Sequence", "SpecialToken"}) {
        const json& named = member(piece, kind);
        if (named.contains("type_id") && !member(named, "type_id").is_number_unsigned()) return badField(part, list);
      }
    return {};
  }

  Result<void> takeSpecial(const json& piece, const json& part, const char* list, std::vector<std::int32_t>& ids) {
    const json& name = member(member(piece, "SpecialToken"), "id");
    if (!name.is_string()) return badField(part, list);
    const json& tokens =
        member(member(member(part, "special_tokens"), name.get_ref<const std::string&>().c_str()), "ids");
    if (!tokens.is_array()) return badField(part, "special_tokens");
    for (const json& value : tokens) {
      ASSIGN_OR_RETURN(const auto id, idOf(value, part, "special_tokens"));
      RETURN_IF_ERROR(add(id, part, "special_tokens", ids));
    }
    return {};
  }

  Result<void> add(std::int32_t id, const json& part, const char* name, std::vector<std::int32_t>& ids) {
    if (static_cast<std::size_t>(id) >= definition_.tokens.size()) return badField(part, name);
    ids.push_back(id);
    return {};
  }

  TokenizerDefinition& definition_;
  std::vector<std::int32_t> before_, behind_;
};

// ---- BERT's tokenizer

std::optional<bool> bertLowercase(const json& normalizer, const json& preTokenizer) {
  if (typeOf(normalizer) != "BertNormalizer" || typeOf(preTokenizer) != "BertPreTokenizer") return std::nullopt;
  const json lower = member(normalizer, "lowercase"), accents = member(normalizer, "strip_accents");
  if (!lower.is_boolean() || !(accents.is_null() || accents == lower)) return std::nullopt;
  for (const char* on : {"clean_text", "handle_chinese_chars"})
    if (member(normalizer, on) != json(true)) return std::nullopt;
  return lower.get<bool>();
}

bool isBertTokenizer(const TokenizerDefinition& definition) {
  static constexpr std::string_view kSpecial[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  const auto* model = std::get_if<WordPieceSpec>(&definition.model);
  if (!definition.bertLowercase || model == nullptr || definition.unknown != "[UNK]") return false;
  if (model->continuation != "##" || model->maxCodePoints != WordPieceSpec::kMaxCodePoints) return false;
  const auto& tokens = definition.tokens;
  if (model->tokens.size() != tokens.size()) return false;  // holes, or added tokens outside of the vocabulary
  for (const AddedToken& token : definition.added) {
    if (!token.special || token.singleWord || token.leftStrip || token.rightStrip || token.normalized) return false;
    if (std::ranges::find(kSpecial, token.content) == std::end(kSpecial)) return false;
  }
  for (const std::string_view name : kSpecial) {
    const auto isIt = [&](const AddedToken& token) { return token.content == name; };
    if (std::ranges::none_of(definition.added, isIt)) return false;
  }
  const auto textAt = [&](std::int32_t id) { return id < 0 ? std::string() : tokens[static_cast<std::size_t>(id)]; };
  return textAt(definition.before) == "[CLS]" && textAt(definition.behind) == "[SEP]";
}

/// Whether a step may drop the beginning of a text; the reference then prepends nothing.
bool mayDropStart(const NormalizerStep& step) {
  return std::holds_alternative<StripStep>(step) || std::holds_alternative<CleanTextStep>(step) ||
         std::holds_alternative<StripAccentsStep>(step) || std::holds_alternative<CharsmapStep>(step) ||
         std::holds_alternative<ReplaceStep>(step);
}

/// The reference prepends to every part whose beginning comes from the first character, and there may be several where
/// steps make more characters of it ("..." of one) before the text is split.
Result<void> checkPrependFirst(const TokenizerDefinition& definition) {
  const bool splitByTokens = std::ranges::any_of(definition.added, &AddedToken::normalized);
  const bool grows = !definition.normalizer.empty();
  bool splits = splitByTokens, inserts = false;  // before a step
  for (const PreTokenizerStep& step : definition.preTokenizer) {
    const auto* metaspace = std::get_if<MetaspaceStep>(&step);
    const bool first = metaspace != nullptr && metaspace->prepend == MetaspaceStep::Prepend::First;
    if (first && (std::ranges::any_of(definition.normalizer, mayDropStart) || (splits && grows) || inserts))
      return Error::config("the option 'prepend_scheme' of 'Metaspace' has the value first, which is not supported");
    splits = true;
    inserts = inserts || metaspace != nullptr;
  }
  return {};
}

/// Returns a hash of the parts of tokenizer.json that affect token ids; independent of member order and white space.
Hash128 identityOf(const json& file) {
  Hasher hasher;
  hasher.update(std::string_view("tokenizer.json 1\n"));
  for (const char* name : {"added_tokens", "normalizer", "pre_tokenizer", "post_processor", "model"})
    hasher.update(jsonText(member(file, name)) + "\n");
  return hasher.digest();
}

struct ByteAlphabet {
  std::array<std::uint32_t, kBytes> codePoints{};
  std::array<int, 0x180> bytes{};  // by code point; -1: none
  ByteAlphabet() {
    bytes.fill(-1);
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < kBytes; ++byte) {
      const bool kept = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
      codePoints[byte] = kept ? byte : next++;
      bytes[codePoints[byte]] = static_cast<int>(byte);
    }
  }
};

const ByteAlphabet& byteAlphabet() {
  static const ByteAlphabet alphabet;
  return alphabet;
}

}  // namespace

std::optional<std::string> bytesOfByteLevelText(std::string_view text) {
  const auto& bytes = byteAlphabet().bytes;
  std::string raw;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Step step = unicode::stepAt(text, at);
    if (step.codePoint >= bytes.size() || bytes[step.codePoint] < 0) return std::nullopt;
    raw.push_back(static_cast<char>(bytes[step.codePoint]));
    at += step.bytes;
  }
  return raw;
}

std::string byteLevelText(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) appendUtf8(text, byteAlphabet().codePoints[static_cast<std::uint8_t>(c)]);
  return text;
}

Result<TokenizerDefinition> parseTokenizerJson(std::string_view text) {
  ASSIGN_OR_RETURN(const auto file, parseJson(text, kTokenizerLimits));
  if (!file.is_object() || !member(file, "model").is_object())
    return Error::config("this is not a tokenizer.json of Hugging Face tokenizers: it has no 'model'");
  TokenizerDefinition definition;
  ASSIGN_OR_RETURN(definition.normalizer, NormalizerReader().read(member(file, "normalizer")));
  PreTokenizerReader preTokenizer;
  ASSIGN_OR_RETURN(definition.preTokenizer, preTokenizer.read(member(file, "pre_tokenizer")));
  definition.byteLevel = preTokenizer.byteLevel();
  RETURN_IF_ERROR(ModelReader(definition).read(member(file, "model")));
  RETURN_IF_ERROR(readAdded(member(file, "added_tokens"), member(member(file, "model"), "vocab").size(), definition));
  RETURN_IF_ERROR(checkPrependFirst(definition));
  RETURN_IF_ERROR(FrameReader(definition).read(member(file, "post_processor")));
  definition.bertLowercase = bertLowercase(member(file, "normalizer"), member(file, "pre_tokenizer"));
  definition.isBert = isBertTokenizer(definition);
  definition.identity = identityOf(file);
  return definition;
}

}  // namespace batchwise
