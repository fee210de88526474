// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/full_disk.h"

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/messages.h"

namespace batchwise {
namespace fs = std::filesystem;

Error explainFullDisk(const Error& failure, const fs::path& path, std::int64_t neededBytes) {
  if (failure.code != ErrorCode::Io && failure.code != ErrorCode::DiskFull) return failure;
  std::error_code ignored;
  fs::path there = fs::absolute(path, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  const auto free = freeBytes(there);
  if (!free.ok() || *free >= neededBytes) return failure;
  return {ErrorCode::DiskFull, messages::diskFullForPath(path.native(), neededBytes, *free, failure.message),
          failure.context};
}

}  // namespace batchwise
