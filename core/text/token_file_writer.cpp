// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/text/file_identity.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

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

  /// Calls visit(bytes) in chunks for everything from `at` on. Requires a preceding flush().
  template <typename Visit>
  Result<void> read(std::int64_t at, const Visit& visit) {
    std::vector<std::byte> piece(kBufferBytes);
    while (true) {
      const ssize_t got = ::pread(file_.get(), piece.data(), piece.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failure();
      if (got == 0) return {};
      RETURN_IF_ERROR(visit(std::span<const std::byte>(piece).first(static_cast<std::size_t>(got))));
      at += got;
    }
  }

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
    const auto copied = offsets_.read(0, [&](std::span<const std::byte> bytes) { return tokens_.append(bytes); });
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
