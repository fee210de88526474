// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/doctor_gpu.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/text.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/trainer.h"

namespace batchwise::cli {
namespace {

namespace fs = std::filesystem;

// BERT-base, 65,536 tokens of sequences of 128 a step, bf16, on one H100 or H200: tests/bench/gpu/estimate.py.
constexpr double kEstimatedStepSec = 0.0893, kEstimatedTokens = 65536, kEstimatedFlops = 0.405 * 989e12;

// What is trained: sequences of full length, so that all steps are alike.
struct Trial {
  const char* name;
  const char* preset;
  std::int64_t vocabulary;  // BERT's on a GPU: the words of the bundled text are too few for its embeddings and loss
  std::int64_t length;      // of a sequence, in tokens
  std::int64_t mostSequences;
  std::int64_t steps;
  const char* memoryLimit;
  std::int64_t diskBytes;  // of the data and the checkpoint at the end: 12 bytes a parameter
};
constexpr Trial kOnGpu = {"BERT-base", "base", 30522, 128, 512, 24, "", std::int64_t{3} << 29};  // as in the estimate
constexpr Trial kOnProcessor = {"BERT-tiny",          "tiny", 512, 32, 64, 2, ", memory_limit: 32MiB",
                                std::int64_t{1} << 28};  // tries the way to a report

bool isGpu(const std::string& device) {
  return device.starts_with("cuda");
}

const Trial& trialOn(const std::string& device) {
  return isGpu(device) ? kOnGpu : kOnProcessor;
}

class Recorder final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    if (const auto* row = std::get_if<MetricsRow>(&event)) rows.push_back(*row);
    if (const auto* note = std::get_if<RunNote>(&event))
      if (note->level != NoteLevel::Info) notes.push_back(note->text);
  }
  std::vector<MetricsRow> rows;
  std::vector<std::string> notes;
};

std::vector<fs::path> rememberedChecks(const fs::path& folder) {
  std::vector<fs::path> files = entriesOf(folder);
  std::erase_if(files, [](const fs::path& file) { return !file.filename().string().starts_with(kRememberedChecks); });
  return files;
}

// The checks that the run has made of the operations, each against LibTorch's.
Json operationsOf(const fs::path& folder) {
  Json all = Json::array();
  for (const fs::path& file : rememberedChecks(folder))
    if (const Result<std::string> text = readFile(file, 1 << 20); text.ok())
      if (Json one = Json::parse(*text, nullptr, /*allow_exceptions=*/false); one.is_object()) all.push_back(one);
  return all;
}

Json memoryOf(const BatchSearchResult& found, const LoadedConfig& config) {
  const Result<MemoryForecast> forecast = forecastMemory(config, 1, nullptr);
  return {{"limit", found.limitBytes},
          {"largest", found.microbatchUnits},
          {"probes", jsonList(found.probes, [&](const BatchSearchResult::Probe& probe) -> Json {
             return {{"sequences", probe.microbatchUnits},
                     {"peak", probe.peakBytes},
                     {"forecast", forecast.ok() ? Json(forecast->of(probe.microbatchUnits).total()) : Json(nullptr)},
                     {"fits", probe.fits}};
           })}};
}

// Of the second half of the steps: the first ones load libraries and reserve memory. Of all of them, as a step alone is
// timed by when the host had queued it.
Json speedOf(const Recorder& run, const LoadedConfig& config, const Trial& trial) {
  const auto counted = static_cast<double>(run.rows.size() - run.rows.size() / 2);
  double sec = 0, each = 0;
  for (std::size_t i = run.rows.size() / 2; i < run.rows.size(); ++i) {
    sec += run.rows[i].stepSec / counted;
    each += run.rows[i].tokensPerSec * run.rows[i].stepSec / counted;
  }
  const Result<MemoryForecast> forecast = forecastMemory(config, 1, nullptr);
  if (!forecast.ok() || sec <= 0) return nullptr;
  const auto samples = static_cast<double>(config.config.batch.globalTrainBatchSize);
  const double flop = trainingCost(forecast->shape, config.config.data.mlmProbability).operations(each, samples);
  return {{"of", trial.name},
          {"steps", run.rows.size()},
          {"sequences", samples},
          {"tokens", each},
          {"step_sec", sec},
          {"tokens_per_sec", each / sec},
          {"flops", flop / sec},
          {"loss_first", run.rows.front().loss},
          {"loss_last", run.rows.back().loss}};
}

