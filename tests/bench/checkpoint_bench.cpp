// SPDX-License-Identifier: GPL-3.0-or-later
// checkpoint_bench [--folder FOLDER] [--python PYTHON] [--preset PRESET] [--batches N] [--rounds N]
// What a checkpoint costs. Trains a BERT (preset `small`) on the CPU twice, the checkpoints of the second run falling
// between those of the first, so that each global batch is trained once while a checkpoint is written and once while
// none is. Then writes that checkpoint again and again, in turn with torch.save and fsync (by PYTHON, which has torch)
// and with plain and direct writes of as many bytes; with --batches 0 only that. All on the disk of FOLDER (default:
// the system's temporary folder).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/run/own_program.h"
#include "core/run/session/run_session.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/train/checkpoint/checkpoint_state.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path folder = fs::temp_directory_path();
  std::string python = "python3";
  std::string preset = "small";
  std::int64_t batches = 18;
  int rounds = 5;
};

constexpr std::int64_t kBetweenCheckpoints = 6;  // global batches
constexpr std::int64_t kWarmUp = 2;              // global batches that do not count

// A global batch of one run: when it ended, and how long it took.
struct TimedBatch {
  double endSec = 0;
  double seconds = 0;
};

struct TimedRun {
  std::map<std::int64_t, TimedBatch> batches;
  std::vector<CheckpointSaved> checkpoints;

  /// Whether a checkpoint was on its way to the disk while the batch was trained.
  bool wroteDuring(std::int64_t batch) const {
    const TimedBatch& one = batches.at(batch);
    return std::any_of(checkpoints.begin(), checkpoints.end(), [&](const CheckpointSaved& saved) {
      const double requested = batches.at(saved.at.batch).endSec;
      return requested < one.endSec && requested + saved.seconds > one.endSec - one.seconds;
    });
  }
};

// Takes times down and asks for a checkpoint every now and then.
class TimingSink final : public EventSink {
 public:
  TimingSink(TimedRun& run, CommandMailbox& commands, std::int64_t shift)
      : run_(run), commands_(commands), shift_(shift) {}
  void publish(const RunEvent& event) override {
    if (const auto* saved = std::get_if<CheckpointSaved>(&event);
        saved != nullptr && saved->reason != CheckpointReason::End)
      run_.checkpoints.push_back(*saved);
    const auto* row = std::get_if<MetricsRow>(&event);
    if (row == nullptr) return;
    run_.batches[row->at.batch] = {clock_.monotonicSec(), row->stepSec};
    // Obeyed at the end of the next one.
    if (row->at.batch > kWarmUp && row->at.batch % kBetweenCheckpoints == shift_)
      commands_.post(RunCommand::SaveCheckpoint);
  }

 private:
  TimedRun& run_;
  CommandMailbox& commands_;
  const std::int64_t shift_;
  const SystemClock clock_;
};

TimedRun train(const Options& options, const fs::path& workspace, std::int64_t shift) {
  LaunchRequest request;
  request.workspace = workspace;
  request.config = loadConfig(
      "demo", {"model={preset: " + options.preset + "}", "max_duration=" + std::to_string(options.batches) + "ba",
               "batch={global_train_batch_size: 32, device_train_microbatch_size: 8}", "scheduler={name: constant}",
               "eval.interval=[]", "checkpoint={interval: [], keep_last: 100}", "log.interval=1ba", "devices=cpu"});
  if (!request.config.ok()) orExit(Result<void>(Error::config(request.config.errorText())));
  TimedRun run;
  CommandMailbox commands;
  TimingSink sink(run, commands, shift);
  orExit(trainRun(request, sink, commands, SystemClock()));
  return run;
}

// Seconds of the batches during which one run wrote and the other did not, in either.
struct Beside {
  double writing = 0;
  double alone = 0;
  std::int64_t batches = 0;
};

void compare(const TimedRun& writes, const TimedRun& rests, Beside& sum) {
  for (const auto& [batch, timed] : writes.batches) {
    if (batch <= kWarmUp || !writes.wroteDuring(batch) || rests.wroteDuring(batch)) continue;
    sum.writing += timed.seconds;
    sum.alone += rests.batches.at(batch).seconds;
    ++sum.batches;
  }
}

void benchTraining(const Options& options, const fs::path& folder) {
  train({.preset = options.preset, .batches = 1}, folder / "w", 0);  // reads the data
  if (options.batches == 0) return;
  const TimedRun first = train(options, folder / "w", 0);
  const TimedRun second = train(options, folder / "w", kBetweenCheckpoints / 2);
  Beside beside;
  compare(first, second, beside);
  compare(second, first, beside);
  double step = 0;
  for (const auto& [batch, timed] : first.batches) step += timed.seconds / static_cast<double>(first.batches.size());
  std::vector<CheckpointSaved> saved = first.checkpoints;
  saved.insert(saved.end(), second.checkpoints.begin(), second.checkpoints.end());
  if (saved.empty() || beside.batches == 0)
    orExit(Result<void>(Error::config("no checkpoint fell into the run: give more --batches")));
  double longest = 0, seconds = 0;
  for (const CheckpointSaved& one : saved) {
    longest = std::max(longest, one.pauseSec);
    seconds += one.seconds / static_cast<double>(saved.size());
  }
  std::printf("pause of training        %10.3f s      (%.3f of a step of %.2f s; the longest of %zu, %.0f MiB each)\n",
              longest, longest / step, step, saved.size(), static_cast<double>(saved.front().bytes) / (1 << 20));
  std::printf(
      "training while writing   %10.3f        of its speed without (%lld global batches; %.2f s until stored)\n",
      beside.alone / beside.writing, static_cast<long long>(beside.batches), seconds);
}

