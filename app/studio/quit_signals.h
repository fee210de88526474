// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

namespace batchwise {

/// SIGINT and SIGTERM as a Qt signal, in the thread of the window. One per process.
class QuitSignals final : public QObject {
  Q_OBJECT

 public:
  explicit QuitSignals(QObject* parent = nullptr);
  ~QuitSignals() override;

 Q_SIGNALS:
  void quitWanted();
};

}  // namespace batchwise
