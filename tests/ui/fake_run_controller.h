// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/run/run_controller.h"
#include "core/store/recording/run_writer.h"
#include "tests/run/controller_test_support.h"

namespace batchwise::test {

/// What a test sees and sets of a controller that trains nothing.
struct FakeRun {
  EventSink* events = nullptr;  ///< set once the controller is made
  std::function<void()> ended;  ///< call it after the events of a run, as its controller does
  std::vector<LaunchRequest> requests;
  std::vector<RunCommand> commands;
  std::optional<Error> refuse;  ///< answer of start()

  /// Of the runs in the store, the newest last: what is published goes there too, as a trainer does it.
  std::vector<std::unique_ptr<RunWriter>> writers;

  /// Publishes from another thread, as a trainer does.
  void publish(const std::vector<RunEvent>& list) {
    std::thread([&] {
      for (const RunEvent& event : list) {
        if (!writers.empty()) writers.back()->publish(event);
        if (!writers.empty() && std::holds_alternative<RunFinished>(event)) std::ignore = writers.back()->flush();
        events->publish(event);
      }
    }).join();
  }
  void finish(RunStatus status, std::string reason = {}) {
    RunFinished finished;
    finished.status = status;
    finished.reason = std::move(reason);
    publish({finished});
    if (!writers.empty()) writers.pop_back();
    ended();
  }
};

class FakeRunController final : public RunController {
 public:
  FakeRunController(FakeRun& fake, EventSink& events) : fake_(fake) { fake.events = &events; }

  Result<void> start(const LaunchRequest& request) override {
    fake_.requests.push_back(request);
    if (fake_.refuse) return *fake_.refuse;
    return {};
  }
  void command(RunCommand command) override { fake_.commands.push_back(command); }
  void onEnd(std::function<void()> call) override { fake_.ended = std::move(call); }
  Result<RunFinished> wait() override { return RunFinished{}; }

 private:
  FakeRun& fake_;
};

/// Answers at once, without a model.
class FakeTrainer final : public ObedientTrainer {
 public:
  Result<FilledMasks> fillMask(const std::filesystem::path&, const std::string&, const std::string& checkpoint,
                               const std::string& text, int) override {
    asked.push_back(checkpoint + ": " + text);
    return FilledMasks{{checkpoint, {}}, "<mask>", {{{"sleeps", 0.625}, {"<b>runs</b>", 0.25}}}};
  }
  Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path&, const std::string&,
                                           const std::string& checkpoint, const std::filesystem::path& folder,
                                           Replaces) override {
    asked.push_back(checkpoint + " to " + folder.string());
    return UsedCheckpoint{checkpoint, {}};
  }

  std::vector<std::string> asked;  ///< written on a task queue, read when its answer has come
};

/// The row of a global batch with a loss that falls.
inline MetricsRow rowAt(std::int64_t batch, double secondsPerBatch = 0.5) {
  MetricsRow row;
  row.at.batch = batch;
  row.at.seconds = secondsPerBatch * static_cast<double>(batch);
  row.loss = 6.0 / (1.0 + 0.01 * static_cast<double>(batch));
  row.learningRate = 1e-3;
  row.stepSamples = 64;
  row.tokensPerSec = 41'200;
  row.devices = {{"cpu:0", std::int64_t{1} << 30, std::int64_t{5} << 28, std::int64_t{3} << 29, std::int64_t{4} << 30}};
  return row;
}

}  // namespace batchwise::test
