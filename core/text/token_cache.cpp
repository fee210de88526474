// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mapped_file.h"
#include "core/text/file_identity.h"

namespace batchwise {

namespace fs = std::filesystem;

namespace {

/// Returns value * factor / divisor, rounded down.
std::int64_t scaled(std::int64_t value, std::int64_t factor, std::int64_t divisor) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(value) * factor / divisor);
}

Error damaged(const fs::path& path, const std::string& how) {
  return Error::corrupt(formatText("the token file '{}' {}; delete it and prepare the data again", path.native(), how));
}

Result<TokenFileHeader> readHeader(std::span<const std::byte> bytes, const fs::path& path) {
  TokenFileHeader header;
  if (std::ssize(bytes) < kTokenFileDataAt) return damaged(path, "is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, TokenFileHeader{}.magic, sizeof header.magic) != 0)
    return damaged(path, "is not a token file");
  if (header.version != TokenFileHeader{}.version)
    return Error::unsupported(
        formatText("the token file '{}' has version {}, but this program reads version 1; prepare the data again",
                   path.native(), header.version));
  if (header.crc != header.expectedCrc()) return damaged(path, "has a damaged header");
  return header;
}

/// Returns whether the sections are contiguous and fill the file.
bool matchesFileSize(const TokenFileHeader& header, std::int64_t fileBytes) {
  const std::int64_t width = header.tokenBytes;
  if ((width != 2 && width != 4) || header.sequences < 0 || header.storedTokens < 0 || header.vocabularySize < 1)
    return false;
  if (header.storedTokens > fileBytes || header.sequences > fileBytes) return false;  // prevents overflow below
  return header.fileBytes == fileBytes && header.tokensAt == kTokenFileDataAt &&
         header.offsetsAt == alignedTo8(header.tokensAt + header.storedTokens * width) &&
         header.countsAt == header.offsetsAt + 8 * (header.sequences + 1) &&
         header.fileBytes == header.countsAt + 8 * std::int64_t{header.vocabularySize};
}

template <typename T>
std::span<const T> section(std::span<const std::byte> bytes, std::int64_t at, std::int64_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + at), static_cast<std::size_t>(count)};
}

bool isAscending(std::span<const std::uint64_t> offsets, std::int64_t tokens) {
  if (offsets.front() != 0 || offsets.back() != static_cast<std::uint64_t>(tokens)) return false;
  return std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
}

/// Buffered file that is appended to.
class AppendFile {
 public:
  /// Opens `path`, keeping `dataBytes` after the first `dataAt` bytes and truncating the rest.
  static Result<AppendFile> open(const fs::path& path, std::int64_t dataAt, std::int64_t dataBytes) {
    AppendFile file;
    file.path_ = path;
    file.file_ = FileDescriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
    struct stat info {};
    if (!file.file_.valid() || ::fstat(file.file_.get(), &info) != 0) return file.failure();
    const std::int64_t size = dataAt + dataBytes;
    if (dataBytes > 0 && info.st_size < size)
      return Error::corrupt(formatText("'{}' is shorter than when it was written", path.native()));
    if (::ftruncate(file.file_.get(), size) != 0 || ::lseek(file.file_.get(), 0, SEEK_END) < 0) return file.failure();
    return file;
  }

  Result<void> append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() < kBufferBytes) return {};
    return flush();
  }

  Result<void> flush() {
    RETURN_IF_ERROR(writeAll(file_, buffer_, path_));
    buffer_.clear();
    return {};
  }

  Result<void> sync() {
    RETURN_IF_ERROR(flush());
    if (::fsync(file_.get()) != 0) return failure();
    return {};
  }

  /// Calls `take` with everything, piece by piece. Requires a preceding flush().
  Result<void> read(const FileSink& take) const { return forEachPiece(file_, 0, path_, take); }

  Result<void> writeAtStart(std::span<const std::byte> bytes) {
    if (::pwrite(file_.get(), bytes.data(), bytes.size(), 0) != std::ssize(bytes)) return failure();
    return {};
  }

  const fs::path& path() const { return path_; }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  Error failure() const { return Error::fromErrno(errno, "cannot write '{}'", path_.native()); }

  fs::path path_;
  FileDescriptor file_;
  std::vector<std::byte> buffer_;
};

