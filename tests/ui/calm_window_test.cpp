// SPDX-License-Identifier: GPL-3.0-or-later
// Messages; the size of the window under long texts; and that every control can be reached by keys and has a name.

#include "tests/ui/short_names.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/series_chart.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/window/command_palette.h"
#include "ui/window/run_status_bar.h"
#include "ui/window/window_help.h"

namespace batchwise {
namespace {

const QString kLongName = QString(175, QLatin1Char('m'));

class CalmWindowTest : public test::WindowTest {
 protected:
  UserMessage offer(const QString& title) {
    UserMessage made;
    made.level = NoteLevel::Warning;
    made.title = title;
    made.details = QStringLiteral("One line\nand another one");
    made.subject = title;
    made.actions = {QStringLiteral("Do it"), QStringLiteral("Leave it")};
    made.chosen = [this](int action) { chosen_ = action; };
    return made;
  }
  int chosen_ = -1;
};

TEST_F(CalmWindowTest, WhoMakesAnOfferDecidesWhenItIsOver) {
  message().add(offer(QStringLiteral("An offer")));
  offered("Do it")->click();
  EXPECT_EQ(chosen_, 0);
  EXPECT_TRUE(message().isVisible());
  message().withdraw(QStringLiteral("An offer"));
  EXPECT_FALSE(message().isVisible());
}

TEST_F(CalmWindowTest, AllMessagesAreInAListWithWhatTheyOffer) {
  message().add(offer(QStringLiteral("An offer")));
  message().showError(QStringLiteral("An error"));
  message().showMessage(NoteLevel::Error, QStringLiteral("Another one"), QString(2000, QLatin1Char('x')));
  EXPECT_EQ(offered("Do it"), nullptr) << "the newest is in front";
  offered("2 more")->click();
  auto* list = message().findChild<QWidget*>(QStringLiteral("allMessages"));
  ASSERT_NE(list, nullptr);
  EXPECT_LE(list->height(), window_.height() / 2);
  for (auto* each : list->findChildren<QPushButton*>())
    if (each->text() == QLatin1String("Leave it")) each->click();
  EXPECT_EQ(chosen_, 1);
}

TEST_F(CalmWindowTest, WhatMattersMoreStaysInFrontAndNothingIsLost) {
  message().showError(QStringLiteral("An error"));
  message().add(offer(QStringLiteral("first")));
  message().showInfo(QStringLiteral("An information"));
  EXPECT_TRUE(message().text().startsWith(QLatin1String("First")));
  EXPECT_EQ(message().texts().size(), 3);
  message().showInfo(QStringLiteral("An information"));
  EXPECT_EQ(message().texts().size(), 3) << "the same again is no news";
  UserMessage changed = offer(QStringLiteral("first"));
  changed.title = QStringLiteral("second");
  changed.subject = QStringLiteral("first");
  message().add(changed);
  EXPECT_EQ(message().texts().size(), 3) << "it takes the place of what was about the same";
  EXPECT_TRUE(message().text().startsWith(QLatin1String("Second")));
  for (int i = 0; i < 5; ++i) message().showError(QStringLiteral("Error %1").arg(i));
  EXPECT_EQ(message().texts().size(), 8);
  EXPECT_TRUE(test::comesTrue([&] { return message().texts().size() == 7; })) << "an information goes by itself";
}

TEST_F(CalmWindowTest, MessagesAreReachedAndClosedByKeys) {
  openPage("edit");
  auto* before = window_.findChild<QLineEdit*>();
  window_.activateWindow();
  before->setFocus();
  message().add(offer(QStringLiteral("An offer")));
  message().showError(QStringLiteral("An error"));
  EXPECT_NE(QApplication::focusWidget(), nullptr);
  EXPECT_FALSE(message().isAncestorOf(QApplication::focusWidget())) << "a message does not take the focus";
  const QWidget* focused = QApplication::focusWidget();
  action(QStringLiteral("Go to the messages"))->trigger();
  ASSERT_TRUE(message().isAncestorOf(QApplication::focusWidget()));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_EQ(message().texts().size(), 1);
  ASSERT_TRUE(message().isAncestorOf(QApplication::focusWidget()));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_FALSE(message().isVisible());
  EXPECT_EQ(QApplication::focusWidget(), focused);
}

TEST_F(CalmWindowTest, ScreenReadersKnowMessagesAsAlerts) {
  message().add(offer(QStringLiteral("An offer")));
  QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(&message());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->role(), QAccessible::AlertMessage);
  EXPECT_TRUE(seen->text(QAccessible::Name).contains(QStringLiteral("and another one")));
}

/// Each change of the style lays out every widget anew.
TEST_F(CalmWindowTest, AnotherTextSizeChangesTheStyleOnce) {
  struct StyleChanges : QObject {
    bool eventFilter(QObject*, QEvent* event) override {
      count += event->type() == QEvent::StyleChange ? 1 : 0;
      return false;
    }
    int count = 0;
  } changes;
  window_.installEventFilter(&changes);
  const int before = window_.style()->pixelMetric(QStyle::PM_IndicatorWidth);
  theme_.setTextScale(2.0);
  EXPECT_EQ(changes.count, 1);
  EXPECT_EQ(window_.style()->pixelMetric(QStyle::PM_IndicatorWidth), 2 * before);
}

TEST_F(CalmWindowTest, APictureIsLightWithoutChangingTheWindow) {
  theme_.setAppearance(Appearance::Dark);
  theme_.setTextScale(2.0);
  const QPalette palette = QApplication::palette();
  const int box = window_.style()->pixelMetric(QStyle::PM_IndicatorWidth);
  EXPECT_FALSE(chartPicture(SeriesChart({}, theme_), {16, 9}).isNull());
  EXPECT_EQ(QApplication::palette(), palette);
  EXPECT_EQ(window_.style()->pixelMetric(QStyle::PM_IndicatorWidth), box);
}

TEST_F(CalmWindowTest, AMessageHasRoomBesideItsButtonsInASmallWindowWithLargeText) {
  theme_.setTextScale(2.0);
  window_.resize(1000, 700);
  UserMessage made = offer(QStringLiteral("The run modernbert-small was interrupted at global batch 12,431"));
  made.actions = {QStringLiteral("Resume from 12,400"), QStringLiteral("Keep stopped")};
  message().add(made);
  QTest::qWait(100);
  EXPECT_GE(message().findChild<ElidedLabel*>()->width(), message().width() * 3 / 4);
  for (const QString& each : made.actions) {
    const QAbstractButton* shown = offered(each.toUtf8());
    ASSERT_NE(shown, nullptr);
    EXPECT_TRUE(message().rect().contains(QRect(shown->mapTo(&message(), QPoint()), shown->size())));
  }
}

TEST_F(CalmWindowTest, NoTextMakesTheWindowGrow) {
  storeRun(kLongName.toStdString(), RunStatus::Failed);
  const QSize least = window_.minimumSizeHint(), size = window_.size();
  awaitRuns(1);
  auto* status = window_.findChild<RunStatusBar*>();
  TrainingState state;
  state.phase = RunPhase::Training;
  state.name = kLongName;
  state.activity = QStringLiteral("Evaluating");
  state.batches = 1'234'567;
  state.plannedBatches = 7'654'321;
  state.secondsLeft = 300'000;
  state.tokensPerSec = 41'200;
  state.fullestDevice =
      DeviceMemory{"cuda:0", std::int64_t{70} << 30, 0, std::int64_t{75} << 30, std::int64_t{80} << 30};
  status->showProgress(state);
  status->showFreeDisk(std::int64_t{400} << 30);
  status->showWaiting(123, false);
  status->showAlerts(12);
  message().showMessage(NoteLevel::Error, kLongName + kLongName, QString(2000, QLatin1Char('x')));
  QTest::qWait(100);
  EXPECT_EQ(window_.size(), size);
  EXPECT_LE(window_.minimumSizeHint().width(), std::max(least.width(), 1024));
  parts_.selection.select(toQt(workspace_.runs().at(0)->id));
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.hasRun(); }));
  EXPECT_EQ(window_.size(), size);
  EXPECT_LE(window_.minimumSizeHint().width(), 1024);
}

