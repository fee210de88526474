// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtCore/QJsonArray>
#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>

#include "core/base/format.h"
#include "ui/checkpoints/checkpoints_page.h"
#include "ui/checkpoints/score_dialog.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/values_pane.h"
#include "ui/window/commands.h"
#include "ui/window/torch_setup.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"

namespace batchwise {
namespace {

class ScoreCommands final : public QObject {
 public:
  ScoreCommands(StudioParts& parts, const WindowViews& views);

 private:
  /// `checkpoint`: ticked in place of the shown runs; empty: none.
  void openDialog(ScoreDialog::Method method, const QString& checkpoint = {});
  void showDone(const QString& title, const QJsonObject& answer);

  StudioParts& parts_;
  WindowViews views_;
};

ScoreCommands::ScoreCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  using enum ScoreDialog::Method;
  connect(views.actions.judge, &QAction::triggered, this, [this] { openDialog(Probe); });
  connect(&views.runs.values(), &ValuesPane::judgeRequested, this, [this] { openDialog(Probe); });
  connect(&views.checkpoints, &CheckpointsPage::judgeRequested, this,
          [this](const QString& checkpoint) { openDialog(Probe, checkpoint); });
  connect(&views.checkpoints, &CheckpointsPage::evaluateRequested, this,
          [this](const QString& checkpoint) { openDialog(Evaluate, checkpoint); });
  connect(&parts.modelJobs, &ModelJobs::done, this, &ScoreCommands::showDone);
  connect(&parts.modelJobs, &ModelJobs::failed, this, [this](const QString& title, const QString& why) {
    views_.message.showMessage(NoteLevel::Error, tr("Not scored: %1", "%1: base-1 on movie-reviews").arg(title), why);
  });
}

void ScoreCommands::openDialog(ScoreDialog::Method method, const QString& checkpoint) {
  if (!parts_.workspace.workspace()) return;
  if (lacksTorch())
    return TorchSetup::offer(views_.window, [this, method, checkpoint] { openDialog(method, checkpoint); });
  std::vector<ScoredModel> models;
  if (const CheckpointRecord* record = parts_.checkpoints.model().find(checkpoint))
    models.push_back(
        {tr("%1 at %2", "%1: a run").arg(parts_.checkpoints.runName(), integerText(record->at.batch)), checkpoint});
  const QStringList shown = parts_.selection.shown();
  std::vector<ScoredModel> others;
  for (const NamedRun& run : trainedRuns(parts_.workspace.runs())) {
    const bool isShown = shown.contains(run.id);
    (isShown ? models : others).push_back({run.name, run.id, isShown && checkpoint.isEmpty()});
  }
  models.insert(models.end(), others.begin(), others.end());
  auto* dialog = new ScoreDialog(method, models, parts_.settings, parts_.slow, &views_.window);
  connect(dialog, &ScoreDialog::requested, this, [this](const std::vector<ModelJob>& jobs) {
    parts_.modelJobs.add(jobs);
    views_.docks.showQueue();
  });
  dialog->show();
}

void ScoreCommands::showDone(const QString& title, const QJsonObject& answer) {
  QStringList found;
  const auto add = [&found](const std::string& series, const QJsonValue& value) {
    if (value.isDouble())
      found << tr("%1 %2", "Accuracy 0.912").arg(seriesLabel(series).title, toQt(formatValue(value.toDouble())));
  };
  for (const char* metric : {"loss", "accuracy", "bits_per_byte"})
    add(std::string("eval.") + metric, answer[QLatin1String(metric)]);
  if (const auto documents = answer[QLatin1String("documents")]; documents.isDouble())
    found << plural(documents.toInteger(), tr("%n document"), tr("%n documents"))
          << plural(answer[QLatin1String("tokens")].toInteger(), tr("%n token"), tr("%n tokens"));
  const QJsonArray scores = answer[QLatin1String("scores")].toArray();
  for (const QJsonValue& score : scores)
    if (scores.size() == 1 || score[QLatin1String("split")].toString() == QLatin1String("test"))
      add("eval.task.." + score[QLatin1String("metric")].toString().toStdString(), score[QLatin1String("mean")]);
  views_.message.showMessage(NoteLevel::Info, tr("Scored: %1").arg(title), found.join(QStringLiteral(", ")));
  parts_.checkpoints.read();
  parts_.comparing.readScores();
}

}  // namespace

void addScoreCommands(StudioParts& parts, const WindowViews& views) {
  new ScoreCommands(parts, views);
}

}  // namespace batchwise
