// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoGroup>
#include <map>

class QAction;
class QMainWindow;
class QMenu;
class QToolBar;

namespace batchwise {

class StudioSettings;
class Theme;

/// The actions of the window: texts, shortcuts, icons, and their places in the menus and the tool bar. The command
/// classes connect what each does and set when it is enabled. The window owns all of them.
class WindowActions final : public QObject {
  Q_OBJECT

 public:
  WindowActions(const Theme& theme, QMainWindow& window);

  QUndoGroup undoGroup;  ///< undo and redo act on its active stack
  QAction *undo, *redo, *preferences;
  QAction *trainOnText, *continueModel, *tryDemo;
  QAction *newDemo, *newFile, *newFromExternal, *newSelected, *newVariant, *openWorkspace, *quit;
  QList<QAction*> recipes;  ///< bundled configurations, "ramps" last; data() is the name
  QAction *saveConfig, *importRun, *followRuns, *exportRun;
  QAction *launch, *enqueue, *pause, *stopAfterBatch, *stop, *abort, *resume, *judge, *study;
  QAction *inThisProgram, *inOwnProcess, *onSlurm;  ///< where a launched run trains; one of them is checked
  QAction* slurmJob;  ///< edits the options of Slurm jobs; shown, like onSlurm, only where Slurm is available
  QAction *palette, *help, *manual, *shortcuts, *applicationsMenu, *about;
  QAction* resetLayout;
  QAction* messages;  ///< gives the messages the keyboard focus

  /// Actions and menus of other parts of the window.
  struct Places {
    QList<QAction*> pages, docks;
    QMenu *recentWorkspaces, *followed;  ///< ownership stays with the caller
  };
  /// Fills the menu bar and the tool bar. Call once, after all parts of the window exist.
  void place(const Places& places, Theme& theme, StudioSettings& settings);
  /// Sets whether `pause` reads "Pause" or "Continue".
  void showPaused(bool paused);

 private:
  QAction* make(const char* name, const QString& text, const QKeySequence& keys, const QString& icon = {},
                const QString& toolTip = {});
  void makeRecipes();
  void placeInToolBar(const Places& places);
  void recolor();

  const Theme& theme_;
  QMainWindow& window_;
  QToolBar* tools_ = nullptr;
  std::map<QAction*, QString> icons_;
};

}  // namespace batchwise
