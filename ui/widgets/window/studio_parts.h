// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/studio_settings.h"
#include "ui/presenters/checkpoints_presenter.h"
#include "ui/presenters/edit_presenter.h"
#include "ui/presenters/resume_presenter.h"
#include "ui/presenters/run_presenter.h"
#include "ui/presenters/watch_presenter.h"
#include "ui/presenters/workspace_presenter.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Dependencies of the window and its commands. All must outlive the window.
struct StudioParts {
  Theme& theme;
  StudioSettings& settings;
  WorkspacePresenter& workspace;
  RunPresenter& run;
  WatchPresenter& watch;
  EditPresenter& edit;
  ResumePresenter& resume;
  CheckpointsPresenter& checkpoints;
  TaskQueue& slow;  // for long tasks: whole checkpoints, archives, models
};

}  // namespace batchwise
