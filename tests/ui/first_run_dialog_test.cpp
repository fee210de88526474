// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to a first run: the welcome page, text of one's own, a trained model, runs from elsewhere.
#include "ui/edit/first_run_dialog.h"

#include <gtest/gtest.h>

#include <QtTest/QSignalSpy>
#include <algorithm>
#include <fstream>

#include "core/store/workspace_folder.h"
#include "tests/support/encoder_folder.h"
#include "tests/ui/window_fixture.h"
#include "ui/edit/edit_page.h"
#include "ui/parts/display_text.h"
#include "ui/window/first_run_commands.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

const std::string kSentence = "The cat sat on the mat, and it was not in the house with the dog.";

class FirstRunDialogTest : public test::WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    std::filesystem::create_directories(folder_ / "my text");
    for (int i = 0; i < 200; ++i) std::ofstream(folder_ / "my text/a.txt", std::ios::app) << kSentence << "\n\n";
  }

  FirstRunDialog* dialog() { return window_.findChild<FirstRunDialog*>(); }
  template <class Widget>
  Widget* part(const char* name) {
    return window_.findChild<Widget*>(QString::fromLatin1(name));
  }
  void press(const char* name) { QTest::mouseClick(button(name), Qt::LeftButton); }
  bool choose(const QStringList& paths) {
    parts_.firstRun.chooseText(paths);
    return test::comesTrue([&] { return parts_.firstRun.plan().has_value(); });
  }
  bool fails(const QStringList& paths) {
    parts_.firstRun.chooseText(paths);
    return test::comesTrue([&] { return !parts_.firstRun.problem().isEmpty(); });
  }
  /// The facts below one another in the scroll area: each gets the height of its text, and none lies over another.
  void expectNothingCutOrOverlapping() {
    test::expectNothingCutOrOverlapping(*part<QLabel>("firstFound")->parentWidget());
  }
  /// Opens "Continue a model" and chooses a model, general text, and own text.
  bool chooseModelWithGeneralText() {
    test::writeEncoder(folder_ / "model", test::oneLayer(64));
    std::string general;
    for (int i = 0; i < 2000; ++i) general += "A general sentence, number " + std::to_string(i) + ".\n\n";
    std::ofstream(folder_ / "wiki.txt") << general;
    press("continueModel");
    parts_.firstRun.chooseModel(pathOf("model"));
    parts_.firstRun.chooseGeneral({pathOf("wiki.txt")});
    return choose({pathOf("my text")});
  }
};

TEST_F(FirstRunDialogTest, TheWelcomePageOffersEveryWayAndOtherWorkspaces) {
  for (const char* name : {"trainOnText", "continueModel", "tryDemo", "bringRuns", "compareRamps"}) {
    ASSERT_NE(button(name), nullptr) << name;
    EXPECT_TRUE(test::comesTrue([&] { return button(name)->isVisible() && button(name)->isEnabled(); })) << name;
    EXPECT_FALSE(button(name)->accessibleDescription().isEmpty()) << name;
  }
  auto* page = window_.findChild<WelcomePage*>();
  page->setRecent({QStringLiteral("/somewhere/else")});
  theme_.setTextScale(2.0);
  for (const QSize& size : {QSize(1366, 768), QSize(1000, 700)}) {
    window_.resize(size);
    EXPECT_TRUE(test::comesTrue([&] {
      return page->widget()->width() <= page->viewport()->width() && page->width() <= page->parentWidget()->width();
    })) << size.width();
  }
  theme_.setTextScale(1.0);
  QSignalSpy asked(page, &WelcomePage::recentRequested);
  press("recentWorkspace");
  ASSERT_EQ(asked.size(), 1);
  EXPECT_EQ(asked[0][0].toString(), QStringLiteral("/somewhere/else"));
  press("compareRamps");
  EXPECT_EQ(edit_.draft().text("experiment"), QStringLiteral("batch ramps"));
}

