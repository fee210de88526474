// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <vector>

#include "core/base/mutex.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Delivers events from the training thread to the GUI thread; many events cost one wake-up.
class RunBridge final : public QObject, public EventSink {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Thread-safe. Does not block.
  void publish(const RunEvent& event) override;

 Q_SIGNALS:
  /// Emitted in this object's thread, in the order of publication.
  void arrived(const std::vector<batchwise::RunEvent>& events);

 private:
  void deliver();

  Mutex mutex_;
  std::vector<RunEvent> pending_ GUARDED_BY(mutex_);
  bool wakeQueued_ GUARDED_BY(mutex_) = false;
};

}  // namespace batchwise
