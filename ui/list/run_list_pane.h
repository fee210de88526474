// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <functional>

#include "ui/bridge/studio_settings.h"
#include "ui/list/runs_table.h"
#include "ui/theme/theme.h"

class QAction;
class QHeaderView;
class QLabel;
class QLineEdit;

namespace batchwise {

class RunsView;

/// The runs of the workspace as a table with a filter, tick boxes, and columns to choose. The current row is the
/// selected run, or a group; several rows may be selected for the actions of the context menu. If a filter hides the
/// selected run, no other one gets selected. Columns, their order and widths are stored in the settings.
class RunListPane final : public QWidget {
  Q_OBJECT

 public:
  RunListPane(WorkspacePresenter& workspace, Selection& selection, StudioSettings& settings, const Theme& theme,
              QWidget* parent = nullptr);

  /// Offers columns for these series, and folds seeds where the charts group them.
  void setCompared(const QStringList& series, bool foldsSeeds);
  /// Ids of the runs of all selected rows, in their order.
  QStringList selectedRuns() const;
  /// Adds actions to the context menu of a run.
  void addCommands(const QList<QAction*>& commands);
  /// Why a command for one run does not act on what is selected; empty if it does.
  QString whyNotOne() const;

 Q_SIGNALS:
  void runSelected(const QString& run);
  /// Other rows are selected.
  void selectionChanged();
  void compareRequested();
  void clearChoiceRequested();
  void renameRequested(const QString& run);
  void noteRequested(const QString& run);
  void tagsRequested(const QStringList& runs);
  void seedsRequested(const QStringList& runs);
  void archiveRequested(const QStringList& runs);
  void restoreRequested(const QStringList& runs);
  void deleteRequested(const QStringList& runs);
  /// Of `runs` all checkpoints but the best are to go.
  void keepBestRequested(const QStringList& runs);
  void exportRequested(const QStringList& runs);
  void diskUseRequested();
  /// Of `wanted` runs only RunsTable::kMostTicked are ticked now.
  void tickLimited(int wanted);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QAction* addAction(const char* name, const QString& text, int key, const std::function<void()>& work);
  void addRunActions();
  void updateActions();
  void addTools(QWidget& tools);
  void openMenu(const QPoint& place);
  void updateArchiveActions(const QStringList& runs);
  QString hiddenText() const;
  void connectRuns();
  void compareSelected();
  void makeBaseline();
  void applyFilter();
  void offerConditions();
  QString currentRun() const;
  void showSelected();
  void updateCount();
  void updateTicks();

  void makeColumnActions();
  void openColumns();
  void showColumn(const QString& key, bool on);
  void resetColumns();
  bool appearsItself(const RunColumn& column) const;
  bool isShown(const RunColumn& column) const;
  void placeColumns();
  void addColumn(const QString& key);
  void restoreColumns();
  void storeColumns();
  void scaleColumns();
  void fitNames();
  int defaultWidth(int column) const;

  WorkspacePresenter& workspace_;
  RunList& runs_;
  Selection& selection_;
  StudioSettings& settings_;
  RunFacts facts_;
  RunsTable table_;
  QLineEdit* filter_;
  RunsView* view_;
  QHeaderView* header_;
  QLabel* problem_;  // error of the filter
  QLabel* count_;
  QList<QAction*> columnActions_;  // show and hide the columns of every table, all but the name
  QAction *tick_ = nullptr, *baseline_ = nullptr, *compareRuns_ = nullptr;
  QAction *tags_ = nullptr, *archive_ = nullptr, *restore_ = nullptr, *delete_ = nullptr, *export_ = nullptr;
  QAction *keepBest_ = nullptr, *showArchived_ = nullptr;
  QList<QAction*> ofOneRun_;  // enabled for one selected run only
  StudioSettings::RunColumns columns_;
  QStringList differing_;                    // keys of settings in which the ticked runs differ
  bool tagged_ = false;                      // a run has tags or a note
  bool quiet_ = false;                       // the selection is being set by the program
  int fontHeight_ = fontMetrics().height();  // that the columns are made for
};

}  // namespace batchwise
