// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/applications_menu.h"

#include <gtest/gtest.h>

#include <QtCore/QDir>
#include <QtCore/QDirIterator>
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtCore/QTemporaryDir>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

QStringList filesBelow(const QString& folder) {
  QStringList files;
  for (QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories); each.hasNext();) files << each.next();
  return files;
}

TEST(ApplicationsMenuTest, IsEnteredAndTakenAwayAgain) {
  const QString judge = QStandardPaths::findExecutable(QStringLiteral("desktop-file-validate"));
  const test::EnvironmentVariable path("PATH", "");  // the desktop is not told of what is gone in a moment
  const QTemporaryDir data;
  EXPECT_FALSE(isInApplicationsMenu(data.path()));
  ASSERT_EQ(addToApplicationsMenu(data.path(), QStringLiteral("/opt/my tools/100%/batchwise-studio")), QString());
  EXPECT_TRUE(isInApplicationsMenu(data.path()));
  EXPECT_EQ(filesBelow(data.path()).size(), 3);
  QFile entry(data.filePath(QStringLiteral("applications/batchwise-studio.desktop")));
  ASSERT_TRUE(entry.open(QIODevice::ReadOnly));
  EXPECT_TRUE(entry.readAll().contains("\nExec=\"/opt/my tools/100%%/batchwise-studio\" %f\n"));
  if (!judge.isEmpty()) {
    EXPECT_EQ(QProcess::execute(judge, {entry.fileName()}), 0);
  }
  ASSERT_EQ(removeFromApplicationsMenu(data.path()), QString());
  EXPECT_EQ(filesBelow(data.path()), QStringList());
  EXPECT_EQ(removeFromApplicationsMenu(data.path()), QString()) << "once more";
}

TEST(ApplicationsMenuTest, AFolderThatCannotBeWrittenIsNamed) {
  const QTemporaryDir data;
  QFile taken(data.filePath(QStringLiteral("applications")));
  ASSERT_TRUE(taken.open(QIODevice::WriteOnly));
  EXPECT_TRUE(addToApplicationsMenu(data.path(), QStringLiteral("/bin/true")).contains(QStringLiteral("applications")));
}

TEST(ApplicationsMenuTest, IsSaidToBeThereOnlyIfAllIs) {
  const test::EnvironmentVariable path("PATH", "");
  const QTemporaryDir data;
  QFile taken(data.filePath(QStringLiteral("mime")));
  ASSERT_TRUE(taken.open(QIODevice::WriteOnly));
  EXPECT_FALSE(addToApplicationsMenu(data.path(), QStringLiteral("/bin/true")).isEmpty());
  EXPECT_FALSE(isInApplicationsMenu(data.path()));
  ASSERT_TRUE(taken.remove());
  ASSERT_EQ(addToApplicationsMenu(data.path(), QStringLiteral("/bin/true")), QString());
  const QString type = data.filePath(QStringLiteral("mime/packages/batchwise.xml"));
  ASSERT_TRUE(QFile::remove(type) && QDir().mkpath(type + QStringLiteral("/kept")));
  EXPECT_FALSE(removeFromApplicationsMenu(data.path()).isEmpty());
  EXPECT_TRUE(isInApplicationsMenu(data.path())) << "so that it can be tried again";
}

}  // namespace
}  // namespace batchwise
