// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/config_form.h"

#include <gtest/gtest.h>

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStyle>
#include <QtWidgets/QTableWidget>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <set>

#include "core/base/format.h"
#include "tests/ui/short_names.h"
#include "tests/ui/waiting.h"
#include "ui/edit/section_table.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

class ConfigFormTest : public ::testing::Test {
 protected:
  ConfigFormTest() {
    draft_.load(loadConfig("demo"), ValueSource::Preset);
    form_.resize(600, 600);
    form_.show();
  }

  bool shown(const char* path) const { return form_.editor(path)->isVisibleTo(form_.widget()); }
  void type(const char* path, const char* text) {
    auto* line = qobject_cast<QLineEdit*>(form_.editor(path)->control());
    ASSERT_NE(line, nullptr) << path;
    line->selectAll();
    QTest::keyClicks(line, q(text));
  }
  bool labelShows(const QString& text) const {
    for (const QLabel* label : form_.findChildren<QLabel*>())
      if (label->isVisibleTo(form_.widget()) && label->text() == text) return true;
    return false;
  }

  Theme theme_;
  ConfigDraft draft_;
  ConfigForm form_{draft_, theme_};
};

TEST_F(ConfigFormTest, EveryFieldHasAnEditorThatShowsAndTakesItsValue) {
  for (const Field& field : configSchema()) {
    FieldEditor* editor = form_.editor(field.path);
    ASSERT_NE(editor, nullptr) << field.path;
    EXPECT_EQ(editor->text(), draft_.text(field.path)) << field.path;
    EXPECT_FALSE(editor->control()->accessibleName().isEmpty()) << field.path;
    EXPECT_FALSE(editor->control()->toolTip().isEmpty()) << field.path << " has no help";
    const QString value = editor->text();
    editor->setText(value);
    EXPECT_EQ(editor->text(), value) << field.path;
  }
}

TEST_F(ConfigFormTest, TypingChangesTheDraft) {
  type("optimizer.lr", "3e-4");
  EXPECT_EQ(draft_.config().optimizer.lr, 3e-4);
  EXPECT_EQ(form_.editor("optimizer.lr")->text(), q("3e-4")) << "what is being typed stays as it is";
  auto* list = qobject_cast<QComboBox*>(form_.editor("model.preset")->control());
  ASSERT_NE(list, nullptr);
  list->setCurrentText(q("mini"));
  EXPECT_EQ(draft_.config().model.preset, ModelPreset::Mini);
}

TEST_F(ConfigFormTest, ChoicesAreInWordsWithTheirNameInFilesAsToolTip) {
  auto* list = qobject_cast<QComboBox*>(form_.editor("scheduler.name")->control());
  ASSERT_NE(list, nullptr);
  list->setCurrentText(q("Constant, warm-up"));
  EXPECT_EQ(draft_.config().scheduler.name, "constant_with_warmup");
  EXPECT_EQ(list->currentData(Qt::ToolTipRole).toString(), q("constant_with_warmup"));
  draft_.setText("scheduler.name", q("linear, constant"));
  EXPECT_EQ(form_.editor("scheduler.name")->text(), q("linear, constant")) << "of a sweep";
  draft_.setText("scheduler.name", q("linear"));
  EXPECT_EQ(list->currentText(), q("Linear"));
  for (const char* words : {"square root", "one_minus_sqrt"}) {
    form_.setFilter(q(words));
    EXPECT_TRUE(shown("scheduler.name")) << words;
  }
}

TEST_F(ConfigFormTest, AnErrorStandsBelowItsField) {
  type("optimizer.lr", "quick");
  ASSERT_FALSE(draft_.ready());
  EXPECT_TRUE(labelShows(draft_.error("optimizer.lr")));
  type("optimizer.lr", "1e-3");
  EXPECT_TRUE(draft_.ready());
}