TEST_F(CalmWindowTest, EveryPageFitsASmallScreen) {
  storeStoppedRun();
  awaitRuns(1);
  for (const QAction* page : window_.findChild<WorkspacePages*>()->pageActions()) {
    const_cast<QAction*>(page)->trigger();
    window_.resize(1024, 700);
    QTest::qWait(100);
    EXPECT_EQ(window_.size(), QSize(1024, 700)) << page->text().toStdString();
  }
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>())
    EXPECT_EQ(dock->isVisible(), dock->objectName() == QLatin1String("runsDock")) << "the charts have the room";
}

TEST_F(CalmWindowTest, TheLogIsOneLineThatOpensIt) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  const std::string id = beginRun();
  fake_.publish({test::rowAt(1), RunNote{NoteLevel::Warning, "watch out", {}}});
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.log().rowCount() > 0; }));
  auto* line = window_.findChild<LogLine*>();
  EXPECT_TRUE(test::comesTrue([&] { return line->accessibleName().contains(QStringLiteral("atch out")); }))
      << line->accessibleName().toStdString();
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("logDock"));
  EXPECT_FALSE(dock->isVisible());
  line->click();
  EXPECT_TRUE(test::comesTrue([&] { return dock->isVisible(); }));
  QTest::qWait(50);
  line->click();
  EXPECT_FALSE(dock->isVisible());
}

