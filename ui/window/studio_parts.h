// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoStack>

#include "ui/bridge/studio_settings.h"
#include "ui/checkpoints/checkpoints_presenter.h"
#include "ui/checkpoints/resume_presenter.h"
#include "ui/edit/config_draft.h"
#include "ui/edit/edit_presenter.h"
#include "ui/edit/first_run_presenter.h"
#include "ui/list/followed_runs.h"
#include "ui/list/model_jobs.h"
#include "ui/list/queue_presenter.h"
#include "ui/list/run_presenter.h"
#include "ui/list/selection.h"
#include "ui/list/workspace_presenter.h"
#include "ui/parts/file_jobs.h"
#include "ui/runs/alerts_presenter.h"
#include "ui/runs/compare_presenter.h"
#include "ui/runs/runs_presenter.h"
#include "ui/theme/theme.h"

class QMainWindow;

namespace batchwise {

class CheckpointsPage;
class RunsPage;
class EditPage;
class MessageBar;
class WelcomePage;
class WindowActions;
class WindowDocks;
class WorkspacePages;

/// All that the window and its commands act on: workspace, selection, runs, draft, queue, comparison, work on files,
/// undo stacks. Opening a workspace clears the undo stacks. GUI thread; must outlive the window.
struct StudioParts {
  /// `makeController` is called at each launch, `trainer` when a model is tried or exported. Theme and settings must
  /// outlive this.
  StudioParts(Theme& theme, StudioSettings& settings, ControllerFactory makeController, TrainerSource trainer);

  Theme& theme;
  StudioSettings& settings;
  const SystemClock clock{};
  TaskQueue tasks;  // before all that posts to it: what the presenters save is done when they are gone
  TaskQueue slow;   // for long tasks: whole checkpoints, archives, models
  TaskQueue files;  // tables and pictures that are saved
  WorkspacePresenter workspace{tasks};
  FollowedRuns followed{workspace};
  Selection selection{workspace};
  RunPresenter run;
  ComparePresenter comparing{workspace, selection};
  RunsPresenter runs{tasks, workspace, selection, comparing};
  EditPresenter edit{tasks};
  ResumePresenter resume{tasks, slow, workspace};
  CheckpointsPresenter checkpoints;
  FirstRunPresenter firstRun;
  QueuePresenter queue{workspace, run, settings};
  ModelJobs modelJobs{workspace, run};
  AlertsPresenter alerts{workspace, run, settings};
  FileJobs saving{files}, runExports{slow}, runImports{slow};
  DraftHistory draftHistory{edit.draft()};
  QUndoStack runListUndo;
};

/// The parts of a window that commands act on. The window owns them.
struct WindowViews {
  QMainWindow& window;
  WindowActions& actions;
  MessageBar& message;
  WorkspacePages& pages;
  WelcomePage& welcome;
  EditPage& edit;
  RunsPage& runs;
  CheckpointsPage& checkpoints;
  WindowDocks& docks;
};

}  // namespace batchwise