TEST_F(ConfigFormTest, TakesNoEditsWhileTheTextCannotBeRead) {
  const QString before = draft_.yaml();
  draft_.setYaml(before + q("optimzer: {lr: 1}\n"));
  EXPECT_FALSE(form_.editor("log.every_step")->control()->isEnabled());
  draft_.setYaml(before);
  EXPECT_TRUE(form_.editor("log.every_step")->control()->isEnabled());
  draft_.load(parseConfig("max_duration: 5xx\n", "file", {}), ValueSource::File);
  EXPECT_TRUE(form_.editor("max_duration")->control()->isEnabled()) << "the form has all of it";
}

TEST_F(ConfigFormTest, FoldsWhatFewPeopleNeedUntilItIsChangedOrLookedFor) {
  EXPECT_TRUE(shown("optimizer.lr"));
  EXPECT_FALSE(shown("optimizer.eps"));
  form_.setFilter(q("epsilon"));
  EXPECT_TRUE(shown("optimizer.eps"));
  EXPECT_FALSE(shown("optimizer.lr"));
  form_.setFilter({});
  EXPECT_FALSE(shown("optimizer.eps"));
  draft_.setText("optimizer.eps", q("1e-7"));
  EXPECT_TRUE(shown("optimizer.eps"));
}

TEST_F(ConfigFormTest, ShowsOnlyTheParametersOfTheChosenSchedule) {
  draft_.setText("scheduler.name", q("linear_with_warmup"));
  EXPECT_TRUE(shown("scheduler.t_warmup"));
  draft_.setText("scheduler.name", q("constant"));
  EXPECT_FALSE(shown("scheduler.t_warmup"));
}

TEST_F(ConfigFormTest, WhatTheFamilyDoesNotHaveIsHiddenUntilItIsSetOrLookedFor) {
  const char* path = "model.local_attention";
  form_.setFilter(q(path));
  EXPECT_TRUE(form_.editor(path)->isEnabled()) << "the family is not known";
  form_.setFamily(ModelFamily::Bert);
  EXPECT_TRUE(shown(path)) << "looked for";
  EXPECT_FALSE(form_.editor(path)->isEnabled());
  EXPECT_TRUE(labelShows(q("A model of the family bert has no such setting")));
  form_.setFilter({});
  draft_.setText(path, q("64"));
  EXPECT_TRUE(shown(path)) << "set: it can be reset";
  EXPECT_TRUE(form_.editor(path)->isEnabled());
  EXPECT_TRUE(labelShows(q("A model of the family bert has no such setting: reset it")));
  draft_.reset(path);
  EXPECT_FALSE(shown(path));
  form_.setFamily(ModelFamily::ModernBert);
  form_.setFilter(q(path));
  EXPECT_TRUE(form_.editor(path)->isEnabled());
}

TEST_F(ConfigFormTest, WhatTheFamilyFixesMayBeSetToItsOwnValue) {
  form_.setFamily(ModelFamily::ModernBert);
  draft_.setText("model.norm", q("pre"));
  EXPECT_TRUE(shown("model.norm"));
  EXPECT_FALSE(labelShows(q("A model of the family modernbert has no such setting: reset it")));
  draft_.setText("model.norm", q("post"));
  EXPECT_TRUE(labelShows(q("A model of the family modernbert has no such setting: reset it")));
}

TEST_F(ConfigFormTest, SizesHaveNoEffectBesideAFolderToStartFrom) {
  form_.setFilter(q("model.hidden_size"));
  EXPECT_TRUE(form_.editor("model.hidden_size")->isEnabled());
  draft_.setText("model.init_from", q("/some/model"));
  EXPECT_FALSE(form_.editor("model.hidden_size")->isEnabled());
  EXPECT_TRUE(labelShows(q("No effect: the folder to start from decides")));
}

TEST_F(ConfigFormTest, FindsAFieldByWordsThatItsTextsLack) {
  form_.setFilter(q("gradient clipping"));
  EXPECT_TRUE(shown("optimizer.grad_clip_norm"));
  EXPECT_FALSE(shown("optimizer.lr"));
  form_.setFilter(q("ablation"));
  EXPECT_TRUE(shown("variant"));
}

