// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_bridge.h"

#include <utility>

namespace batchwise {

void RunBridge::publish(const RunEvent& event) {
  const MutexLock lock(mutex_);
  pending_.push_back(event);
  if (!std::exchange(wakeQueued_, true)) QMetaObject::invokeMethod(this, &RunBridge::deliver, Qt::QueuedConnection);
}

void RunBridge::deliver() {
  std::vector<RunEvent> events;
  {
    const MutexLock lock(mutex_);
    events.swap(pending_);
    wakeQueued_ = false;
  }
  if (!events.empty()) Q_EMIT arrived(events);
}

}  // namespace batchwise
