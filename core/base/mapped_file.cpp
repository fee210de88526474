// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "core/base/file.h"

namespace batchwise {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read", path.native());
  if (!S_ISREG(info.st_mode)) return Error::config("'" + path.native() + "' is no regular file");
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return mapped;
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return Error::fromErrno(errno, "cannot map", path.native());
  mapped.bytes_ = {static_cast<const std::byte*>(start), size};
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace batchwise
