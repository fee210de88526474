// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/yaml_editor.h"

#include <gtest/gtest.h>

#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDropEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>

#include "tests/ui/short_names.h"
#include "tests/ui/waiting.h"

namespace batchwise {
namespace {

class YamlEditorTest : public ::testing::Test {
 protected:
  YamlEditorTest() {
    draft_.load(loadConfig("demo"), ValueSource::Preset);
    editor_.resize(700, 500);
    editor_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&editor_));
  }

  QWidget& text() { return *editor_.findChild<QAbstractScrollArea*>(q("yaml")); }
  QString status() { return editor_.findChild<QLabel*>(q("yamlStatus"))->text(); }
  void type(const char* keys) { QTest::keyClicks(&text(), q(keys)); }
  /// Replaces the whole text.
  void write(const char* yaml) {
    draft_.setYaml(q(yaml));
    ASSERT_EQ(editor_.text(), q(yaml));
  }

  Theme theme_;
  ConfigDraft draft_;
  YamlEditor editor_{draft_, theme_};
};

TEST_F(YamlEditorTest, FormAndTextAreInStep) {
  EXPECT_EQ(editor_.text(), draft_.yaml());
  draft_.setText("seed", q("41"));
  EXPECT_TRUE(editor_.text().contains(q("seed: 41")));
  QTest::keyClick(&text(), Qt::Key_Home, Qt::ControlModifier);
  type("precision: bf16");
  QTest::keyClick(&text(), Qt::Key_Escape);
  QTest::keyClick(&text(), Qt::Key_Return);
  EXPECT_TRUE(test::comesTrue([&] { return draft_.text("precision") == q("bf16"); }));
}

TEST_F(YamlEditorTest, EveryErrorAndWarningIsMarkedAtItsLine) {
  write("version: 1\nname: a\noptimzer:\n  lr: 1\nmax_duration: 5xx\n");
  ASSERT_EQ(editor_.marks().size(), 2u);
  EXPECT_EQ(editor_.marks()[0].issue.line, 3);
  EXPECT_EQ(editor_.marks()[1].issue.line, 5);
  EXPECT_TRUE(editor_.marks()[0].isError);
  EXPECT_TRUE(status().contains(q("Line 3"))) << status().toStdString();
  editor_.setFindings({{.fatal = false, .field = "name", .what = "too short", .remedy = {}}});
  ASSERT_EQ(editor_.marks().size(), 3u);
  EXPECT_EQ(editor_.marks()[0].issue.line, 2);
  EXPECT_FALSE(editor_.marks()[0].isError);
  editor_.setFindings({});
  write("version: 1\nname: a\nmax_duration: 100ba\ntokenizer:\n  path: vocab\n  train:\n    vocab_size: 900\n");
  ASSERT_EQ(editor_.marks().size(), 1u) << "a warning of the configuration";
  EXPECT_EQ(editor_.marks()[0].issue.line, 7);
  EXPECT_FALSE(editor_.marks()[0].isError);
}

TEST_F(YamlEditorTest, AnErrorOfTheFormIsMarkedAtTheFieldInTheText) {
  write("version: 1\noptimizer:\n  lr: 1e-3\n");
  draft_.setText("optimizer.lr", q("fast"));
  ASSERT_EQ(editor_.marks().size(), 1u);
  EXPECT_EQ(editor_.marks()[0].issue.line, 3);
}

TEST_F(YamlEditorTest, TheKeysGoFromProblemToProblem) {
  write("version: 1\nname: a\noptimzer: {lr: 1}\nmax_duration: 5xx\n");
  editor_.showNextProblem();
  EXPECT_TRUE(status().contains(q("optimzer"))) << status().toStdString();
  editor_.showNextProblem();
  EXPECT_TRUE(status().contains(q("5xx"))) << status().toStdString();
  editor_.showNextProblem();
  EXPECT_TRUE(status().contains(q("optimzer"))) << "it begins again";
  editor_.showPreviousProblem();
  EXPECT_TRUE(status().contains(q("5xx")));
}

