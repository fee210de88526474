// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

namespace batchwise {

/// Turns SIGINT and SIGTERM into a Qt signal in the GUI thread. One per process.
class QuitSignals final : public QObject {
  Q_OBJECT

 public:
  explicit QuitSignals(QObject* parent = nullptr);
  ~QuitSignals() override;

 Q_SIGNALS:
  void quitRequested();
};

}  // namespace batchwise
