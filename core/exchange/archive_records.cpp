// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/archive_records.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/format.h"

namespace batchwise {
namespace {

// As in PNG: a byte above 127 and both kinds of line ends reveal files damaged by text conversion.
constexpr std::array<unsigned char, 8> kMagic{0x89, 'B', 't', 'A', 'r', '\r', '\n', 0x1A};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kFrameBytes = 24;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;

template <typename Number>
void put(std::span<std::byte> bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);  // all supported processors are little-endian
}

template <typename Number>
Number get(std::span<const std::byte> bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// Hash of a record. Includes its number, so that reordered records are detected.
Hash128 recordHash(std::uint64_t number, ArchiveKind kind, std::span<const std::byte> content) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span{&number, 1}));
  hasher.update(std::as_bytes(std::span{&kind, 1}));
  hasher.update(content);
  return hasher.digest();
}

using HashBytes = std::array<std::byte, 16>;
HashBytes bytesOfHash(const Hash128& hash) {
  HashBytes bytes{};
  put<std::uint64_t>(bytes, 0, hash.low);
  put<std::uint64_t>(bytes, 8, hash.high);
  return bytes;
}

}  // namespace

std::int64_t maxRecordBytes(ArchiveKind kind) {
  switch (kind) {
    case ArchiveKind::Run: return 8 * kMebi;
    case ArchiveKind::Data: return 4 * kMebi;
    case ArchiveKind::Checkpoint:
    case ArchiveKind::Series:
    case ArchiveKind::Rows:
    case ArchiveKind::Events: return kMebi;
    case ArchiveKind::End: return sizeof(HashBytes);
  }
  return 0;
}

Result<void> ArchiveWriter::begin() {
  std::array<std::byte, kHeaderBytes> header{};
  std::ranges::copy(std::as_bytes(std::span(kMagic)), header.begin());
  put(header, 8, kArchiveFormat);
  put(header, 12, crc32c(std::span<const std::byte>(header).first(12)));
  return sink_(header);
}

Result<void> ArchiveWriter::add(ArchiveKind kind, std::span<const std::byte> content) {
  if (static_cast<std::int64_t>(content.size()) > maxRecordBytes(kind))
    return Error::config(formatText("a part of the run has {} bytes; an archive takes at most {}", content.size(),
                                    maxRecordBytes(kind)));
  std::array<std::byte, kFrameBytes> frame{};
  const HashBytes hash = bytesOfHash(recordHash(records_++, kind, content));
  put(frame, 0, kind);
  put(frame, 4, static_cast<std::uint32_t>(content.size()));
  std::memcpy(frame.data() + 8, hash.data(), hash.size());
  hashes_.update(hash);
  RETURN_IF_ERROR(sink_(frame));
  return sink_(content);
}

Result<void> ArchiveWriter::end() {
  const HashBytes seal = bytesOfHash(hashes_.digest());
  return add(ArchiveKind::End, seal);
}

Result<ArchiveReader> ArchiveReader::open(const std::filesystem::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (!S_ISREG(status.st_mode)) return Error::config(formatText("'{}' is not a file", path.native()));
  ArchiveReader reader(path, std::move(file), status.st_size);
  RETURN_IF_ERROR(reader.checkHeader());
  return reader;
}

Result<void> ArchiveReader::checkHeader() {
  const Error foreign = Error::corrupt(formatText(
      "'{}' is not an archive of a run; choose a file that was exported as one (export --archive)", path_.native()));
  if (bytes_ < static_cast<std::int64_t>(kHeaderBytes)) return foreign;
  std::array<std::byte, kHeaderBytes> header{};
  RETURN_IF_ERROR(readBytes(header));
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) return foreign;
  const std::span<const std::byte> bytes(header);
  if (get<std::uint32_t>(bytes, 12) != crc32c(bytes.first(12))) return damaged("its header fails its checksum");
  const auto format = get<std::uint32_t>(bytes, 8);
  if (format > kArchiveFormat)
    return Error::unsupported(
        formatText("archive '{}' has format {}, this program knows up to {}; use a newer Batchwise", path_.native(),
                   format, kArchiveFormat));
  return {};
}

