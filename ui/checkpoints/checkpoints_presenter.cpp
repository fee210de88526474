// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoints_presenter.h"

#include <map>
#include <tuple>

#include "core/analysis/statistics.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/metric.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr int kUndoMs = 10'000;
constexpr int kCandidates = 8;
constexpr std::size_t kMaxOtherRuns = 100;  // in a combo box

struct RunCheckpoints {
  std::vector<CheckpointRecord> records;
  std::vector<Score> scores;
  EvalMetric metric;
};

/// The metric by which the best checkpoints of a run are kept.
EvalMetric metricOf(const Workspace& workspace, const std::string& run) {
  const auto detail = workspace.findRun(run);
  return detail.ok() ? parseConfig(detail->resolvedYaml, run, {}).config.checkpoint.bestMetric : EvalMetric::Loss;
}

}  // namespace

std::vector<NamedRun> trainedRuns(const RunList& runs, const QString& except) {
  std::vector<NamedRun> trained;
  for (const RunSummary& run : runs.all())
    if (trained.size() < kMaxOtherRuns && run.at.batch > 0 && toQt(run.id) != except)
      trained.push_back({toQt(run.id), toQt(run.name)});
  return trained;
}

CheckpointsPresenter::CheckpointsPresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace,
                                           const Selection& selection, TrainerSource trainer, QObject* parent)
    : QObject(parent),
      tasks_(tasks),
      slow_(slow),
      workspace_(workspace),
      selection_(selection),
      trainer_(std::move(trainer)) {
  removal_.setSingleShot(true);
  removal_.setInterval(kUndoMs);
  connect(&removal_, &QTimer::timeout, this, &CheckpointsPresenter::removeNow);
  connect(&selection, &Selection::runChanged, this, &CheckpointsPresenter::showRun);
  connect(&workspace, &WorkspacePresenter::refreshed, this, &CheckpointsPresenter::read);
  connect(&workspace, &WorkspacePresenter::refreshed, this, &CheckpointsPresenter::runsChanged);
}

void CheckpointsPresenter::showRun() {
  model_.update({});
  scores_.clear();
  metric_.reset();
  reading_ = false;
  read();
  Q_EMIT runChanged();
}

QString CheckpointsPresenter::runName() const {
  const RunSummary* summary = workspace_.runs().find(run());
  return summary == nullptr ? QString() : toQt(summary->name);
}

void CheckpointsPresenter::read() {
  if (run().isEmpty() || !workspace_.workspace() || reading_) return;
  reading_ = true;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run().toStdString(), metric = metric_]() -> Result<RunCheckpoints> {
        ASSIGN_OR_RETURN(auto records, workspace->checkpoints(id));
        ASSIGN_OR_RETURN(auto scores, workspace->scores({.run = id}));
        return RunCheckpoints{std::move(records), std::move(scores), metric ? *metric : metricOf(*workspace, id)};
      },
      [this, of = run()](Result<RunCheckpoints> found) {
        if (of != run()) return;
        reading_ = false;
        if (!found.ok()) {
          if (found.error().code == ErrorCode::NotFound) model_.update({});  // the run has been deleted
          return;
        }
        if (metric_ != found->metric) model_.setMetric(found->metric);
        metric_ = found->metric;
        std::erase_if(found->records, [this](const CheckpointRecord& record) { return toQt(record.id) == removing_; });
        model_.update(std::move(found->records));
        scores_ = std::move(found->scores);
        Q_EMIT checkpointsRead();
      });
}

TextTable CheckpointsPresenter::scoresOf(const QString& checkpoint) const {
  TextTable table;
  for (const QString& title : {tr("Score"), tr("Method"), tr("Rate"), tr("Mean"), tr("Seeds"), tr("Examples")})
    table.columns.push_back({title.toStdString(), table.columns.size() > 1});
  table.columns.push_back({tr("Measured").toStdString(), false});
  const CheckpointRecord* record = model_.find(checkpoint);
  if (record == nullptr) return table;
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, double>;
  std::map<Key, std::vector<const Score*>> rows;
  for (const Score& score : scores_)
    if (score.model == record->file)
      rows[{score.task, score.taskHash, score.method, score.metric, score.split, score.rate}].push_back(&score);
  for (const auto& [key, scores] : rows) {
    const Score& newest = *scores.back();
    std::vector<double> values;
    for (const Score* score : scores) values.push_back(score->value);
    std::string mean = formatValue(meanOf(values));
    if (values.size() > 1) mean += " ± " + formatValue(deviationOf(values));
    const std::string series =
        std::string(newest.method == "eval" ? kEvalPrefix : kTaskPrefix) + newest.task + "." + newest.metric;
    table.rows.push_back({seriesLabel(series).title.toStdString(), newest.method + ", " + newest.split,
                          newest.rate > 0 ? formatRate(newest.rate) : "", mean, std::to_string(values.size()),
                          formatInteger(newest.examples), localTimeText(newest.atMs).toStdString()});
  }
  return table;
}

