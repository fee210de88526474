// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/masking.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/random.h"

namespace batchwise {
namespace {

constexpr std::uint64_t kMaskPurpose = 0x6D61736B;  // "mask": separates from other uses of the seed

/// Independent random numbers per position: whether it is predicted, how it is shown, and which random token is drawn.
enum Draw : std::uint64_t { Pick = 0, Show = 1, Token = 2, DrawsPerPosition = 3 };

/// Returns the `rank`-th id that is not special.
std::int32_t nonSpecialId(std::int64_t rank, const std::vector<std::int32_t>& specialIds) {
  auto id = static_cast<std::int32_t>(rank);
  for (const std::int32_t special : specialIds) id += special <= id ? 1 : 0;
  return id;
}

std::int32_t shownId(std::int32_t id, std::uint64_t key, std::uint64_t place, const MaskSpec& spec) {
  const double which = unitRandom(randomBits(key, place * DrawsPerPosition + Show));
  if (which < spec.maskShare) return spec.maskId;
  if (which >= spec.maskShare + spec.randomShare) return id;
  const auto ordinary = static_cast<std::uint64_t>(spec.vocabularySize - std::ssize(spec.specialIds));
  const std::uint64_t rank = boundedRandom(randomBits(key, place * DrawsPerPosition + Token), ordinary);
  return nonSpecialId(static_cast<std::int64_t>(rank), spec.specialIds);
}

std::int64_t shareOf(std::int64_t candidates, double probability) {
  return std::clamp<std::int64_t>(std::llround(probability * static_cast<double>(candidates)), 1, candidates);
}

std::uint64_t keyOf(std::int64_t sampleId, const MaskingKey& key) {
  const std::uint64_t epochKey = subKey(subKey(key.seed, kMaskPurpose), static_cast<std::uint64_t>(key.epoch));
  return subKey(epochKey, static_cast<std::uint64_t>(sampleId));
}

bool isSeparator(std::int32_t id, const MaskSpec& spec) {
  return spec.joined && spec.joined->isSeparator(id);
}

/// Calls visit(place) for the places to predict, ascending. Selection sampling (Knuth, The Art of Computer Programming
/// vol. 2, 3.4.2, algorithm S): exact count, in order.
template <typename Visit>
void visitTokens(std::span<const std::int32_t> sequence, std::uint64_t key, const MaskSpec& spec, const Visit& visit) {
  const auto inside = sequence.subspan(1, sequence.size() - 2);
  auto left = static_cast<std::uint64_t>(inside.size());
  left -= static_cast<std::uint64_t>(
      std::ranges::count_if(inside, [&spec](std::int32_t id) { return isSeparator(id, spec); }));
  if (left == 0) return;
  auto wanted = static_cast<std::uint64_t>(shareOf(static_cast<std::int64_t>(left), spec.probability));
  for (std::uint64_t place = 1; wanted > 0; ++place) {
    if (isSeparator(sequence[place], spec)) continue;
    if (boundedRandom(randomBits(key, place * DrawsPerPosition + Pick), left--) >= wanted) continue;
    --wanted;
    visit(place);
  }
}

struct TokenWord {
  std::uint64_t draw = 0;  // its place in the random order
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  bool taken = false;
};

std::vector<TokenWord> wordsOf(std::span<const std::int32_t> sequence, std::uint64_t key, const MaskSpec& spec) {
  std::vector<TokenWord> words;
  bool inWord = false;
  for (std::uint64_t place = 1; place + 1 < sequence.size(); ++place) {
    const std::int32_t id = sequence[place];
    if (isSeparator(id, spec)) {
      inWord = false;
      continue;
    }
    if (!inWord || !spec.words->continues(id))
      words.push_back({randomBits(key, place * DrawsPerPosition + Pick), place, 0, false});
    ++words.back().length;
    inWord = true;
  }
  return words;
}

/// Returns the words to predict, in the order of the text.
std::vector<TokenWord> wordsToPredict(std::span<const std::int32_t> sequence, std::uint64_t key, const MaskSpec& spec) {
  std::vector<TokenWord> words = wordsOf(sequence, key, spec);
  if (words.empty()) return words;
  std::vector<TokenWord*> order;
  std::uint64_t candidates = 0;
  for (TokenWord& word : words) {
    order.push_back(&word);
    candidates += word.length;
  }
  std::ranges::sort(order, {}, [](const TokenWord* word) { return std::pair(word->draw, word->begin); });
  auto left = static_cast<std::uint64_t>(shareOf(static_cast<std::int64_t>(candidates), spec.probability));
  bool any = false;
  for (TokenWord* word : order) {
    if (left == 0) break;
    if (word->length > left) continue;
    left -= word->length;
    word->taken = any = true;
  }
  if (!any) (*std::ranges::min_element(order, {}, [](const TokenWord* word) { return word->length; }))->taken = true;
  std::erase_if(words, [](const TokenWord& word) { return !word.taken; });
  return words;
}

/// The marks of words in the tokens of a vocabulary.
enum class WordMarks { None, Continuation, ByteSpace, Space };

constexpr std::string_view kContinuation = "##";
constexpr std::string_view kByteSpace = "\xC4\xA0";  // U+0120, the byte 32 of byte-level vocabularies
constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581

WordMarks marksOf(const Vocabulary& vocabulary) {
  const auto count = [&vocabulary](std::string_view mark) {
    return std::ranges::count_if(vocabulary.tokens(), [mark](const std::string& token) {
      return token.starts_with(mark) && token.size() > mark.size();
    });
  };
  WordMarks marks = WordMarks::None;
  std::ptrdiff_t most = 0;
  for (const auto& [mark, kind] : {std::pair(kContinuation, WordMarks::Continuation),
                                   {kByteSpace, WordMarks::ByteSpace},
                                   {kSpace, WordMarks::Space}})
    if (const std::ptrdiff_t tokens = count(mark); tokens > most) {
      most = tokens;
      marks = kind;
    }
  return marks;
}

/// Returns whether a token without a space in front can be inside a word: it does not start with ASCII punctuation or
/// with a control character, as which byte-level vocabularies have U+0100 to U+0120.
bool startsInsideWord(std::string_view token) {
  if (token.empty()) return false;
  const auto first = static_cast<unsigned char>(token.front());
  if (first >= 0x80) {
    const bool control = token.size() > 1 && first == 0xC4 && static_cast<unsigned char>(token[1]) <= 0xA0;
    return !control;
  }
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  const bool byteFallback = token.size() == 6 && token.starts_with("<0x") && token.ends_with(">");
  return letter || (first >= '0' && first <= '9') || byteFallback;
}

bool continuesWord(std::string_view token, WordMarks marks) {
  switch (marks) {
    case WordMarks::None: return false;
    case WordMarks::Continuation: return token.starts_with(kContinuation) && token.size() > kContinuation.size();
    case WordMarks::ByteSpace: return startsInsideWord(token);
    case WordMarks::Space: return !token.starts_with(kSpace) && startsInsideWord(token);
  }
  return false;
}

/// Appends where the documents of one sequence start, which begins at `start` of the batch.
void appendDocumentStarts(std::span<const std::int32_t> sequence, std::int32_t start, const JoinedDocuments& joined,
                          std::vector<std::int32_t>& starts) {
  starts.push_back(start);
  // Some tokenizers have one token for both.
  for (std::size_t i = 1; i + 1 < sequence.size(); ++i)
    if (sequence[i] == joined.sep && sequence[i + 1] == joined.cls)
      starts.push_back(start + static_cast<std::int32_t>(i + 1));
}

}  // namespace

WordTable WordTable::of(const Vocabulary& vocabulary) {
  const WordMarks marks = marksOf(vocabulary);
  WordTable table;
  for (const std::string& token : vocabulary.tokens()) table.continues_.push_back(continuesWord(token, marks));
  for (const std::int32_t special : vocabulary.specialIds())
    table.continues_[static_cast<std::size_t>(special)] = false;
  return table;
}

MaskSpec MaskSpec::of(const Vocabulary& vocabulary, double probability) {
  MaskSpec spec;
  spec.probability = probability;
  spec.maskId = vocabulary.special().mask;
  spec.vocabularySize = vocabulary.size();
  spec.specialIds = vocabulary.specialIds();
  return spec;
}

std::int64_t predictedTokens(std::int64_t length, double probability) {
  assert(length >= 3);
  return shareOf(length - 2, probability);
}

std::int64_t predictedTokens(std::span<const std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key,
                             const MaskSpec& spec) {
  if (spec.countsByLength()) return predictedTokens(std::ssize(sequence), spec.probability);
  std::int64_t count = 0;
  if (!spec.words)
    visitTokens(sequence, keyOf(sampleId, key), spec, [&count](std::uint64_t) { ++count; });
  else
    for (const TokenWord& word : wordsToPredict(sequence, keyOf(sampleId, key), spec))
      count += static_cast<std::int64_t>(word.length);
  return count;
}

void maskSequence(std::span<std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key, const MaskSpec& spec,
                  std::vector<std::int32_t>& positions, std::vector<std::int32_t>& labels) {
  const std::uint64_t sampleKey = keyOf(sampleId, key);
  const auto predict = [&](std::uint64_t place) {
    std::int32_t& id = sequence[place];
    positions.push_back(static_cast<std::int32_t>(place));
    labels.push_back(id);
    id = shownId(id, sampleKey, place, spec);
  };
  if (!spec.words) return visitTokens(sequence, sampleKey, spec, predict);
  for (const TokenWord& word : wordsToPredict(sequence, sampleKey, spec))
    for (std::uint64_t place = word.begin; place < word.begin + word.length; ++place) predict(place);
}

MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::int64_t firstIndexInStep, const MaskingKey& key, const MaskSpec& spec) {
  std::vector<std::int32_t> places(sampleIds.size());
  std::iota(places.begin(), places.end(), static_cast<std::int32_t>(firstIndexInStep));
  return buildMicroBatch(dataset, sampleIds, places, key, spec);
}

MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::span<const std::int32_t> indicesInStep, const MaskingKey& key, const MaskSpec& spec) {
  assert(sampleIds.size() == indicesInStep.size());
  MicroBatch batch;
  batch.indicesInStep.assign(indicesInStep.begin(), indicesInStep.end());
  if (!indicesInStep.empty()) batch.firstIndexInStep = indicesInStep.front();
  batch.sampleIds.assign(sampleIds.begin(), sampleIds.end());
  batch.sequenceStarts.reserve(sampleIds.size() + 1);
  batch.sequenceStarts.push_back(0);
  const bool separated = spec.joined && !spec.joined->attentionAcross;
  for (const std::int64_t sample : sampleIds) {
    assert(sample >= 0 && sample < dataset.size());
    const std::int32_t start = batch.sequenceStarts.back();
    dataset.appendTokens(sample, batch.tokenIds);
    const std::span sequence = std::span(batch.tokenIds).subspan(static_cast<std::size_t>(start));
    if (separated) appendDocumentStarts(sequence, start, *spec.joined, batch.attentionStarts);
    const std::size_t predictedBefore = batch.predictedPositions.size();
    maskSequence(sequence, sample, key, spec, batch.predictedPositions, batch.labels);
    for (std::size_t i = predictedBefore; i < batch.predictedPositions.size(); ++i)
      batch.predictedPositions[i] += start;
    const auto end = static_cast<std::int32_t>(batch.tokenIds.size());
    batch.longest = std::max(batch.longest, end - start);
    batch.sequenceStarts.push_back(end);
  }
  if (separated) batch.attentionStarts.push_back(batch.sequenceStarts.back());
  return batch;
}

TextBytes::TextBytes(const Tokenizer& tokenizer, const TokenDataset& data) {
  for (std::int32_t id = 0; id < tokenizer.vocabulary().size(); ++id) own_.push_back(tokenizer.ownBytes(id));
  const auto counts = data.tokenCounts();
  double all = 0;
  for (std::size_t id = 0; id < counts.size() && id < own_.size(); ++id)
    all += static_cast<double>(counts[id]) * own_[id];
  const auto text = static_cast<double>(data.statistics().text.textBytes);
  if (all > 0 && text > 0) scale_ = text / all;
}

double TextBytes::under(std::span<const std::int32_t> ids) const {
  std::int64_t own = 0;
  for (const std::int32_t id : ids) own += own_[static_cast<std::size_t>(id)];
  return scale_ * static_cast<double>(own);
}

}  // namespace batchwise
