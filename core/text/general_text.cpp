// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/general_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <queue>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace {

constexpr double kEvalBytes = 1 << 20;
constexpr double kMostEvalShare = 0.5;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the document as a reader of `format` finds it again; empty if it finds none or several.
std::string readAgain(const std::string& document, TextFormat format) {
  std::string text;
  if (namesTextField(format)) {
    text = document;
    if (format == TextFormat::Csv) std::ranges::replace(text, '\r', ' ');
  } else {
    std::string_view rest = document;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    while (!rest.empty()) {
      const std::string_view line = takePart(rest, '\n');
      if (isBlank(line)) continue;
      if (!text.empty()) text += format == TextFormat::Lines ? ' ' : '\n';
      text += line;
      while (text.back() == '\r') text.pop_back();
    }
    while (!text.empty() && isBlank(text.back())) text.pop_back();
  }
  return std::ssize(text) <= TextLimits{}.documentBytes ? text : std::string();
}

std::string csvField(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + '"';
}

std::string written(const std::string& text, TextFormat format, const std::string& field) {
  if (format == TextFormat::Jsonl) return nlohmann::json{{field, text}}.dump() + "\n";
  if (format == TextFormat::Csv) return csvField(text) + "\n";
  return text + (format == TextFormat::Lines ? "\n" : "\n\n");
}

/// Chooses documents by their place, lowest first, until they have a number of bytes; holds only what it has chosen.
class LowestPlaces {
 public:
  explicit LowestPlaces(double bytes) : wanted_(bytes) {}

  void offer(double place, std::int64_t bytes) {
    chosen_.emplace(place, bytes);
    bytes_ += bytes;
    while (!chosen_.empty() && static_cast<double>(bytes_ - chosen_.top().second) >= wanted_) {
      bytes_ -= chosen_.top().second;
      chosen_.pop();
    }
  }
  /// Returns the highest place of those chosen; negative without any.
  double last() const { return chosen_.empty() ? -1.0 : chosen_.top().first; }

 private:
  double wanted_;
  std::int64_t bytes_ = 0;
  std::priority_queue<std::pair<double, std::int64_t>> chosen_;
};

class Drawing {
 public:
  Drawing(const GeneralTextRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request),
        progress_(progress),
        stop_(std::move(stop)),
        evalShare_(
            std::min(kMostEvalShare, kEvalBytes / std::max(1.0, static_cast<double>(request.general.textBytes)))) {}

  Result<GeneralText> run() {
    if (isTableFormat(request_.own.format))
      return Error::config(
          "no general text can be added to text in Parquet, Arrow or MDS files: write them as JSON lines (.jsonl), or "
          "train on "
          "them alone");
    const std::string ending = request_.own.format == TextFormat::Jsonl ? ".jsonl"
                               : request_.own.format == TextFormat::Csv ? ".csv"
                                                                        : ".txt";
    RETURN_IF_ERROR(makeFolders(request_.folder));
    made_.warnings = request_.general.warnings;
    made_.eval = request_.folder / ("general-eval" + ending);
    made_.train = request_.folder / ("general-train" + ending);
    RETURN_IF_ERROR(choose());
    RETURN_IF_ERROR(replaceFile(made_.train, [&](const FileSink& train) {
      return replaceFile(made_.eval, [&](const FileSink& eval) { return writeAll(train, eval); });
    }));
    if (made_.trainDocuments > 0) return made_;
    std::error_code ignored;
    std::filesystem::remove(made_.train, ignored);
    made_.train.clear();
    return made_;
  }

 private:
  struct Document {
    std::string text;  // as it will be read again
    double place = 0;  // from 0 to 1, by its hash
  };

  bool evaluates(const Document& document) const { return document.place < evalShare_; }
  bool mayTrain(const Document& document) const {
    return !evaluates(document) && !isHeldOut(document.text, request_.holdout);
  }

  // Of the own text, the run holds out that share, too.
  Result<void> choose() {
    const double own = static_cast<double>(request_.own.textBytes) * (1.0 - request_.holdout);
    LowestPlaces lowest(own * request_.share / (1.0 - request_.share));
    RETURN_IF_ERROR(visitAll([&](const Document& document) -> Result<void> {
      if (mayTrain(document)) lowest.offer(document.place, std::ssize(document.text));
      return {};
    }));
    lastTrained_ = lowest.last();
    return {};
  }

