// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QJsonObject>
#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "ui/list/workspace_presenter.h"
#include "ui/runs/chart_layout.h"
#include "ui/runs/compare_presenter.h"
#include "ui/runs/event_models.h"
#include "ui/runs/run_charts.h"
#include "ui/runs/run_reader.h"

namespace batchwise {

/// The page Runs: the selected run with its log, the shown runs, and the layout of their charts. Layout and own presets
/// are stored in the workspace. GUI thread.
class RunsPresenter final : public QObject {
  Q_OBJECT

 public:
  RunsPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, const Selection& selection,
                ComparePresenter& comparing, QObject* parent = nullptr);
  ~RunsPresenter() override;

  /// True once the selected run has been read.
  bool hasRun() const { return !selectedView().id.isEmpty(); }
  /// Returns an empty view until the selected run has been read.
  const RunView& selectedView() const;
  LogModel& log() { return log_; }

  /// Ids of the shown runs, baseline first.
  QStringList shown() const { return selection_.shown(); }
  /// Returns those that have been read, in the order of shown().
  std::vector<const RunView*> shownViews() const;
  /// True if a shown run is of another program.
  bool showsOthers() const;
  /// True while a shown run is being read as a whole.
  bool loading() const;
  /// Reads soon what run `run`, launched here, has just reported; no effect if it is neither shown nor selected. Runs
  /// elsewhere are followed by polling.
  void wake(const QString& run);

  const ChartLayout& layout() const { return layout_; }
  /// Returns the layout as drawn: behind the charts of the preset Training those of the occasional series that the
  /// shown runs have.
  ChartLayout drawnLayout() const;
  /// Sets the layout and stores it in the workspace.
  void setLayout(const ChartLayout& layout);
  /// Shows a layout without storing it, as while a slider is dragged; then setLayout() keeps it.
  void tryLayout(const ChartLayout& layout);

  /// Own presets, stored in the workspace, sorted by name.
  QStringList ownPresets() const;
  /// Keeps the layout under a name; replaces the preset of the same name.
  void savePreset(const QString& name);
  void deletePreset(const QString& name);
  /// Applies an own preset with its options.
  void openPreset(const QString& name);
  /// Returns the title of the preset with the present charts; empty if they were changed.
  QString presetName() const;

  /// Omits the groups (see ComparePresenter::groups()) that the brushes do not keep from the charts, the baseline
  /// excepted. Empty: all are kept.
  void setBrushedGroups(std::vector<bool> kept);
  /// Series that any shown run has, for a chart of its own.
  std::set<std::string> availableSeries() const;
  /// Returns the charts of drawnLayout() for the shown runs: a chart's contents are adjacent if the layout repeats it
  /// per run.
  std::vector<RunChart> charts() const { return runCharts(drawnLayout(), groups()); }

  /// Returns whether the charts changed since the last call; polled by the repaint timer.
  bool consumeDirty() { return std::exchange(dirty_, false); }

 Q_SIGNALS:
  /// The selection changed, or the selected run has been read.
  void selectionChanged();
  /// The set or order of shown runs changed, or one of them has been read as a whole.
  void shownChanged();
  void layoutChanged();
  /// Other charts are in the place of those of this layout, or an own preset has changed its options.
  void chartsReplaced(const ChartLayout& before);
  void presetsChanged();
  void failed(const QString& message);

 private:
  struct Reading;

  void reset();
  void showSelected();
  void updateReadings();
  QString parentOf(const QString& run) const;
  void startReading(const QString& run);
  void receive(const QString& run, Result<RunUpdate>&& update);
  void receiveWhole(const QString& run, Reading& reading, RunUpdate&& update);
  void receiveNew(const QString& run, Reading& reading, RunUpdate&& update);
  void follow();
  void fillLog();
  void readStored();
  void receiveStored(const QJsonObject& charts);
  void store();
  void compareByLayout();
  std::vector<std::string> extraSeries() const;
  void addNamedEvaluations(ChartLayout& layout) const;
  std::vector<ChartGroup> groups() const;

  TaskQueue& tasks_;
  WorkspacePresenter& workspace_;
  const Selection& selection_;
  ComparePresenter& comparing_;
  std::map<QString, std::unique_ptr<Reading>> readings_;  // of the shown and the selected run
  LogModel log_;
  ChartLayout layout_;
  ChartLayout storedLayout_;  // or about to be stored
  std::map<QString, ChartLayout> presets_;
  std::vector<std::string> readSeries_;  // extra series of the present readings, sorted
  std::vector<bool> brushedGroups_;
  bool dirty_ = false;
  // Calls of store() for this workspace.
  std::shared_ptr<std::atomic<std::int64_t>> stores_ = std::make_shared<std::atomic<std::int64_t>>(0);
  bool storedIsRead_ = false;  // or is damaged; what is stored may be replaced
  bool storeWhenRead_ = false;
  bool layoutIsNewer_ = false;  // set before what is stored was read
};

}  // namespace batchwise
