// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <vector>

#include "core/base/mutex.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Carries events from the thread that trains to the thread of the window: many events, one wake-up.
class RunBridge final : public QObject, public EventSink {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Any thread. Returns at once.
  void publish(const RunEvent& event) override;

 Q_SIGNALS:
  /// In the thread of this object, in the order in which they happened.
  void arrived(const std::vector<batchwise::RunEvent>& events);

 private:
  void deliver();

  Mutex mutex_;
  std::vector<RunEvent> pending_ GUARDED_BY(mutex_);
  bool wakeQueued_ GUARDED_BY(mutex_) = false;
};

}  // namespace batchwise
