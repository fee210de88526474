// SPDX-License-Identifier: GPL-3.0-or-later
// The real program on a display of its own, driven by mouse and keyboard, with a person's own text: launch, stop,
// resume, fork, kill, resume, compare, export; and each way into the form. What came of it is read from the store.
#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <fstream>

#include "tests/ui/desktop/desktop_fixture.h"

namespace batchwise {
namespace {

using test::batches;
using test::Desktop;
using test::kLength;
using test::text;

/// Paragraphs of made-up words.
void writeText(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  unsigned state = 7;
  const auto next = [&state](unsigned below) {
    state = state * 1'664'525u + 1'013'904'223u;
    return (state >> 16) % below;
  };
  for (int paragraph = 0; paragraph < 1200; ++paragraph) {
    for (int word = 0; word < 18; ++word) {
      const unsigned which = next(200);
      out << (word == 0 ? "" : " ") << char('a' + which % 20) << char('e' + which % 3 * 4) << char('b' + which / 20)
          << char('a' + which % 7);
    }
    out << ".\n\n";
  }
  out.close();
  // Files that change while they are read are not remembered: this one has lain there for a while.
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// With names of text that are relative to its folder.
std::string ownConfig() {
  return std::string("version: 1\nname: mine\nmodel: {preset: tiny, hidden_dropout_prob: 0}\n") +
         "tokenizer: {train: {vocab_size: 300}}\ndata: {format: text, train: ['te xäts/*.txt'], max_seq_len: 32}\n" +
         "max_duration: " + kLength + "\nbatch: {global_train_batch_size: 16, device_train_microbatch_size: 16}\n" +
         "optimizer: {lr: 1e-3}\nscheduler: {name: constant}\n";
}

constexpr const char* kComposer =
    "max_duration: 30000ba\nseed: 3\nglobal_train_batch_size: 16\ndevice_train_microbatch_size: 16\nmax_seq_len: 32\n"
    "model:\n  name: bert\n  pretrained_model_name: bert-base-uncased\n  model_config:\n    num_hidden_layers: 2\n"
    "    hidden_size: 128\n    num_attention_heads: 2\n    intermediate_size: 512\n"
    "optimizer:\n  name: decoupled_adamw\n  lr: 1.0e-3\n"
    "scheduler:\n  name: linear_decay_with_warmup\n  t_warmup: 100ba\n";

class OwnTextTest : public test::DesktopTest {};

TEST_F(OwnTextTest, IsTrainedStoppedResumedForkedKilledResumedComparedAndExported) {
  writeText(texts_ / "a.txt");
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("New run")));
  setField("data.train", QString::fromStdString(texts_.string()));
  EXPECT_TRUE(desktop_.awaitText(QStringLiteral("“Data: format” is demo"))) << "own text would be ignored";
  picture("beside-the-demo");
  EXPECT_FALSE(desktop_.await(QStringLiteral("launch"), 1000).has_value());
  chooseField("data.format", "By blank lines");
  setField("max_duration", QLatin1String(kLength));
  setField("checkpoint.interval", QStringLiteral("20ba"));
  picture("form");
  ASSERT_TRUE(desktop_.click(QStringLiteral("launch")));
  const QJsonObject first = awaitTraining({}, 3);
  const QString id = text(first, "id");
  EXPECT_NE(text(first, "name"), QLatin1String("demo"));
  EXPECT_NE(configOf(first).find("train: [" + texts_.string() + "]"), std::string::npos) << configOf(first);
  EXPECT_NE(configOf(first).find("format: text"), std::string::npos);
  const QJsonObject stopped = stop(id);
  picture("stopped");

  ASSERT_TRUE(openDialog());
  picture("resume-card");
  ASSERT_TRUE(desktop_.click(QStringLiteral("resumeNow")));
  awaitTraining(id, batches(stopped) + 3);
  stop(id);
  EXPECT_EQ(segments(id), 2);

