// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/torch_setup.h"

#include <gtest/gtest.h>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QPointer>
#include <QtCore/QTemporaryDir>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QWidget>

#include "tests/support/test_environment.h"
#include "tests/ui/window_fixture.h"
#include "ui/window/run_commands.h"

namespace batchwise {
namespace {

/// In place of Python with the installer. Files beside it tell it what to do: `refuse` to fail, `elsewhere` to install
/// where nobody looks, `hang` to be asked to end, `odd` to answer with something else than a plan.
constexpr const char* kInstaller = R"(#!/bin/sh
folder=$(dirname "$0")
echo "$@" >> "$folder/calls"
plan() { echo "{\"requirement\": \"torch\", \"cuda\": $1, \"bytes\": $2, \"folder\": \"/env\", \"free\": 9000000000}"; }
case "$*" in
  *--tell*) if [ -e "$folder/odd" ]; then echo "a warning" >&2; echo '{"cuda": true}'; exit 0; fi ;;
esac
case "$*" in
  *--tell*--cuda*) plan true 2700000000 ;;
  *--tell*) echo "a warning" >&2; plan false 200000000 ;;
  *) [ ! -e "$folder/refuse" ] || { echo "Collecting"; echo "no space left" >&2; echo "Collected"; exit 1; }
     if [ -e "$folder/hang" ]; then
       trap 'touch "$folder/ended"; exit 1' TERM
       touch "$folder/hangs"
       while :; do sleep 0.05; done
     fi
     [ -e "$folder/elsewhere" ] || { mkdir -p "$folder/torch/lib"; touch "$folder/torch/lib/libtorch_cpu.so"; }
     echo "Installed" ;;
esac
)";

/// The installer, and a program of a wheel, which finds LibTorch beside its package only.
struct FakeInstaller {
  FakeInstaller() {
    EXPECT_TRUE(QDir().mkpath(file("batchwise/bin/no_cuda")));
    QFile script(file("python"));
    EXPECT_TRUE(script.open(QIODevice::WriteOnly));
    script.write(kInstaller);
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }
  QString file(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
  void instruct(const char* what) const { EXPECT_TRUE(QFile(file(what)).open(QIODevice::WriteOnly)); }
  QString calls() const {
    QFile log(file("calls"));
    return log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()) : QString();
  }

  QTemporaryDir folder;
  test::EnvironmentVariable python{"BATCHWISE_PYTHON", file("python").toStdString()};
  test::EnvironmentVariable program{"BATCHWISE_PROGRAM", file("batchwise/bin/batchwise").toStdString()};
  test::EnvironmentVariable data{"XDG_DATA_HOME", file("data").toStdString()};
};

