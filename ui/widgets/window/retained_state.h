// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QUndoStack>

#include "ui/presenters/alerts_presenter.h"
#include "ui/presenters/archive_jobs.h"
#include "ui/presenters/compare_presenter.h"
#include "ui/presenters/csv_export_jobs.h"
#include "ui/presenters/queue_presenter.h"
#include "ui/widgets/edit/draft_history.h"
#include "ui/widgets/window/studio_parts.h"

namespace batchwise {

/// State that outlives the window when it is recreated in another language: comparison, queue, alerts, work on files,
/// undo stacks. Opening a workspace clears the undo stacks. GUI thread.
class RetainedState final : public QObject {
  Q_OBJECT

 public:
  explicit RetainedState(const StudioParts& parts);

  ComparePresenter comparing;
  QueuePresenter queue;
  AlertsPresenter alerts;
  CsvExportJobs saving;
  ArchiveJobs archiveJobs;
  DraftHistory draftHistory;
  QUndoStack runListUndo;

  /// Translates the texts of the undo commands into the present language.
  void retranslate();
};

}  // namespace batchwise
