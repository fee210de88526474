// SPDX-License-Identifier: GPL-3.0-or-later
// Going on with runs: the offer for an interrupted one, the card, and the page of checkpoints.

#include "tests/ui/window_fixture.h"
#include "ui/edit/field_values.h"
#include "ui/edit/first_run_dialog.h"
#include "ui/window/first_run_commands.h"
#include "ui/window/resume_commands.h"

namespace batchwise {
namespace {

class WindowResumeTest : public test::WindowTest {
 protected:
  /// Opens the workspace as a new window does.
  void openAgain() { workspace_.open(workspace_.folder()); }
  ResumeDialog* openDialog(const std::string& run) {
    parts_.selection.select(QString::fromStdString(run));
    EXPECT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Resume"))->isEnabled(); }));
    action(QStringLiteral("Resume"))->trigger();
    EXPECT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() != nullptr; }));
    return window_.findChild<ResumeDialog*>();
  }
  /// Stores a run that was stopped, the only one, and opens its dialog.
  ResumeDialog* openStopped() {
    const std::string id = storeStoppedRun();
    workspace_.refresh();
    EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
    return openDialog(id);
  }
  QPushButton* cardButton(ResumeDialog* card, const char* name) {
    return card->findChild<QPushButton*>(QString::fromLatin1(name));
  }
};

TEST_F(WindowResumeTest, AnInterruptedRunIsOfferedAtTheStartAndGoesOnByOneClick) {
  const std::string id = storeRun("ramp <b>4k</b>", RunStatus::Interrupted);
  openAgain();
  ASSERT_TRUE(test::comesTrue([&] { return offered("Resume from 12,400") != nullptr; }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("12,431")));
  EXPECT_TRUE(message().text().contains(QStringLiteral("verified")));
  EXPECT_NE(offered("Choose checkpoint"), nullptr);
  takeOffer("Resume from");
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].resumeRun, id);
  EXPECT_FALSE(fake_.requests[0].fork);
  EXPECT_EQ(workspace_.workspace()->findCheckpoint(fake_.requests[0].resumeCheckpoint)->at.batch, 12'400);
}

TEST_F(WindowResumeTest, ADamagedCheckpointIsPassedOverWithTheReason) {
  const std::string id = storeRun("damaged", RunStatus::Interrupted);
  const auto records = workspace_.workspace()->checkpoints(id);
  for (const CheckpointRecord& record : *records)
    if (record.at.batch == 12'400) std::filesystem::resize_file(workspace_.workspace()->folder() / record.file, 1000);
  openAgain();
  ASSERT_TRUE(test::comesTrue([&] { return offered("Resume from 12,000") != nullptr; }));
  EXPECT_GE(message().text().count(QLatin1Char('\n')), 2) << message().text().toStdString();
}

TEST_F(WindowResumeTest, WhatIsDuplicatedIsTheOfferedRunAndNotTheSelectedOne) {
  const QString other = QString::fromStdString(storeRun("other", RunStatus::Finished));
  const std::string id = storeRun("bare", RunStatus::Interrupted);
  for (const CheckpointRecord& record : *workspace_.workspace()->checkpoints(id))
    std::filesystem::remove(workspace_.workspace()->folder() / record.file);
  openAgain();
  ASSERT_TRUE(test::comesTrue([&] { return offered("Duplicate the run") != nullptr; }));
  parts_.selection.select(other);
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.hasRun(); }));
  takeOffer("Duplicate the run");
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().text("name") == QStringLiteral("bare-2"); }))
      << edit_.draft().text("name").toStdString();
  EXPECT_FALSE(message().isVisible());
}

TEST_F(WindowResumeTest, ARunThatIsKeptStoppedIsNotOfferedAgain) {
  storeRun("settled", RunStatus::Interrupted);
  openAgain();
  ASSERT_TRUE(test::comesTrue([&] { return offered("Keep stopped") != nullptr; }));
  takeOffer("Keep stopped");
  EXPECT_FALSE(message().isVisible());
  openAgain();
  QTest::qWait(1500);
  EXPECT_FALSE(message().isVisible());
}

