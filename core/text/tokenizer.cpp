// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/tokenizer_json.h"
#include "core/text/unicode.h"
#include "core/text/word_cache.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMaxTokenizerBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMaxTokenizerConfigBytes = std::int64_t{64} << 20;
/// Changes whenever BERT's tokenizer gives some text other ids with the same vocabulary and options.
constexpr std::string_view kBertVersion = "wordpiece 1";
constexpr std::string_view kMetaspace = "\xE2\x96\x81";

using Ids = std::vector<std::int32_t>;

/// Everything that encoders share: what a tokenizer.json describes, or BERT's tokenizer.
struct Pipeline {
  AddedTokens rawTokens, normalizedTokens;
  Normalizer normalizer;
  PreTokenizer preTokenizer;
  std::optional<bool> bertLowercase;  // set: BertSplitter does both
  std::optional<WordPieces> wordPieces;
  std::optional<BytePairModel> bytePairs;
  std::optional<UnigramModel> unigram;
  bool byteLevel = false;
  bool byteTokens = false;  // "<0x0A>" stands for a byte
  /// Tokens that frame or hide text and that merges can spell, with what they are merged from.
  std::vector<std::pair<std::int32_t, Ids>> mergedFrames;
};

bool isFrame(const SpecialIds& special, std::int32_t id) {
  return id == special.cls || id == special.sep || id == special.mask || id == special.pad;
}

/// Appends the tokens that `id` is merged from, none of which is a frame.
void appendParts(const BytePairSpec& spec, const SpecialIds& special, std::int32_t id, Ids& parts) {
  if (!isFrame(special, id)) return parts.push_back(id);
  const auto merge = std::ranges::find(spec.merges, id, &BytePairSpec::Merge::merged);
  if (merge != spec.merges.end() && merge->left != id && merge->right != id) {
    appendParts(spec, special, merge->left, parts);
    appendParts(spec, special, merge->right, parts);
  } else if (spec.unknown >= 0) {
    parts.push_back(spec.unknown);
  }
}

/// Returns whether words can have a token: as a merge, a single symbol or a byte.
bool isSpelled(const BytePairSpec& spec, std::int32_t id) {
  if (std::ranges::find(spec.merges, id, &BytePairSpec::Merge::merged) != spec.merges.end()) return true;
  if (std::ranges::find(spec.byteTokens, id) != spec.byteTokens.end()) return true;
  const bool bytes = spec.symbols == BytePairSymbols::Bytes;
  return std::ranges::any_of(spec.tokens, [&](const auto& token) {
    const auto& [text, of] = token;
    return of == id && !text.empty() && text.size() == (bytes ? 1 : unicode::stepAt(text, 0).bytes);
  });
}

std::vector<std::pair<std::int32_t, Ids>> mergedFramesOf(const BytePairSpec& spec, const SpecialIds& special) {
  std::vector<std::pair<std::int32_t, Ids>> frames;
  for (const std::int32_t id : {special.cls, special.sep, special.mask, special.pad}) {
    if (!isSpelled(spec, id)) continue;
    frames.emplace_back(id, Ids{});
    appendParts(spec, special, id, frames.back().second);
  }
  return frames;
}

AddedTokens normalizedTokens(const std::vector<AddedToken>& added, const Normalizer& normalizer) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : added) {
    if (!token.normalized) continue;
    Normalizer::Buffers buffers;
    tokens.push_back(token);
    tokens.back().content = normalizer.apply(token.content, buffers);
  }
  return AddedTokens(std::move(tokens));
}

Pipeline pipelineOf(TokenizerDefinition definition, const SpecialIds& special) {
  Pipeline made;
  made.byteLevel = definition.byteLevel;
  made.normalizer = Normalizer(std::move(definition.normalizer));
  made.preTokenizer = PreTokenizer(std::move(definition.preTokenizer));
  std::vector<AddedToken> raw;
  std::ranges::copy_if(definition.added, std::back_inserter(raw), [](const AddedToken& t) { return !t.normalized; });
  made.rawTokens = AddedTokens(std::move(raw));
  made.normalizedTokens = normalizedTokens(definition.added, made.normalizer);
  if (made.normalizedTokens.isEmpty()) made.bertLowercase = definition.bertLowercase;
  if (auto* pieces = std::get_if<WordPieceSpec>(&definition.model)) made.wordPieces.emplace(*pieces);
  if (auto* pairs = std::get_if<BytePairSpec>(&definition.model)) {
    made.byteTokens = !pairs->byteTokens.empty();
    made.mergedFrames = mergedFramesOf(*pairs, special);
    made.bytePairs.emplace(std::move(*pairs));
  }
  if (auto* unigram = std::get_if<UnigramSpec>(&definition.model)) {
    made.byteTokens = !unigram->byteTokens.empty();
    made.unigram.emplace(std::move(*unigram));
  }
  return made;
}