  Result<void> writeAll(const FileSink& train, const FileSink& eval) {
    if (request_.own.format == TextFormat::Csv) {
      const std::string header = csvField(request_.own.textField) + "\n";
      for (const FileSink* file : {&train, &eval}) RETURN_IF_ERROR((*file)(std::as_bytes(std::span(header))));
    }
    RETURN_IF_ERROR(visitAll([&](const Document& document) -> Result<void> {
      const bool evaluated = evaluates(document);
      if (!evaluated && (document.place > lastTrained_ || !mayTrain(document))) return {};
      (evaluated ? made_.evalDocuments : made_.trainDocuments) += 1;
      (evaluated ? made_.evalBytes : made_.trainBytes) += std::ssize(document.text);
      const std::string text = written(document.text, request_.own.format, request_.own.textField);
      return (evaluated ? eval : train)(std::as_bytes(std::span(text)));
    }));
    return made_.evalDocuments > 0
               ? Result<void>()
               : Error::config(
                     "the general text has too few documents to train on some and to evaluate on others; give more");
  }

  template <typename Visit>
  Result<void> visitAll(const Visit& visit) {
    ASSIGN_OR_RETURN(const auto files, findTextFiles(request_.paths, {}, request_.general.format));
    const std::int64_t total = kPasses * sizeOnDisk(files);
    for (const std::filesystem::path& file : files) {
      if (sizeOnDisk(file) == 0) continue;
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file, request_.general.format, request_.general.textField));
      std::string document;
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested()) return stoppedWhileReading(file);
        std::string text = readAgain(document, request_.own.format);
        const double place = unitRandom(hash128(text).high);
        if (!text.empty()) RETURN_IF_ERROR(visit(Document{std::move(text), place}));
        if (progress_) progress_({"reading files", done_ + reader.fileBytesRead(), total});
      }
      done_ += sizeOnDisk(file);
    }
    return {};
  }

  static constexpr std::int64_t kPasses = 2;  // to choose, and to write

  const GeneralTextRequest& request_;
  const ProgressFn& progress_;
  const std::stop_token stop_;
  const double evalShare_;   // places below it evaluate
  double lastTrained_ = -1;  // other places up to it are trained on
  std::int64_t done_ = 0;    // bytes of files that have been read
  GeneralText made_;
};

constexpr std::int64_t kFewestLetters = 100;
constexpr std::int64_t kFewestWords = 20;
constexpr double kScriptShare = 0.6;       // of the letters, for the script of the text
constexpr double kFunctionWordShare = .1;  // of the words; running text has 0.2 to 0.4 of the words listed here
constexpr double kLead = 1.25;             // of the best language over the second

struct LanguageWords {
  const char* code;
  std::string_view words;  // lower case, each between spaces
};

constexpr std::array<LanguageWords, LanguageGuess::kLanguages> kWords{{
    {"en",
     " the of and to in is that it was for with as on be at by this had not are but from or have they you which "
     "were his her an "},
    {"de",
     " der die und das den von zu mit ist des auf im dem nicht ein eine als auch es an werden aus er hat dass "
     "sie nach wird bei einer um am sind "},
    {"fr",
     " le la les de des et un une du en est que qui dans pour pas sur au par il elle plus ce avec sont ne se son "
     "sa aux "},
    {"es", " el la los las de que y en un una por con para es del se no su al lo como más pero sus le ya fue este "},
    {"it", " il la di che e in un una per non con del della sono da si le dei al come più nel gli è ma anche lo i "},
    {"pt", " o a os as de que e em um uma do da para com não por no na se mais dos como mas foi ao ele das seu "},
    {"nl", " de het een en van in is dat op te zijn met voor niet aan er die door ook als maar om bij naar uit werd "},
    {"sv", " och i att det som en på är av för med till den har inte om ett var jag de han vid från men "},
    {"pl", " i w na z się nie do to że jest o jak po co ale od za przez są dla był tym tak jego "},
    {"tr", " ve bir bu da de için ile olarak çok daha gibi ama ne kadar olan sonra en değil olduğu ya "},
    {"ru", " и в не на что с он как по это но из к за его от а я для был было так же у "},
    {"uk", " і в не на що з як до це та але із за його від а для був було так й у є "},
    {"ar", " في من على إلى أن هذا هذه التي الذي عن مع ما كان لا كما أو بعد قد بين "},
    {"fa", " و در به از که این را با است برای آن یک خود تا بر هم نیز شد می کرد "},
}};

