// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <memory>

class QLocalServer;

namespace batchwise {

/// One window per workspace and user: the first one listens, others ask it to come to the front and end. GUI thread.
class SingleWindow final : public QObject {
  Q_OBJECT

 public:
  explicit SingleWindow(QObject* parent = nullptr);
  ~SingleWindow() override;

  /// Asks the window that has this workspace to come to the front, with a configuration to edit if `config` is not
  /// empty. False if there is none. Waits half a second at most.
  static bool raiseOther(const QString& workspace, const QString& config);
  /// From now on this is the window of the workspace, and of no other one.
  void hold(const QString& workspace);

 Q_SIGNALS:
  /// Another start wants this window, to edit `config` if it is not empty.
  void raiseWanted(const QString& config);

 private:
  std::unique_ptr<QLocalServer> server_;
};

}  // namespace batchwise
