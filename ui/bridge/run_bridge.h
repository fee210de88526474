// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <mutex>
#include <vector>

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

  std::mutex mutex_;  // guards pending_ and wakeQueued_
  std::vector<RunEvent> pending_;
  bool wakeQueued_ = false;
};

}  // namespace batchwise