// As a trainer that copies nothing would: 8 MiB at a time, past the cache of the system if `flags` say so.
double writeRaw(const fs::path& path, std::int64_t bytes, int flags) {
  constexpr std::int64_t kBlock = 8 << 20;
  const std::unique_ptr<void, void (*)(void*)> block(std::aligned_alloc(4096, kBlock), std::free);
  std::memset(block.get(), 7, kBlock);
  return secondsOf([&] {
    const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | flags, 0644)};
    for (std::int64_t at = 0; at < bytes; at += kBlock)
      if (::write(file.get(), block.get(), kBlock) != kBlock)
        orExit(Result<void>(Error::fromErrno(errno, "cannot write '{}'", path.native())));
    if (::fsync(file.get()) != 0) orExit(Result<void>(Error::fromErrno(errno, "cannot sync '{}'", path.native())));
  });
}

// Tensors of the same shapes, saved by Python; it prints the seconds.
double torchSave(const Options& options, const fs::path& folder, const CheckpointState& state) {
  const fs::path script = folder / "save.py";
  std::string text = "import os, time, torch\ntensors = {\n";
  for (const NamedTensor& named : state.tensors) {
    text += "  '" + named.name + "': torch.randn([";
    for (const std::int64_t size : named.tensor.sizes()) text += std::to_string(size) + ",";
    text += "]),\n";
  }
  text += "}\nbegun = time.monotonic()\nwith open('" + (folder / "torch.pt").native() +
          "', 'wb') as file:\n  torch.save(tensors, file)\n  file.flush()\n  os.fsync(file.fileno())\n"
          "print(time.monotonic() - begun)\n";
  orExit(writeFileAtomically(script, text));
  const std::string command = options.python + " " + script.native();
  FILE* judge = ::popen(command.c_str(), "r");
  double seconds = 0;
  const bool told = judge != nullptr && std::fscanf(judge, "%lf", &seconds) == 1;
  if (judge == nullptr || ::pclose(judge) != 0 || !told)
    orExit(
        Result<void>(Error::config("'" + options.python + "' cannot save with torch; give one that can by --python")));
  return seconds;
}

CheckpointState newestCheckpoint(const fs::path& workspace) {
  for (const auto& file : fs::directory_iterator(workspace / "checkpoints"))
    if (file.path().extension() == ".sqlite") return orExit(readCheckpoint(file.path()));
  orExit(Result<void>(Error::notFound("no checkpoint in '" + workspace.native() + "'")));
  return {};
}

void benchWriting(const Options& options, const fs::path& folder) {
  const CheckpointState state = newestCheckpoint(folder / "w");
  fs::remove_all(folder / "w");
  std::vector<double> ours, verified, torch, plain, direct, ratios;
  for (int round = 0; round < options.rounds; ++round) {
    ours.push_back(secondsOf([&] { orExit(writeCheckpoint(folder / "c.sqlite", state)); }));
    verified.push_back(secondsOf([&] { orExit(orExit(CheckpointReader::open(folder / "c.sqlite")).verify()); }));
    torch.push_back(torchSave(options, folder, state));
    plain.push_back(writeRaw(folder / "plain", tensorBytes(state.tensors), 0));
    direct.push_back(writeRaw(folder / "direct", tensorBytes(state.tensors), O_DIRECT));
    ratios.push_back(torch.back() / ours.back());
    for (const char* name : {"c.sqlite", "torch.pt", "plain", "direct"}) fs::remove(folder / name);
  }
  const double mib = static_cast<double>(tensorBytes(state.tensors)) / (1 << 20);
  const double reference = median(torch);
  const auto line = [&](const char* what, const std::vector<double>& seconds) {
    std::printf("%-24s %10.0f MiB/s  (%.2f of torch.save)\n", what, mib / median(seconds), reference / median(seconds));
  };
  std::printf("%.0f MiB of tensors, median of %d rounds; each round's ratio to torch.save, median: %.2f\n", mib,
              options.rounds, median(ratios));
  line("checkpoint, durable", ours);
  line("checkpoint verified", verified);
  line("torch.save and fsync", torch);
  line("plain write and fsync", plain);
  line("O_DIRECT and fsync", direct);
}

Options optionsFrom(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--folder") options.folder = value;
    if (name == "--python") options.python = value;
    if (name == "--preset") options.preset = value;
    if (name == "--batches") options.batches = std::atoll(value);
    if (name == "--rounds") options.rounds = std::atoi(value);
  }
  return options;
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  batchwise::restartWithPassiveThreads(argv);
  const batchwise::Options options = batchwise::optionsFrom(argc, argv);
  std::string folder = options.folder / "checkpoint-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "checkpoint_bench: cannot make a folder like '%s'\n", folder.c_str());
    return 1;
  }
  batchwise::benchTraining(options, folder);
  batchwise::benchWriting(options, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