template <typename Work>
void CheckpointsPresenter::change(std::shared_ptr<Workspace> workspace, Work work) {
  tasks_.post(
      this, [workspace = std::move(workspace), work] { return work(*workspace); },
      [this](const Result<void>& done) {
        if (!done.ok()) Q_EMIT failed(toQt(done.error().text()));
        read();
      },
      TaskQueue::AtEnd::Run);
}

void CheckpointsPresenter::verify(const QString& checkpoint) {
  const CheckpointRecord* record = model_.find(checkpoint);
  if (record == nullptr) return;
  model_.setCheck(checkpoint, CheckpointModel::Check::Running);
  slow_.post(
      this,
      [folder = workspace_.workspace()->folder(), file = record->file]() -> Result<void> {
        const auto reader = CheckpointReader::openIn(folder, file);
        return reader.ok() ? reader->verify() : Result<void>(reader.error());
      },
      [this, checkpoint](const Result<void>& good) {
        model_.setCheck(checkpoint, good.ok() ? CheckpointModel::Check::Good : CheckpointModel::Check::Damaged,
                        good.ok() ? QString() : toQt(good.error().text()));
      });
}

void CheckpointsPresenter::setPinned(const QString& checkpoint, bool pinned) {
  change(workspace_.workspace(),
         [id = checkpoint.toStdString(), pinned](Workspace& workspace) { return workspace.setPinned(id, pinned); });
}

void CheckpointsPresenter::remove(const QString& checkpoint) {
  const CheckpointRecord* record = model_.find(checkpoint);
  if (record == nullptr) return;
  removeNow();  // the previous one
  const std::int64_t batch = record->at.batch;
  removing_ = checkpoint;
  removingFrom_ = workspace_.workspace();
  removal_.start();
  read();
  Q_EMIT removed(batch);
}

void CheckpointsPresenter::undoRemove() {
  removal_.stop();
  removing_.clear();
  read();
  Q_EMIT removalEnded();
}

void CheckpointsPresenter::removeNow() {
  removal_.stop();
  if (removing_.isEmpty()) return;
  change(removingFrom_, [id = std::exchange(removing_, {}).toStdString()](Workspace& workspace) {
    return workspace.deleteCheckpoint(id);
  });
  Q_EMIT removalEnded();
}

void CheckpointsPresenter::exportTo(const QString& checkpoint, const QString& folder) {
  Q_EMIT statusMessage(tr("Writing the model to %1").arg(folder));
  slow_.post(
      this,
      [trainer = trainer_, workspace = workspace_.workspace()->folder(), run = run().toStdString(),
       id = checkpoint.toStdString(), to = folder.toStdString()]() -> Result<void> {
        ASSIGN_OR_RETURN(const auto loaded, trainer());
        const auto written = loaded->exportHuggingFace(workspace, run, id, to, Replaces::Nothing);
        return written.ok() ? Result<void>{} : written.error();
      },
      [this, folder](const Result<void>& done) {
        if (done.ok())
          Q_EMIT statusMessage(tr("The model is in %1").arg(folder));
        else
          Q_EMIT failed(toQt(done.error().text()));
      });
}

void CheckpointsPresenter::fill(const QString& checkpoint, const QString& text, const QString& comparison) {
  slow_.post(
      this,
      [trainer = trainer_, workspace = workspace_.workspace()->folder(), run = run().toStdString(),
       id = checkpoint.toStdString(), words = text.toStdString(),
       other = comparison.toStdString()]() -> Result<MaskComparison> {
        ASSIGN_OR_RETURN(const auto loaded, trainer());
        ASSIGN_OR_RETURN(auto own, loaded->fillMask(workspace, run, id, words, kCandidates));
        MaskComparison tried{std::move(own), std::nullopt, {}};
        if (other.empty()) return tried;
        auto filled = loaded->fillMask(workspace, other, {}, words, kCandidates);
        if (filled.ok())
          tried.comparison = std::move(*filled);
        else
          tried.comparisonError = filled.error().text();
        return tried;
      },
      [this](Result<MaskComparison> tried) {
        if (!tried.ok()) return Q_EMIT fillFailed(toQt(tried.error().text()));
        Q_EMIT filled(*tried);
      });
}

}  // namespace batchwise