// Measures in a workspace of its own, and adds what it finds to `report`; what fails goes to `problems`. Returns early
// after an abort.
void measure(Trainer& trainer, const std::string& device, const fs::path& workspace, CommandMailbox& commands,
             Json& report, std::vector<std::string>& problems) {
  const Trial& trial = trialOn(device);
  const fs::path folder = fs::absolute(workspace.parent_path());
  if (const auto written = writeFileAtomically(folder / "vocab.txt", trialVocabulary(device)); !written.ok())
    return problems.push_back(written.error().text());
  const LoadedConfig most = trialConfig(device, trial.mostSequences, folder);
  if (!most.ok()) return problems.push_back(most.errorText());
  Recorder run;
  const Result<BatchSearchResult> found = trainer.findBatch(most, workspace, run);
  if (!found.ok()) return problems.push_back(found.error().text());
  report["memory"] = memoryOf(*found, most);
  if (commands.abortRequested()) return;
  const LoadedConfig config =
      trialConfig(device, std::clamp<std::int64_t>(found->microbatchUnits, 1, trial.mostSequences), folder);
  LaunchRequest request;
  request.workspace = workspace;
  request.config = config;
  const Result<RunFinished> end = trainer.train(request, run, commands);
  if (!end.ok()) problems.push_back(end.error().text());
  if (end.ok() && end->status != RunStatus::Finished) problems.push_back(end->reason);
  if (!run.rows.empty()) report["speed"] = speedOf(run, config, trial);
  report["notes"] = run.notes;
}

// What is wrong with the operations of a GPU: none were remembered if one of them threw.
std::vector<std::string> operationProblems(const Json& operations) {
  if (operations.empty())
    return {std::string("the operations could not be checked: end other programs that use the GPU, and try again")};
  std::vector<std::string> problems;
  for (const Json& gpu : operations)
    for (const Json& check : gpu.at("checks"))
      if (!check.at("good").get<bool>())
        problems.push_back(formatText(
            "{} in {} differs from LibTorch's and is replaced by it: please report it, with the file of this check",
            check.at("operation").get<std::string>(), check.at("type").get<std::string>()));
  return problems;
}

// `cache`: where the checks of this device, and of no other, are remembered.
Json reportOf(const ComputeDevice& device, Trainer& trainer, const fs::path& workspace, const fs::path& cache,
              CommandMailbox& commands) {
  const MachineInfo machine = machineInfo();
  const bool onGpu = isGpu(device.name);
  Json report = {{"schema", "batchwise.gpu_report/1"},
                 {"version", BATCHWISE_VERSION},
                 {"compiler", __VERSION__},
                 {"system", machine.system},
                 {"kernel", machine.kernel},
                 {"gpu_driver", machine.gpuDriver},
                 {"libraries", trainer.versions()},
                 {"device",
                  {{"name", device.name},
                   {"description", device.description},
                   {"total", device.totalBytes},
                   {"free", device.freeBytes}}}};
  std::vector<std::string> problems;
  if (device.problem.empty())
    measure(trainer, onGpu ? device.name : "cpu", workspace, commands, report, problems);
  else
    problems.push_back(device.problem);
  report["operations"] = onGpu ? operationsOf(cache) : Json::array();
  if (onGpu) {
    const auto wrong = operationProblems(report.at("operations"));
    problems.insert(problems.end(), wrong.begin(), wrong.end());
  }
  report["estimate"] = {{"of", "BERT-base, one H100 or H200"},
                        {"tokens", kEstimatedTokens},
                        {"step_sec", kEstimatedStepSec},
                        {"flops", kEstimatedFlops}};
  report["problems"] = problems;
  return report;
}

