// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"

namespace batchwise::test {

/// Opens a workspace; the test fails with its message if that fails.
std::shared_ptr<Workspace> openStore(const std::filesystem::path& folder,
                                     const Clock& clock = Workspace::systemClock());

/// A run with the given name, entered into the store. Returns its id.
std::string makeRun(Workspace& workspace, const std::string& name);

std::unique_ptr<RunWriter> startRun(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                                    const Timestamp& from = {});

/// One finished run named "run" with `rows` rows, evaluations, notes, texts, tags, and a checkpoint "c1"
/// without entries; and the setting "layout". Returns its id.
std::string fillStore(const std::shared_ptr<Workspace>& workspace, std::int64_t rows);

/// Clocks after `batch` global batches of 32 samples of 100 tokens.
Timestamp afterBatches(std::int64_t batch);

/// A row whose values follow from the batch: loss = 10 / (1 + batch), lr = batch * 1e-6, …
MetricsRow rowOf(std::int64_t batch);
MetricsRow rowOf(std::int64_t batch, double loss);

/// A record as the trainer would enter it.
CheckpointRecord checkpointOf(const std::string& id, std::int64_t batch, const std::string& file);

/// Ahead by minutes: who fell silent before is taken for dead.
class LaterClock final : public Clock {
 public:
  explicit LaterClock(std::int64_t minutes = 5) : minutes_(minutes) {}
  double monotonicSec() const override { return 0; }
  std::int64_t wallMs() const override { return Workspace::systemClock().wallMs() + minutes_ * 60'000; }

 private:
  const std::int64_t minutes_;
};

}  // namespace batchwise::test
