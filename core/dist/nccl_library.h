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

/// As of NCCL 2.14, which `version` says: a later library fills in what is not here.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21400;
  int blocking = 0;  ///< 0: calls return kNcclInProgress, what becomes of them tells commGetAsyncError
};

constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;
constexpr int kNcclSum = 0;
constexpr int kNcclBytes = 1;  ///< ncclUint8

/// The part of NCCL's C interface that is used, loaded while running and declared here: the library comes with
/// LibTorch, its header does not. All but the configuration has been the same since NCCL 2.10.
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

  /// `file`: as dlopen() takes it. Fails with Unsupported without NCCL, or with one before 2.14.
  static Result<NcclLibrary> load(const std::string& file = "libnccl.so.2");

  /// Device.
  Error error(int code, const std::string& what) const;
};

}  // namespace batchwise
