// SPDX-License-Identifier: GPL-3.0-or-later
// What stays where it is: controls while a run trains and messages come, the window under long texts; and that every
// control can be reached by keys and has a name.
#include <QtCore/QElapsedTimer>
#include <QtCore/QPointer>
#include <QtGui/QAccessible>
#include <QtGui/QAction>
#include <QtGui/QCursor>
#include <QtGui/QWindow>
#include <QtWidgets/QAbstractSlider>
#include <QtWidgets/QAbstractSpinBox>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTabBar>
#include <algorithm>

#include "tests/ui/window_fixture.h"
#include "ui/models/display_text.h"
#include "ui/widgets/window/run_status_bar.h"

namespace batchwise {
namespace {

const QString kLongName = QString(175, QLatin1Char('m'));

class CalmWindowTest : public test::WindowTest {
 protected:
  /// Places in the window of all visible widgets that a person uses or reads, messages excepted.
  class Places {
   public:
    Places(QWidget& window, const MessageBar& messages) : window_(window) {
      for (QWidget* each : window.findChildren<QWidget*>()) {
        const bool counts = each->isVisible() && each->window() == &window && isUsed(*each);
        if (counts && !messages.isAncestorOf(each)) places_.push_back({each, placeOf(*each)});
      }
    }
    std::size_t size() const { return places_.size(); }
    /// Describes those that are elsewhere now; widgets that are gone do not count.
    QStringList moved() const {
      QStringList moved;
      for (const auto& [widget, place] : places_) {
        if (!widget || !widget->isVisible() || placeOf(*widget) == place) continue;
        const QRect now = placeOf(*widget);
        moved << QStringLiteral("%1 %2: %3,%4 %5x%6 -> %7,%8 %9x%10")
                     .arg(QLatin1String(widget->metaObject()->className()), widget->objectName())
                     .arg(place.x())
                     .arg(place.y())
                     .arg(place.width())
                     .arg(place.height())
                     .arg(now.x())
                     .arg(now.y())
                     .arg(now.width())
                     .arg(now.height());
      }
      return moved;
    }

    static bool isUsed(const QWidget& widget) {
      if (qobject_cast<const QScrollBar*>(&widget) != nullptr) return false;
      for (const char* type : {"QAbstractButton", "QLineEdit", "QComboBox", "QAbstractSpinBox", "QAbstractSlider",
                               "QTabBar", "QAbstractItemView", "QProgressBar", "batchwise::SeriesChart"})
        if (widget.inherits(type)) return true;
      return false;
    }

   private:
    QRect placeOf(const QWidget& widget) const { return {widget.mapTo(&window_, QPoint()), widget.size()}; }

    QWidget& window_;
    std::vector<std::pair<QPointer<QWidget>, QRect>> places_;
  };

  Places places() { return {window_, message()}; }
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

TEST_F(CalmWindowTest, MessagesChangeNothingOfTheLayout) {
  for (const char* page : {"edit", "checkpoints"}) {
    openPage(page);
    // The plan of the draft has been computed.
    ASSERT_TRUE(test::comesTrue([&] {
      const Places shown = places();
      QTest::qWait(300);
      return shown.moved().isEmpty();
    }));
    const Places before = places();
    ASSERT_GT(before.size(), 10u);
    message().showInfo(QStringLiteral("An information"));
    message().add(offer(QStringLiteral("An offer")));
    message().showMessage(NoteLevel::Error, QStringLiteral("An error"), QString(4000, QLatin1Char('e')));
    QTest::qWait(300);
    EXPECT_TRUE(message().isVisible());
    EXPECT_TRUE(before.moved().isEmpty()) << before.moved().join(u'\n').toStdString();
    takePicture(QStringLiteral("calm-messages-%1").arg(QLatin1String(page)));
    message().clear();
    QTest::qWait(50);
    EXPECT_TRUE(before.moved().isEmpty());
  }
}

TEST_F(CalmWindowTest, AMessageCoversNoControlAndNoChart) {
  storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  desk_.select(toQt(workspace_.runs().at(0)->id));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun(); }));
  message().add(offer(QStringLiteral("An offer")));
  for (const char* page : {"runs", "edit"}) {
    openPage(page);
    QTest::qWait(600);
    const QRect place = message().geometry();
    int seen = 0;
    for (QWidget* each : window_.findChildren<QWidget*>()) {
      const bool counts = Places::isUsed(*each) && each->isVisible() && each->window() == &window_;
      if (!counts || message().isAncestorOf(each)) continue;
      ++seen;
      // What of it is scrolled out of view is not covered.
      EXPECT_FALSE(place.intersects(each->visibleRegion().boundingRect().translated(each->mapTo(&window_, QPoint()))))
          << page << ": " << each->metaObject()->className() << " " << each->objectName().toStdString();
    }
    EXPECT_GT(seen, 10);
  }
  QAbstractButton* first = nullptr;
  for (auto* each : message().findChildren<QPushButton*>())
    if (each->isVisible() && each->text() == QLatin1String("Do it")) first = each;
  ASSERT_NE(first, nullptr);
  first->click();
  EXPECT_EQ(chosen_, 0);
  EXPECT_TRUE(message().isVisible()) << "who offers decides when it is over";
  message().withdraw(QStringLiteral("An offer"));
  EXPECT_FALSE(message().isVisible());
}

