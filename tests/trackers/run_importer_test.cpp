// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/run_importer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/analysis/filter.h"
#include "core/analysis/run_comparison.h"
#include "core/base/file.h"
#include "core/store/archive/run_archive.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/trackers/event_files.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

const fs::path kLogs = sourceRoot() / "tests/vectors/trackers";

class RunImporterTest : public ::testing::Test {
 protected:
  ImportReport import(const fs::path& path) { return *checked(RunImporter(*workspace_, path).update()); }
  RunDetail run(const std::string& name) { return *checked(workspace_->findRun(name)); }
  std::vector<SeriesPoint> series(const std::string& name, const std::string& of) {
    return *checked(workspace_->series(run(name).summary.id, of));
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const RunSummary& each : *checked(workspace_->listRuns())) all.push_back(each.name);
    std::ranges::sort(all);
    return all;
  }
  /// Writes an event file of one series, loss = 4 - rate * step.
  fs::path writeEvents(const std::string& folder, int from, int to, float rate) {
    std::string bytes;
    for (int step = from; step < to; ++step)
      bytes += scalarRecord("train/loss", step, 4 - rate * static_cast<float>(step), 1.7e9 + step);
    append(logs_ / folder / "events.out.tfevents.1", bytes);
    return logs_.path();
  }

  TempFolder folder_, logs_;
  std::shared_ptr<Workspace> workspace_ = *checked(Workspace::open(folder_ / "store"));
};