std::vector<std::int32_t> specialIdsOf(const TokenizerDefinition& definition, const SpecialIds& special) {
  Ids ids = {special.pad, special.cls, special.sep, special.mask};
  if (special.unknown >= 0) ids.push_back(special.unknown);
  for (const AddedToken& token : definition.added)
    if (token.special) ids.push_back(token.id);
  for (std::size_t id = 0; id < definition.tokens.size(); ++id)
    if (definition.tokens[id].empty()) ids.push_back(static_cast<std::int32_t>(id));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The byte of a token such as "<0x0A>".
std::optional<char> byteOfToken(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : token.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + digit;
  }
  return static_cast<char>(value);
}

Result<std::string> optionalFile(const fs::path& path, std::int64_t limit) {
  auto text = readFile(path, limit);
  if (!text.ok() && text.error().code == ErrorCode::NotFound) return std::string();
  return text;
}

/// Returns whether the tokenizer_config.json of a folder with a vocab.txt has texts lowercased; `otherwise` if it does
/// not say. Fails with Config if accents are to be treated in another way than case, or Chinese characters like others,
/// which takes a tokenizer.json, or if words are split by a dictionary.
Result<bool> lowercaseOf(const fs::path& folder, bool otherwise) {
  ASSIGN_OR_RETURN(const auto text, optionalFile(folder / "tokenizer_config.json", kMaxTokenizerConfigBytes));
  const auto config = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto option = [&config](const char* name) {
    const bool given = config.is_object() && config.contains(name) && config[name].is_boolean();
    return given ? std::optional(config[name].get<bool>()) : std::nullopt;
  };
  if (config.is_object() && config.value("tokenizer_class", nlohmann::json()) == "BertJapaneseTokenizer")
    return Error::config(formatText(
        "'{}': its tokenizer_config.json names BertJapaneseTokenizer, which splits words by a dictionary; that "
        "is not done here: start from a model with a tokenizer.json",
        folder.native()));
  const bool lowercase = option("do_lower_case").value_or(otherwise);
  const bool splitsChinese = option("tokenize_chinese_chars").value_or(true);
  if (splitsChinese && option("strip_accents").value_or(lowercase) == lowercase) return lowercase;
  return Error::config(
      formatText("'{}': its tokenizer_config.json {}, which a vocab.txt cannot tell: write a tokenizer.json beside it, "
                 "as transformers' AutoTokenizer.from_pretrained(folder).save_pretrained(folder) does",
                 folder.native(),
                 splitsChinese ? "treats accents (strip_accents) in another way than case (do_lower_case)"
                               : "takes Chinese characters like others (tokenize_chinese_chars)"));
}

}  // namespace

struct Tokenizer::Content {
  Vocabulary vocabulary;
  TokenizerTexts texts;
  Hash128 identity;
  Pipeline pipeline;
};

class Tokenizer::Encoder::Impl {
 public:
  Impl(std::shared_ptr<const Content> content, SpecialTokensInText special)
      : content_(std::move(content)), special_(special) {
    const Pipeline& pipeline = content_->pipeline;
    if (content_->texts.json.empty()) shortWords_.emplace();
    if (pipeline.bertLowercase) splitter_.emplace(*pipeline.bertLowercase);
    if (pipeline.bytePairs && pipeline.bytePairs->wantsWholeWords()) wholeWords_.emplace();
  }

  void append(std::string_view text, Ids& ids) {
    if (shortWords_ && ignoresSpecial()) return appendBert(text, ids);  // BertSplitter takes ill-formed text too
    if (unicode::isWellFormed(text)) return appendWellFormed(text, ids);
    appendWellFormed(unicode::repaired(text), ids);
  }

 private:
  bool ignoresSpecial() const { return special_ == SpecialTokensInText::Plain; }