TEST_F(CalmWindowTest, TheMouseMayGoOverAndAwayFromMessages) {
  openPage("edit");
  message().add(offer(QStringLiteral("first")));
  message().showInfo(QStringLiteral("An information"));
  message().showMessage(NoteLevel::Error, QStringLiteral("An error"), QStringLiteral("One line\nand another one"));
  QTest::qWait(50);
  for (int y = window_.height() - 1; y > window_.height() / 2; y -= 7) {
    for (const int x : {message().x() + 5, message().geometry().center().x(), message().geometry().right() - 5}) {
      QCursor::setPos(window_.mapToGlobal(QPoint(x, y)));
      QTest::mouseMove(window_.windowHandle(), QPoint(x, y));
      QCoreApplication::processEvents();
    }
    if (y % 2 == 0) message().showInfo(QStringLiteral("An information about %1").arg(y));
  }
  EXPECT_TRUE(message().isVisible());
  EXPECT_GE(message().texts().size(), 2);
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
  const auto cards = message().findChildren<MessageCard*>();
  EXPECT_LE(std::count_if(cards.begin(), cards.end(), [](const MessageCard* card) { return card->isVisible(); }), 3);
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
  auto* card = message().findChild<MessageCard*>();
  QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(card);
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->role(), QAccessible::AlertMessage);
  EXPECT_TRUE(seen->text(QAccessible::Name).contains(QStringLiteral("and another one")));
}

TEST_F(CalmWindowTest, NoTextMakesTheWindowGrow) {
  storeRun(kLongName.toStdString(), RunStatus::Failed);
  const QSize least = window_.minimumSizeHint(), size = window_.size();
  const Places before = places();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  auto* status = window_.findChild<RunStatusBar*>();
  const Places inStatusBar(*status, message());
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
  EXPECT_TRUE(inStatusBar.moved().isEmpty()) << inStatusBar.moved().join(u'\n').toStdString();
  desk_.select(toQt(workspace_.runs().at(0)->id));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun(); }));
  takePicture(QStringLiteral("calm-long-name"));
  EXPECT_EQ(window_.size(), size);
  EXPECT_LE(window_.minimumSizeHint().width(), 1024);
}

TEST_F(CalmWindowTest, EveryPageFitsASmallScreen) {
  storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  for (const QAction* page : window_.findChild<WorkspacePages*>()->pageActions()) {
    const_cast<QAction*>(page)->trigger();
    window_.resize(1024, 700);
    QTest::qWait(100);
    EXPECT_EQ(window_.size(), QSize(1024, 700)) << page->text().toStdString();
    takePicture(QStringLiteral("calm-1024-") + page->text().remove(QLatin1Char('&')).toLower());
  }
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>())
    EXPECT_EQ(dock->isVisible(), dock->objectName() == QLatin1String("runsDock")) << "the charts have the room";
}

TEST_F(CalmWindowTest, TheLogIsOneLineThatOpensIt) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  const std::string id = beginRun();
  fake_.publish({test::rowAt(1), RunNote{NoteLevel::Warning, "watch out", {}}});
  ASSERT_TRUE(test::comesTrue([&] { return desk_.log().rowCount() > 0; }));
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

TEST_F(CalmWindowTest, WhileARunTrainsNoControlMoves) {
  constexpr int kShownMs = 500;
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  int batch = 0;
  const auto train = [&](const std::vector<RunEvent>& more = {}) {
    std::vector<RunEvent> events{test::rowAt(++batch)};
    events.insert(events.end(), more.begin(), more.end());
    fake_.publish(events);
  };
  EvalResult evaluation;
  evaluation.loss = 3;
  train({evaluation});
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun() && workspace_.runs().rowCount() == 1; }));
  for (int i = 0; i < 20; ++i) train();
  QTest::qWait(kShownMs);
  const Places before = places();
  ASSERT_GT(before.size(), 10u);
  QElapsedTimer clock;
  clock.start();
  for (int turn = 0; !clock.hasExpired(1000 * test::repeats(10, 60)); ++turn) {
    evaluation.at = test::rowAt(batch).at;
    evaluation.loss = 3.0 / (1 + turn);
    train();
    if (turn % 5 == 0) train({evaluation, RunNote{NoteLevel::Warning, kLongName.toStdString(), evaluation.at}});
    if (turn % 7 == 0) message().showInfo(QStringLiteral("Written to file %1").arg(turn));
    if (turn % 11 == 0) message().add(offer(QStringLiteral("Offer %1").arg(turn)));
    if (turn % 13 == 0) message().showMessage(NoteLevel::Error, kLongName, QString(1000, QLatin1Char('x')));
    if (turn % 17 == 0) train({PhaseProgress{"evaluating", 0.5 * turn, 100, "samples"}});
    if (turn == 20) parts_.queue.add(edit_.draft().loadedRuns());
    if (turn == 30)
      train({RunNote{NoteLevel::Error,
                     "training waits and resumes by itself: the disk is full",
                     evaluation.at,
                     {},
                     NoteKind::Waiting}});
    QTest::qWait(50);
    ASSERT_TRUE(before.moved().isEmpty()) << "turn " << turn << "\n" << before.moved().join(u'\n').toStdString();
  }
  takePicture(QStringLiteral("calm-training"));
  parts_.queue.start();
  fake_.finish(RunStatus::Finished);
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 2; }));
  QTest::qWait(kShownMs);
  EXPECT_TRUE(before.moved().isEmpty()) << before.moved().join(u'\n').toStdString();
}

TEST_F(CalmWindowTest, EveryControlThatTakesTheFocusHasARoleAndAName) {
  storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  desk_.select(toQt(workspace_.runs().at(0)->id));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun(); }));
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
  nameless.removeDuplicates();
  EXPECT_TRUE(nameless.isEmpty()) << nameless.join(u'\n').toStdString();
}

}  // namespace
}  // namespace batchwise
