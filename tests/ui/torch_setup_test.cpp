// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/torch_setup.h"

#include <gtest/gtest.h>

#include <QtCore/QFile>
#include <QtCore/QPointer>
#include <QtCore/QTemporaryDir>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QWidget>

#include "tests/support/test_environment.h"
#include "tests/ui/waiting.h"

namespace batchwise {
namespace {

/// In place of Python with the installer: tells a plan, and "installs" unless the file `refuse` is there.
constexpr const char* kInstaller = R"(#!/bin/sh
folder=$(dirname "$0")
echo "$@" >> "$folder/calls"
case "$*" in
  *--tell*--cuda*) echo '{"cuda": true, "bytes": 2700000000, "folder": "/env", "free": 9000000000}' ;;
  *--tell*) echo '{"cuda": false, "bytes": 200000000, "folder": "/env", "free": 9000000000}' ;;
  *) [ ! -e "$folder/refuse" ] || { echo "no space left"; exit 1; }; echo "Installed" ;;
esac
)";

class TorchSetupTest : public testing::Test {
 protected:
  void SetUp() override {
    QFile script(folder_.filePath(QStringLiteral("python")));
    ASSERT_TRUE(script.open(QIODevice::WriteOnly));
    script.write(kInstaller);
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  QString calls() const {
    QFile file(folder_.filePath(QStringLiteral("calls")));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  QString texts(const QWidget& dialog) const {
    QString all;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
    return all;
  }
  static QPushButton* installButton(const QWidget& dialog) {
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Install")) return button;
    return nullptr;
  }

  QTemporaryDir folder_;
  test::EnvironmentVariable python_{"BATCHWISE_PYTHON", (folder_.path() + QStringLiteral("/python")).toStdString()};
  QWidget window_;
};

TEST_F(TorchSetupTest, SaysTheSizeBeforeAndInstallsWhatIsChosen) {
  bool installed = false;
  QPointer<TorchSetup> dialog = new TorchSetup(window_, [&installed] { installed = true; });
  dialog->show();
  ASSERT_TRUE(test::comesTrue([&] { return installButton(*dialog)->isEnabled(); }));
  EXPECT_TRUE(texts(*dialog).contains(QStringLiteral("200.0 MB"))) << texts(*dialog).toStdString();
  dialog->findChildren<QRadioButton*>().at(1)->click();
  ASSERT_TRUE(test::comesTrue([&] { return texts(*dialog).contains(QStringLiteral("2.7 GB")); }));
  EXPECT_FALSE(calls().contains(QStringLiteral("--yes"))) << "nothing is loaded before it is asked for";
  ASSERT_TRUE(test::comesTrue([&] { return installButton(*dialog)->isEnabled(); }));
  installButton(*dialog)->click();
  EXPECT_TRUE(test::comesTrue([&] { return installed; }));
  EXPECT_TRUE(calls().contains(QStringLiteral("--yes --cuda")));
  EXPECT_TRUE(test::comesTrue([&] { return dialog.isNull(); })) << "it closes";
}

TEST_F(TorchSetupTest, AFailureIsShownAndCanBeTriedAgain) {
  QFile refuse(folder_.filePath(QStringLiteral("refuse")));
  ASSERT_TRUE(refuse.open(QIODevice::WriteOnly));
  bool installed = false;
  const std::unique_ptr<TorchSetup> dialog = std::make_unique<TorchSetup>(window_, [&installed] { installed = true; });
  dialog->setAttribute(Qt::WA_DeleteOnClose, false);
  ASSERT_TRUE(test::comesTrue([&] { return installButton(*dialog)->isEnabled(); }));
  installButton(*dialog)->click();
  EXPECT_TRUE(test::comesTrue([&] { return texts(*dialog).contains(QStringLiteral("no space left")); }));
  EXPECT_FALSE(installed);
  dialog->findChildren<QRadioButton*>().front()->click();
  EXPECT_TRUE(test::comesTrue([&] { return installButton(*dialog)->isEnabled(); }));
}

TEST_F(TorchSetupTest, AProgramFromSourcesLacksNothing) {
  EXPECT_TRUE(lacksTorch());
  const test::EnvironmentVariable none("BATCHWISE_PYTHON", "");
  EXPECT_FALSE(lacksTorch());
}

}  // namespace
}  // namespace batchwise