  void appendWellFormed(std::string_view text, Ids& ids) {
    const Pipeline& pipeline = content_->pipeline;
    rawParts_.clear();
    pipeline.rawTokens.split(text, ignoresSpecial(), rawParts_);
    for (const TextPart& part : rawParts_) {
      if (part.id >= 0)
        ids.push_back(part.id);
      else
        appendRaw(part.text, part.text.data() == text.data(), ids);
    }
  }

  void appendBert(std::string_view text, Ids& ids) {
    ShortWordCache& cache = *shortWords_;
    const WordPieces& pieces = *content_->pipeline.wordPieces;
    const auto make = [&](std::string_view word, Ids& out) { pieces.append(word, out); };
    splitter_->split(text, [&](std::string_view word) { cache.append(word, ids, make); });
  }

  void appendRaw(std::string_view text, bool atStart, Ids& ids) {
    if (shortWords_) return appendBert(text, ids);
    const Pipeline& pipeline = content_->pipeline;
    if (splitter_) {
      splitText_.clear();
      splitWords_.clear();
      splitter_->split(text, [&](std::string_view word) {
        const auto begin = static_cast<std::uint32_t>(splitText_.size());
        splitText_.append(word);
        splitWords_.push_back({begin, static_cast<std::uint32_t>(splitText_.size())});
      });
      return appendWords(splitText_, splitWords_, ids);
    }
    const std::string_view normalized = pipeline.normalizer.apply(text, buffers_);
    if (pipeline.normalizedTokens.isEmpty()) return appendNormalized(normalized, atStart, ids);
    normalizedParts_.clear();
    pipeline.normalizedTokens.split(normalized, ignoresSpecial(), normalizedParts_);
    for (const TextPart& part : normalizedParts_) {
      if (part.id >= 0)
        ids.push_back(part.id);
      else
        appendNormalized(part.text, atStart && part.text.data() == normalized.data(), ids);
    }
  }

  void appendNormalized(std::string_view text, bool atStart, Ids& ids) {
    if (text.empty()) return;
    const std::string_view words = content_->pipeline.preTokenizer.split(text, atStart, words_);
    appendWords(words, words_.words, ids);
  }

  void appendWords(std::string_view text, std::span<const WordSpan> words, Ids& ids) {
    const Pipeline& pipeline = content_->pipeline;
    if (pipeline.bytePairs) {
      LongWordCache& cache = wholeWords_ ? *wholeWords_ : cache_;
      return cache.append(text, words, ids, [&](std::string_view word, Ids& out) {
        if (const std::int32_t id = pipeline.bytePairs->wholeWord(word);
            id >= 0 && !(ignoresSpecial() && isFrame(content_->vocabulary.special(), id)))
          return out.push_back(id);
        appendPairs(word, out);
      });
    }
    cache_.append(text, words, ids, [&](std::string_view word, Ids& out) {
      const std::size_t before = out.size();
      if (pipeline.unigram)
        pipeline.unigram->append(word, out);
      else
        pipeline.wordPieces->append(word, out);
      hideFrames(out, before);
    });
  }

  /// A model that knows "</s>" as a piece would let a training text end its sequence: such pieces are unknown.
  void hideFrames(Ids& ids, std::size_t before) const {
    if (!ignoresSpecial()) return;
    for (std::size_t i = before; i < ids.size(); ++i)
      if (isFrame(content_->vocabulary.special(), ids[i])) ids[i] = content_->vocabulary.special().unknown;
  }
  /// The same for merges.
  void splitFrames(Ids& ids, std::size_t before) const {
    if (!ignoresSpecial()) return;
    for (const auto& [frame, parts] : content_->pipeline.mergedFrames) {
      for (auto at = std::find(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end(), frame); at != ids.end();
           at = std::find(at, ids.end(), frame)) {
        at = ids.erase(at);
        at = ids.insert(at, parts.begin(), parts.end()) + std::ssize(parts);
      }
    }
  }

  void appendPairs(std::string_view word, Ids& ids) {
    const BytePairModel& model = *content_->pipeline.bytePairs;
    const auto make = [&](std::string_view part, Ids& out) {
      const std::size_t before = out.size();
      model.append(part, out);
      splitFrames(out, before);
    };
    if (word.size() <= LongWordCache::kMaxBytes) {
      make(word, ids);
      return;
    }
    parts_.clear();
    model.cut(word, parts_);
    cache_.append(word, parts_, ids, make);
  }

