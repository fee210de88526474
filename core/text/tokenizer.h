// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// How "[MASK]" and the other special tokens are treated when they occur in the text itself.
enum class SpecialTokensInText {
  Plain,      ///< as ordinary text: training corpora must not be able to insert [SEP]
  Recognize,  ///< as their ids: for texts typed by people, as in fill-mask
};

/// The texts from which the same tokenizer can be made again, as a run stores them.
struct TokenizerTexts {
  std::string vocabulary;  ///< vocab.txt of BERT's tokenizer; empty: see json
  bool lowercase = true;   ///< of BERT's tokenizer
  std::string json;        ///< tokenizer.json of any other one
  std::string config;      ///< tokenizer_config.json beside it, which names the special tokens; may be empty
  bool operator==(const TokenizerTexts&) const = default;
};

/// Turns text into token ids: BERT's WordPiece by a vocab.txt, or what a tokenizer.json describes, with the ids of
/// Hugging Face `tokenizers` without the frame of [CLS] and [SEP]. Copies share their content. Thread-safe, except that
/// each `Encoder` belongs to one thread.
class Tokenizer {
 public:
  /// Makes BERT's tokenizer: normalization, splitting at white space and punctuation, then greedy longest match against
  /// `vocabulary`, as by Vocabulary::fromTokens(). Source: Devlin et al. 2019 and its published code.
  static Tokenizer bert(Vocabulary vocabulary, bool lowercase);

  /// Reads a tokenizer.json, a vocab.txt, or a folder with either (see modelFolder()); tokenizer.json is preferred, and
  /// tokenizer_config.json and special_tokens_map.json beside it name the special tokens. `lowercase` counts for
  /// vocab.txt only, in a folder unless its tokenizer_config.json says do_lower_case. Fails with NotFound, Io, Corrupt,
  /// or Config: what is not understood is named.
  static Result<Tokenizer> load(const std::filesystem::path& path, bool lowercase);
  /// Makes a tokenizer from stored texts. Fails like load(); `name` names the source in messages.
  static Result<Tokenizer> fromTexts(TokenizerTexts texts, std::string_view name);

  const Vocabulary& vocabulary() const;
  const TokenizerTexts& texts() const;
  /// Whether vocab.txt and lower case describe it: BERT's tokenizer.
  bool isBert() const { return texts().json.empty(); }
  /// Whether it lowers the case of texts as BERT's tokenizer does.
  bool lowercase() const { return texts().lowercase; }
  /// Hash: equal, up to collisions, if and only if every text gets the same ids.
  Hash128 identity() const;
  /// Returns the text that a token stands for, for people: "Ġthe" is " the".
  std::string shownToken(std::int32_t id) const;
  /// Returns the bytes of UTF-8 that a token spells: of a byte-level vocabulary those of the text, white space
  /// included; of WordPiece without "##"; with "\u2581" a space is one byte, as is "<0x0A>". 0 for special tokens,
  /// [UNK] too.
  std::int32_t ownBytes(std::int32_t id) const;

  /// Returns the ids of `text`, without [CLS] and [SEP]. Ill-formed UTF-8 counts as U+FFFD.
  std::vector<std::int32_t> encode(std::string_view text,
                                   SpecialTokensInText special = SpecialTokensInText::Plain) const;

  class Encoder;

 private:
  struct Content;
  explicit Tokenizer(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;
};

/// Encoder for large texts: caches the ids of words in bounded memory. Not thread-safe.
class Tokenizer::Encoder {
 public:
  explicit Encoder(const Tokenizer& tokenizer, SpecialTokensInText special = SpecialTokensInText::Plain);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  /// Appends the ids of `text`.
  void append(std::string_view text, std::vector<std::int32_t>& ids);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where the files of a model lie. A folder of sentence-transformers has a modules.json that names the folder of the
/// Transformer ("", "0_Transformer") and the modules behind it.
struct ModelFolder {
  std::filesystem::path transformer;  ///< with config.json, weights and tokenizer
  std::vector<std::string> modules;   ///< behind the Transformer: "Pooling", "Normalize"
};

/// Returns a plain folder as it is. Opens no file but modules.json, and follows it into `folder` only.
ModelFolder modelFolder(const std::filesystem::path& folder);

}  // namespace batchwise
