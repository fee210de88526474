// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace batchwise {

/// Header fields of the first page of a database, as far as it is one.
struct PageOne {
  bool isDatabase = false;
  std::int32_t applicationId = 0;
  std::int32_t version = 0;
};

/// Replaces the first page of `copy`, a private copy of a database, with one that describes no table. Keeps page size,
/// reserved bytes and free list if the header is readable; otherwise uses those of a workspace. Returns the previous
/// header fields. Fails with Io or DiskFull, or with Corrupt if there is no second page.
Result<PageOne> replacePageOne(const std::filesystem::path& copy);

}  // namespace batchwise