  std::shared_ptr<const Content> content_;
  SpecialTokensInText special_;
  std::optional<BertSplitter> splitter_;
  std::optional<ShortWordCache> shortWords_;  // of BERT's tokenizer
  LongWordCache cache_;                       // of words; if some words are taken whole, of parts
  std::optional<LongWordCache> wholeWords_;   // of words that may be taken whole
  Normalizer::Buffers buffers_;
  PreTokenizer::Buffers words_;
  std::vector<TextPart> rawParts_, normalizedParts_;
  std::string splitText_;  // words of splitter_
  std::vector<WordSpan> splitWords_;
  std::vector<WordSpan> parts_;  // of one word
};

Tokenizer::Tokenizer(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

Tokenizer Tokenizer::bert(Vocabulary vocabulary, bool lowercase) {
  TokenizerTexts texts;
  texts.vocabulary = vocabulary.text();
  texts.lowercase = lowercase;
  Hasher identity;
  identity.update(kBertVersion);
  identity.update(lowercase ? "lower" : "cased");
  identity.update(texts.vocabulary);
  WordPieceSpec spec;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) spec.tokens.emplace_back(vocabulary.token(id), id);
  spec.unknown = vocabulary.special().unknown;
  std::vector<AddedToken> added;
  for (const std::int32_t id : vocabulary.specialIds())
    added.push_back({.id = id, .content = vocabulary.token(id), .special = true});
  Pipeline pipeline;
  pipeline.rawTokens = AddedTokens(std::move(added));
  pipeline.bertLowercase = lowercase;
  pipeline.wordPieces.emplace(spec);
  return Tokenizer(std::make_shared<const Content>(
      Content{std::move(vocabulary), std::move(texts), identity.digest(), std::move(pipeline)}));
}

Result<Tokenizer> Tokenizer::load(const fs::path& given, bool lowercase) {
  std::error_code ignored;
  const bool folder = fs::is_directory(given, ignored);
  const fs::path path = folder ? modelFolder(given).transformer : given;
  const fs::path file = folder ? path / "tokenizer.json" : path;
  if (folder ? !fs::exists(file, ignored) : path.extension() != ".json") {
    auto vocabulary = Vocabulary::load(path);
    if (!vocabulary.ok()) {
      Error error = vocabulary.error();
      if (folder && error.code == ErrorCode::NotFound)
        error.message = formatText("the folder '{}' holds no tokenizer.json and no vocab.txt", path.native());
      return error;
    }
    if (folder) {
      ASSIGN_OR_RETURN(lowercase, lowercaseOf(path, lowercase));
    }
    return bert(std::move(*vocabulary), lowercase);
  }
  TokenizerTexts texts;
  ASSIGN_OR_RETURN(texts.json, readFile(file, kMaxTokenizerBytes));
  RETURN_IF_ERROR(checkFetched(file, texts.json));
  ASSIGN_OR_RETURN(const auto config,
                   optionalFile(file.parent_path() / "tokenizer_config.json", kMaxTokenizerConfigBytes));
  ASSIGN_OR_RETURN(const auto map,
                   optionalFile(file.parent_path() / "special_tokens_map.json", kMaxTokenizerConfigBytes));
  texts.config = mergedTokenizerConfig(config, map);
  return fromTexts(std::move(texts), "'" + file.native() + "'");
}

Result<Tokenizer> Tokenizer::fromTexts(TokenizerTexts texts, std::string_view name) {
  if (texts.json.empty()) {
    ASSIGN_OR_RETURN(auto vocabulary, Vocabulary::fromTokens(partsOf(texts.vocabulary, '\n'), name));
    return bert(std::move(vocabulary), texts.lowercase);
  }
  auto parsed = parseTokenizerJson(texts.json);
  if (!parsed.ok()) return parsed.error().within(std::string(name));
  if (parsed->isBert) {
    const bool lowercase = *parsed->bertLowercase;
    auto vocabulary = Vocabulary::fromTokens(parsed->tokens, name);
    if (vocabulary.ok()) return bert(std::move(*vocabulary), lowercase);
  }
  ASSIGN_OR_RETURN(const auto special, findSpecialIds(*parsed, texts.config, name));
  texts.lowercase = parsed->bertLowercase.value_or(false);
  Hasher identity;
  identity.update(parsed->identity.hex());
  for (const std::int32_t id : {special.pad, special.unknown, special.cls, special.sep, special.mask})
    identity.update(" " + std::to_string(id));
  auto specialIds = specialIdsOf(*parsed, special);
  // Masking replaces some tokens by random ones that are not special.
  if (specialIds.size() == parsed->tokens.size())
    return Error::config(formatText("{} has only special tokens; it needs pieces of words too", name));
  auto vocabulary = Vocabulary::of(parsed->tokens, special, std::move(specialIds));
  Pipeline pipeline = pipelineOf(std::move(*parsed), special);
  return Tokenizer(std::make_shared<const Content>(
      Content{std::move(vocabulary), std::move(texts), identity.digest(), std::move(pipeline)}));
}

