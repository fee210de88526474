// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <QtCore/QStandardPaths>

#include "tests/ui/watched_application.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("DBUS_SESSION_BUS_ADDRESS", "disabled:");  // the desktop's colors are not part of a test
  QStandardPaths::setTestModeEnabled(true);
  ::testing::InitGoogleMock(&argc, argv);
  batchwise::test::WatchedApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
