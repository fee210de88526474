// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/quit_signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <QtCore/QSocketNotifier>
#include <csignal>
#include <cstdint>

namespace batchwise {
namespace {

int wakeDescriptor = -1;  // written by the signal handler: write() is async-signal-safe

extern "C" void onQuitSignal(int) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wakeDescriptor, &one, sizeof one);
}

}  // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {
  wakeDescriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto* notifier = new QSocketNotifier(wakeDescriptor, QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [this] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wakeDescriptor, &count, sizeof count);
    Q_EMIT quitRequested();
  });
  std::signal(SIGINT, onQuitSignal);
  std::signal(SIGTERM, onQuitSignal);
}

QuitSignals::~QuitSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  close(wakeDescriptor);
}

}  // namespace batchwise
