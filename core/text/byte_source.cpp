// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

class PlainSource final : public ByteSource {
 public:
  PlainSource(FileDescriptor file, fs::path path, std::int64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path_.native());
      position_ += got;
      return static_cast<std::size_t>(got);
    }
  }

  Result<void> skip(std::int64_t bytes) override {
    if (position_ + bytes > size_)
      return Error::corrupt(formatText(
          "'{}' is shorter than when its tokenization was interrupted; restore the file, or prepare the data again",
          path_.native()));
    if (::lseek(file_.get(), bytes, SEEK_CUR) < 0) return Error::fromErrno(errno, "cannot read '{}'", path_.native());
    position_ += bytes;
    return {};
  }

  std::int64_t fileBytesRead() const override { return position_; }
  const fs::path& path() const { return path_; }

 private:
  FileDescriptor file_;
  fs::path path_;
  std::int64_t size_;
  std::int64_t position_ = 0;
};

/// Decompresses gzip data (RFC 1952), concatenated members included. Like gzip, ignores zero padding after a member.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(PlainSource packed) : packed_(std::move(packed)), input_(std::size_t{1} << 16) {}
  ~GzipSource() override {
    if (ready_) ::inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<void> start() {
    ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;  // 15: the largest window; 16: gzip frames
    if (!ready_)
      return Error{ErrorCode::OutOfMemory, formatText("not enough memory to unpack '{}'", packed_.path().native()), {}};
    return {};
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(buffer.size(), std::size_t{1} << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        ASSIGN_OR_RETURN(const auto got, refill());
        if (got == 0) return atEnd();
      }
      if (skipPadding()) continue;
      RETURN_IF_ERROR(unpack());
    }
    return static_cast<std::size_t>(wanted - stream_.avail_out);
  }

  Result<void> skip(std::int64_t bytes) override {
    std::vector<char> scratch(std::size_t{1} << 16);
    while (bytes > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::int64_t>(bytes, std::ssize(scratch)));
      ASSIGN_OR_RETURN(const auto got, read(std::span(scratch).first(part)));
      if (got == 0) return damaged("is shorter than it was before");
      bytes -= static_cast<std::int64_t>(got);
    }
    return {};
  }

  std::int64_t fileBytesRead() const override { return packed_.fileBytesRead(); }

 private:
  Result<std::size_t> refill() {
    auto got = packed_.read(input_);
    if (!got.ok()) return got;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*got);
    return got;
  }

  Result<std::size_t> atEnd() {
    if (memberOpen_) return damaged("ends in the middle of its gzip data");
    return std::size_t{0};
  }

  /// Skips zeros between members. Returns true if the input buffer is used up.
  bool skipPadding() {
    while (memberEnded_ && !memberOpen_ && stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    return stream_.avail_in == 0;
  }

  Result<void> unpack() {
    memberOpen_ = true;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      memberOpen_ = false;
      memberEnded_ = true;
      ::inflateReset(&stream_);
      return {};
    }
    if (status == Z_OK || status == Z_BUF_ERROR) return {};
    return damaged("holds damaged gzip data");
  }

  Error damaged(const std::string& how) const {
    return Error::corrupt(formatText("'{}' {}; download or compress it again", packed_.path().native(), how));
  }

  PlainSource packed_;
  std::vector<char> input_;
  z_stream stream_{};
  bool ready_ = false;
  bool memberOpen_ = false;
  bool memberEnded_ = false;  // at least one member was read completely
};

}  // namespace

Result<std::unique_ptr<ByteSource>> openByteSource(const fs::path& path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (S_ISDIR(info.st_mode)) return Error::config(formatText("'{}' is a folder, a file is needed", path.native()));
  if (!S_ISREG(info.st_mode))
    return Error::config(formatText("'{}' is a pipe, socket or device; a regular file is needed", path.native()));
  PlainSource plain(std::move(file), path, info.st_size);
  if (!path.native().ends_with(".gz")) return std::unique_ptr<ByteSource>(new PlainSource(std::move(plain)));
  auto gzip = std::make_unique<GzipSource>(std::move(plain));
  RETURN_IF_ERROR(gzip->start());
  return std::unique_ptr<ByteSource>(std::move(gzip));
}

}  // namespace batchwise
