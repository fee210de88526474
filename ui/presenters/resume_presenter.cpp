// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/resume_presenter.h"

#include <optional>

#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

std::string settledKey(const std::string& run) {
  return "resume/kept_stopped/" + run;
}

Result<ResumeCase> readCase(const Workspace& workspace, const std::string& run) {
  Result<RunDetail> detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  const auto all = workspace.checkpoints(detail->summary.id);
  if (!all.ok()) return all.error();
  std::vector<CheckpointRecord> order = resumeOrder(detail->segments, *all);
  return ResumeCase{std::move(*detail), std::move(order)};
}

/// Nothing if the run is not interrupted, has no checkpoint, or was settled since.
Result<std::optional<ResumeCase>> readOpenCase(const Workspace& workspace, const std::string& run) {
  Result<ResumeCase> which = readCase(workspace, run);
  if (!which.ok()) return which.error();
  const auto settled = workspace.setting(settledKey(run));
  if (!settled.ok()) return settled.error();
  const RunSummary& summary = which->run.summary;
  if (summary.status != RunStatus::Interrupted || which->checkpoints.empty() ||
      *settled == std::to_string(summary.endedMs))
    return std::optional<ResumeCase>();
  return std::optional(std::move(*which));
}

/// Passes over checkpoints that are damaged.
ResumeOffer withGoodCheckpoint(const std::filesystem::path& folder, ResumeCase which) {
  ResumeOffer offer;
  while (!which.checkpoints.empty()) {
    const auto reader = CheckpointReader::openIn(folder, which.checkpoints.front().file);
    const Result<void> good = reader.ok() ? reader->verify() : Result<void>(reader.error());
    if (good.ok()) break;
    offer.passedOver << coreText(good.error().text());
    which.checkpoints.erase(which.checkpoints.begin());
  }
  offer.which = std::move(which);
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
      this, [workspace = workspace_.workspace(), id = run.toStdString()] { return readOpenCase(*workspace, id); },
      [this](Result<std::optional<ResumeCase>> which) {
        if (which.ok() && *which) verify(std::move(**which));
      });
}

void ResumePresenter::verify(ResumeCase which) {
  slow_.post(
      this,
      [folder = workspace_.workspace()->folder(), which = std::move(which)]() mutable {
        return withGoodCheckpoint(folder, std::move(which));
      },
      [this, of = workspace_.folder()](const ResumeOffer& found) {
        if (of == workspace_.folder()) Q_EMIT offered(found);
      });
}

void ResumePresenter::keepStopped(const ResumeOffer& offer) {
  const RunSummary& run = offer.which.run.summary;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run.id, ended = run.endedMs] {
        return workspace->saveSetting(settledKey(id), std::to_string(ended));
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(coreText(saved.error().text()));
      });
}

void ResumePresenter::look(const QString& run) {
  tasks_.post(
      this, [workspace = workspace_.workspace(), id = run.toStdString()] { return readCase(*workspace, id); },
      [this](const Result<ResumeCase>& which) {
        if (which.ok())
          Q_EMIT ready(*which);
        else
          Q_EMIT failed(coreText(which.error().text()));
      });
}

}  // namespace batchwise
