// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include <cstdlib>

#include "core/base/mutex.h"
#include "core/run/messages.h"
#include "core/run/run_controller.h"
#include "core/run/trainer_factory.h"

namespace batchwise {
namespace {

constexpr const char* kLibraryName = "libbatchwise_trainer.so";

struct LoadedTrainer {
  Mutex mutex;
  std::shared_ptr<Trainer> trainer GUARDED_BY(mutex);
};

LoadedTrainer& loadedTrainer() {
  static LoadedTrainer loaded;  // one per process, as the library
  return loaded;
}

std::filesystem::path trainerLibraryPath() {
  if (const char* path = std::getenv("BATCHWISE_TRAINER"); path != nullptr && *path != '\0') return path;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(kLibraryName) : program.parent_path() / kLibraryName;
}

Error cannotLoad(const std::filesystem::path& path, const Message& why) {
  return Error::unsupported(messages::trainerCannotBeLoaded(path.string(), why));
}

Result<std::shared_ptr<Trainer>> openLibrary(const std::filesystem::path& path) {
  // Never unloaded: LibTorch registers process-wide state that outlives the handle.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return cannotLoad(path, dlerror());
  const auto interface = reinterpret_cast<TrainerInterfaceFunction>(dlsym(library, kTrainerInterfaceSymbol));
  const auto make = reinterpret_cast<MakeTrainerFunction>(dlsym(library, kMakeTrainerSymbol));
  if (interface == nullptr || make == nullptr) return cannotLoad(path, messages::libraryIsNoTrainer());
  if (interface() != kTrainerInterface) {
    return cannotLoad(path, messages::trainerInterfaceMismatch(interface(), kTrainerInterface));
  }
  std::shared_ptr<Trainer> trainer(make());
  if (trainer == nullptr) return cannotLoad(path, messages::libraryMadeNoTrainer());
  return trainer;
}

}  // namespace

Result<std::shared_ptr<Trainer>> loadTrainer() {
  LoadedTrainer& loaded = loadedTrainer();
  const MutexLock lock(loaded.mutex);
  if (loaded.trainer) return loaded.trainer;
  Result<std::shared_ptr<Trainer>> opened = openLibrary(trainerLibraryPath());
  if (opened.ok()) loaded.trainer = *opened;
  return opened;
}

}  // namespace batchwise
