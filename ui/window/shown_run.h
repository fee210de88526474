// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

namespace batchwise {

/// Selects runs that the user opens, launches or imports, and opens the page that shows them.
class ShownRun final : public QObject {
  Q_OBJECT

 public:
  ShownRun(StudioParts& parts, const WindowViews& views);

  /// Selects the run. Does nothing if the id is empty.
  void show(const QString& run);

 private:
  void showRefreshed();
  void showImported(const QString& run, const QString& name, const QString& folder);
  void showStarted(const QString& run);
  void reportStarted(const QString& run, bool ofQueue);
  void withdrawReport(const QString& run);
  void tellUnticked(const QString& run);

  StudioParts& parts_;
  WindowViews views_;
  QString reported_;         // the run that a message names as started
  bool justOpened_ = false;  // the run list of the workspace may still lack runs of other machines
};

}  // namespace batchwise