TEST_F(ConfigFormTest, AWarningOfThePlanStandsBelowItsField) {
  form_.setPlanWarnings({{"optimizer.lr", formatText("the initial size is the full size {}, so the ramp has one stage "
                                                     "and changes nothing; give a smaller initial size",
                                                     64)}});
  EXPECT_TRUE(
      labelShows(toQt(formatText("the initial size is the full size {}, so the ramp has one stage and changes nothing; "
                                 "give a smaller initial size",
                                 64))));
  form_.setPlanWarnings({});
  EXPECT_FALSE(
      labelShows(toQt(formatText("the initial size is the full size {}, so the ramp has one stage and changes nothing; "
                                 "give a smaller initial size",
                                 64))));
}

TEST_F(ConfigFormTest, AFieldThatIsLookedForIsMarked) {
  form_.showField("eval.interval");
  int marked = 0;
  for (const QLabel* label : form_.findChildren<QLabel*>()) {
    if (!label->property("marked").toBool()) continue;
    EXPECT_EQ(label->buddy(), form_.editor("eval.interval")->control());
    ++marked;
  }
  EXPECT_EQ(marked, 1);
}

TEST_F(ConfigFormTest, TheHelpIsThatOfAFieldThatIsShown) {
  QString help = q("nothing");
  QLineEdit palette;
  QObject::connect(&form_, &ConfigForm::described, &palette, [&help](const QString& text) { help = text; });
  palette.show();
  palette.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&palette));
  form_.showField("seed");
  EXPECT_TRUE(help.startsWith(q("Random seed"))) << "whatever window is active: " << help.toStdString();
  form_.setFilter(q("random seed"));
  EXPECT_FALSE(help.isEmpty());
  form_.setFilter(q("weight decay"));
  EXPECT_TRUE(help.isEmpty()) << help.toStdString();
}

TEST_F(ConfigFormTest, EveryGroupHasTheSameColumns) {
  form_.setFilter(q("e"));
  QApplication::sendPostedEvents();
  std::set<int> lefts, rights;
  for (const char* path : {"seed", "optimizer.lr", "batch.rampup.duration", "guard.loss_spike.sigma"}) {
    const FieldEditor* editor = form_.editor(path);
    lefts.insert(editor->mapTo(form_.widget(), QPoint()).x());
    rights.insert(editor->mapTo(form_.widget(), QPoint(editor->width(), 0)).x());
  }
  EXPECT_EQ(lefts.size(), 1u);
  EXPECT_EQ(rights.size(), 1u);
}

TEST_F(ConfigFormTest, SubgroupsHaveAHeadingInPlaceOfPrefixes) {
  EXPECT_TRUE(labelShows(q("Ramp-up")));
  EXPECT_FALSE(labelShows(q("Ramp-up: length")));
  form_.setFilter(q("batch.tokens.packing"));
  EXPECT_TRUE(labelShows(q("Token budget")));
  EXPECT_TRUE(labelShows(q("Packing")));
  EXPECT_FALSE(labelShows(q("Ramp-up"))) << "none of its fields is shown";
}

TEST_F(ConfigFormTest, ASwitchSaysOnAndOffAndLeavesBothByAClick) {
  auto* box = qobject_cast<QCheckBox*>(form_.editor("log.every_step")->control());
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->text(), q("Off"));
  const QPoint mark(box->style()->pixelMetric(QStyle::PM_IndicatorWidth) / 2, box->height() / 2);
  QTest::mouseClick(box, Qt::LeftButton, {}, mark);
  EXPECT_TRUE(draft_.config().log.everyStep);
  EXPECT_EQ(box->text(), q("On"));
  QTest::keyClick(box, Qt::Key_Space);
  EXPECT_FALSE(draft_.config().log.everyStep);
  draft_.setText("log.every_step", q("true, false"));
  EXPECT_EQ(box->checkState(), Qt::PartiallyChecked);
  EXPECT_EQ(box->text(), q("On and off"));
  QTest::keyClick(box, Qt::Key_Space);
  EXPECT_TRUE(draft_.config().log.everyStep);
  EXPECT_EQ(draft_.runs(), 1);
  QTest::keyClick(box, Qt::Key_Space);
  EXPECT_EQ(box->checkState(), Qt::Unchecked);
  QTest::keyClick(box, Qt::Key_Space);
  EXPECT_EQ(box->checkState(), Qt::Checked);
}