TEST_F(WindowResumeTest, TheCardTellsWhatGoesOnAndWhatIsTrainedAgain) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  ResumeDialog* card = openDialog(id);
  ASSERT_NE(card, nullptr);
  QString words;
  for (const auto* label : card->findChildren<QLabel*>()) words += label->text() + QLatin1Char('\n');
  EXPECT_TRUE(words.contains(QStringLiteral("bit for bit"))) << words.toStdString();
  EXPECT_TRUE(words.contains(QStringLiteral("31 global batch"))) << words.toStdString();
  const auto* page = card->findChild<QComboBox*>(QStringLiteral("resumeCheckpoint"))->parentWidget();
  for (const double scale : {2.0, 1.0}) {
    theme_.setTextScale(scale);
    test::expectNothingCutOrOverlapping(*page);
  }
  auto* from = card->findChild<QComboBox*>(QStringLiteral("resumeCheckpoint"));
  ASSERT_EQ(from->count(), 2);
  from->setCurrentIndex(1);
  EXPECT_TRUE(cardButton(card, "resumeNow")->text().contains(QStringLiteral("12,000")));
  card->findChild<QLineEdit*>(QStringLiteral("resumeDuration"))->setText(QStringLiteral("30000ba"));
  QTest::mouseClick(cardButton(card, "resumeNow"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].resumeRun, id);
  EXPECT_EQ(fake_.requests[0].config.config.maxDuration, Time::of(30'000, TimeUnit::Batch));
  EXPECT_EQ(workspace_.workspace()->findCheckpoint(fake_.requests[0].resumeCheckpoint)->at.batch, 12'000);
}

TEST_F(WindowResumeTest, WhileAnotherRunIsWatchedItIsReportedThatTheRunHasResumed) {
  const std::string id = storeStoppedRun(), other = storeRun("other", RunStatus::Finished);
  awaitRuns(2);
  ResumeDialog* card = openDialog(id);
  ASSERT_NE(card, nullptr);
  QTest::mouseClick(cardButton(card, "resumeNow"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  parts_.selection.select(QString::fromStdString(other));
  RunStarted started;
  started.run = id;
  started.name = "stopped";
  fake_.publish({started});
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("stopped has resumed")); }));
}

TEST_F(WindowResumeTest, OneCardIsOpenAtATime) {
  ASSERT_NE(openStopped(), nullptr);
  action(QStringLiteral("Resume"))->trigger();
  awaitTasks();
  QTest::qWait(100);
  EXPECT_EQ(window_.findChildren<ResumeDialog*>().size(), 1);
}

TEST_F(WindowResumeTest, TheCardIsClosedWithItsWorkspace) {
  ASSERT_NE(openStopped(), nullptr);
  const QString other = pathOf("other");
  workspace_.open(other);
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.folder() == other; }));
  EXPECT_EQ(window_.findChild<ResumeDialog*>(), nullptr);
}

TEST_F(WindowResumeTest, ADangerousChangeIsRefusedAndPossibleAsAFork) {
  ResumeDialog* card = openStopped();
  ASSERT_NE(card, nullptr);
  auto* changes = card->findChild<FieldValues*>(QStringLiteral("resumeChanges"));
  changes->addRow(QStringLiteral("data.mlm_probability"));
  auto* value = changes->findChild<QLineEdit*>(QStringLiteral("newValue"));
  EXPECT_EQ(value->text(), QStringLiteral("0.15")) << "as before";
  value->setText(QStringLiteral("0.3"));
  EXPECT_FALSE(cardButton(card, "resumeNow")->isEnabled());
  EXPECT_TRUE(cardButton(card, "resumeNow")->toolTip().contains(QStringLiteral("Share of masked tokens")));
  ASSERT_TRUE(cardButton(card, "resumeFork")->isEnabled());
  auto* name = card->findChild<QLineEdit*>(QStringLiteral("resumeForkName"));
  EXPECT_EQ(name->text(), QStringLiteral("stopped-fork"));
  name->setText(QStringLiteral("latest"));
  EXPECT_FALSE(cardButton(card, "resumeFork")->isEnabled());
  EXPECT_TRUE(cardButton(card, "resumeFork")->toolTip().contains(QStringLiteral("latest")));
  name->setText(QStringLiteral("more masks: #2"));
  ASSERT_TRUE(cardButton(card, "resumeFork")->isEnabled());
  QTest::mouseClick(cardButton(card, "resumeFork"), Qt::LeftButton);
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].config.config.name, "more masks: #2");
  EXPECT_TRUE(fake_.requests[0].fork);
  EXPECT_DOUBLE_EQ(fake_.requests[0].config.config.data.mlmProbability, 0.3);
}