TEST_F(CalmWindowTest, EveryControlThatTakesTheFocusHasARoleAndAName) {
  storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(toQt(workspace_.runs().at(0)->id));
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.hasRun(); }));
  QStringList nameless;
  const auto check = [&nameless](QWidget& window) {
    for (QWidget* each : window.findChildren<QWidget*>()) {
      const bool reached = each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0;
      // The tabs of a bar have their names.
      const bool part = each->focusProxy() != nullptr || each->objectName().startsWith(QLatin1String("qt_")) ||
                        qobject_cast<QTabBar*>(each) != nullptr;
      if (!reached || part) continue;
      QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(each);
      const bool named =
          seen != nullptr && seen->role() != QAccessible::NoRole && !seen->text(QAccessible::Name).trimmed().isEmpty();
      if (!named)
        nameless << QStringLiteral("%1 %2 in %3")
                        .arg(QLatin1String(each->metaObject()->className()), each->objectName(),
                             QLatin1String(each->parentWidget()->metaObject()->className()));
    }
  };
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>()) {
    dock->show();
    dock->raise();
    QTest::qWait(20);
    check(window_);
  }
  for (QAction* page : window_.findChild<WorkspacePages*>()->pageActions()) {
    page->trigger();
    QTest::qWait(50);
    check(window_);
  }
  action(QStringLiteral("Preferences"))->trigger();
  auto* preferences = window_.findChild<QWidget*>(QStringLiteral("preferences"));
  ASSERT_NE(preferences, nullptr);
  auto* sections = preferences->findChild<QAbstractItemView*>(QStringLiteral("preferenceSections"));
  for (int i = 0; i < sections->model()->rowCount(); ++i) {
    sections->setCurrentIndex(sections->model()->index(i, 0));
    check(*preferences);
  }
  preferences->close();
  for (const char* command : {"Help on this page", "Find a command"}) {
    action(q(command))->trigger();
    QTest::qWait(50);
  }
  check(*window_.findChild<HelpWindow*>());
  check(*window_.findChild<CommandPalette*>());
  nameless.removeDuplicates();
  EXPECT_TRUE(nameless.isEmpty()) << nameless.join(u'\n').toStdString();
}

}  // namespace
}  // namespace batchwise
