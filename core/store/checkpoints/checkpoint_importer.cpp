// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_importer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/return_if_error.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_format.h"
#include "core/store/messages.h"

namespace batchwise {

Result<CheckpointImporter> CheckpointImporter::create(const std::filesystem::path& path) {
  const std::filesystem::path beside = partialCheckpointPath(path);
  ASSIGN_OR_RETURN(auto file, createFile(beside));
  return CheckpointImporter(path, beside, std::move(file));
}

CheckpointImporter::~CheckpointImporter() {
  if (file_.valid()) ::unlink(beside_.c_str());
}

Result<void> CheckpointImporter::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::fromErrno(errno, messages::cannotWrite, beside_.native());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> CheckpointImporter::finish() {
  if (::fsync(file_.get()) != 0) return Error::fromErrno(errno, messages::cannotSync, beside_.native());
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(beside_));
  RETURN_IF_ERROR(reader.verify());
  if (::rename(beside_.c_str(), path_.c_str()) != 0)
    return Error::fromErrno(errno, messages::cannotWrite, path_.native());
  file_ = FileDescriptor{};
  return syncFolder(path_.parent_path());
}

}  // namespace batchwise