const Vocabulary& Tokenizer::vocabulary() const {
  return content_->vocabulary;
}
const TokenizerTexts& Tokenizer::texts() const {
  return content_->texts;
}
Hash128 Tokenizer::identity() const {
  return content_->identity;
}

std::string Tokenizer::shownToken(std::int32_t id) const {
  const std::string& token = vocabulary().token(id);
  if (std::ranges::binary_search(vocabulary().specialIds(), id)) return token;
  const Pipeline& pipeline = content_->pipeline;
  if (pipeline.byteLevel) {
    const auto bytes = bytesOfByteLevelText(token);
    return bytes && unicode::isWellFormed(*bytes) ? *bytes : token;
  }
  if (pipeline.wordPieces) return token;
  std::string shown = token;
  for (std::size_t at = shown.find(kMetaspace); at != std::string::npos; at = shown.find(kMetaspace, at + 1))
    shown.replace(at, kMetaspace.size(), " ");
  if (const auto byte = byteOfToken(token); pipeline.byteTokens && byte && static_cast<signed char>(*byte) >= 0)
    return std::string(1, *byte);
  return shown;
}

std::int32_t Tokenizer::ownBytes(std::int32_t id) const {
  std::string_view token = vocabulary().token(id);
  if (std::ranges::binary_search(vocabulary().specialIds(), id)) return 0;
  const Pipeline& pipeline = content_->pipeline;
  const auto bytes = pipeline.byteLevel ? bytesOfByteLevelText(token) : std::nullopt;
  if (bytes) return static_cast<std::int32_t>(bytes->size());
  if (pipeline.byteTokens && byteOfToken(token)) return 1;
  if (pipeline.wordPieces) {
    if (token.starts_with("##") && token.size() > 2) token.remove_prefix(2);
    return static_cast<std::int32_t>(token.size());
  }
  auto size = static_cast<std::int32_t>(token.size());
  for (std::size_t at = token.find(kMetaspace); at != token.npos; at = token.find(kMetaspace, at + kMetaspace.size()))
    size -= static_cast<std::int32_t>(kMetaspace.size()) - 1;
  return size;
}

Ids Tokenizer::encode(std::string_view text, SpecialTokensInText special) const {
  Ids ids;
  Encoder(*this, special).append(text, ids);
  return ids;
}

Tokenizer::Encoder::Encoder(const Tokenizer& tokenizer, SpecialTokensInText special)
    : impl_(std::make_unique<Impl>(tokenizer.content_, special)) {}
Tokenizer::Encoder::Encoder(Encoder&&) noexcept = default;
Tokenizer::Encoder& Tokenizer::Encoder::operator=(Encoder&&) noexcept = default;
Tokenizer::Encoder::~Encoder() = default;

void Tokenizer::Encoder::append(std::string_view text, Ids& ids) {
  impl_->append(text, ids);
}

ModelFolder modelFolder(const std::filesystem::path& folder) {
  constexpr JsonLimits kLimits{.bytes = 1U << 20};
  ModelFolder found{folder, {}};
  const auto text = readFile(folder / "modules.json", kLimits.bytes);
  const auto modules = text.ok() ? parseJsonOrDiscarded(*text, kLimits) : nlohmann::json();
  if (!modules.is_array()) return found;
  const auto field = [](const nlohmann::json& module, const char* name) {
    const bool given = module.is_object() && module.contains(name) && module[name].is_string();
    return given ? module[name].get<std::string>() : std::string();
  };
  for (const auto& module : modules) {
    const std::string type = field(module, "type"), place = field(module, "path");
    if (&module != &modules.front())
      found.modules.push_back(type.substr(type.rfind('.') + 1));
    else if (!place.starts_with('.') && place.find('/') == std::string::npos)
      found.transformer = place.empty() ? folder : folder / place;
  }
  return found;
}

}  // namespace batchwise
