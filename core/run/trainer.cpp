// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/trainer.h"

#include <dlfcn.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/config/events/json_fields.h"
#include "core/config/schema.h"
#include "core/run/own_program.h"
#include "core/run/torch_library.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "batchwise.launch/1";

std::string absolutePath(const std::filesystem::path& path) {
  return path.empty() ? std::string() : absoluteFolder(path).native();
}

struct LoadedTrainer {
  Mutex mutex;
  std::shared_ptr<Trainer> trainer GUARDED_BY(mutex);
};

LoadedTrainer& loadedTrainer() {
  static LoadedTrainer loaded;  // one per process, as the library
  return loaded;
}

Error cannotLoad(const std::filesystem::path& path, const std::string& why) {
  return loadError(path, why, "build it, or name another trainer in BATCHWISE_TRAINER");
}

/// Returns why dlopen() failed for the trainer.
Error trainerError(const std::filesystem::path& path, const std::string& reason) {
  if (!reason.starts_with("libtorch") && !reason.starts_with("libc10")) return cannotLoad(path, reason);
  return noTorchError(processEnvironment());
}

/// Loads LibTorch if a folder that the program was not linked with is to be used or has it. Without one, the trainer's
/// own search path decides.
Result<void> loadTorch() {
  const std::filesystem::path program = ownProgram();
  ASSIGN_OR_RETURN(const auto folder, findTorch(processEnvironment(), program, defaultWorkspacePath()));
  return folder ? loadTorchFrom(*folder, program) : Result<void>();
}

Result<std::shared_ptr<Trainer>> openLibrary(const std::filesystem::path& path) {
  RETURN_IF_ERROR(loadTorch());
  // Never unloaded: LibTorch registers process-wide state that outlives the handle.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return trainerError(path, dlerror());
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

std::string requestToText(const LaunchRequest& request) {
  json object = {{"schema", kSchema},
                 {"workspace", absolutePath(request.workspace)},
                 {"config", request.config.yaml},
                 {"base_folder", absolutePath(request.config.baseFolder)},
                 {"resume", request.resumeRun},
                 {"checkpoint", request.resumeCheckpoint},
                 {"fork", request.fork},
                 {"stretch", request.stretch},
                 {"run", request.runId}};
  // Of a new run they are in the text; the jobs that resume it change nothing.
  if (!request.resumeRun.empty()) object["assigned"] = request.config.assigned;
  if (request.firstSegment) object["first_segment"] = *request.firstSegment;
  if (request.timeLimitSec) object["time_limit_sec"] = *request.timeLimitSec;
  return jsonText(object);
}

Result<LaunchRequest> requestFromText(const std::string& text) {
  const json object = parseJsonOrDiscarded(text);
  if (!object.is_object() || textIn(object, "schema") != kSchema)
    return Error::corrupt(
        formatText("this is not a launch request; use a JSON object with the schema \"{}\"", kSchema));
  LaunchRequest request;
  request.workspace = textIn(object, "workspace");
  request.config = parseConfig(textIn(object, "config"), "configuration", textIn(object, "base_folder"));
  if (const auto assigned = object.find("assigned"); assigned != object.end() && assigned->is_array())
    for (const json& field : *assigned)
      if (field.is_string() && findField(field.get<std::string>()) != nullptr) request.config.assigned.insert(field);
  request.resumeRun = textIn(object, "resume");
  request.resumeCheckpoint = textIn(object, "checkpoint");
  request.fork = flagIn(object, "fork");
  request.stretch = flagIn(object, "stretch");
  request.firstSegment = wholeNumberFromJson(object.value("first_segment", json()));
  request.timeLimitSec = numberFromJson(object.value("time_limit_sec", json()));
  request.runId = textIn(object, "run");
  return request;
}

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
