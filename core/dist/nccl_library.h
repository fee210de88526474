// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "core/base/result.h"

struct CUstream_st;

namespace batchwise {

using NcclComm = void*;

struct NcclId {
  std::array<char, 128> bytes;
};

/// ncclConfig_t of NCCL 2.14, as `version` states; later libraries fill in the remaining fields.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21400;
  int blocking = 0;  ///< 0: calls may return kNcclInProgress; poll commGetAsyncError
};

constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;
constexpr int kNcclSum = 0;
constexpr int kNcclBytes = 1;  ///< ncclUint8

/// NCCL functions, loaded at run time and declared here because LibTorch ships the library without its header. Stable
/// since NCCL 2.10, except NcclConfig.
struct NcclLibrary {
  int (*getUniqueId)(NcclId*) = nullptr;
  int (*commInitRankConfig)(NcclComm*, int, NcclId, int, NcclConfig*) = nullptr;
  int (*allReduce)(const void*, void*, std::size_t, int, int, NcclComm, CUstream_st*) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, NcclComm, CUstream_st*) = nullptr;
  int (*groupStart)() = nullptr;
  int (*groupEnd)() = nullptr;
  int (*commGetAsyncError)(NcclComm, int*) = nullptr;
  int (*commAbort)(NcclComm) = nullptr;
  int (*commDestroy)(NcclComm) = nullptr;
  const char* (*getErrorString)(int) = nullptr;

  /// Loads NCCL; `file` as for dlopen(). Fails with Unsupported if it is missing or older than 2.14.
  static Result<NcclLibrary> load(const std::string& file = "libnccl.so.2");

  /// Returns a Device error with NCCL's text for `code`.
  Error error(int code, const Message& what) const;
};

}  // namespace batchwise