TEST_F(YamlEditorTest, ACorrectionIsOneChangeOfTheDraft) {
  write("version: 1\noptimizer:\n  weight_decai: 0.1\n");
  const QSignalSpy edits(&draft_, &ConfigDraft::edited);
  const auto fixes = editor_.fixesAt(3);
  ASSERT_FALSE(fixes.empty());
  EXPECT_TRUE(fixes.front().title.contains(q("weight_decay")));
  editor_.apply(fixes.front());
  EXPECT_EQ(edits.size(), 1);
  EXPECT_TRUE(draft_.ready());
  EXPECT_TRUE(editor_.marks().empty());
  EXPECT_TRUE(editor_.fixesAt(1).empty());
}

TEST_F(YamlEditorTest, TheCursorStaysWhereItWasWhenTheFormChangesAValue) {
  draft_.setText("seed", q("40"));  // the text is made anew, without comments
  QTest::keyClick(&text(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClick(&text(), Qt::Key_Down);
  ASSERT_TRUE(test::comesTrue([&] { return status().startsWith(q("name")); })) << status().toStdString();
  const QString before = status();
  draft_.setText("seed", q("41"));
  EXPECT_EQ(status(), before);
}

TEST_F(YamlEditorTest, EnterIndentsBelowASectionAndTheStatusHasTheHelp) {
  write("version: 1\noptimizer:\n");
  QTest::keyClick(&text(), Qt::Key_End, Qt::ControlModifier);
  QTest::keyClick(&text(), Qt::Key_Left);
  QTest::keyClick(&text(), Qt::Key_Return);
  QTest::keyClick(&text(), Qt::Key_Escape);
  type("lr: 2e-3");
  EXPECT_TRUE(editor_.text().contains(q("optimizer:\n  lr: 2e-3"))) << editor_.text().toStdString();
  EXPECT_TRUE(test::comesTrue([&] { return draft_.config().optimizer.lr == 2e-3; }));
  EXPECT_TRUE(status().startsWith(q("optimizer.lr"))) << status().toStdString();
}

TEST_F(YamlEditorTest, WhatIsTypedIsTakenBeforeACommandOfTheWindow) {
  QTest::keyClick(&text(), Qt::Key_Home, Qt::ControlModifier);
  type("precision: bf16");
  QTest::keyClick(&text(), Qt::Key_Escape);
  QTest::keyClick(&text(), Qt::Key_Return);
  QKeyEvent launch(QEvent::ShortcutOverride, Qt::Key_Return, Qt::ControlModifier);
  QApplication::sendEvent(&text(), &launch);
  EXPECT_EQ(draft_.text("precision"), q("bf16"));
}

TEST_F(YamlEditorTest, KeysOfTheWindowAreNotTakenByTheText) {
  const QString before = editor_.text();
  QKeyEvent duplicate(QEvent::ShortcutOverride, Qt::Key_D, Qt::ControlModifier);
  duplicate.ignore();
  QApplication::sendEvent(&text(), &duplicate);
  EXPECT_FALSE(duplicate.isAccepted());
  QTest::keyClick(&text(), Qt::Key_D, Qt::ControlModifier);
  EXPECT_EQ(editor_.text(), before);
}

TEST_F(YamlEditorTest, FilesThatAreDroppedAreLeftToTheWindow) {
  QMimeData file;
  file.setUrls({QUrl::fromLocalFile(q("/tmp/a.yaml"))});
  QDragEnterEvent drag(QPoint(5, 5), Qt::CopyAction, &file, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(static_cast<QAbstractScrollArea&>(text()).viewport(), &drag);
  EXPECT_FALSE(drag.isAccepted());
  EXPECT_EQ(editor_.text(), draft_.yaml());
}

TEST_F(YamlEditorTest, FollowsThemeAndTextSize) {
  EXPECT_FALSE(text().accessibleName().isEmpty());
  for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
    theme_.setAppearance(appearance);
    theme_.apply();
    const QImage picture = text().grab().toImage();
    EXPECT_EQ(picture.pixelColor(picture.width() - 20, picture.height() - 20), theme_.colors().base);
  }
  theme_.setTextScale(2.0);
  EXPECT_TRUE(editor_.text() == draft_.yaml());
  theme_.setTextScale(1.0);
  theme_.setAppearance(Appearance::Light);
  theme_.apply();
}

}  // namespace
}  // namespace batchwise
