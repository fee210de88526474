// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/watched_application.h"

#include <time.h>

#include <fstream>

namespace batchwise::test {
namespace {

double threadCpuMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Ready, but other programs had the processor.
double waitedForProcessorMs() {
  std::ifstream statistics("/proc/thread-self/schedstat");
  double ran = 0, waited = 0;
  statistics >> ran >> waited;
  return waited / 1e6;
}

void keepLongest(WatchedApplication::Longest& longest, double ms, const char* receiver, int type) {
  if (ms <= longest.ms) return;
  const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  longest = {ms, QString::fromLatin1(receiver) + QLatin1Char(' ') +
                     (name ? QString::fromLatin1(name) : QString::number(type))};
}

}  // namespace

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  if (!watching_ || depth_ > 0) return QApplication::notify(receiver, event);
  const char* className = receiver->metaObject()->className();
  const int type = event->type();
  const double busy = threadCpuMs(), waited = waitedForProcessorMs();
  QElapsedTimer wall;
  wall.start();
  ++depth_;
  const bool done = QApplication::notify(receiver, event);
  --depth_;
  const double wallMs = static_cast<double>(wall.nsecsElapsed()) / 1e6;
  const double ownMs = threadCpuMs() - busy;
  keepLongest(busy_, ownMs, className, type);
  keepLongest(blocked_, wallMs - ownMs - (waitedForProcessorMs() - waited), className, type);
  return done;
}

}  // namespace batchwise::test