TEST_F(WindowResumeTest, ASettingCanBeEmptiedInAFork) {
  ResumeDialog* card = openStopped();
  ASSERT_NE(card, nullptr);
  auto* changes = card->findChild<FieldValues*>(QStringLiteral("resumeChanges"));
  changes->addRow(QStringLiteral("batch.tokens.max_tokens"));
  auto* value = changes->findChild<QLineEdit*>(QStringLiteral("newValue"));
  EXPECT_TRUE(changes->assignments().isEmpty()) << "nothing is changed yet";
  value->clear();
  EXPECT_TRUE(value->placeholderText().startsWith(QStringLiteral("Not set"))) << value->placeholderText().toStdString();
  EXPECT_EQ(changes->assignments(), QStringList{QStringLiteral("batch.tokens.max_tokens=")});
  EXPECT_TRUE(cardButton(card, "resumeFork")->isEnabled()) << cardButton(card, "resumeFork")->toolTip().toStdString();
  changes->addRow(QStringLiteral("seed"));
  auto* seed = changes->findChildren<QLineEdit*>(QStringLiteral("newValue")).last();
  seed->clear();
  EXPECT_TRUE(seed->placeholderText().startsWith(QStringLiteral("Needs a value")));
  EXPECT_FALSE(cardButton(card, "resumeFork")->isEnabled());
  EXPECT_TRUE(cardButton(card, "resumeFork")->toolTip().contains(QStringLiteral("has no value")));
}

class CheckpointsPageTest : public WindowResumeTest {
 protected:
  void openCheckpoints() {
    run_id_ = storeStoppedRun();
    workspace_.refresh();
    ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
    parts_.selection.select(QString::fromStdString(run_id_));
    action(QStringLiteral("Checkpoints"))->trigger();
    table_ = window_.findChild<QAbstractItemView*>(QStringLiteral("checkpoints"));
    ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 2; }));
  }
  QString cell(int row, CheckpointModel::Column column) {
    return table_->model()->index(row, column).data().toString();
  }
  void press(const char* name) { QTest::mouseClick(button(name), Qt::LeftButton); }

  std::string run_id_;
  QAbstractItemView* table_ = nullptr;
};

TEST_F(CheckpointsPageTest, VerifiesPinsAndUnpins) {
  openCheckpoints();
  EXPECT_EQ(cell(0, CheckpointModel::BatchColumn), QStringLiteral("12,400"));
  press("verifyCheckpoint");
  ASSERT_TRUE(
      test::comesTrue([&] { return cell(0, CheckpointModel::StateColumn).startsWith(QStringLiteral("Verified")); }));
  press("pinCheckpoint");
  ASSERT_TRUE(
      test::comesTrue([&] { return cell(0, CheckpointModel::MarkColumn) == QStringLiteral("Newest, pinned"); }));
  EXPECT_FALSE(button("deleteCheckpoint")->isEnabled());
  press("pinCheckpoint");
  ASSERT_TRUE(test::comesTrue([&] { return button("deleteCheckpoint")->isEnabled(); }));
}

TEST_F(CheckpointsPageTest, ADeletedOneComesBackByUndo) {
  openCheckpoints();
  press("deleteCheckpoint");
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 1; }));
  EXPECT_EQ(workspace_.workspace()->checkpoints(run_id_)->size(), 2u);
  parts_.selection.select({});  // the time to undo goes on while another run is looked at
  awaitTasks();
  EXPECT_EQ(workspace_.workspace()->checkpoints(run_id_)->size(), 2u);
  for (auto* undo : window_.findChildren<QPushButton*>())
    if (undo->text() == QStringLiteral("Undo")) QTest::mouseClick(undo, Qt::LeftButton);
  parts_.selection.select(QString::fromStdString(run_id_));
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 2; }));
  EXPECT_EQ(parts_.runListUndo.count(), 0);
  const auto first = [this] { return table_->model()->index(0, 0).data(CheckpointModel::IdRole).toString(); };
  checkpoints_.remove(first());
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 1; }));
  parts_.runListUndo.undo();  // as Ctrl+Z
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 2; }));
  EXPECT_EQ(parts_.runListUndo.count(), 0) << "nothing can be done again";
  checkpoints_.remove(first());
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 1; }));
  checkpoints_.remove(first());  // deletes the one before
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.workspace()->checkpoints(run_id_)->size() == 1; }));
  EXPECT_EQ(parts_.runListUndo.count(), 1) << "that one cannot come back";
  parts_.runListUndo.push(new QUndoCommand(QStringLiteral("another step")));
  checkpoints_.removeNow();
  EXPECT_EQ(parts_.runListUndo.undoText(), QStringLiteral("another step"));
  parts_.runListUndo.undo();
  EXPECT_FALSE(parts_.runListUndo.canUndo()) << "nor can that one, which was not the newest step";
}

