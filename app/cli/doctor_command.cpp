// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/doctor_gpu.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/text.h"
#include "core/run/launch/preflight.h"
#include "core/run/trainer.h"
#include "core/store/workspace_folder.h"

namespace batchwise::cli {
namespace {

struct WorkspaceState {
  bool exists = false;
  bool writable = false;
  std::int64_t freeSpace = 0;
};

struct TrainerState {
  std::string problem;  ///< empty if the trainer loads
  std::vector<std::string> versions;
  std::vector<ComputeDevice> devices;
};

/// Returns the folder itself, or its nearest existing ancestor.
std::filesystem::path existingFolder(std::filesystem::path folder) {
  std::error_code ignored;
  folder = std::filesystem::absolute(folder, ignored);
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

WorkspaceState workspaceState(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path existing = existingFolder(folder);
  WorkspaceState state;
  state.exists = std::filesystem::is_directory(folder, ignored);
  state.writable = std::filesystem::is_directory(existing, ignored) && access(existing.c_str(), W_OK | X_OK) == 0;
  if (const auto bytes = freeBytes(existing); bytes.ok()) state.freeSpace = *bytes;
  return state;
}

TrainerState trainerState() {
  TrainerState state;
  const auto trainer = loadTrainer();
  if (!trainer.ok()) {
    state.problem = trainer.error().text();
    return state;
  }
  state.versions = partsOf((*trainer)->versions(), '\n');
  state.devices = (*trainer)->devices();
  return state;
}

/// Returns why CUDA shows no device although a driver is loaded.
std::string reasonForNoDevice(const std::string& driver) {
  constexpr int kOldestDriver = 580;  // of CUDA 13.0 (CUDA Toolkit Release Notes, table 2)
  if (!driver.empty() && std::atoi(driver.c_str()) < kOldestDriver)
    return formatText(
        "the NVIDIA driver {} is older than {}, which CUDA 13.0 needs: install a newer one, or train on the processor",
        driver, kOldestDriver);
  return "the NVIDIA driver is loaded but CUDA shows no device; see nvidia-smi and CUDA_VISIBLE_DEVICES";
}

std::vector<std::string> problemsOf(const Globals& globals, const WorkspaceState& workspace,
                                    const TrainerState& trainer, const MachineInfo& machine) {
  std::vector<std::string> problems;
  if (globals.workspace.empty())
    problems.push_back(kWorkspaceFolderUnknown);
  else if (!workspace.writable)
    problems.push_back(
        formatText("cannot write to the workspace {}; give another one with --workspace", globals.workspace.string()));
  if (!globals.workspace.empty() && workspace.freeSpace < (std::int64_t{1} << 30))
    problems.push_back(
        formatText("only {} are free for the workspace; checkpoints need more", formatBytes(workspace.freeSpace)));
  if (!trainer.problem.empty()) problems.push_back(trainer.problem);
  bool hasGpu = false;
  for (const ComputeDevice& device : trainer.devices) {
    hasGpu = hasGpu || device.name.rfind("cuda", 0) == 0;
    if (!device.problem.empty()) problems.push_back(formatText("{}: {}", device.name, device.problem));
  }
  if (!machine.gpuDriver.empty() && trainer.problem.empty() && !hasGpu)
    problems.push_back(reasonForNoDevice(gpuDriverVersion(machine.gpuDriver)));
  return problems;
}

Json devicesJson(const TrainerState& trainer) {
  return jsonList(trainer.devices, [](const ComputeDevice& device) -> Json {
    return {{"name", device.name},
            {"description", device.description},
            {"total", device.totalBytes},
            {"free", device.freeBytes},
            {"problem", device.problem}};
  });
}

void printReport(const Globals& globals, const MachineInfo& machine, const WorkspaceState& workspace,
                 const TrainerState& trainer) {
  std::cout << "batchwise  " << BATCHWISE_VERSION << ", compiled with GCC " << __VERSION__ << "\n"
            << "system     " << machine.system << ", " << machine.kernel << "\n"
            << "processor  " << machine.processor << ", " << machine.cores << " cores\n"
            << "memory     " << formatBytes(machine.memoryBytes)
            << (machine.availableMemoryBytes ? ", " + formatBytes(*machine.availableMemoryBytes) + " available" : "")
            << "\n"
            << "GPU driver " << (machine.gpuDriver.empty() ? "none: training runs on the processor" : machine.gpuDriver)
            << "\n"
            << "workspace  " << globals.workspace.string() << (workspace.exists ? "" : " (not made yet)") << ", "
            << formatBytes(workspace.freeSpace) << " free\n"
            << "trainer    " << (trainer.problem.empty() ? "loads" : "does not load") << "\n";
  for (const std::string& version : trainer.versions) std::cout << "           " << version << "\n";
  for (const ComputeDevice& device : trainer.devices)
    std::cout << "device     " << device.name << ": " << device.description << ", " << formatBytes(device.totalBytes)
              << ", " << formatBytes(device.freeBytes) << " free" << (device.problem.empty() ? "" : ", cannot be used")
              << "\n";
}

/// Returns what a launch of the configuration on this machine would fail on, with remedies; not what it only notes.
std::vector<std::string> launchProblems(const std::string& config, const Globals& globals) {
  const LoadedConfig loaded = loadConfig(config);
  if (!loaded.ok()) return {loaded.errorText()};
  std::vector<std::string> problems;
  for (const PreflightFinding& finding : preflight(loaded, existingFolder(globals.workspace)))
    if (finding.fatal || !finding.remedy.empty())
      problems.push_back(finding.field.empty() ? finding.text() : formatText("{}: {}", finding.field, finding.text()));
  return problems;
}

int doctor(const Globals& globals, const std::string& config) {
  const MachineInfo machine = machineInfo();
  const WorkspaceState workspace = workspaceState(globals.workspace);
  const TrainerState trainer = trainerState();
  std::vector<std::string> problems = problemsOf(globals, workspace, trainer, machine);
  if (!config.empty())
    for (std::string& obstacle : launchProblems(config, globals)) problems.push_back(std::move(obstacle));
  if (globals.json) {
    printJson({{"schema", "batchwise.doctor/1"},
               {"version", BATCHWISE_VERSION},
               {"compiler", __VERSION__},
               {"system", machine.system},
               {"kernel", machine.kernel},
               {"processor", machine.processor},
               {"cores", machine.cores},
               {"memory", machine.memoryBytes},
               {"memory_available", machine.availableMemoryBytes ? Json(*machine.availableMemoryBytes) : Json(nullptr)},
               {"gpu_driver", machine.gpuDriver},
               {"workspace",
                {{"folder", globals.workspace.string()},
                 {"exists", workspace.exists},
                 {"writable", workspace.writable},
                 {"free", workspace.freeSpace}}},
               {"trainer",
                {{"loads", trainer.problem.empty()}, {"problem", trainer.problem}, {"versions", trainer.versions}}},
               {"devices", devicesJson(trainer)},
               {"problems", jsonList(problems, [](const std::string& problem) -> Json { return problem; })}});
  } else {
    printReport(globals, machine, workspace, trainer);
    for (const std::string& problem : problems) std::cout << "problem: " << problem << "\n";
    if (problems.empty()) std::cout << "nothing is missing\n";
  }
  return problems.empty() ? kDone : kFailed;
}

}  // namespace

void addDoctorCommand(Commands& commands) {
  const auto config = std::make_shared<std::string>();
  const auto gpu = std::make_shared<GpuReportArguments>();
  CLI::App* command = commands.add(
      nullptr, "doctor", "Versions, devices, memory and disk, and what is missing; exit code 1 if something is missing",
      "batchwise doctor run.yaml", [&commands, config, gpu]() -> Result<int> {
        return gpu->wanted ? doctorGpu(commands.globals(), *gpu) : doctor(commands.globals(), *config);
      });
  CLI::Option* checked =
      command->add_option("config", *config, "Configuration: also check that everything it names is available")
          ->transform(pathName("a configuration"));
  CLI::Option* wanted =
      command
          ->add_flag("--gpu", gpu->wanted,
                     "Check the operations, memory and speed of a GPU (about a minute; needs 1.5 GiB in "
                     "the folder for temporary files until it ends), and write a report")
          ->excludes(checked);
  command->add_option("--device", gpu->device, "Another than the first GPU: cuda:1; cpu tries the way to the report")
      ->needs(wanted);
  command->add_option("--report", gpu->report, "File of the report (default: batchwise-gpu-report.json)")
      ->needs(wanted)
      ->transform(pathName("a file"));
  addForceFlag(*command, gpu->replaces)->needs(wanted);
}

}  // namespace batchwise::cli
