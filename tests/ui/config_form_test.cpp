// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/config_form.h"

#include <gtest/gtest.h>

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>

#include "ui/models/labels.h"

namespace batchwise {
namespace {

QString q(const char* text) {
  return QString::fromUtf8(text);
}

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

TEST_F(ConfigFormTest, AnErrorStandsBelowItsField) {
  type("optimizer.lr", "quick");
  ASSERT_FALSE(draft_.ready());
  EXPECT_TRUE(labelShows(draft_.error("optimizer.lr")));
  type("optimizer.lr", "1e-3");
  EXPECT_TRUE(draft_.ready());
}

TEST_F(ConfigFormTest, FoldsWhatFewPeopleNeedUntilItIsChangedOrLookedFor) {
  EXPECT_TRUE(shown("optimizer.lr"));
  EXPECT_FALSE(shown("optimizer.eps"));
  QSignalSpy filtered(&form_, &ConfigForm::filtered);
  form_.setFilter(q("epsilon"));
  EXPECT_TRUE(shown("optimizer.eps"));
  EXPECT_FALSE(shown("optimizer.lr"));
  EXPECT_GE(filtered.back()[0].toInt(), 1);
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

TEST_F(ConfigFormTest, ShowFieldUnfoldsItAndGivesItTheKeyboard) {
  form_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&form_));
  form_.showField("optimizer.eps");
  EXPECT_TRUE(shown("optimizer.eps"));
  EXPECT_TRUE(form_.editor("optimizer.eps")->control()->hasFocus());
}

}  // namespace
}  // namespace batchwise
