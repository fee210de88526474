// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/records.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "core/base/format.h"

namespace batchwise {

Result<std::vector<std::byte>> readFrom(const std::filesystem::path& path, std::uint64_t offset, std::size_t most) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const auto failure = [&path] { return Error::fromErrno(errno, "cannot read '{}'", path.native()); };
  if (!file.valid()) return failure();
  const off_t end = ::lseek(file.get(), 0, SEEK_END), from = static_cast<off_t>(offset);
  std::vector<std::byte> bytes(std::min<std::size_t>(most, end > from ? static_cast<std::size_t>(end - from) : 0));
  for (std::size_t filled = 0; filled < bytes.size();) {
    const ssize_t got =
        ::pread(file.get(), bytes.data() + filled, bytes.size() - filled, from + static_cast<off_t>(filled));
    if (got < 0 && errno != EINTR) return failure();
    if (got == 0) bytes.resize(filled);
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return bytes;
}

Result<bool> RecordFile::read(std::vector<std::string>& problems, const std::function<Taken(Bytes)>& take,
                              std::size_t mostBytes) {
  std::optional<std::uint64_t> firstDamaged;
  std::int64_t damaged = 0;
  bool enough = false;
  if (dead_) return false;
  ASSIGN_OR_RETURN(const auto piece, readFrom(path_, offset_, mostBytes));
  for (Bytes rest(piece); !rest.empty() && !enough;) {
    const Frame next = frame(rest);
    if (next.kind == Frame::Cut) break;
    if (next.kind == Frame::DamagedToTheEnd) {
      dead_ = true;
      problems.push_back(
          formatText("'{}' is damaged at byte {}: what follows there cannot be read, the points before it count",
                     path_.native(), offset_));
      break;
    }
    const Taken taken = next.kind == Frame::Record ? take(next.record) : Taken::Yes;
    if ((taken == Taken::Malformed || next.kind == Frame::Damaged) && damaged++ == 0) firstDamaged = offset_;
    enough = taken == Taken::Enough;
    offset_ += next.bytes;
    rest = rest.subspan(std::min<std::size_t>(rest.size(), next.bytes));
  }
  if (firstDamaged)
    problems.push_back(
        formatText("'{}' is damaged at byte {}; records left out: {}", path_.native(), *firstDamaged, damaged));
  return !dead_ && (enough || piece.size() == mostBytes);
}

}  // namespace batchwise
