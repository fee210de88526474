// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/study_window.h"

#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QListWidget>

#include "tests/ui/window_fixture.h"

namespace batchwise::test {
namespace {

class StudyWindowTest : public WindowTest {
 protected:
  StudyWindow* openStudy() {
    const QString run = QString::fromStdString(storeStoppedRun());
    workspace_.refresh();
    EXPECT_TRUE(comesTrue([&] { return workspace_.runs().find(run) != nullptr; }));
    parts_.selection.select(run);
    QAction* study = action(QStringLiteral("Critical batch"));
    EXPECT_TRUE(comesTrue([&] { return study->isEnabled(); }));
    study->trigger();
    return window_.findChild<StudyWindow*>();
  }
  static QString textsOf(const StudyWindow& window) {
    QStringList texts;
    for (const QLabel* label : window.findChildren<QLabel*>()) texts << label->text();
    return texts.join(u'\n');
  }
};

TEST_F(StudyWindowTest, NeedsASelectedRun) {
  EXPECT_FALSE(action(QStringLiteral("Critical batch"))->isEnabled());
}

TEST_F(StudyWindowTest, ListsTheCheckpointsAndSaysWhichDefinitionItUses) {
  const StudyWindow* study = openStudy();
  ASSERT_NE(study, nullptr);
  const auto* checkpoints = study->findChild<QListWidget*>(QStringLiteral("studyCheckpoints"));
  EXPECT_TRUE(comesTrue([&] { return checkpoints->count() == 2; }));
  EXPECT_EQ(study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->text(), QStringLiteral("1 2 4 8 16"));
  EXPECT_EQ(study->findChild<QDoubleSpinBox*>(QStringLiteral("studyTolerance"))->value(), 0.01);
  EXPECT_TRUE(textsOf(*study).contains(QStringLiteral("Merrill et al. 2025")));
  EXPECT_FALSE(study->findChild<QPushButton*>(QStringLiteral("useStudyRamp"))->isEnabled()) << "nothing was measured";
}

TEST_F(StudyWindowTest, SaysWhatIsWrongInTheForm) {
  const StudyWindow* study = openStudy();
  ASSERT_NE(study, nullptr);
  auto* checkpoints = study->findChild<QListWidget*>(QStringLiteral("studyCheckpoints"));
  ASSERT_TRUE(comesTrue([&] { return checkpoints->count() == 2; }));
  const auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->setText(QStringLiteral("1 two"));
  EXPECT_FALSE(start->isEnabled()) << "the plan is no longer that of the form";
  checkpoints->item(0)->setCheckState(Qt::Checked);
  EXPECT_TRUE(comesTrue([&] { return textsOf(*study).contains(QStringLiteral("two is no number")); }));
  study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->setText(QStringLiteral("1 2 4"));
  for (int i = 0; i < 2; ++i) checkpoints->item(i)->setCheckState(Qt::Unchecked);
  EXPECT_TRUE(comesTrue([&] { return textsOf(*study).contains(QStringLiteral("Tick a checkpoint")); }));
  EXPECT_FALSE(start->isEnabled());
}

}  // namespace
}  // namespace batchwise::test
