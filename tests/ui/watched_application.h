// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QElapsedTimer>
#include <QtCore/QMetaEnum>
#include <QtWidgets/QApplication>

namespace batchwise::test {

/// Measures for how long each event keeps the window's thread from the next one. Code of the test itself does not
/// count.
class WatchedApplication final : public QApplication {
 public:
  using QApplication::QApplication;

  struct Longest {
    double ms = 0;
    QString what;  ///< the receiver's class and the event
  };

  static WatchedApplication& self() { return *static_cast<WatchedApplication*>(qApp); }
  void startWatching() {
    busy_ = blocked_ = {};
    watching_ = true;
  }
  /// Computed by this thread while it handled one event.
  const Longest& busy() const { return busy_; }
  /// Neither computed nor waited for a processor: on a lock, the disk, another thread.
  const Longest& blocked() const { return blocked_; }

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  bool watching_ = false;
  int depth_ = 0;  // events that are sent while one is handled belong to it
  Longest busy_, blocked_;
};

}  // namespace batchwise::test