QPushButton* installButton(const QWidget& dialog) {
  for (QPushButton* button : dialog.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Install")) return button;
  return nullptr;
}

void install(const QWidget& dialog) {
  ASSERT_TRUE(test::comesTrue([&] { return installButton(dialog)->isEnabled(); }));
  installButton(dialog)->click();
}

class TorchSetupTest : public testing::Test {
 protected:
  QString texts(const QWidget& dialog) const {
    QString all;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
    return all;
  }

  const FakeInstaller installer_;
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
  EXPECT_FALSE(installer_.calls().contains(QStringLiteral("--yes"))) << "nothing is loaded before it is asked for";
  install(*dialog);
  EXPECT_TRUE(test::comesTrue([&] { return installed; }));
  EXPECT_TRUE(installer_.calls().contains(QStringLiteral("/setup.py --yes --cuda"))) << "of this package, by its path";
  EXPECT_TRUE(test::comesTrue([&] { return dialog.isNull(); })) << "it closes";
}

TEST_F(TorchSetupTest, AFailureIsShownAndCanBeTriedAgain) {
  installer_.instruct("refuse");
  bool installed = false;
  const std::unique_ptr<TorchSetup> dialog = std::make_unique<TorchSetup>(window_, [&installed] { installed = true; });
  install(*dialog);
  EXPECT_TRUE(test::comesTrue([&] { return texts(*dialog).contains(QStringLiteral("was not installed")); }));
  EXPECT_TRUE(texts(*dialog).contains(QStringLiteral("no space left"))) << texts(*dialog).toStdString();
  EXPECT_FALSE(installed);
  dialog->findChildren<QRadioButton*>().front()->click();
  EXPECT_TRUE(test::comesTrue([&] { return installButton(*dialog)->isEnabled(); }));
}

TEST_F(TorchSetupTest, AnAnswerThatIsNoPlanIsAFailure) {
  installer_.instruct("odd");
  const TorchSetup dialog(window_, [] {});
  EXPECT_TRUE(test::comesTrue([&] { return texts(dialog).contains(QStringLiteral("was not installed")); }));
  EXPECT_TRUE(texts(dialog).contains(QStringLiteral("a warning"))) << texts(dialog).toStdString();
  EXPECT_FALSE(installButton(dialog)->isEnabled());
}

TEST_F(TorchSetupTest, AnInstallationThatDoesNotHelpIsSaidAndNothingStarts) {
  installer_.instruct("elsewhere");
  bool installed = false;
  const TorchSetup dialog(window_, [&installed] { installed = true; });
  install(dialog);
  EXPECT_TRUE(test::comesTrue([&] { return texts(dialog).contains(QStringLiteral("does not find it")); }));
  EXPECT_TRUE(texts(dialog).contains(QStringLiteral("/env"))) << texts(dialog).toStdString();
  EXPECT_FALSE(installed);
}

TEST_F(TorchSetupTest, ClosedEarlyItEndsTheInstallerAndDoesNotWaitForIt) {
  installer_.instruct("hang");
  QPointer<TorchSetup> dialog = new TorchSetup(window_, [] {});
  dialog->show();
  install(*dialog);
  ASSERT_TRUE(test::comesTrue([&] { return QFile::exists(installer_.file("hangs")); }));
  dialog->close();
  EXPECT_FALSE(dialog.isNull()) << "the process is still there";
  EXPECT_FALSE(dialog->isVisible());
  EXPECT_TRUE(test::comesTrue([&] { return dialog.isNull(); }));
  EXPECT_TRUE(QFile::exists(installer_.file("ended"))) << "it was asked, not killed";
}

TEST_F(TorchSetupTest, AProgramFromSourcesLacksNothing) {
  EXPECT_TRUE(lacksTorch());
  EXPECT_TRUE(QDir().rmdir(installer_.file("batchwise/bin/no_cuda")));
  EXPECT_FALSE(lacksTorch());
}

class TorchWindowTest : public test::WindowTest {
 protected:
  TorchSetup* offer() {
    for (auto* dialog : window_.findChildren<TorchSetup*>())
      if (dialog->isVisible()) return dialog;
    return nullptr;
  }

  const FakeInstaller installer_;
};

TEST_F(TorchWindowTest, ALaunchOffersWhatItLacksAndTrainsOnceItIsThere) {
  openPage("edit");
  launchWithPlan();
  ASSERT_NE(offer(), nullptr);
  EXPECT_TRUE(fake_.requests.empty());
  EXPECT_EQ(QApplication::activeModalWidget(), nullptr) << "the window can be used meanwhile";
  launchWithPlan();
  EXPECT_EQ(window_.findChildren<TorchSetup*>().size(), 1) << "one is enough";
  install(*offer());
  EXPECT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  QTest::qWait(100);
  EXPECT_EQ(fake_.requests.size(), 1U);
}

TEST_F(TorchWindowTest, AResumedRunAndTheQueueOfferItToo) {
  LaunchRequest request;
  request.workspace = workspace_.workspace()->folder();
  request.resumeRun = storeStoppedRun();
  window_.findChild<RunCommands*>()->start(request);
  ASSERT_NE(offer(), nullptr);
  offer()->close();
  ASSERT_EQ(offer(), nullptr);
  parts_.queue.start();
  EXPECT_FALSE(parts_.queue.isStarted());
  ASSERT_NE(offer(), nullptr);
  install(*offer());
  EXPECT_TRUE(test::comesTrue([&] { return parts_.queue.isStarted(); }));
  EXPECT_TRUE(fake_.requests.empty()) << "nothing waits in the queue, and the other offer was closed";
}

TEST_F(TorchWindowTest, NothingStartsInAnotherWorkspaceThanItWasLaunchedIn) {
  openPage("edit");
  launchWithPlan();
  ASSERT_NE(offer(), nullptr);
  QPointer<TorchSetup> dialog = offer();
  workspace_.open(QString::fromStdString((folder_ / "other").string()));
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.folder().endsWith(QStringLiteral("other")); }));
  install(*dialog);
  ASSERT_TRUE(test::comesTrue([&] { return dialog.isNull(); }));
  EXPECT_TRUE(fake_.requests.empty());
}

}  // namespace
}  // namespace batchwise
