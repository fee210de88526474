// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/resume_presenter.h"

#include <optional>

#include "core/base/return_if_error.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

std::string dismissedKey(const std::string& run) {
  return "resume/kept_stopped/" + run;
}

Result<ResumableRun> readResumable(const Workspace& workspace, const std::string& run) {
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(const auto all, workspace.checkpoints(detail.summary.id));
  std::vector<CheckpointRecord> order = resumeOrder(detail.segments, all);
  return ResumableRun{std::move(detail), std::move(order)};
}

/// Returns none if the run is not interrupted, has no checkpoint, or was dismissed.
Result<std::optional<ResumableRun>> readIfNotDismissed(const Workspace& workspace, const std::string& run) {
  ASSIGN_OR_RETURN(auto resumable, readResumable(workspace, run));
  ASSIGN_OR_RETURN(const auto settled, workspace.setting(dismissedKey(run)));
  const RunSummary& summary = resumable.run.summary;
  if (summary.status != RunStatus::Interrupted || resumable.checkpoints.empty() ||
      settled == std::to_string(summary.endedMs))
    return std::optional<ResumableRun>();
  return std::optional(std::move(resumable));
}

/// Skips damaged checkpoints.
ResumeOffer withGoodCheckpoint(const std::filesystem::path& folder, ResumableRun resumable) {
  ResumeOffer offer;
  while (!resumable.checkpoints.empty()) {
    const auto reader = CheckpointReader::openIn(folder, resumable.checkpoints.front().file);
    const Result<void> good = reader.ok() ? reader->verify() : Result<void>(reader.error());
    if (good.ok()) break;
    offer.skipped << coreText(good.error().full());
    resumable.checkpoints.erase(resumable.checkpoints.begin());
  }
  offer.resumable = std::move(resumable);
  return offer;
}

}  // namespace

ResumePresenter::ResumePresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), tasks_(tasks), slow_(slow), workspace_(workspace) {}

void ResumePresenter::offerNewest() {
  for (int row = 0; row < workspace_.runs().rowCount(); ++row)
    if (const RunSummary* run = workspace_.runs().at(row); run->status == RunStatus::Interrupted)
      return offer(toQt(run->id));
}

void ResumePresenter::offer(const QString& run) {
  tasks_.post(
      this, [workspace = workspace_.workspace(), id = run.toStdString()] { return readIfNotDismissed(*workspace, id); },
      [this](Result<std::optional<ResumableRun>> resumable) {
        if (resumable.ok() && *resumable) verify(std::move(**resumable));
      });
}

void ResumePresenter::verify(ResumableRun resumable) {
  slow_.post(
      this,
      [folder = workspace_.workspace()->folder(), resumable = std::move(resumable)]() mutable {
        return withGoodCheckpoint(folder, std::move(resumable));
      },
      [this, of = workspace_.folder()](const ResumeOffer& found) {
        if (of == workspace_.folder()) Q_EMIT offered(found);
      });
}

void ResumePresenter::dismiss(const ResumeOffer& offer) {
  const RunSummary& run = offer.resumable.run.summary;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run.id, ended = run.endedMs] {
        return workspace->saveSetting(dismissedKey(id), std::to_string(ended));
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(coreText(saved.error().full()));
      });
}

void ResumePresenter::load(const QString& run) {
  tasks_.post(
      this, [workspace = workspace_.workspace(), id = run.toStdString()] { return readResumable(*workspace, id); },
      [this](const Result<ResumableRun>& resumable) {
        if (resumable.ok())
          Q_EMIT ready(*resumable);
        else
          Q_EMIT failed(coreText(resumable.error().full()));
      });
}

}  // namespace batchwise
