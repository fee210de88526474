// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

namespace batchwise {

/// Opens studies of the critical batch, and adds the branches that follow from those that have ended to the queue.
class StudyCommands final : public QObject {
  Q_OBJECT

 public:
  StudyCommands(StudioParts& parts, const WindowViews& views);

 private:
  void open();
  void goOn(const QString& branch);

  StudioParts& parts_;
  WindowViews views_;
};

}  // namespace batchwise