  ASSERT_TRUE(openDialog());
  ASSERT_TRUE(desktop_.click(QStringLiteral("resumeFork")));
  const QJsonObject fork = awaitRun({}, [&id](const QJsonObject& run) {
    return text(run, "id") != id && text(run, "status") == QLatin1String("running") &&
           run[QStringLiteral("checkpoints")].toInt() > 0;
  });
  const QString forkId = text(fork, "id");
  EXPECT_EQ(text(fork, "parent"), id);
  picture("fork");
  ASSERT_TRUE(desktop_.killProgram());

  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("Resume from*")));  // in the message
  picture("after-kill");
  awaitTraining(forkId, batches(fork) + 3);
  stop(forkId);
  EXPECT_EQ(segments(forkId), 2);

  ASSERT_TRUE(desktop_.click(QStringLiteral("Runs")));
  ASSERT_TRUE(desktop_.click(QStringLiteral("runs")));
  ASSERT_TRUE(desktop_.key(QStringLiteral("ctrl+a")));
  ASSERT_TRUE(desktop_.key(QStringLiteral("c")));
  EXPECT_TRUE(desktop_.await(QStringLiteral("compareTabs")).has_value());
  picture("compare");

  ASSERT_TRUE(desktop_.click(QStringLiteral("runs")));
  ASSERT_TRUE(desktop_.key(QStringLiteral("Home")));  // one run
  openMenu("File", QStringLiteral("Export the selected run…"));
  const auto archive = folder_ / "mine.batchwise";
  chooseFile(archive);
  EXPECT_TRUE(desktop_.awaitText(QStringLiteral("Written to")));
  ASSERT_TRUE(std::filesystem::exists(archive));
  const QJsonObject imported =
      desktop_.ask({QStringLiteral("import"), QString::fromStdString(archive.string())});  // beside the open window
  EXPECT_FALSE(imported.isEmpty());
  EXPECT_EQ(desktop_.runs().size(), 3u);
  EXPECT_TRUE(desktop_.endProgram());
}

TEST_F(OwnTextTest, ADuplicateIsResumedAfterTheTextHasMoved) {
  writeText(texts_ / "a.txt");
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("New run")));
  setField("data.train", QString::fromStdString((texts_ / "*.txt").string()));
  chooseField("data.format", "By blank lines");
  setField("max_duration", QLatin1String(kLength));
  ASSERT_TRUE(desktop_.click(QStringLiteral("launch")));
  const QString first = text(awaitTraining({}, 1), "id");
  const QString name = text(stop(first), "name");
  openMenu("File", QStringLiteral("Duplicate the selected run"));
  ASSERT_TRUE(desktop_.click(QStringLiteral("launch")));
  const QJsonObject duplicate = awaitRun({}, [&first](const QJsonObject& run) {
    return text(run, "id") != first && text(run, "status") == QLatin1String("running") && batches(run) > 1;
  });
  EXPECT_EQ(text(duplicate, "name"), name + QStringLiteral("-2"));
  const QJsonObject stopped = stop(text(duplicate, "id"));
  std::filesystem::rename(texts_, folder_ / "moved");
  ASSERT_TRUE(openDialog());
  ASSERT_TRUE(desktop_.click(QStringLiteral("resumeNow")));
  awaitTraining(text(duplicate, "id"), batches(stopped) + 1);
  ASSERT_TRUE(desktop_.click(QStringLiteral("logLine")));
  EXPECT_TRUE(desktop_.awaitText(QStringLiteral("has the same content and is used instead")));
  picture("text-moved");
  stop(text(duplicate, "id"));
}

/// Card, folder, Open in the dialog of the folder, Launch.
TEST_F(OwnTextTest, AFolderOfTextIsTrainedFromTheWelcomePage) {
  writeText(texts_ / "a.txt");
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("trainOnText")));
  ASSERT_TRUE(desktop_.click(QStringLiteral("textFolder")));
  chooseFile(texts_);
  EXPECT_TRUE(desktop_.awaitText(QStringLiteral("1,200 documents")));
  EXPECT_TRUE(desktop_.awaitText(QStringLiteral("Not sure")));  // made-up words
  picture("found");
  ASSERT_TRUE(desktop_.click(QStringLiteral("firstLaunch")));
  const QJsonObject training = awaitTraining({}, 1);
  EXPECT_EQ(text(training, "name"), QLatin1String("mein Text"));
  EXPECT_NE(configOf(training).find(texts_.string()), std::string::npos) << configOf(training);
  picture("training");
  stop(text(training, "id"));
}