TEST_F(ConfigFormTest, AResetButtonKeepsItsPlace) {
  const FieldEditor* editor = form_.editor("optimizer.lr");
  QApplication::processEvents();
  const QSize before = editor->size();
  type("optimizer.lr", "3e-4");
  QApplication::sendPostedEvents();
  EXPECT_EQ(editor->size(), before);
  draft_.reset("optimizer.lr");
  draft_.reset("optimizer.lr");
  QApplication::sendPostedEvents();
  EXPECT_FALSE(draft_.canReset("optimizer.lr"));
  EXPECT_EQ(editor->size(), before);
}

TEST_F(ConfigFormTest, SeveralValuesAreSaidAtTheField) {
  auto* runs = form_.editor("seed")->findChild<QToolButton*>(q("runs"));
  EXPECT_TRUE(runs->isHidden());
  type("seed", "1, 2");
  EXPECT_EQ(runs->text(), q("2 runs"));
  draft_.setText("optimizer.lr", q("1e-3, 2e-3, 3e-3"));
  EXPECT_EQ(runs->text(), q("2 values, 6 runs"));
  QSignalSpy wanted(&form_, &ConfigForm::sweepRequested);
  runs->click();
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].value<std::string>(), "seed");
}

TEST_F(ConfigFormTest, StagesAreEditedInATable) {
  const std::string path = "batch.rampup.stages";
  SectionTable* stages = form_.editor(path)->table();
  ASSERT_NE(stages, nullptr);
  auto* cells = stages->findChild<QTableWidget*>();
  EXPECT_TRUE(cells->isHidden()) << "there are none";
  const auto button = [stages](const char* name) { return stages->findChild<QToolButton*>(q(name)); };
  button("addRow")->click();
  button("addRow")->click();
  ASSERT_EQ(cells->rowCount(), 2);
  EXPECT_FALSE(draft_.ready()) << "cells are missing";
  EXPECT_FALSE(cells->item(0, 0)->toolTip().isEmpty());
  const char* const texts[2][2] = {{"90ba", "64"}, {"0ba", "8"}};
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) cells->item(row, column)->setText(q(texts[row][column]));
  EXPECT_FALSE(draft_.ready()) << "not in order";
  cells->setCurrentCell(1, 0);
  button("moveRowUp")->click();
  EXPECT_EQ(draft_.text(path), q("[{at: 0ba, global_train_batch_size: 8}, {at: 90ba, global_train_batch_size: 64}]"));
  EXPECT_TRUE(draft_.error(path).isEmpty()) << draft_.error(path).toStdString();
  cells->item(1, 1)->setText(q("many"));
  EXPECT_FALSE(cells->item(1, 1)->toolTip().isEmpty());
  EXPECT_TRUE(cells->item(0, 1)->toolTip().isEmpty());
  QTest::keyClick(cells, Qt::Key_Delete);
  EXPECT_EQ(cells->rowCount(), 1);
  draft_.setText(path, q("[]"));
  EXPECT_TRUE(cells->isHidden());
}