TEST_F(FirstRunDialogTest, OwnTextIsFoundPlannedAndLaunched) {
  press("trainOnText");
  ASSERT_NE(dialog(), nullptr);
  EXPECT_FALSE(button("firstLaunch")->isEnabled());
  ASSERT_TRUE(choose({pathOf("my text")}));
  EXPECT_TRUE(part<QLabel>("firstFound")->text().contains(QStringLiteral("200 documents")));
  EXPECT_EQ(part<QPlainTextEdit>("firstSample")->toPlainText().section(QLatin1Char('\n'), 0, 0), toQt(kSentence));
  EXPECT_TRUE(part<QLabel>("firstCost")->text().startsWith(QStringLiteral("about ")));
  EXPECT_GE(part<QSpinBox>("firstEpochs")->value(), 1);
  ASSERT_TRUE(button("firstLaunch")->isEnabled()) << button("firstLaunch")->toolTip().toStdString();
  expectNothingCutOrOverlapping();
  const auto* epochs = part<QSpinBox>("firstEpochs");
  const QWidget* next = epochs->nextInFocusChain();
  while (epochs->isAncestorOf(next)) next = next->nextInFocusChain();
  EXPECT_EQ(next, part<QComboBox>("firstLengthUnit"));
  while (next != button("firstLaunch") &&
         (next == part<QComboBox>("firstLengthUnit") || next->focusPolicy() == Qt::NoFocus))
    next = next->nextInFocusChain();
  EXPECT_EQ(next, button("firstLaunch"));
  press("firstLaunch");
  ASSERT_EQ(fake_.requests.size(), 1u);
  const TrainConfig& config = fake_.requests[0].config.config;
  EXPECT_EQ(config.data.train, std::vector<std::string>{(folder_ / "my text").string()});
  EXPECT_EQ(config.data.format, TextFormat::Text);
  EXPECT_EQ(config.name, "my text");
  EXPECT_EQ(edit_.draft().text("name"), QStringLiteral("my text")) << "the form shows it too";
  EXPECT_TRUE(test::comesTrue([&] { return dialog() == nullptr; }));
}

TEST_F(FirstRunDialogTest, ItsSettingsCanBeEditedBeforeTheLaunch) {
  action(QStringLiteral("Train on my text"))->trigger();
  ASSERT_TRUE(choose({pathOf("my text")}));
  part<QSpinBox>("firstEpochs")->setValue(7);
  ASSERT_TRUE(test::comesTrue([&] { return parts_.firstRun.plan() && parts_.firstRun.plan()->first.epochs == 7; }));
  press("firstEdit");
  EXPECT_TRUE(fake_.requests.empty());
  EXPECT_EQ(edit_.draft().text("max_duration"), QStringLiteral("7ep"));
  EXPECT_TRUE(edit_.draft().yaml().contains(QStringLiteral("my text")));
  EXPECT_TRUE(window_.findChild<EditPage*>()->isVisible());
  EXPECT_TRUE(edit_.draft().parent().isEmpty()) << "a run of the same name may have other settings";
}

TEST_F(FirstRunDialogTest, ATimeBudgetBecomesTokensSoThatTheScheduleHasAnEnd) {
  press("trainOnText");
  ASSERT_TRUE(choose({pathOf("my text")}));
  auto* unit = part<QComboBox>("firstLengthUnit");
  unit->setCurrentIndex(1);
  Q_EMIT unit->activated(1);
  EXPECT_EQ(part<QSpinBox>("firstEpochs")->value(), 20);
  ASSERT_TRUE(test::comesTrue([&] { return parts_.firstRun.plan() && parts_.firstRun.plan()->minutes == 20; }));
  const FirstRunPlan plan = *parts_.firstRun.plan();
  EXPECT_EQ(plan.first.config.maxDuration.unit(), TimeUnit::Token);
  ASSERT_TRUE(plan.cost.has_value());
  EXPECT_NEAR(plan.cost->seconds, 1200, 60);
  EXPECT_TRUE(std::ranges::none_of(plan.findings, &PreflightFinding::fatal));
  EXPECT_TRUE(part<QLabel>("firstCost")->text().contains(QStringLiteral("20 min")))
      << part<QLabel>("firstCost")->text().toStdString();
  EXPECT_EQ(unit->currentIndex(), 1);
  press("firstLaunch");
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].config.config.maxDuration, plan.first.config.maxDuration);
  EXPECT_TRUE(fake_.requests[0].config.ok());
}

TEST_F(FirstRunDialogTest, AClickOnLaunchThatEndsTheEditingOfTheEpochsIsNotLost) {
  press("trainOnText");
  ASSERT_TRUE(choose({pathOf("my text")}));
  auto* epochs = part<QSpinBox>("firstEpochs");
  epochs->setFocus();
  ASSERT_TRUE(test::comesTrue([&] { return epochs->hasFocus(); }));
  epochs->selectAll();
  QTest::keyClicks(epochs, QStringLiteral("7"));
  press("firstLaunch");
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].config.config.maxDuration.text(), "7ep");
  EXPECT_TRUE(test::comesTrue([&] { return dialog() == nullptr; }));
}