// A cache folder for this process: the operations are checked again, and its files are those of this device only. Make
// one before the trainer is loaded: it sets the environment.
class OwnCache {
 public:
  explicit OwnCache(const fs::path& folder) : users_(userCacheFolder(processEnvironment())) {
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  fs::path path() const { return userCacheFolder(processEnvironment()); }
  /// Replaces what the user's folder remembers of this device.
  void keepChecks() const {
    if (users_.empty() || !makeFolders(users_).ok()) return;
    for (const fs::path& file : rememberedChecks(path()))
      if (const Result<std::string> text = readFile(file, 1 << 20); text.ok())
        static_cast<void>(writeFileAtomically(users_ / file.filename(), *text));
  }

 private:
  const fs::path users_;
};

Result<void> checkFreeSpace(const fs::path& folder, const std::string& device) {
  const std::int64_t needed = trialOn(device).diskBytes;
  const Result<std::int64_t> free = freeBytes(folder);
  if (!free.ok() || *free >= needed) return {};
  return Error{ErrorCode::DiskFull,
               formatText("the check needs {} in {} until it ends, and {} are free: free some, or set TMPDIR to a "
                          "folder on another disk",
                          formatBytes(needed), folder.string(), formatBytes(*free)),
               {}};
}

// `wanted`: a name, or a kind of device, of which the first is meant.
Result<ComputeDevice> chooseDevice(const std::vector<ComputeDevice>& devices, const std::string& wanted) {
  const bool isKind = wanted == "cuda" || wanted == "cpu";
  for (const ComputeDevice& device : devices)
    if (device.name == wanted || (isKind && device.name.starts_with(wanted + ":"))) return device;
  const bool isNumbered = wanted.starts_with("cuda:") && wanted.size() > 5 &&
                          wanted.find_first_not_of("0123456789", 5) == std::string::npos;
  if (wanted != "cuda" && !isNumbered) {
    std::vector<std::string> known;
    for (const ComputeDevice& device : devices) known.push_back(device.name);
    return Error::config(formatText("'{}' is not a device of this machine; known: {}", wanted, joined(known)));
  }
  const std::string driver = machineInfo().gpuDriver;
  return Error::unsupported(
      driver.empty()
          ? formatText(
                "there is no device '{}' on this machine, because no NVIDIA driver is loaded: run the check where the "
                "GPU is (in a container: with --gpus all), or install a driver; training runs on the processor",
                wanted)
          : formatText("CUDA shows no device '{}' although a driver is loaded ({}): see nvidia-smi and "
                       "CUDA_VISIBLE_DEVICES; `batchwise doctor` says whether the driver is too old",
                       wanted, driver));
}

}  // namespace

std::string trialVocabulary(const std::string& device) {
  std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (char character = '!'; character <= '~'; ++character) {
    lines += std::string{character, '\n'};
    lines += std::string{'#', '#', character, '\n'};
  }
  const std::int64_t readable = std::ranges::count(lines, '\n');
  for (std::int64_t id = readable; id < trialOn(device).vocabulary; ++id)
    lines += "[unused" + std::to_string(id) + "]\n";
  return lines;
}

LoadedConfig trialConfig(const std::string& device, std::int64_t sequences, const fs::path& folder) {
  const Trial& trial = trialOn(device);
  return checkedForLaunch(
      parseConfig(formatText("version: 1\n"
                             "name: GPU report\n"
                             "seed: 17\n"
                             "model: {{preset: {0}, pad_vocab_to_multiple_of: 64}}\n"
                             "tokenizer: {{path: vocab.txt}}\n"
                             "data: {{format: demo, max_seq_len: {1}, join_documents: true}}\n"
                             "max_duration: {2}ba\n"
                             "batch: {{global_train_batch_size: {3}, device_train_microbatch_size: {3}}}\n"
                             "optimizer: {{lr: 1e-4}}\n"
                             "eval: {{interval: []}}\n"
                             "log: {{interval: 1ba}}\n"
                             "devices: {{use: '{4}'{5}}}\n",
                             trial.preset, trial.length, trial.steps, sequences, device, trial.memoryLimit),
                  "the configuration of the report", folder));
}