TEST_F(CheckpointsPageTest, ADeletedOneIsGoneWhenTheWindowCloses) {
  openCheckpoints();
  press("deleteCheckpoint");
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 1; }));
  window_.close();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.workspace()->checkpoints(run_id_)->size() == 1; }));
}

TEST_F(CheckpointsPageTest, NothingIsResumedFromADeletedOne) {
  openCheckpoints();
  press("deleteCheckpoint");
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 1; }));
  ResumeDialog* card = openDialog(run_id_);
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->findChild<QComboBox*>(QStringLiteral("resumeCheckpoint"))->count(), 1);
  EXPECT_TRUE(cardButton(card, "resumeNow")->text().contains(QStringLiteral("12,000")));
  EXPECT_EQ(workspace_.workspace()->checkpoints(run_id_)->size(), 2u) << "it can still come back";
  card->close();
  window_.findChild<FirstRunCommands*>()->continueModel({});  // would take the newest
  EXPECT_TRUE(checkpoints_.removing().isEmpty());
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.workspace()->checkpoints(run_id_)->size() == 1; }));
  window_.findChild<FirstRunDialog*>()->close();
}

TEST_F(WindowResumeTest, AnOfferIsNotTakenWithACheckpointThatWasDeletedSince) {
  const std::string id = storeRun("offered", RunStatus::Interrupted);
  openAgain();
  ASSERT_TRUE(test::comesTrue([&] { return offered("Resume from 12,400") != nullptr; }));
  parts_.selection.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return checkpoints_.model().rowCount() == 2; }));
  const QPointer<QAbstractButton> resume = offered("Resume from 12,400");
  const auto records = workspace_.workspace()->checkpoints(id);
  for (const CheckpointRecord& record : *records)
    if (record.at.batch == 12'400) checkpoints_.remove(QString::fromStdString(record.id));
  ASSERT_FALSE(checkpoints_.removing().isEmpty());
  ASSERT_FALSE(resume.isNull());
  resume->click();  // behind the message that offers to undo
  ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() != nullptr; }));
  EXPECT_TRUE(fake_.requests.empty());
  EXPECT_TRUE(cardButton(window_.findChild<ResumeDialog*>(), "resumeNow")->text().contains(QStringLiteral("12,000")));
}

TEST_F(CheckpointsPageTest, TheNewestIsSelectedAgainAfterAResumeUnlessAnotherWasChosen) {
  openCheckpoints();
  const auto selected = [this] {
    return table_->currentIndex().siblingAtColumn(CheckpointModel::BatchColumn).data().toString();
  };
  ASSERT_TRUE(test::comesTrue([&] { return selected() == QStringLiteral("12,400"); }));
  RunWriter::SegmentStart resumed;
  resumed.from = test::rowAt(12'400).at;
  auto writer = RunWriter::open(workspace_.workspace(), run_id_, resumed);
  ASSERT_TRUE(writer.ok());
  addCheckpoint(**writer, 13'000);
  workspace_.refresh();
  EXPECT_TRUE(test::comesTrue([&] { return selected() == QStringLiteral("13,000"); }));
  table_->setCurrentIndex(table_->model()->index(2, 0));
  ASSERT_EQ(selected(), QStringLiteral("12,000"));
  addCheckpoint(**writer, 13'400);
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 4; }));
  awaitTasks();
  EXPECT_EQ(selected(), QStringLiteral("12,000")) << "the user has chosen it";
}

TEST_F(CheckpointsPageTest, ThoseOfADeletedRunAreGone) {
  openCheckpoints();
  ASSERT_TRUE(workspace_.workspace()->deleteRun(run_id_).ok());
  EXPECT_TRUE(test::comesTrue([&] { return table_->model()->rowCount() == 0; }));
  EXPECT_FALSE(button("deleteCheckpoint")->isEnabled());
}