TEST_F(OwnTextTest, ADroppedFileOfTextIsEditedBeforeTheLaunch) {
  writeText(texts_ / "a.txt");
  start();
  ASSERT_TRUE(desktop_.drop(QString::fromStdString((texts_ / "a.txt").string())));
  ASSERT_TRUE(desktop_.click(QStringLiteral("firstEdit")));
  setField("max_duration", QLatin1String(kLength));
  const QJsonObject run = launchStopResume();
  EXPECT_EQ(text(run, "name"), QLatin1String("a"));
}

TEST_F(OwnTextTest, ComesByTheWelcomePagesFile) {
  writeText(folder_ / "mine/te xäts/a.txt");
  write(folder_ / "mine/own.yaml", ownConfig());
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("New run from a file…")));
  chooseFile(folder_ / "mine/own.yaml");
  const QJsonObject run = launchStopResume();
  EXPECT_EQ(text(run, "name"), QLatin1String("mine"));
}

TEST_F(OwnTextTest, TheDemoOfTheWelcomePageIsStoppedAndResumedToo) {
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("tryDemo")));
  const QJsonObject run = stopResume();
  EXPECT_EQ(text(run, "name"), QLatin1String("demo"));
}

TEST_F(OwnTextTest, ComesByTheDuplicateOfARunWhoseFileLiesElsewhere) {
  writeText(folder_ / "mine/te xäts/a.txt");
  write(folder_ / "mine/own.yaml", ownConfig());
  const QString file = QString::fromStdString((folder_ / "mine/own.yaml").string());
  desktop_.ask({QStringLiteral("train"), file, QStringLiteral("--set"), QStringLiteral("max_duration=6ba")});
  ASSERT_EQ(desktop_.runs().size(), 1u);
  start();
  ASSERT_TRUE(desktop_.click(QStringLiteral("Runs")));
  ASSERT_TRUE(desktop_.awaitText(QStringLiteral("mine")));
  openMenu("File", QStringLiteral("Duplicate the selected run"));
  setField("max_duration", QLatin1String(kLength));
  const QJsonObject run = launchStopResume();
  EXPECT_EQ(text(run, "name"), QStringLiteral("mine-max_duration=%1").arg(QLatin1String(kLength)))
      << "it has its name by what differs";
}

TEST_F(OwnTextTest, ComesByAFileThatIsDroppedOnTheWindow) {
  writeText(folder_ / "mine/te xäts/a.txt");
  write(folder_ / "mine/own.yaml", ownConfig());
  start();
  ASSERT_TRUE(desktop_.drop(QString::fromStdString((folder_ / "mine/own.yaml").string())));
  const QJsonObject run = launchStopResume();
  EXPECT_EQ(text(run, "name"), QLatin1String("mine"));
}

TEST_F(OwnTextTest, ComesByThePalette) {
  writeText(folder_ / "texts/a.txt");
  start();
  const auto find = [this](const QString& words) {
    ASSERT_TRUE(desktop_.click(QStringLiteral("Find a command…")));
    ASSERT_TRUE(desktop_.enter(QStringLiteral("paletteSearch"), words));
    ASSERT_TRUE(desktop_.key(QStringLiteral("Return")));
  };
  find(QStringLiteral("New run"));
  find(QStringLiteral("Training text"));
  ASSERT_TRUE(
      desktop_.enter(QStringLiteral("data.train"), QStringLiteral("../texts/*.txt")));  // from the working folder
  chooseField("data.format", "By blank lines");
  setField("max_duration", QLatin1String(kLength));
  const QJsonObject run = launchStopResume();
  EXPECT_NE(text(run, "name"), QLatin1String("demo"));
}

TEST_F(OwnTextTest, ComesByAnotherTrainersFile) {
  writeText(folder_ / "mine/texts/a.txt");
  write(folder_ / "mine/composer.yaml", kComposer);
  start();
  openMenu("File", QStringLiteral("New run from another trainer's file…"));
  chooseFile(folder_ / "mine/composer.yaml");
  picture("import");
  ASSERT_TRUE(desktop_.click(QStringLiteral("importUse")));
  setField("data.train", QStringLiteral("texts"));  // beside the file
  setField("tokenizer.train.vocab_size", QStringLiteral("300"));
  const QJsonObject run = launchStopResume();
  EXPECT_NE(configOf(run).find("train: [texts]"), std::string::npos);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const QCoreApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
