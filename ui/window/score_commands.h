// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/checkpoints/score_dialog.h"
#include "ui/window/studio_parts.h"

class QJsonObject;

namespace batchwise {

/// Evaluates and judges models: opens the dialog for the runs or the checkpoint in view, and reports the outcome.
class ScoreCommands final : public QObject {
  Q_OBJECT

 public:
  ScoreCommands(StudioParts& parts, const WindowViews& views);

 private:
  /// `checkpoint`: ticked in place of the shown runs; empty: none.
  void openDialog(ScoreDialog::Method method, const QString& checkpoint = {});
  void showDone(const QString& title, const QJsonObject& answer);

  StudioParts& parts_;
  WindowViews views_;
};

}  // namespace batchwise