fs::path beside(const fs::path& path, const char* ending) {
  return path.native() + ending;
}

}  // namespace

/// The spans view `file`.
struct TokenDataset::Content {
  MappedFile file;

  std::span<const std::uint16_t> tokens16;  // one of these two is in use
  std::span<const std::uint32_t> tokens32;
  std::span<const std::uint64_t> offsets;  // [sequences + 1]
  std::vector<std::int64_t> counts;
  std::uint64_t longest = 3;  // tokens of the longest sequence, [CLS] and [SEP] included; at least 3
  std::int32_t cls = 0;
  std::int32_t sep = 0;
  Hash128 identity;
  DatasetStatistics statistics;
  std::vector<Source> sources;  // of a mixture, which has no tokens of its own

  struct Place {
    const Source* source;
    std::int64_t sample;
  };
  /// Of the first m of the samples that are left for a source and those after it, the source has its share, rounded
  /// down: so it is the source of sample m if its share of one more is more.
  Place placeOf(std::int64_t i) const {
    std::int64_t left = statistics.sequences;
    for (const Source& source : sources) {
      const auto shareOf = [&](std::int64_t samples) { return scaled(samples, source.samples, left); };
      const std::int64_t before = shareOf(i);
      if (shareOf(i + 1) > before) return {&source, sampleIn(source, before)};
      i -= before;
      left -= source.samples;
    }
    return {&sources.back(), 0};
  }
  static std::int64_t sampleIn(const Source& source, std::int64_t drawn) {
    const std::int64_t size = source.data.size(), rest = source.samples % size;
    if (drawn < source.samples - rest) return drawn % size;
    return scaled(drawn % size, size, rest);
  }

  struct TokenRange {
    std::size_t first = 0, count = 0;
  };
  /// Returns the range of sequence i in the tokens. Stays within the file even if another process has changed it.
  TokenRange rangeOf(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t first = offsets[at], end = offsets[at + 1];
    if (first < end && end - first + 2 <= longest && end <= std::max(tokens16.size(), tokens32.size()))
      return {first, end - first};
    return {0, 1};
  }
};

Result<TokenDataset> TokenDataset::open(const fs::path& path, CacheCheck check) {
  ASSIGN_OR_RETURN(auto mapped, MappedFile::open(path));
  const auto bytes = mapped.bytes();
  ASSIGN_OR_RETURN(const auto header, readHeader(bytes, path));
  if (!matchesFileSize(header, std::ssize(bytes))) return damaged(path, "has a different size than its header says");
  auto content = std::make_shared<Content>();
  content->offsets = section<std::uint64_t>(bytes, header.offsetsAt, header.sequences + 1);
  if (!isAscending(content->offsets, header.storedTokens)) return damaged(path, "has a damaged sequence table");
  if (check == CacheCheck::Content) {
    // Read instead of mapped, so that the check does not make the whole file resident.
    ASSIGN_OR_RETURN(const auto found, hashFile(path, {.from = kTokenFileDataAt}));
    if (found != Hash128{header.contentHigh, header.contentLow}) return damaged(path, "has damaged content");
  }
  if (header.tokenBytes == 2) {
    content->tokens16 = section<std::uint16_t>(bytes, header.tokensAt, header.storedTokens);
  } else {
    content->tokens32 = section<std::uint32_t>(bytes, header.tokensAt, header.storedTokens);
  }
  const auto counts = section<std::int64_t>(bytes, header.countsAt, header.vocabularySize);
  content->counts.assign(counts.begin(), counts.end());
  content->cls = header.cls;
  content->sep = header.sep;
  content->identity = {header.identityHigh, header.identityLow};
  content->statistics = {header.text, header.sequences, header.framedTokens, header.unknownTokens, header.longest};
  content->longest = static_cast<std::uint64_t>(std::max<std::int64_t>(header.longest, 3));
  content->file = std::move(mapped);
  RETURN_IF_ERROR(content->file.intact());
  return TokenDataset(std::move(content));
}