TEST_F(FirstRunDialogTest, FormatAndSizeAreChosenByTheUserToo) {
  press("trainOnText");
  ASSERT_TRUE(choose({pathOf("my text")}));
  auto* format = part<QComboBox>("firstFormat");
  const int lines = format->findData(static_cast<int>(TextFormat::Lines));
  format->setCurrentIndex(lines);
  Q_EMIT format->activated(lines);
  ASSERT_TRUE(test::comesTrue(
      [&] { return parts_.firstRun.plan() && parts_.firstRun.plan()->first.config.data.format == TextFormat::Lines; }));
  auto* size = part<QComboBox>("firstSize");
  const int small = size->findData(static_cast<int>(ModelPreset::Small));
  size->setCurrentIndex(small);
  Q_EMIT size->activated(small);
  EXPECT_TRUE(test::comesTrue([&] {
    return parts_.firstRun.plan() && parts_.firstRun.plan()->first.config.model.preset == ModelPreset::Small;
  }));
}

TEST_F(FirstRunDialogTest, TextThatCannotBeUsedIsExplained) {
  std::ofstream(folder_ / "empty.txt").flush();
  std::ofstream(folder_ / "binary.txt") << std::string(5000, '\x03');
  press("trainOnText");
  for (const char* name : {"empty.txt", "binary.txt"}) {
    ASSERT_TRUE(fails({pathOf(name)})) << name;
    EXPECT_TRUE(part<QLabel>("firstProblem")->isVisible()) << name;
    EXPECT_TRUE(part<QLabel>("firstProblem")->text().contains(QString::fromLatin1(name))) << name;
    EXPECT_FALSE(button("firstLaunch")->isEnabled()) << name;
    EXPECT_FALSE(button("firstEdit")->isEnabled()) << name;
  }
  ASSERT_TRUE(choose({pathOf("my text")})) << "the next choice starts anew";
  EXPECT_FALSE(part<QLabel>("firstProblem")->isVisible());
}

TEST_F(FirstRunDialogTest, TheColumnOfATableIsProposedAndCanBeChosen) {
  std::ofstream table(folder_ / "table.csv");
  table << "title,abstract\n";
  for (int i = 0; i < 200; ++i) table << "One title,\"" << kSentence << "\"\n";
  table.close();
  press("trainOnText");
  ASSERT_TRUE(choose({pathOf("table.csv")}));
  auto* field = part<QComboBox>("firstField");
  EXPECT_TRUE(field->isVisible());
  EXPECT_EQ(field->currentText(), QStringLiteral("abstract"));
  field->setCurrentText(QStringLiteral("title"));
  Q_EMIT field->activated(field->currentIndex());
  ASSERT_TRUE(test::comesTrue([&] { return parts_.firstRun.text() && parts_.firstRun.text()->textField == "title"; }));
  EXPECT_EQ(parts_.firstRun.text()->format, TextFormat::Csv);
  EXPECT_EQ(parts_.firstRun.text()->words, 400);
}

TEST_F(FirstRunDialogTest, ReadingCanBeCanceled) {
  press("trainOnText");
  parts_.firstRun.chooseText({pathOf("my text")});
  EXPECT_TRUE(button("firstCancelReading")->isVisible());
  press("firstCancelReading");
  EXPECT_FALSE(button("firstCancelReading")->isVisible());
  EXPECT_TRUE(test::comesTrue([&] { return !parts_.firstRun.reading(); }));
  EXPECT_FALSE(parts_.firstRun.text().has_value());
}

TEST_F(FirstRunDialogTest, AModelThatCannotBeContinuedIsExplained) {
  std::filesystem::create_directories(folder_ / "model");
  std::ofstream(folder_ / "model/config.json") << R"({"model_type": "t5"})";
  press("continueModel");
  ASSERT_NE(dialog(), nullptr);
  ASSERT_TRUE(choose({pathOf("my text")}));
  EXPECT_FALSE(button("firstLaunch")->isEnabled()) << "a model is missing";
  parts_.firstRun.chooseModel(pathOf("model"));
  auto* problems = part<QLabel>("modelProblems");
  ASSERT_TRUE(test::comesTrue([&] { return problems->isVisible(); }));
  EXPECT_TRUE(problems->text().contains(QStringLiteral("t5")));
  EXPECT_FALSE(button("firstLaunch")->isEnabled());
}