TEST_F(ConfigFormTest, APublishedRampReplacesTheRampInOneEdit) {
  draft_.setText("batch.global_train_batch_size", q("512"));
  draft_.setText("batch.rampup.stages", q("[{at: 0ba"));
  EXPECT_FALSE(draft_.ready());
  const auto* button = form_.findChild<QToolButton*>(q("publishedRamps"));
  ASSERT_NE(button, nullptr);
  const QList<QAction*> ramps = button->menu()->actions();
  const auto named = [&ramps](const char* label) {
    return *std::ranges::find(ramps, q(label), [](const QAction* action) { return action->text(); });
  };
  EXPECT_TRUE(named("DeepSeek-V3")->toolTip().contains(q("arXiv 2412.19437")));
  const QSignalSpy edits(&draft_, &ConfigDraft::edited);
  named("DeepSeek-V3")->trigger();
  EXPECT_EQ(edits.count(), 1);
  EXPECT_TRUE(draft_.ready());
  EXPECT_EQ(draft_.text("batch.rampup.duration"), q("0.0317dur"));
  EXPECT_EQ(draft_.text("batch.rampup.initial_global_train_batch_size"), q("102"));
  EXPECT_EQ(draft_.text("batch.rampup.stages"), q("[]"));
  EXPECT_EQ(form_.editor("batch.rampup.growth")->text(), q("linear"));
  named("Nemotron-4 15B")->trigger();
  EXPECT_EQ(draft_.config().batch.rampup.stages.size(), 3U);
  EXPECT_FALSE(draft_.config().batch.rampup.duration);
}

TEST_F(ConfigFormTest, PartsOfAScheduleKeepTheParametersOfEach) {
  draft_.setText("scheduler.name", q("chain"));
  const QString parts = q("[{name: constant, duration: 10ba, alpha: 0.5}, {name: linear, duration: rest}]");
  draft_.setText("scheduler.parts", parts);
  auto* cells = form_.editor("scheduler.parts")->table()->findChild<QTableWidget*>();
  ASSERT_EQ(cells->rowCount(), 2);
  EXPECT_EQ(cells->item(0, 2)->text(), q("alpha: 0.5"));
  cells->item(0, 1)->setText(q("20ba"));
  EXPECT_EQ(draft_.text("scheduler.parts"),
            q("[{name: constant, duration: 20ba, alpha: 0.5}, {name: linear, duration: rest}]"));
  cells->item(0, 2)->setText(q("alpha: [1"));
  EXPECT_FALSE(draft_.error("scheduler.parts").isEmpty());
  EXPECT_FALSE(cells->item(0, 2)->toolTip().isEmpty());
  cells->item(0, 2)->setText(q("alpha: 0.5"));
  EXPECT_TRUE(draft_.error("scheduler.parts").isEmpty()) << draft_.error("scheduler.parts").toStdString();
}

TEST_F(ConfigFormTest, NothingIsCutAtItsRightEdge) {
  draft_.setText("batch.rampup.stages", q("[{at: 0ba, global_train_batch_size: 8}]"));
  for (const int width : {420, 600, 900}) {
    form_.resize(width, 600);
    QApplication::processEvents();
    EXPECT_LE(form_.widget()->minimumSizeHint().width(), form_.viewport()->width()) << width;
  }
}

TEST_F(ConfigFormTest, WhereItIsNarrowTheLabelStandsAboveItsField) {
  const auto labelOf = [this](const char* path) {
    for (const QLabel* label : form_.findChildren<QLabel*>())
      if (label->buddy() == form_.editor(path)->control()) return label;
    return static_cast<const QLabel*>(nullptr);
  };
  const auto isAbove = [&](const char* path) {
    QApplication::sendPostedEvents();
    const int label = labelOf(path)->mapTo(form_.widget(), QPoint()).y();
    return label + labelOf(path)->height() <= form_.editor(path)->mapTo(form_.widget(), QPoint()).y();
  };
  EXPECT_FALSE(isAbove("optimizer.lr"));
  form_.resize(260, 600);
  EXPECT_TRUE(isAbove("optimizer.lr"));
  form_.resize(700, 600);
  EXPECT_FALSE(isAbove("optimizer.lr"));
}

TEST_F(ConfigFormTest, ShowFieldUnfoldsItAndGivesItTheKeyboard) {
  form_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&form_));
  form_.showField("optimizer.eps");
  EXPECT_TRUE(shown("optimizer.eps"));
  EXPECT_TRUE(form_.editor("optimizer.eps")->control()->hasFocus());
}

}  // namespace
}  // namespace batchwise