TokenDataset TokenDataset::mix(std::vector<Source> sources) {
  auto content = std::make_shared<Content>();
  DatasetStatistics& whole = content->statistics;
  content->counts.resize(sources.front().data.tokenCounts().size());
  Hasher hasher;
  for (const Source& source : sources) {
    const DatasetStatistics& own = source.data.statistics();
    const double passes = static_cast<double>(source.samples) / static_cast<double>(source.data.size());
    whole.text += own.text;
    whole.sequences += source.samples;
    whole.tokens += source.tokens();
    whole.unknown += std::llround(passes * static_cast<double>(own.unknown));
    whole.longest = std::max(whole.longest, own.longest);
    for (std::size_t id = 0; id < content->counts.size(); ++id)
      content->counts[id] += std::llround(passes * static_cast<double>(source.data.tokenCounts()[id]));
    hasher.update(formatText("{} {} ", source.data.identity().hex(), source.samples));
  }
  content->longest = static_cast<std::uint64_t>(std::max<std::int64_t>(whole.longest, 3));
  content->identity = hasher.digest();
  content->sources = std::move(sources);
  return TokenDataset(std::move(content));
}

std::int64_t TokenDataset::Source::tokens() const {
  const std::int64_t passes = samples / data.size(), rest = samples % data.size();
  std::int64_t sum = passes * data.statistics().tokens;
  for (std::int64_t i = 0; i < rest; ++i) sum += data.length(Content::sampleIn(*this, passes * data.size() + i));
  return sum;
}

std::vector<double> mixturePasses(std::span<const DatasetStatistics> datasets, std::span<const double> weights,
                                  double temperature) {
  std::vector<double> logs;  // of passes, so that no weight or temperature is too extreme
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto tokens = static_cast<double>(datasets[i].tokens);
    logs.push_back(std::log(weights.empty() ? tokens : weights[i]) / temperature - std::log(tokens));
  }
  const double least = *std::ranges::min_element(logs);
  std::vector<double> passes;
  for (const double each : logs) passes.push_back(std::exp(each - least));
  return passes;
}

TokenDataset::TokenDataset(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

std::int64_t TokenDataset::size() const {
  return content_->statistics.sequences;
}

std::size_t TokenDataset::sourceOf(std::int64_t i) const {
  return content_->sources.empty() ? 0
                                   : static_cast<std::size_t>(content_->placeOf(i).source - content_->sources.data());
}

Result<void> TokenDataset::intact() const {
  for (const Source& source : content_->sources) RETURN_IF_ERROR(source.data.intact());
  return content_->sources.empty() ? content_->file.intact() : Result<void>();
}

std::uint32_t TokenDataset::length(std::int64_t i) const {
  if (!content_->sources.empty()) {
    const Content::Place place = content_->placeOf(i);
    return place.source->data.length(place.sample);
  }
  return static_cast<std::uint32_t>(content_->rangeOf(i).count) + 2;
}

void TokenDataset::appendTokens(std::int64_t i, std::vector<std::int32_t>& ids) const {
  if (!content_->sources.empty()) {
    const Content::Place place = content_->placeOf(i);
    return place.source->data.appendTokens(place.sample, ids);
  }
  const auto [first, count] = content_->rangeOf(i);
  ids.reserve(ids.size() + count + 2);
  ids.push_back(content_->cls);
  const auto append = [&ids](auto stored) { ids.insert(ids.end(), stored.begin(), stored.end()); };
  if (content_->tokens16.empty()) {
    append(content_->tokens32.subspan(first, count));
  } else {
    append(content_->tokens16.subspan(first, count));
  }
  ids.push_back(content_->sep);
}

std::vector<std::int32_t> TokenDataset::tokens(std::int64_t i) const {
  std::vector<std::int32_t> ids;
  appendTokens(i, ids);
  return ids;
}

const Hash128& TokenDataset::identity() const {
  return content_->identity;
}
const DatasetStatistics& TokenDataset::statistics() const {
  return content_->statistics;
}
std::span<const std::int64_t> TokenDataset::tokenCounts() const {
  return content_->counts;
}

double unigramCrossEntropy(const TokenDataset& data, const TokenDataset& reference) {
  const auto counts = data.tokenCounts();
  const auto guesses = reference.tokenCounts();
  assert(counts.size() == guesses.size());
  const double raise = data.identity() == reference.identity() ? 0.0 : 1.0;
  double total = 0.0, guessTotal = 0.0;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    total += static_cast<double>(counts[id]);
    guessTotal += static_cast<double>(guesses[id]) + raise;
  }
  double nats = 0.0;
  for (std::size_t id = 0; id < counts.size(); ++id)
    if (counts[id] > 0)
      nats -=
          static_cast<double>(counts[id]) / total * std::log((static_cast<double>(guesses[id]) + raise) / guessTotal);
  return nats;
}