LanguageGuess::Script scriptOf(std::uint32_t c) {
  using Script = LanguageGuess::Script;
  const auto in = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  if (in('a', 'z') || in('A', 'Z') || in(0xC0, 0x24F) || in(0x1E00, 0x1EFF)) return Script::Latin;
  if (in(0x400, 0x52F)) return Script::Cyrillic;
  if (in(0x600, 0x6FF) || in(0x750, 0x77F)) return Script::Arabic;
  if (in(0x370, 0x3FF) || in(0x1F00, 0x1FFF)) return Script::Greek;
  if (in(0x590, 0x5FF)) return Script::Hebrew;
  if (in(0x3040, 0x30FF)) return Script::Kana;
  if (in(0x3400, 0x9FFF) || in(0x20000, 0x2FFFF)) return Script::Han;
  if (in(0xAC00, 0xD7AF) || in(0x1100, 0x11FF)) return Script::Hangul;
  if (in(0xE00, 0xE7F)) return Script::Thai;
  return Script::Other;
}

bool isLetter(std::uint32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c >= 0xC0 && c != 0xD7 && c != 0xF7 && !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x303F) &&
         c < 0xFF00;
}

/// Lower-cases ASCII only; function words rarely start with another letter.
char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

Result<GeneralText> writeGeneralText(const GeneralTextRequest& request, const ProgressFn& progress,
                                     std::stop_token stop) {
  return Drawing(request, progress, std::move(stop)).run();
}

void LanguageGuess::add(std::string_view text) {
  std::string word;
  while (!text.empty()) {
    const Utf8Step step = decodeUtf8(text);
    const std::uint32_t c = step.codePoint;
    if (step.wellFormed && isLetter(c)) {
      ++letters_[static_cast<std::size_t>(scriptOf(c))];
      for (const char byte : text.substr(0, static_cast<std::size_t>(step.bytes))) word.push_back(lowered(byte));
    } else if (!word.empty()) {
      countWord(word);
      word.clear();
    }
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  if (!word.empty()) countWord(word);
}

void LanguageGuess::countWord(std::string_view word) {
  constexpr std::size_t kLongest = 20;  // bytes of a function word
  ++words_;
  if (word.size() > kLongest) return;
  const std::string sought = " " + std::string(word) + " ";
  for (std::size_t language = 0; language < kLanguages; ++language)
    if (kWords[language].words.find(sought) != std::string_view::npos) ++hits_[language];
}

std::optional<std::string> LanguageGuess::code() const {
  const std::int64_t all = std::accumulate(letters_.begin(), letters_.end(), std::int64_t{0});
  if (all < kFewestLetters) return std::nullopt;
  const auto share = [this, all](Script script) {
    return static_cast<double>(letters_[static_cast<std::size_t>(script)]) / static_cast<double>(all);
  };
  constexpr double kKanaShare = 0.1;  // Japanese mixes kana with Han characters
  if (share(Script::Kana) > kKanaShare && share(Script::Kana) + share(Script::Han) > kScriptShare) return "ja";
  constexpr std::pair<Script, const char*> kOwnScript[] = {
      {Script::Greek, "el"}, {Script::Hebrew, "he"}, {Script::Han, "zh"}, {Script::Hangul, "ko"}, {Script::Thai, "th"}};
  for (const auto& [script, language] : kOwnScript)
    if (share(script) > kScriptShare) return language;
  const double known = std::max({share(Script::Latin), share(Script::Cyrillic), share(Script::Arabic)});
  return known > kScriptShare ? byFunctionWords() : std::nullopt;
}

std::optional<std::string> LanguageGuess::byFunctionWords() const {
  if (words_ < kFewestWords) return std::nullopt;
  const auto best = std::max_element(hits_.begin(), hits_.end());
  std::int64_t second = 0;
  for (auto hit = hits_.begin(); hit != hits_.end(); ++hit)
    if (hit != best) second = std::max(second, *hit);
  const auto hits = static_cast<double>(*best);
  if (hits < kFunctionWordShare * static_cast<double>(words_) || hits < kLead * static_cast<double>(second))
    return std::nullopt;
  return kWords[static_cast<std::size_t>(best - hits_.begin())].code;
}

}  // namespace batchwise
