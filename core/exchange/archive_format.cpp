// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/archive_format.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace batchwise {
namespace {

// As in PNG: a byte above 127 and both line ends find files that were changed on the way.
constexpr std::array<unsigned char, 8> kMagic{0x89, 'B', 't', 'A', 'r', '\r', '\n', 0x1A};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kFrameBytes = 24;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;

template <typename Number>
void put(std::span<std::byte> bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);  // x86-64 and ARM are little endian
}

template <typename Number>
Number get(std::span<const std::byte> bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// The number is hashed with the content, so that no two records can change places.
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

std::int64_t mostArchiveBytes(ArchiveKind kind) {
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

std::string archiveMark() {
  return {kMagic.begin(), kMagic.end()};
}

Result<void> ArchiveWriter::begin() {
  std::array<std::byte, kHeaderBytes> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  put(std::span<std::byte>(header), 8, kArchiveFormat);
  put(std::span<std::byte>(header), 12, crc32c(std::span<const std::byte>(header).first(12)));
  return sink_(header);
}

Result<void> ArchiveWriter::add(ArchiveKind kind, std::span<const std::byte> content) {
  if (static_cast<std::int64_t>(content.size()) > mostArchiveBytes(kind))
    return Error::config("a part of the run has " + std::to_string(content.size()) +
                         " bytes; an archive takes at most " + std::to_string(mostArchiveBytes(kind)));
  std::array<std::byte, kFrameBytes> frame{};
  const HashBytes hash = bytesOfHash(recordHash(records_++, kind, content));
  put(std::span<std::byte>(frame), 0, kind);
  put(std::span<std::byte>(frame), 4, static_cast<std::uint32_t>(content.size()));
  std::memcpy(frame.data() + 8, hash.data(), hash.size());
  hashes_.update(hash);
  if (auto written = sink_(frame); !written.ok()) return written;
  return sink_(content);
}

Result<void> ArchiveWriter::end() {
  const HashBytes seal = bytesOfHash(hashes_.digest());
  return add(ArchiveKind::End, seal);
}

Result<ArchiveReader> ArchiveReader::open(const std::filesystem::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open", path.native());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error::fromErrno(errno, "cannot read", path.native());
  if (!S_ISREG(status.st_mode)) return Error::config("'" + path.native() + "' is no file");
  ArchiveReader reader(path, std::move(file), status.st_size);
  if (auto fine = reader.checkHeader(); !fine.ok()) return fine.error();
  return reader;
}

Result<void> ArchiveReader::checkHeader() {
  const Error foreign = Error::corrupt("'" + path_.native() + "' is not an archive of a run");
  if (bytes_ < static_cast<std::int64_t>(kHeaderBytes)) return foreign;
  std::array<std::byte, kHeaderBytes> header{};
  if (auto read = readBytes(header); !read.ok()) return read;
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) return foreign;
  const std::span<const std::byte> bytes(header);
  if (get<std::uint32_t>(bytes, 12) != crc32c(bytes.first(12))) return damaged("its header fails its check");
  const auto format = get<std::uint32_t>(bytes, 8);
  if (format > kArchiveFormat)
    return Error::unsupported("archive '" + path_.native() + "' has format " + std::to_string(format) +
                              ", this program knows up to " + std::to_string(kArchiveFormat) +
                              "; use a newer Batchwise");
  return {};
}

Result<void> ArchiveReader::readBytes(std::span<std::byte> target) {
  if (static_cast<std::int64_t>(target.size()) > bytes_ - position_) return damaged("it is cut short");
  while (!target.empty()) {
    const ssize_t got = ::pread(file_.get(), target.data(), target.size(), position_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::fromErrno(errno, "cannot read", path_.native());
    if (got == 0) return damaged("it is cut short");
    position_ += got;
    target = target.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<ArchiveRecord> ArchiveReader::next() {
  std::array<std::byte, kFrameBytes> frame{};
  if (auto read = readBytes(frame); !read.ok()) return read.error();
  const std::span<const std::byte> bytes(frame);
  ArchiveRecord record{static_cast<ArchiveKind>(get<std::uint32_t>(bytes, 0)), {}};
  const std::int64_t size = get<std::uint32_t>(bytes, 4);
  const std::string name = "record " + std::to_string(records_);
  if (size > mostArchiveBytes(record.kind)) return damaged(name + " is of no known kind, or too large for it");
  if (size > bytes_ - position_) return damaged("it is cut short");
  record.content.resize(static_cast<std::size_t>(size));
  if (auto read = readBytes(record.content); !read.ok()) return read.error();
  const HashBytes hash = bytesOfHash(recordHash(records_++, record.kind, record.content));
  if (std::memcmp(hash.data(), frame.data() + 8, hash.size()) != 0) return damaged(name + " fails its hash");
  if (record.kind == ArchiveKind::End)
    if (auto fine = checkEnd(record); !fine.ok()) return fine.error();
  hashes_.update(hash);
  return record;
}

Result<void> ArchiveReader::checkEnd(const ArchiveRecord& record) {
  const HashBytes seal = bytesOfHash(hashes_.digest());
  if (record.content.size() != seal.size() || std::memcmp(record.content.data(), seal.data(), seal.size()) != 0)
    return damaged("its seal does not match its records");
  return position_ == bytes_ ? Result<void>{} : damaged("something follows its end");
}

void ArchiveReader::rewind() {
  position_ = kHeaderBytes;
  records_ = 0;
  hashes_ = Hasher();
}

Error ArchiveReader::damaged(const std::string& what) const {
  return Error::corrupt("archive '" + path_.native() + "' is damaged: " + what);
}

}  // namespace batchwise
