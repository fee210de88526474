// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>
#include <sys/resource.h>

#include <string_view>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/user_folders.h"
#include "core/run/own_program.h"
#include "core/run/torch_library.h"
#include "core/run/trainer.h"

namespace batchwise {
namespace {

struct LoadedTrainer {
  Mutex mutex;
  std::shared_ptr<Trainer> trainer GUARDED_BY(mutex);
};

LoadedTrainer& loadedTrainer() {
  static LoadedTrainer loaded;  // one per process, as the library
  return loaded;
}

Error cannotLoad(const std::filesystem::path& path, const std::string& why) {
  return Error::unsupported(formatText(
      "the trainer {} cannot be loaded: {}; build it, or name another one in BATCHWISE_TRAINER", path.string(), why));
}

/// Returns why dlopen() failed. Under `ulimit -v`, the libraries do not fit into the address space.
Error loadError(const std::filesystem::path& path, std::string_view reason) {
  if (reason.starts_with("libtorch") || reason.starts_with("libc10"))
    return Error::unsupported(formatText(
        "training needs LibTorch {}, which is not installed: pip install 'torch=={}.*' beside this program, or "
        "name the folder of its libtorch.so in BATCHWISE_TORCH",
        kTorchVersion, kTorchVersion));
  const bool noRoom = reason.find("failed to map segment") != reason.npos ||
                      reason.find("annot allocate memory") != reason.npos ||
                      reason.find("annot map zero-fill") != reason.npos;
  rlimit limit{};
  if (!noRoom || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return cannotLoad(path, std::string(reason));
  return Error::unsupported(
      formatText("the trainer {} cannot be loaded: {}; this process may use only {} of address space (ulimit -v): "
                 "remove or raise that limit",
                 path.string(), reason, formatBytes(static_cast<std::int64_t>(limit.rlim_cur))));
}

/// Loads LibTorch if a folder that the program was not linked with is to be used or has it. Without one, the trainer's
/// own search path decides.
Result<void> loadTorch() {
  const std::filesystem::path program = ownProgram();
  ASSIGN_OR_RETURN(const auto folder, findTorch(torchFolders(processEnvironment(), program, defaultWorkspacePath())));
  return folder ? loadTorchFrom(*folder, program.parent_path() / "no_cuda") : Result<void>();
}

Result<std::shared_ptr<Trainer>> openLibrary(const std::filesystem::path& path) {
  RETURN_IF_ERROR(loadTorch());
  // Never unloaded: LibTorch registers process-wide state that outlives the handle.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return loadError(path, dlerror());
  const auto interface = reinterpret_cast<TrainerInterfaceFunction>(dlsym(library, kTrainerInterfaceSymbol));
  const auto make = reinterpret_cast<MakeTrainerFunction>(dlsym(library, kMakeTrainerSymbol));
  if (interface == nullptr || make == nullptr) return cannotLoad(path, "it is not a Batchwise trainer");
  if (interface() != kTrainerInterface) {
    return cannotLoad(path,
                      formatText("it has interface {} where this program needs {}", interface(), kTrainerInterface));
  }
  std::shared_ptr<Trainer> trainer(make());
  if (trainer == nullptr) return cannotLoad(path, "it did not create a trainer");
  return trainer;
}

}  // namespace

Result<std::shared_ptr<Trainer>> loadTrainer() {
  LoadedTrainer& loaded = loadedTrainer();
  const MutexLock lock(loaded.mutex);
  if (loaded.trainer) return loaded.trainer;
  Result<std::shared_ptr<Trainer>> opened =
      openLibrary(fileBesideProgram("libbatchwise_trainer.so", "BATCHWISE_TRAINER"));
  if (opened.ok()) loaded.trainer = *opened;
  return opened;
}

}  // namespace batchwise