TEST_F(FirstRunDialogTest, AModelIsContinuedByTheRecipeWithGeneralTextBeside) {
  ASSERT_TRUE(chooseModelWithGeneralText());
  ASSERT_NE(parts_.firstRun.general(), nullptr);
  EXPECT_GT(parts_.firstRun.general()->trainDocuments, 0);
  EXPECT_TRUE(part<QLabel>("firstRecipe")->text().contains(QStringLiteral("85 % of the run at a constant rate of")));
  EXPECT_TRUE(part<QLabel>("firstEvaluated")->text().contains(QStringLiteral("general text")));
  EXPECT_TRUE(part<QLabel>("firstCost")->text().contains(QStringLiteral("tokens")));
  expectNothingCutOrOverlapping();
  ASSERT_TRUE(button("firstLaunch")->isEnabled()) << button("firstLaunch")->toolTip().toStdString();
  press("firstLaunch");
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  const TrainConfig& config = fake_.requests[0].config.config;
  ASSERT_EQ(config.data.train.names().size(), 2u);
  const std::filesystem::path train = config.data.train.names().back();
  EXPECT_EQ(train.parent_path().parent_path(), workspace_.workspace()->folder() / kTextsFolder);
  EXPECT_TRUE(train.parent_path().filename().native().starts_with("my text-"));
  EXPECT_TRUE(std::filesystem::exists(train));
  EXPECT_TRUE(std::filesystem::exists(config.eval.sets.front().text.front()));
  ASSERT_EQ(config.stages.size(), 2u);
  EXPECT_EQ(config.eval.sets.front().name, "general");
  EXPECT_EQ(config.model.initFrom, (folder_ / "model").native());
  EXPECT_EQ(config.name, "my text-continued");
}

TEST_F(FirstRunDialogTest, GeneralTextOfARunThatIsNotLaunchedIsRemoved) {
  ASSERT_TRUE(chooseModelWithGeneralText());
  const auto texts = workspace_.workspace()->folder() / kTextsFolder;
  EXPECT_TRUE(std::filesystem::exists(texts));
  dialog()->reject();
  EXPECT_TRUE(test::comesTrue([&] { return !std::filesystem::exists(texts); }));
}

TEST_F(FirstRunDialogTest, ASecondClickOnLaunchStartsNothing) {
  ASSERT_TRUE(chooseModelWithGeneralText());
  press("firstLaunch");
  EXPECT_TRUE(parts_.firstRun.accepting());
  EXPECT_FALSE(button("firstLaunch")->isEnabled());
  EXPECT_FALSE(button("firstEdit")->isEnabled());
  press("firstLaunch");
  ASSERT_TRUE(test::comesTrue([&] { return dialog() == nullptr && fake_.requests.size() == 1; }));
  EXPECT_FALSE(parts_.firstRun.accepting());
  awaitTasks();
  EXPECT_EQ(fake_.requests.size(), 1U);
}

TEST_F(FirstRunDialogTest, GeneralTextOfALaunchThatIsCanceledIsRemoved) {
  ASSERT_TRUE(chooseModelWithGeneralText());
  press("firstLaunch");
  dialog()->reject();
  EXPECT_TRUE(test::comesTrue([&] { return !parts_.firstRun.accepting(); }));
  EXPECT_TRUE(
      test::comesTrue([&] { return !std::filesystem::exists(workspace_.workspace()->folder() / kTextsFolder); }));
  EXPECT_TRUE(fake_.requests.empty());
}

TEST_F(FirstRunDialogTest, GeneralTextThatCannotBeKeptIsExplainedAndAllChoicesStay) {
  ASSERT_TRUE(chooseModelWithGeneralText());
  std::filesystem::remove_all(workspace_.workspace()->folder() / kTextsFolder);
  press("firstLaunch");
  ASSERT_NE(dialog(), nullptr);
  EXPECT_TRUE(test::comesTrue([&] { return part<QLabel>("generalProblems")->isVisible(); }));
  EXPECT_TRUE(dialog()->isVisible());
  EXPECT_FALSE(part<QLabel>("generalProblems")->text().isEmpty());
  EXPECT_TRUE(fake_.requests.empty());
  EXPECT_TRUE(parts_.firstRun.model().has_value());
  EXPECT_EQ(parts_.firstRun.paths(), QStringList{pathOf("my text")});
  parts_.firstRun.chooseGeneral({pathOf("wiki.txt")});
  ASSERT_TRUE(test::comesTrue([&] { return button("firstLaunch")->isEnabled(); }));
  EXPECT_TRUE(part<QLabel>("generalProblems")->isHidden());
  press("firstLaunch");
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_TRUE(std::filesystem::exists(fake_.requests[0].config.config.data.train.names().back()));
}

