// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/studio_parts.h"

namespace batchwise {

class ClosingGuard;
class NewRunCommands;
class ResumeCommands;

/// Evaluates and judges models: opens the dialog for the runs or the checkpoint in view, and reports the outcome.
void addScoreCommands(StudioParts& parts, const WindowViews& views);
/// Opens studies of the critical batch, and adds the branches that follow from those that have ended to the queue.
void addStudyCommands(StudioParts& parts, const WindowViews& views);
/// Reports what happens to runs: that they wait, fail or end, and errors of the presenters. For a run that has failed
/// says why and what to do about it, and does that on request. The ends of runs are not reported while `closing` closes
/// the window.
void addRunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing, NewRunCommands& newRun,
                    ResumeCommands& resume);

}  // namespace batchwise