void printGpuReport(const Json& report) {
  using enum Table::Align;
  const Json& device = report.at("device");
  std::cout << "device     " << device.at("name").get<std::string>() << ": "
            << device.at("description").get<std::string>() << ", " << formatBytes(device.at("total")) << "\n";
  if (report.at("operations").empty()) std::cout << "operations not checked: they are on a GPU, at its first use\n";
  for (const Json& gpu : report.at("operations")) {
    Table table({{"operation", Left}, {"type", Left}, {"difference to LibTorch, 1: allowed", Right}, {"", Left}});
    for (const Json& check : gpu.at("checks"))
      table.add({check.at("operation"), check.at("type"),
                 formatDecimals(numberFromJson(check.at("error")).value_or(0), 4),
                 check.at("good").get<bool>() ? "right" : "wrong: replaced by LibTorch's"});
    std::cout << "operations of " << gpu.at("gpu").get<std::string>() << "\n";
    table.print(std::cout);
  }
  if (report.contains("memory")) {
    Table table({{"sequences", Right}, {"peak memory", Right}, {"forecast", Right}, {"fits", Left}});
    for (const Json& probe : report.at("memory").at("probes"))
      table.add({std::to_string(probe.at("sequences").get<std::int64_t>()), formatBytes(probe.at("peak")),
                 probe.at("forecast").is_null() ? "" : formatBytes(probe.at("forecast")),
                 probe.at("fits").get<bool>() ? "yes" : "no"});
    table.print(std::cout);
    std::cout << "memory     largest micro-batch: " << report.at("memory").at("largest").get<std::int64_t>()
              << " sequences (limit " << formatBytes(report.at("memory").at("limit")) << ")\n";
  }
  const auto printSpeed = [](const char* name, const Json& speed) {
    const double sec = speed.at("step_sec"), tokens = speed.at("tokens"), flops = speed.at("flops");
    std::cout << name << formatDecimals(tokens, 0) << " tokens in " << formatDecimals(sec * 1e3, 1) << " ms, "
              << formatDecimals(flops / 1e12, 2) << " TFLOP/s";
  };
  if (report.contains("speed") && report.at("speed").is_object()) {
    const Json& speed = report.at("speed");
    printSpeed("step       ", speed);
    std::cout << ", loss " << formatDecimals(speed.at("loss_first"), 3) << " to "
              << formatDecimals(speed.at("loss_last"), 3) << " (" << speed.at("of").get<std::string>() << ", "
              << speed.at("steps").get<std::int64_t>() << " steps";
    if (isGpu(device.at("name").get<std::string>())) {
      std::cout << ")\n";
      printSpeed("estimate   ", report.at("estimate"));
      std::cout << " (" << report.at("estimate").at("of").get<std::string>() << ", by arithmetic)\n";
    } else {
      std::cout << ": tries the way to this report, says nothing about speed)\n";
    }
  }
  for (const Json& note : report.value("notes", Json::array()))
    std::cout << "note: " << note.get<std::string>() << "\n";
  for (const Json& problem : report.at("problems")) std::cout << "problem: " << problem.get<std::string>() << "\n";
}

Result<int> doctorGpu(const Globals& globals, const GpuReportArguments& arguments) {
  RETURN_IF_ERROR(checkStdoutIsFree(globals, {arguments.report}));
  CommandMailbox commands;
  const StopSignals signals([&commands](int) {
    commands.post(RunCommand::Abort);
    std::cerr << "\nbatchwise: stopping; nothing is left of the check\n";
  });
  ASSIGN_OR_RETURN(const auto folder, StagedFolder::make(fs::temp_directory_path(), "batchwise-doctor-"));
  const OwnCache cache(fs::absolute(folder.path()) / "cache");
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ASSIGN_OR_RETURN(const auto device,
                   chooseDevice(trainer->devices(), arguments.device.empty() ? "cuda" : arguments.device));
  RETURN_IF_ERROR(checkOutputFile(arguments.report, arguments.replaces));
  RETURN_IF_ERROR(checkFreeSpace(folder.path(), device.name));
  const Json report = reportOf(device, *trainer, folder.path() / "workspace", cache.path(), commands);
  cache.keepChecks();
  if (commands.abortRequested()) return Error{ErrorCode::Stopped, "the check was stopped; there is no report", {}};
  RETURN_IF_ERROR(writeOutput(arguments.report, arguments.replaces,
                              report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (globals.json) {
    printJson(report);
  } else {
    printGpuReport(report);
    std::cout << "report     " << arguments.report.string() << ": attach this file when you report something\n";
  }
  return report.at("problems").empty() ? kDone : kFailed;
}

}  // namespace batchwise::cli
