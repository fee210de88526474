// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_library.h"

#include <dlfcn.h>

#include <type_traits>

#include "core/dist/messages.h"

namespace batchwise {

Result<NcclLibrary> NcclLibrary::load(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error::unsupported(messages::ncclCannotBeLoaded(dlerror()));
  NcclLibrary nccl;
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    all = all && function != nullptr;
  };
  find(nccl.getUniqueId, "ncclGetUniqueId");
  find(nccl.commInitRankConfig, "ncclCommInitRankConfig");
  find(nccl.allReduce, "ncclAllReduce");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.groupStart, "ncclGroupStart");
  find(nccl.groupEnd, "ncclGroupEnd");
  find(nccl.commGetAsyncError, "ncclCommGetAsyncError");
  find(nccl.commAbort, "ncclCommAbort");
  find(nccl.commDestroy, "ncclCommDestroy");
  find(nccl.getErrorString, "ncclGetErrorString");
  if (!all) return Error::unsupported(messages::ncclLibraryTooOld(file));
  return nccl;
}

Error NcclLibrary::error(int code, const Message& what) const {
  return Error{ErrorCode::Device, messages::ncclFailed(what, getErrorString(code)), {}};
}

}  // namespace batchwise
