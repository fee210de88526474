// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoGroup>
#include <functional>
#include <map>

class QAction;
class QMainWindow;
class QMenu;
class QToolBar;

namespace batchwise {

class StudioSettings;
class Theme;

/// The actions of the window: words, keys, icons, and their places in the menus and the tool bar. What each does, and
/// when it is on, is connected by those whose concern it is. All belong to the window.
class WindowActions final : public QObject {
  Q_OBJECT

 public:
  WindowActions(const Theme& theme, QMainWindow& window);

  QUndoGroup steps;  ///< undo and redo act on its active stack
  QAction *undo, *redo;
  QAction *newDemo, *newFile, *newOther, *newSelected, *openWorkspace, *quit;
  QAction *saveConfig, *importRun, *exportRun;
  QAction *launch, *enqueue, *pause, *stopAfterBatch, *stop, *abort, *resume;
  QAction *inThisProgram, *inOwnProcess, *onSlurm;  ///< where a launched run trains: one of them is checked
  QAction* slurmJob;                                ///< what is asked of Slurm; with onSlurm only where there is one
  QAction *palette, *help, *manual, *shortcuts, *about;

  /// What other parts of the window bring along.
  struct Places {
    QList<QAction*> pages, docks;
    QMenu *recentWorkspaces, *layouts;  ///< ownership stays with the caller
    std::function<void(const QString&)> chooseLanguage;
  };
  /// Fills menu bar and tool bar; to be called once, when all parts are made.
  void place(const Places& places, Theme& theme, StudioSettings& settings);
  /// Whether the run that can be paused is: the same action goes on with it.
  void showPaused(bool paused);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QAction* make(const char* name, const QString& text, const QKeySequence& keys, const QString& icon = {});
  void placeInToolBar(const Places& places);
  void recolor();
  void fitToolBar();
  void keepPauseWide();

  const Theme& theme_;
  QMainWindow& window_;
  QToolBar* tools_ = nullptr;
  std::map<QAction*, QString> icons_;
};

}  // namespace batchwise