TEST_F(FirstRunDialogTest, GeneralTextThatCannotBeUsedIsExplainedAndCanBeLeftOut) {
  test::writeEncoder(folder_ / "model", test::oneLayer(64));
  std::ofstream(folder_ / "empty.txt").flush();
  press("continueModel");
  parts_.firstRun.chooseModel(pathOf("model"));
  ASSERT_TRUE(choose({pathOf("my text")}));
  parts_.firstRun.chooseGeneral({pathOf("empty.txt")});
  auto* problems = part<QLabel>("generalProblems");
  ASSERT_TRUE(test::comesTrue([&] { return problems->isVisible(); }));
  EXPECT_TRUE(problems->text().contains(QStringLiteral("empty.txt")));
  EXPECT_FALSE(button("firstLaunch")->isEnabled());
  press("generalNone");
  EXPECT_TRUE(test::comesTrue([&] { return button("firstLaunch")->isEnabled(); }));
  std::string latin1;
  for (int i = 0; i < 2000; ++i) latin1 += "Un caf\xE9 num\xE9ro " + std::to_string(i) + ".\n\n";
  std::ofstream(folder_ / "latin1.txt") << latin1;
  parts_.firstRun.chooseGeneral({pathOf("latin1.txt")});
  ASSERT_TRUE(test::comesTrue([&] { return parts_.firstRun.general() != nullptr; }));
  EXPECT_TRUE(problems->isVisible());
  EXPECT_TRUE(problems->text().contains(QStringLiteral("UTF-8")));
}

TEST_F(FirstRunDialogTest, TheCheckpointOfARunIsWrittenAsAModelFolderFirst) {
  const QByteArray before = qgetenv("XDG_DATA_HOME");
  qputenv("XDG_DATA_HOME", QByteArray::fromStdString((folder_ / "data").string()));
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  action(QStringLiteral("Continue a model"))->trigger();
  parts_.firstRun.chooseRun(toQt(id), QStringLiteral("stopped"));
  ASSERT_TRUE(test::comesTrue([&] { return parts_.firstRun.model().has_value(); }));
  ASSERT_EQ(trainer_->asked.size(), 1u);
  EXPECT_EQ(trainer_->asked[0], " to " + (folder_ / ("data/batchwise-models/stopped-" + id)).string());
  before.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", before);
}

TEST_F(FirstRunDialogTest, DroppedTextOpensTheDialog) {
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.workspace() != nullptr; }));
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(pathOf("my text"))});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &enter);
  QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &event);
  ASSERT_NE(dialog(), nullptr);
  EXPECT_EQ(parts_.firstRun.paths(), QStringList{pathOf("my text")});
}

TEST_F(FirstRunDialogTest, BroughtRunsAreImportedAndWhatIsNoneIsSaid) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.runExports.exportRun(workspace_.workspace(), toQt(id), pathOf("one.batchwise"));
  ASSERT_TRUE(test::comesTrue([&] { return !parts_.runExports.busy(); }));
  std::ofstream(folder_ / "broken.batchwise") << "no archive";
  window_.findChild<FirstRunCommands*>()->bringRuns({pathOf("one.batchwise"), pathOf("broken.batchwise")});
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("broken.batchwise")); }));
  workspace_.refresh();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 2; }));
}

TEST_F(FirstRunDialogTest, CancelingAnImportLeavesExportsAlone) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  test::Gate gate(slow_, &workspace_);
  parts_.runExports.exportRun(workspace_.workspace(), toQt(id), pathOf("one.batchwise"));
  window_.findChild<FirstRunCommands*>()->bringRuns({pathOf("one.batchwise")});
  auto* progress = window_.findChild<QProgressDialog*>(QStringLiteral("importingRuns"));
  ASSERT_NE(progress, nullptr);
  EXPECT_EQ(progress->findChild<QPushButton*>()->text(), QStringLiteral("Cancel the import"));
  Q_EMIT progress->canceled();
  EXPECT_FALSE(parts_.runImports.busy());
  EXPECT_TRUE(parts_.runExports.busy());
  gate.open();
  EXPECT_TRUE(test::comesTrue([&] { return QFileInfo::exists(pathOf("one.batchwise")); }));
}

}  // namespace
}  // namespace batchwise
