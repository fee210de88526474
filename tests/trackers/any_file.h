// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/trackers/other_runs.h"
#include "core/trackers/run_source.h"
#include "core/trackers/table_runs.h"

namespace batchwise::test {

/// Reads a run twice, and aborts if its points are not in order or do not end. Returns whether something was read.
inline bool readsInOrder(RunSource& run) {
  bool any = false;
  for (int reads = 0, left = 2; left > 0; ++reads) {
    const auto news = run.read();
    if (reads > 100) std::abort();
    if (!news.ok()) return any;
    for (const LoggedSeries& series : news->run.series) {
      any = true;
      if (series.name.empty() || !std::ranges::is_sorted(series.points, std::ranges::less_equal{}, &SeriesPoint::batch))
        std::abort();
    }
    if (!news->more) --left;
  }
  return any;
}

/// Reads any file as one of `kind` (for MLflow: a database, or meta.yaml of a folder), as an importer would.
inline bool readsAnyFile(RunSourceKind kind, const std::filesystem::path& file) {
  bool any = false;
  const auto read = [&any](const std::unique_ptr<RunSource>& run) { any = readsInOrder(*run) || any; };
  if (kind == RunSourceKind::Trackio || (kind == RunSourceKind::Mlflow && file.filename() != kMlflowMeta)) {
    const auto database = runsInDatabase(file);
    for (const auto& [id, title] : database.ok() ? database->runs : decltype(database->runs)())
      read(databaseRun(database->kind, file, id));
  } else if (kind == RunSourceKind::Mlflow) {
    (void)mlflowTitle(file.parent_path());
    read(mlflowRun(file.parent_path()));
  } else if (kind == RunSourceKind::Wandb) {
    (void)wandbTitle(file);
    read(wandbRun(file));
  } else if (kind == RunSourceKind::TensorBoard) {
    (void)isEventFile(file);
    read(tensorBoardRun(file));
  } else if (kind == RunSourceKind::TrainerState) {
    (void)isTrainerState(file);
    read(trainerStateRun(file));
  } else {
    const LogColumns columns = logColumns(kind, file);
    read(tableRun(kind, file, columns.step.empty() && !columns.names.empty() ? columns.names[0] : columns.step));
  }
  return any;
}

}  // namespace batchwise::test