Result<void> ArchiveReader::readBytes(std::span<std::byte> target) {
  if (static_cast<std::int64_t>(target.size()) > bytes_ - position_) return damaged("it is truncated");
  while (!target.empty()) {
    const ssize_t got = ::pread(file_.get(), target.data(), target.size(), position_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path_.native());
    if (got == 0) return damaged("it is truncated");
    position_ += got;
    target = target.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<ArchiveRecord> ArchiveReader::next() {
  std::array<std::byte, kFrameBytes> frame{};
  RETURN_IF_ERROR(readBytes(frame));
  const std::span<const std::byte> bytes(frame);
  ArchiveRecord record{static_cast<ArchiveKind>(get<std::uint32_t>(bytes, 0)), {}};
  const std::int64_t size = get<std::uint32_t>(bytes, 4);
  const std::string name = formatText("record {}", records_);
  if (size > maxRecordBytes(record.kind))
    return damaged(formatText("{} has an unknown kind or is too large for it", name));
  if (size > bytes_ - position_) return damaged("it is truncated");
  record.content.resize(static_cast<std::size_t>(size));
  RETURN_IF_ERROR(readBytes(record.content));
  const HashBytes hash = bytesOfHash(recordHash(records_++, record.kind, record.content));
  if (std::memcmp(hash.data(), frame.data() + 8, hash.size()) != 0)
    return damaged(formatText("{} does not match its hash", name));
  if (record.kind == ArchiveKind::End) RETURN_IF_ERROR(checkEnd(record));
  hashes_.update(hash);
  return record;
}

Result<void> ArchiveReader::checkEnd(const ArchiveRecord& record) {
  const HashBytes seal = bytesOfHash(hashes_.digest());
  if (record.content.size() != seal.size() || std::memcmp(record.content.data(), seal.data(), seal.size()) != 0)
    return damaged("its seal does not match its records");
  return position_ == bytes_ ? Result<void>{} : damaged("there is data after its end");
}

void ArchiveReader::rewind() {
  position_ = kHeaderBytes;
  records_ = 0;
  hashes_ = Hasher();
}

Error ArchiveReader::damaged(const std::string& what) const {
  return Error::corrupt(formatText("archive '{}' is damaged: {}; copy or export it again", path_.native(), what));
}

Result<void> ArchiveStream::fetchRecord() {
  if (record_) return {};
  ASSIGN_OR_RETURN(record_, reader_.next());
  return {};
}

Result<void> ArchiveStream::expect(ArchiveKind kind, const std::string& what) {
  RETURN_IF_ERROR(fetchRecord());
  if (!recordIs(kind)) return reader_.damaged(formatText("{} is at the wrong place in the archive", what));
  return {};
}

template <typename Value>
Result<Value> ArchiveStream::consume(Result<Value> (*parse)(std::string_view)) {
  auto value = parse(record_->text());
  record_.reset();
  if (!value.ok()) return reader_.damaged(value.error().message);
  return value;
}

Result<RunDetail> ArchiveStream::run() {
  RETURN_IF_ERROR(expect(ArchiveKind::Run, "the description of the run"));
  ASSIGN_OR_RETURN(auto run, consume(parseArchivedRun));
  segments_ = std::ssize(run.segments);
  return run;
}

Result<std::optional<CheckpointRecord>> ArchiveStream::nextCheckpoint() {
  while (dataLeft_ > 0) RETURN_IF_ERROR(nextData());
  RETURN_IF_ERROR(fetchRecord());
  if (!recordIs(ArchiveKind::Checkpoint)) return std::optional<CheckpointRecord>{};
  ASSIGN_OR_RETURN(auto checkpoint, consume(parseArchivedCheckpoint));
  if (checkpoint.segment >= segments_) return reader_.damaged("a checkpoint belongs to a segment that does not exist");
  if (checkpoint.bytes < 1 || checkpoint.bytes > reader_.bytes() - reader_.position())
    return reader_.damaged(formatText("checkpoint {} has an invalid size", checkpoint.id));
  dataLeft_ = checkpoint.bytes;
  return std::optional{std::move(checkpoint)};
}

Result<std::span<const std::byte>> ArchiveStream::nextData() {
  if (dataLeft_ == 0) return std::span<const std::byte>{};
  RETURN_IF_ERROR(expect(ArchiveKind::Data, "the data of a checkpoint"));
  data_ = std::move(record_->content);
  record_.reset();
  const auto size = static_cast<std::int64_t>(data_.size());
  if (size == 0 || size > dataLeft_)
    return reader_.damaged("the data of a checkpoint does not have the size that it states");
  dataLeft_ -= size;
  return std::span<const std::byte>{data_};
}

Result<std::vector<std::string>> ArchiveStream::series() {
  RETURN_IF_ERROR(expect(ArchiveKind::Series, "the list of series"));
  ASSIGN_OR_RETURN(auto names, consume(parseArchivedSeries));
  for (const std::string& name : names) seriesKinds_.push_back(rowKindOf(name));
  return names;
}

Result<std::optional<TransferRow>> ArchiveStream::nextRow() {
  while (rowsLeft_.empty()) {
    if (recordIs(ArchiveKind::Rows)) record_.reset();  // consumed
    RETURN_IF_ERROR(fetchRecord());
    if (!recordIs(ArchiveKind::Rows)) return std::optional<TransferRow>{};
    rowsLeft_ = record_->content;
  }
  auto row = popArchivedRow(rowsLeft_);
  if (!row.ok()) return reader_.damaged(row.error().message);
  RETURN_IF_ERROR(checkRow(*row));
  return std::optional{std::move(*row)};
}

Result<void> ArchiveStream::checkRow(const TransferRow& row) {
  if (row.segment < 0 || row.segment >= segments_)
    return reader_.damaged("metrics belong to a segment that does not exist");
  const std::tuple place{row.segment, row.kind, row.position};
  if (row.position < 0 || (lastRow_ && place <= *lastRow_)) return reader_.damaged("its metrics are not in order");
  lastRow_ = place;
  std::int64_t before = -1;
  for (const TransferValue& value : row.values) {
    if (value.series >= seriesKinds_.size() || seriesKinds_[value.series] != row.kind || value.series <= before)
      return reader_.damaged("a row of metrics names a series that does not belong there");
    before = value.series;
  }
  if (row.values.empty()) return reader_.damaged("a row of metrics is empty");
  return {};
}

Result<std::optional<StoredEvent>> ArchiveStream::nextEvent() {
  while (eventsReturned_ == events_.size()) {
    RETURN_IF_ERROR(fetchRecord());
    if (!recordIs(ArchiveKind::Events)) return std::optional<StoredEvent>{};
    ASSIGN_OR_RETURN(events_, consume(parseArchivedEvents));
    eventsReturned_ = 0;
  }
  StoredEvent& event = events_[eventsReturned_++];
  if (event.segment >= segments_) return reader_.damaged("an event belongs to a segment that does not exist");
  return std::optional{std::move(event)};
}

Result<void> ArchiveStream::end() {
  return expect(ArchiveKind::End, "the end");
}

}  // namespace batchwise