namespace fs = std::filesystem;

class TokenFileWriter::Impl {
 public:
  Impl(TokenFileSpec spec, TokenWriterState state, AppendFile tokens, AppendFile offsets)
      : spec_(std::move(spec)), state_(std::move(state)), tokens_(std::move(tokens)), offsets_(std::move(offsets)) {}

  static std::int64_t tokenBytes(const TokenFileSpec& spec) {
    return spec.vocabularySize <= kLargestTwoByteVocabulary ? 2 : 4;
  }

  Result<void> add(std::span<const std::int32_t> ids, const TextCounts& text) {
    state_.statistics.text += text;
    const auto longest = static_cast<std::size_t>(spec_.maxSeqLen - 2);
    while (!ids.empty()) {
      const auto piece = ids.first(std::min(longest, ids.size()));
      ids = ids.subspan(piece.size());
      RETURN_IF_ERROR(spec_.joinDocuments ? join(piece, longest) : appendSequence(piece));
    }
    return {};
  }

  Result<TokenWriterState> checkpoint() {
    RETURN_IF_ERROR(tokens_.sync());
    RETURN_IF_ERROR(offsets_.sync());
    return state_;
  }

  Result<void> finish() {
    if (!state_.joining.empty()) RETURN_IF_ERROR(appendSequence(std::exchange(state_.joining, {})));
    TokenFileHeader header = describe();
    RETURN_IF_ERROR(writeTables(header));
    ASSIGN_OR_RETURN(const auto content, hashFile(tokens_.path(), {.from = kTokenFileDataAt}));
    header.contentHigh = content.high;
    header.contentLow = content.low;
    header.crc = header.expectedCrc();
    RETURN_IF_ERROR(tokens_.writeAtStart(std::as_bytes(std::span(&header, 1))));
    RETURN_IF_ERROR(tokens_.sync());
    if (::rename(tokens_.path().c_str(), spec_.path.c_str()) != 0)
      return Error::fromErrno(errno, "cannot write '{}'", spec_.path.native());
    ::unlink(offsets_.path().c_str());
    return syncFolder(spec_.path.parent_path());
  }

 private:
  Result<void> join(std::span<const std::int32_t> piece, std::size_t longest) {
    joined_.assign(piece.begin(), piece.end());
    // A [SEP] of the text itself would be taken for the end of a document.
    if (spec_.documentSeparator) std::erase(joined_, spec_.special.sep);
    if (joined_.empty()) return {};
    const std::size_t separators = spec_.documentSeparator && !state_.joining.empty() ? 2 : 0;
    const bool fits = state_.joining.size() + separators + joined_.size() <= longest;
    if (!fits) RETURN_IF_ERROR(appendSequence(std::exchange(state_.joining, {})));
    if (fits && separators > 0) state_.joining.insert(state_.joining.end(), {spec_.special.sep, spec_.special.cls});
    state_.joining.insert(state_.joining.end(), joined_.begin(), joined_.end());
    return {};
  }

  bool isSeparator(std::int32_t id) const {
    return spec_.joinDocuments && spec_.documentSeparator && (id == spec_.special.sep || id == spec_.special.cls);
  }

