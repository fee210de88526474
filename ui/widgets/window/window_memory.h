// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QUndoStack>

#include "ui/presenters/alerts_presenter.h"
#include "ui/presenters/compare_presenter.h"
#include "ui/presenters/queue_presenter.h"
#include "ui/presenters/run_moving.h"
#include "ui/presenters/value_saving.h"
#include "ui/widgets/edit/draft_history.h"
#include "ui/widgets/window/studio_parts.h"

namespace batchwise {

/// What a person has queued, been told, chosen, begun to save and done, and could undo: it stays when the window is
/// made anew in another language. A workspace that is opened begins with nothing to undo. GUI thread.
class WindowMemory final : public QObject {
  Q_OBJECT

 public:
  explicit WindowMemory(const StudioParts& parts);

  ComparePresenter comparing;
  QueuePresenter queue;
  AlertsPresenter alerts;
  ValueSaving saving;
  RunMoving moving;
  DraftHistory draftSteps;
  QUndoStack archiveSteps;

  /// The steps to undo get their names in the language of now.
  void retranslate();
};

}  // namespace batchwise