TEST_F(RunImporterTest, FindsTheRunsOfNestedFolders) {
  const ImportReport report = import(kLogs);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.newRuns, 15);
  EXPECT_THAT(names(),
              ElementsAre("events/tensors", "events/torch/first", "events/torch/inner/restarted", "lightning/version_0",
                          "small models/failed", "small models/failed-2", "small models/first", "small models/first-2",
                          "small/first", "small/second", "tables", "transformers", "vectors/failed01",
                          "vectors/first run", "vectors/summary1"));
  const RunSummary first = run("events/torch/first").summary;
  EXPECT_EQ(first.source, "tensorboard");
  EXPECT_EQ(first.sourcePath, (kLogs / "events/torch/first").string());
  EXPECT_EQ(first.at.batch, 49);
  EXPECT_NEAR(*first.loss, 1.55, 1e-6);
  EXPECT_NEAR(*first.evalLoss, 1.65, 1e-6);
  EXPECT_EQ(first.createdMs, 1'764'000'000'000);
  EXPECT_THAT(series("events/torch/first", "eval.accuracy"), SizeIs(5));
  EXPECT_THAT(*checked(workspace_->loggedNames(first.id)), Contains(std::pair("lr", "train/learning_rate")));
  EXPECT_EQ(run("transformers").summary.status, RunStatus::Finished);
  EXPECT_THAT(series("transformers", "loss"), SizeIs(4));
  EXPECT_TRUE(std::isnan(series("transformers", "grad_norm").front().value));
  EXPECT_THAT(run("transformers").resolvedValues, Contains(std::pair("max_steps", "40")));
  EXPECT_THAT(series("lightning/version_0", "loss"), SizeIs(30));
  EXPECT_THAT(series("lightning/version_0", "eval.loss"), SizeIs(3));
  EXPECT_THAT(series("lightning/version_0", "ep"), SizeIs(30));
  EXPECT_THAT(run("lightning/version_0").resolvedValues, Contains(std::pair("model.width", "128")));
  EXPECT_THAT(series("tables", "loss"), SizeIs(20));
  EXPECT_TRUE(std::isinf(series("tables", "eval.loss").front().value));
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, ImportedAgainBringsOnlyWhatIsNew) {
  const fs::path folder = writeEvents("a", 0, 3'000, 0.001F);
  EXPECT_EQ(import(folder).newRuns, 1);
  const std::int64_t version = *checked(workspace_->dataVersion());
  ImportReport again = import(folder);
  EXPECT_EQ(again.newRuns, 0);
  EXPECT_EQ(again.points, 0);
  writeEvents("a", 3'000, 3'002, 0.001F);
  EXPECT_EQ(import(folder).points, 2);
  EXPECT_THAT(series("a", "loss"), SizeIs(3'002));
  EXPECT_GE(*checked(workspace_->dataVersion()), version);
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, FollowsARunThatGoesBack) {
  RunImporter importer(*workspace_, writeEvents("a", 0, 2'500, 0.001F));
  ASSERT_TRUE(importer.update().ok());
  const std::string before = segmentsKey(run("a"));
  writeEvents("a", 2'000, 2'100, 0.0005F);  // the same file: killed, and started again
  ASSERT_TRUE(importer.update().ok());
  const auto points = series("a", "loss");
  ASSERT_THAT(points, SizeIs(2'100));
  EXPECT_FLOAT_EQ(static_cast<float>(points[1'999].value), 4 - 1.999F);
  EXPECT_FLOAT_EQ(static_cast<float>(points[2'000].value), 4 - 1.0F);
  EXPECT_NE(segmentsKey(run("a")), before);  // readers that follow read it anew
  EXPECT_EQ(run("a").summary.at.batch, 2'099);
  EXPECT_EQ(import(logs_.path()).points, 0);  // read from the start it is the same
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, APathThatIsUsedAgainHoldsANewRun) {
  RunImporter importer(*workspace_, writeEvents("a", 0, 100, 0.01F));
  ASSERT_TRUE(importer.update().ok());
  fs::remove(logs_ / "a/events.out.tfevents.1");
  append(logs_ / "a/events.out.tfevents.2", scalarRecord("train/loss", 0, 9, 1.8e9));
  const ImportReport report = *checked(importer.update());
  EXPECT_EQ(report.newRuns, 1);
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("holds another run than before")));
  append(logs_ / "a/events.out.tfevents.2", scalarRecord("train/loss", 1, 8, 1.8e9 + 1));
  ASSERT_TRUE(importer.update().ok());
  EXPECT_EQ(import(logs_.path()).points, 0);
  EXPECT_THAT(names(), ElementsAre("a", "a-2"));
  EXPECT_THAT(series("a", "loss"), SizeIs(100));
  EXPECT_THAT(series("a-2", "loss"), SizeIs(2));
  ASSERT_TRUE(workspace_->deleteRun(run("a-2").summary.id).ok());
  EXPECT_EQ(checked(RunImporter(*workspace_, logs_.path(), /*bringsBack=*/false).update())->newRuns, 0);
}

TEST_F(RunImporterTest, ATableThatIsWrittenAnewReplacesWhatWasThere) {
  append(logs_ / "version_0/metrics.csv", "step,loss,lr,old\n0,3,1,1\n1,2,1,1\n2,1,1,1\n");
  RunImporter importer(*workspace_, logs_.path());
  ASSERT_TRUE(importer.update().ok());
  std::ofstream(logs_ / "version_0/metrics.csv") << "step,loss,lr\n0,30,1\n1,20,1\n";
  EXPECT_THAT(checked(importer.update())->problems, ElementsAre(HasSubstr("was written anew")));
  EXPECT_THAT(series("version_0", "loss"), SizeIs(2));
  EXPECT_THAT(series("version_0", "lr"), SizeIs(2));
  EXPECT_THAT(*checked(workspace_->seriesNames(run("version_0").summary.id)), Not(Contains("old")));
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, AnotherColumnOfStepsReplacesThePoints) {
  const fs::path file = logs_ / "log.csv";
  std::ofstream(file) << "step,seen,loss\n0,5000,3\n1,6000,2\n2,7000,1\n";
  RunImporter importer(*workspace_, logs_.path());
  ASSERT_TRUE(importer.update().ok());
  ASSERT_TRUE(rememberStepColumn(*workspace_, {"step", "seen", "loss"}, "seen").ok());
  EXPECT_THAT(checked(importer.update())->problems, ElementsAre(HasSubstr("was written anew")));
  const auto points = series("log", "loss");
  ASSERT_THAT(points, SizeIs(3));
  EXPECT_EQ(points.front().batch, 5'000);
  EXPECT_THAT(series("log", "steps"), SizeIs(3));
  EXPECT_THAT(series("log", "step"), SizeIs(3));
  EXPECT_EQ(import(file).points, 0);
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, TellsThatStepsComeAgain) {
  std::string seeds = "seed,step,loss\n";
  for (const char* seed : {"1", "2", "3"})
    for (int step = 0; step < 20; ++step) seeds += seed + ("," + std::to_string(step)) + ",0.5\n";
  std::ofstream(logs_ / "seeds.csv") << seeds;
  std::ofstream(logs_ / "one.csv") << "step,loss,epoch\n1,3,0\n1,,0\n2,2,0\n2,,0\n";
  EXPECT_THAT(import(logs_.path()).problems, ElementsAre(AllOf(HasSubstr("seeds.csv"), HasSubstr("steps come again"))));
}

TEST_F(RunImporterTest, TwoColumnsOfOneNameAreRefused) {
  std::ofstream(logs_ / "twice.csv") << "step,loss,,loss,\n1,3,0,4,0\n2,2,0,3,0\n";
  EXPECT_THAT(import(logs_.path()).problems,
              ElementsAre(AllOf(HasSubstr("twice.csv"), HasSubstr("several columns are named 'loss'"))));
}

TEST_F(RunImporterTest, ACutFileTakesNothingAway) {
  const fs::path folder = writeEvents("a", 0, 2'000, 0.001F);
  import(folder);
  fs::resize_file(folder / "a/events.out.tfevents.1", 5'000);
  EXPECT_EQ(import(folder).points, 0);
  EXPECT_THAT(series("a", "loss"), SizeIs(2'000));
}

TEST_F(RunImporterTest, DoesNotBringBackWhatWasDeleted) {
  RunImporter importer(*workspace_, writeEvents("a", 0, 10, 0.1F));
  ASSERT_TRUE(importer.update().ok());
  ASSERT_TRUE(workspace_->deleteRun(run("a").summary.id).ok());
  writeEvents("a", 10, 20, 0.1F);
  ASSERT_TRUE(importer.update().ok());
  ASSERT_TRUE(importer.update().ok());
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(import(logs_.path()).newRuns, 1);  // asked for again
}

TEST_F(RunImporterTest, AsksOnceForAnUnknownColumnOfSteps) {
  const fs::path file = kLogs / "tables/unusual.csv";
  const ImportReport asked = import(file);
  ASSERT_THAT(asked.unknownSteps, SizeIs(1));
  EXPECT_THAT(asked.unknownSteps[0].columns, ElementsAre("when", "loss, mean", "text"));
  EXPECT_FALSE(rememberStepColumn(*workspace_, asked.unknownSteps[0].columns, "nosuch").ok());
  ASSERT_TRUE(rememberStepColumn(*workspace_, asked.unknownSteps[0].columns, "when").ok());
  EXPECT_EQ(import(file).newRuns, 1);
  EXPECT_THAT(series("unusual", "loss, mean"), SizeIs(5));
}

TEST_F(RunImporterTest, ARunRunsWhileItsFilesGrow) {
  import(writeEvents("a", 0, 10, 0.1F));
  EXPECT_EQ(run("a").summary.status, RunStatus::Running);
  fs::last_write_time(logs_ / "a/events.out.tfevents.1", fs::file_time_type::clock::now() - std::chrono::hours(1));
  import(logs_.path());
  EXPECT_EQ(run("a").summary.status, RunStatus::Stopped);
  EXPECT_GT(run("a").summary.endedMs, 0);
}

TEST_F(RunImporterTest, NamesFollowTheTable) {
  import(kLogs / "events/tensors");
  EXPECT_THAT(*checked(workspace_->seriesNames(run("tensors").summary.id)), Contains("epoch_loss"));
  auto table = *checked(workspace_->seriesAliases());
  table.insert(table.begin(), {"epoch_loss", "eval.loss"});
  ASSERT_TRUE(workspace_->setSeriesAliases(table).ok());
  EXPECT_THAT(series("tensors", "eval.loss"), SizeIs(20));
  EXPECT_EQ(import(kLogs / "events/tensors").points, 0);
  ASSERT_TRUE(workspace_->setSeriesAliases(standardSeriesAliases()).ok());
  EXPECT_THAT(series("tensors", "epoch_loss"), SizeIs(20));
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST(SeriesAliasTest, TheFirstNameInTheTableCounts) {
  const auto names = namesOfLogged({"loss", "train/loss", "val_loss", "val/f1", "lr-AdamW", "steps of mine", "step.x"},
                                   standardSeriesAliases());
  EXPECT_EQ(names.at("loss"), "loss");
  EXPECT_EQ(names.at("train/loss"), "train/loss");
  EXPECT_EQ(names.at("val_loss"), "eval.loss");
  EXPECT_EQ(names.at("val/f1"), "eval.f1");
  EXPECT_EQ(names.at("lr-AdamW"), "lr");
  EXPECT_EQ(names.at("steps of mine"), "steps of mine");
  EXPECT_EQ(names.at("step.x"), "logged/step.x");
}

TEST_F(RunImporterTest, ComparesBesideOursWithoutVerdictsOnLosses) {
  const std::string ours = storeMadeRun(workspace_, {.name = "ours"});
  import(writeEvents("theirs", 0, 101, 0.01F));
  const auto compared = *checked(compareRuns(*workspace_, {ours, "theirs"}, {}));
  EXPECT_EQ(compared.options.axis, Axis::Steps);  // they logged no tokens
  EXPECT_THAT(compared.notes, Contains(HasSubstr("did not log tokens")));
  EXPECT_THAT(compared.notes, Contains(HasSubstr("no verdict beside those of theirs")));
  ASSERT_THAT(compared.cells, SizeIs(2));
  int losses = 0;
  for (std::size_t i = 0; i < compared.columns.size(); ++i) {
    if (compared.columns[i].series != "loss" || !compared.cells[1][i].value) continue;
    ++losses;
    EXPECT_EQ(compared.cells[1][i].caution, "text and tokenizer unknown");
    EXPECT_EQ(compared.cells[1][i].delta.verdict, Assessment::Unknown);
  }
  EXPECT_GE(losses, 1);
}

TEST_F(RunImporterTest, SettingsCanBeFilteredAndCompared) {
  import(kLogs / "events/torch/first");
  const RunDetail detail = run("first");
  const auto values = *checked(configValuesOf(detail));
  EXPECT_TRUE(checked(RunFilter::parse("logged.lr < 0.01 and source = tensorboard"))
                  ->passes(lookupIn(detail.summary, &values)));
  ConfigValues other = values;
  other["optimizer"] = "sgd";
  const auto found = compareConfigValues(std::array{values, other}, IgnoredFields::standard());
  ASSERT_THAT(found.rows, SizeIs(1));
  EXPECT_THAT(found.rows[0].values, ElementsAre("adamw", "sgd"));
}

TEST_F(RunImporterTest, TravelsAsAnArchive) {
  import(writeEvents("a", 0, 2'500, 0.001F));
  ASSERT_TRUE(exportArchive(*workspace_, run("a").summary.id, {}, logs_ / "a.archive").ok());
  const auto other = *checked(Workspace::open(folder_ / "other"));
  ASSERT_TRUE(importArchive(*other, logs_ / "a.archive", "").ok());
  const auto arrived = *checked(other->findRun("a"));
  EXPECT_EQ(arrived.summary.source, "tensorboard");
  EXPECT_THAT(*checked(other->series(arrived.summary.id, "loss")), SizeIs(2'500));
  EXPECT_THAT(*checked(other->loggedNames(arrived.summary.id)), Contains(std::pair("loss", "train/loss")));
  EXPECT_THAT(*checked(other->check()), IsEmpty());
}

TEST_F(RunImporterTest, ReadsTablesOfSpreadsheetsAndWithHeads) {
  append(logs_ / "decimal.csv", "\xEF\xBB\xBFstep;loss;\"acc;\ntop\"\n0;1,5;0,25\n1;1,25;0,5\n");
  append(logs_ / "points.csv", "step;loss\n0;1.5\n1;1.25\n");
  append(logs_ / "bars.csv", "# of a cluster\nstep | loss\n0 | 1.5\n1 | 1.25\n");
  append(logs_ / "spaces.csv", "#step, loss\n0, 1.5\n1, 1.25\n");
  append(logs_ / "returns.csv", "step,loss\r0,1.5\r1,1.25\r");
  append(logs_ / "settings.jsonl",
         "{\"config\":{\"lr\":\"a\"}}\n{\"step\":0,\"loss\":1.5}\n{\"step\":1,\"loss\":1.25}\n");
  EXPECT_EQ(import(logs_.path()).newRuns, 6);
  for (const std::string name : {"decimal", "points", "bars", "spaces", "returns", "settings"}) {
    SCOPED_TRACE(name);
    const auto points = series(name, "loss");
    ASSERT_THAT(points, SizeIs(2));
    EXPECT_EQ(points[0].value, 1.5);
    EXPECT_EQ(points[1].value, 1.25);
  }
}

TEST_F(RunImporterTest, TellsWhatCannotBeRead) {
  EXPECT_EQ(RunImporter(*workspace_, logs_ / "nosuch").update().error().code, ErrorCode::NotFound);
  EXPECT_EQ(RunImporter(*workspace_, logs_.path()).update().error().code, ErrorCode::Unsupported);
  append(logs_ / "trainer_state.json", "{\"log_history\": [");
  append(logs_ / "a/log.csv", "step,loss\n1,2\nx,3\n3,1\n");
  const ImportReport report = import(logs_.path());
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_THAT(report.problems, Contains(HasSubstr("trainer_state.json")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("the first is number 2")));
  EXPECT_THAT(series("a/log", "loss"), SizeIs(2));
}

TEST_F(RunImporterTest, ALogOfPythonIsReadAsItGrows) {
  const fs::path file = folder_ / "store/logged/run-1.jsonl";
  append(file, R"({"_batchwise":1,"_name":"tries/first","_config":{"optim":{"lr":0.1}}})"
               "\n"
               R"({"_step":0,"_timestamp":1700000000.5,"train":{"loss":2.5},"bad":NaN,"word":"7x"})"
               "\n"
               R"({"_step":1,"_timestamp":1700000001.5,"train":{"lo)");
  RunImporter importer(*workspace_, folder_ / "store/logged", /*bringsBack=*/false);
  EXPECT_EQ(checked(importer.update())->newRuns, 1);
  EXPECT_EQ(run("tries/first").summary.source, "python");
  EXPECT_EQ(run("tries/first").summary.sourcePath, "logged/run-1.jsonl");
  EXPECT_EQ(run("tries/first").summary.createdMs, 1'700'000'000'500);
  EXPECT_THAT(run("tries/first").resolvedValues, ElementsAre(std::pair("optim.lr", "0.1")));
  EXPECT_THAT(series("tries/first", "loss"), SizeIs(1));
  EXPECT_TRUE(std::isnan(series("tries/first", "bad").at(0).value));
  append(file,
         "ss\":0.25}}\n[]\n"
         R"({"_state":"failed","_reason":"ValueError: no"})"
         "\n");
  const ImportReport grown = *checked(importer.update());
  EXPECT_EQ(grown.points, 1);
  EXPECT_THAT(grown.problems, ElementsAre(HasSubstr("cannot be read: 1")));
  EXPECT_EQ(series("tries/first", "loss").back().value, 0.25);
  EXPECT_EQ(run("tries/first").summary.status, RunStatus::Failed);
  EXPECT_EQ(run("tries/first").summary.reason, "ValueError: no");

  const auto moved = [&](const ImportReport& report) { return std::pair(report.newRuns, report.points); };
  RunImporter again(*workspace_, folder_ / "store/logged", /*bringsBack=*/false);
  EXPECT_EQ(moved(*checked(again.update())), std::pair(std::int64_t{0}, std::int64_t{0}));
  append(file, R"({"_state":"running"})"
               "\n"
               R"({"_step":2,"train":{"loss":0.125}})"
               "\n");
  EXPECT_EQ(checked(again.update())->points, 1);
  EXPECT_EQ(run("tries/first").summary.status, RunStatus::Running);
  EXPECT_THAT(series("tries/first", "loss"), SizeIs(3));
  ASSERT_TRUE(workspace_->deleteRun(run("tries/first").summary.id).ok());
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(again.update().ok()) << "there is none";
  append(file, R"({"_batchwise":1,"_name":"next"})"
               "\n"
               R"({"_step":0,"_other":7,"loss":1})"
               "\n");
  EXPECT_EQ(checked(again.update())->newRuns, 1);
  EXPECT_THAT(series("next", "loss"), SizeIs(1));
  EXPECT_THAT(*checked(workspace_->seriesNames(run("next").summary.id)), Not(Contains("_other")));
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(RunImporterTest, ADeletedRunComesBackOnlyIfItIsAskedFor) {
  import(writeEvents("a", 0, 3, 0.1F));
  ASSERT_TRUE(workspace_->deleteRun(run("a").summary.id).ok());
  EXPECT_EQ(checked(RunImporter(*workspace_, logs_.path(), /*bringsBack=*/false).update())->newRuns, 0);
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(import(logs_.path()).newRuns, 1);
  ASSERT_TRUE(workspace_->deleteRun(run("a").summary.id).ok());
  EXPECT_EQ(checked(RunImporter(*workspace_, logs_.path(), /*bringsBack=*/false).update())->newRuns, 0);
}

TEST_F(RunImporterTest, ALineThatIsBeingWrittenDoesNotCountYet) {
  const fs::path file = logs_ / "log.csv";
  std::ofstream(file) << "step,loss,time\n1,0.5,0.1\n2,0.";
  import(file);
  EXPECT_THAT(series("log", "loss"), SizeIs(1));
  EXPECT_THAT(series("log", "time"), SizeIs(1)) << "seconds of a step are no time of day";
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(1));
  import(file);
  EXPECT_THAT(series("log", "loss"), SizeIs(2)) << "nothing more comes";
}

}  // namespace
}  // namespace batchwise::test
