// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "core/run/trainer.h"

namespace batchwise::test {

/// Takes events down; tests wait for them.
class EventRecorder final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    const std::scoped_lock lock(mutex_);
    events_.push_back(event);
    arrived_.notify_all();
  }
  std::vector<RunEvent> events() const {
    const std::scoped_lock lock(mutex_);
    return events_;
  }
  template <typename Event>
  std::vector<Event> of() const {
    std::vector<Event> found;
    for (const RunEvent& event : events())
      if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
    return found;
  }
  /// Waits until there are `count` events of a kind.
  template <typename Event>
  void waitFor(std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] {
      std::size_t found = 0;
      for (const RunEvent& event : events_) found += std::holds_alternative<Event>(event) ? 1 : 0;
      return found >= count;
    });
  }

 private:
  mutable std::mutex mutex_;  // guards events_
  std::condition_variable arrived_;
  std::vector<RunEvent> events_;
};

/// Starts, then answers each command with a note of its name until one ends the run, which becomes the reason.
class ObedientTrainer : public Trainer {
 public:
  Result<RunFinished> train(const LaunchRequest&, EventSink& events, CommandMailbox& commands) override {
    events.publish(RunStarted{"abc", "obedient", 0, {}, 10});
    RunCommand command = commands.waitFor(std::chrono::minutes(10));
    for (; !endsRun(command); command = commands.waitFor(std::chrono::minutes(10)))
      events.publish(RunNote{NoteLevel::Info, std::string(choiceName(command)), {}});
    RunFinished finished;
    finished.status = RunStatus::Stopped;
    finished.reason = choiceName(command);
    events.publish(finished);
    return finished;
  }
  Result<FilledMasks> fillMask(const std::filesystem::path&, const std::string&, const std::string&, const std::string&,
                               int) override {
    return Error::unsupported("not here");
  }
  Result<MeasuredNoise> measureNoise(const NoiseRequest&, EventSink&) override {
    return Error::notFound("no noise here");
  }
  Result<EvaluatedModel> evaluate(const EvaluationRequest&, EventSink&) override {
    return Error::unsupported("not here");
  }
  Result<UsedCheckpoint> exportSentenceTransformers(const std::filesystem::path&, const std::string&,
                                                    const std::string&, const std::filesystem::path&, Pooling,
                                                    Replaces) override {
    return Error::unsupported("not in this test");
  }
  Result<JudgeResult> judge(const JudgeRequest&, EventSink&, const std::stop_token&) override {
    return Error::unsupported("not in this test");
  }
  Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path&, const std::string&, const std::string&,
                                           const std::filesystem::path&, Replaces) override {
    return Error::unsupported("not here");
  }
  Result<BatchSearchResult> findBatch(const LoadedConfig&, const std::filesystem::path&, EventSink&) override {
    return Error::unsupported("not here");
  }
  std::vector<ComputeDevice> devices() override { return {}; }
  std::string versions() override { return {}; }
};

}  // namespace batchwise::test
