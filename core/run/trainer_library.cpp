// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include "core/base/mutex.h"
#include "core/run/messages.h"
#include "core/run/own_program.h"
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
  Result<std::shared_ptr<Trainer>> opened =
      openLibrary(fileBesideProgram("libbatchwise_trainer.so", "BATCHWISE_TRAINER"));
  if (opened.ok()) loaded.trainer = *opened;
  return opened;
}

}  // namespace batchwise