  Result<void> appendSequence(std::span<const std::int32_t> ids) {
    DatasetStatistics& statistics = state_.statistics;
    for (const std::int32_t id : ids) {
      if (isSeparator(id)) continue;
      ++state_.counts[static_cast<std::size_t>(id)];
      statistics.unknown += id == spec_.special.unknown ? 1 : 0;
    }
    const auto start = static_cast<std::uint64_t>(state_.storedTokens);
    state_.storedTokens += std::ssize(ids);
    ++statistics.sequences;
    statistics.tokens += std::ssize(ids) + 2;
    statistics.longest = std::max<std::int64_t>(statistics.longest, std::ssize(ids) + 2);
    RETURN_IF_ERROR(offsets_.append(std::as_bytes(std::span(&start, 1))));
    if (tokenBytes(spec_) == 4) return tokens_.append(std::as_bytes(ids));
    narrow_.assign(ids.begin(), ids.end());
    return tokens_.append(std::as_bytes(std::span(narrow_)));
  }

  TokenFileHeader describe() const {
    const DatasetStatistics& statistics = state_.statistics;
    TokenFileHeader header;
    header.tokenBytes = static_cast<std::uint32_t>(tokenBytes(spec_));
    header.identityHigh = spec_.identity.high;
    header.identityLow = spec_.identity.low;
    header.vocabularySize = spec_.vocabularySize;
    header.cls = spec_.special.cls;
    header.sep = spec_.special.sep;
    header.sequences = statistics.sequences;
    header.storedTokens = state_.storedTokens;
    header.tokensAt = kTokenFileDataAt;
    header.offsetsAt = alignedTo8(kTokenFileDataAt + state_.storedTokens * tokenBytes(spec_));
    header.countsAt = header.offsetsAt + 8 * (statistics.sequences + 1);
    header.fileBytes = header.countsAt + 8 * std::int64_t{spec_.vocabularySize};
    header.text = statistics.text;
    header.framedTokens = statistics.tokens;
    header.unknownTokens = statistics.unknown;
    header.longest = statistics.longest;
    return header;
  }

  /// Appends the sections that follow the tokens.
  Result<void> writeTables(const TokenFileHeader& header) {
    const std::int64_t padding = header.offsetsAt - (header.tokensAt + header.storedTokens * header.tokenBytes);
    const std::vector<std::byte> zeros(static_cast<std::size_t>(padding));
    RETURN_IF_ERROR(tokens_.append(zeros));
    RETURN_IF_ERROR(offsets_.flush());
    const auto copied = offsets_.read([&](std::span<const std::byte> bytes) { return tokens_.append(bytes); });
    if (!copied.ok()) return copied;
    RETURN_IF_ERROR(tokens_.append(std::as_bytes(std::span(&header.storedTokens, 1))));
    RETURN_IF_ERROR(tokens_.append(std::as_bytes(std::span(state_.counts))));
    return tokens_.flush();
  }

  TokenFileSpec spec_;
  TokenWriterState state_;
  AppendFile tokens_;
  AppendFile offsets_;
  std::vector<std::uint16_t> narrow_;  // scratch, as the next one
  std::vector<std::int32_t> joined_;
};

Result<TokenFileWriter> TokenFileWriter::open(TokenFileSpec spec, TokenWriterState state) {
  state.counts.resize(static_cast<std::size_t>(spec.vocabularySize));
  auto tokens =
      AppendFile::open(beside(spec.path, ".part"), kTokenFileDataAt, state.storedTokens * Impl::tokenBytes(spec));
  if (!tokens.ok()) return tokens.error();
  ASSIGN_OR_RETURN(auto offsets,
                   AppendFile::open(beside(spec.path, ".offsets.part"), 0, 8 * state.statistics.sequences));
  return TokenFileWriter(
      std::make_unique<Impl>(std::move(spec), std::move(state), std::move(*tokens), std::move(offsets)));
}

TokenFileWriter::TokenFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TokenFileWriter::TokenFileWriter(TokenFileWriter&&) noexcept = default;
TokenFileWriter& TokenFileWriter::operator=(TokenFileWriter&&) noexcept = default;
TokenFileWriter::~TokenFileWriter() = default;

Result<void> TokenFileWriter::add(std::span<const std::int32_t> ids, const TextCounts& text) {
  return impl_->add(ids, text);
}
Result<TokenWriterState> TokenFileWriter::checkpoint() {
  return impl_->checkpoint();
}
Result<void> TokenFileWriter::finish() {
  return impl_->finish();
}

}  // namespace batchwise