TEST_F(CheckpointsPageTest, FillsMasksWithTheChosenCheckpoint) {
  openCheckpoints();
  EXPECT_FALSE(button("tryFill")->isEnabled());
  window_.findChild<QLineEdit*>(QStringLiteral("tryText"))->setText(QStringLiteral("the dog <mask>"));
  press("tryFill");
  auto* answers = window_.findChild<QTreeWidget*>(QStringLiteral("tryAnswers"));
  ASSERT_TRUE(test::comesTrue([&] { return answers->topLevelItemCount() == 2; }));
  EXPECT_EQ(answers->headerItem()->text(0), QStringLiteral("<mask>")) << "the model's own";
  EXPECT_EQ(answers->topLevelItem(0)->text(1), QStringLiteral("sleeps"));
  EXPECT_TRUE(answers->topLevelItem(0)->text(2).startsWith(QStringLiteral("62.5")));
  ASSERT_EQ(trainer_->asked.size(), 1u);
  EXPECT_EQ(workspace_.workspace()->findCheckpoint(trainer_->asked[0].substr(0, 12))->at.batch, 12'400);
}

TEST_F(CheckpointsPageTest, FillsMasksBesideAnotherRunToo) {
  openCheckpoints();
  auto* beside = window_.findChild<QComboBox*>(QStringLiteral("tryBeside"));
  EXPECT_EQ(beside->count(), 1) << "there is no other run";
  const std::string other = storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return beside->count() == 2; }));
  beside->setCurrentIndex(1);
  EXPECT_EQ(beside->currentData().toString().toStdString(), other);
  window_.findChild<QLineEdit*>(QStringLiteral("tryText"))->setText(QStringLiteral("the dog [MASK]"));
  press("tryFill");
  auto* answers = window_.findChild<QTreeWidget*>(QStringLiteral("tryAnswers"));
  ASSERT_TRUE(test::comesTrue([&] { return answers->topLevelItemCount() == 2; }));
  ASSERT_EQ(answers->columnCount(), 5);
  EXPECT_EQ(answers->headerItem()->text(3), beside->currentText());
  EXPECT_EQ(answers->topLevelItem(1)->text(3), QStringLiteral("<b>runs</b>"));
  ASSERT_EQ(trainer_->asked.size(), 2u);
  EXPECT_EQ(trainer_->asked[1], ": the dog [MASK]") << "its newest good checkpoint";
}

TEST_F(CheckpointsPageTest, NamesTheRunAndTriesByOneButton) {
  openCheckpoints();
  EXPECT_EQ(window_.findChild<QLabel*>(QStringLiteral("checkpointsHeading"))->text(),
            QStringLiteral("Checkpoints of stopped"));
  EXPECT_EQ(cell(0, CheckpointModel::MarkColumn), QStringLiteral("Newest"));
  press("tryCheckpoint");
  EXPECT_EQ(window_.focusWidget(), window_.findChild<QLineEdit*>(QStringLiteral("tryText")));
}

TEST_F(CheckpointsPageTest, NothingPushesTheButtonsOutOfASmallWindow) {
  run_id_ = storeRun(std::string(175, 'n'), RunStatus::Stopped);
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(run_id_));
  action(QStringLiteral("Checkpoints"))->trigger();
  theme_.setTextScale(2.0);
  window_.resize(1024, 700);
  ASSERT_TRUE(test::comesTrue([&] { return button("deleteCheckpoint")->isEnabled(); }));
  QTest::qWait(60);
  for (const char* name : {"verifyCheckpoint", "tryCheckpoint", "resumeHere", "exportCheckpoint", "pinCheckpoint",
                           "deleteCheckpoint", "tryFill"}) {
    const QRect place(button(name)->mapTo(&window_, QPoint(0, 0)), button(name)->size());
    EXPECT_TRUE(window_.rect().contains(place)) << name;
    EXPECT_GE(place.width(), button(name)->minimumSizeHint().width()) << name;
  }
}

TEST_F(CheckpointsPageTest, ResumesFromTheChosenOne) {
  openCheckpoints();
  table_->setCurrentIndex(table_->model()->index(1, 0));
  press("resumeHere");
  ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() != nullptr; }));
  EXPECT_TRUE(cardButton(window_.findChild<ResumeDialog*>(), "resumeNow")->text().contains(QStringLiteral("12,000")));
}

}  // namespace
}  // namespace batchwise
