// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace batchwise {

/// What the first page of a database says, as far as it is one.
struct PageOne {
  bool isDatabase = false;
  std::int32_t applicationId = 0;
  std::int32_t version = 0;
};

/// Gives `copy`, a private copy of a database, a first page that describes no table. Page size, reserved bytes and the
/// list of free pages stay where the header can be read; else they are those of a workspace. Returns what the page said
/// before. Fails with Io, DiskFull, or Corrupt if the file holds no page beside the first.
Result<PageOne> replacePageOne(const std::filesystem::path& copy);

}  // namespace batchwise
