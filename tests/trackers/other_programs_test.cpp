// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of W&B, MLflow and Trackio, which those wrote (write_vectors.py), and damaged files of all kinds.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/file.h"
#include "core/store/database.h"
#include "core/trackers/run_importer.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/trackers/any_file.h"
#include "tests/trackers/event_files.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const fs::path kWritten = sourceRoot() / "tests/vectors/trackers";

fs::path fileNamed(const fs::path& folder, const std::string& ending) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().native().ends_with(ending)) return entry.path();
  throw std::runtime_error("no " + ending);
}

class OtherProgramsTest : public ::testing::Test {
 protected:
  ImportReport import(const fs::path& path) { return *checked(RunImporter(*workspace_, path).update()); }
  /// Returns the run whose name, or path, ends so.
  RunDetail run(const std::string& ending) {
    for (const RunSummary& each : *checked(workspace_->listRuns()))
      if (each.name.ends_with(ending) || each.sourcePath.ends_with(ending))
        return *checked(workspace_->findRun(each.id));
    throw std::runtime_error("no run " + ending);
  }
  std::vector<SeriesPoint> logged(const RunDetail& of, const std::string& series) {
    for (const auto& [name, logged] : *checked(workspace_->loggedNames(of.summary.id)))
      if (logged == series) return *checked(workspace_->series(of.summary.id, name));
    return {};
  }

  TempFolder folder_, logs_;
  std::shared_ptr<Workspace> workspace_ = *checked(Workspace::open(folder_ / "store"));
};

TEST_F(OtherProgramsTest, FindsTheFiguresThatTheyReadThemselves) {
  for (const char* kind : {"wandb", "mlflow", "trackio"}) EXPECT_THAT(import(kWritten / kind).problems, IsEmpty());
  const auto figures = nlohmann::json::parse(std::ifstream(kWritten / "figures.json"));
  int compared = 0;
  for (const auto& [kind, runs] : figures.items())
    for (const auto& [name, series] : runs.items()) {
      SCOPED_TRACE(name);
      const RunDetail found = run(kind == "mlflow" ? name.substr(name.find(' ') + 1) : name);
      EXPECT_EQ(found.summary.source, kind);
      EXPECT_EQ(checked(workspace_->loggedNames(found.summary.id))->size(), series.size() + (kind == "trackio" ? 4 : 3))
          << "and the clocks; its own table does not show the nested one";
      for (const auto& [key, wanted] : series.items()) {
        SCOPED_TRACE(key);
        const auto points = logged(found, key);
        ASSERT_EQ(points.size(), wanted.size());
        for (std::size_t i = 0; i < points.size(); ++i, ++compared) {
          double value =
              wanted[i][1].is_string() ? std::stod(wanted[i][1].get<std::string>()) : wanted[i][1].get<double>();
          if (std::abs(value) == std::numeric_limits<double>::max()) value *= 2;  // MLflow's database has no infinities
          EXPECT_EQ(points[i].batch, wanted[i][0].get<std::int64_t>());
          EXPECT_TRUE(points[i].value == value || (std::isnan(points[i].value) && std::isnan(value)));
        }
      }
    }
  EXPECT_GT(compared, 500);
  EXPECT_THAT(*checked(workspace_->listRuns()), SizeIs(9)) << "what was deleted in MLflow is no run";
  EXPECT_THAT(*checked(workspace_->check()), IsEmpty());
}

TEST_F(OtherProgramsTest, TakesNamesSettingsTagsAndHowTheyEnded) {
  for (const char* kind : {"wandb", "mlflow/mlruns", "trackio"}) import(kWritten / kind);
  const RunDetail first = run("vectors/first run");
  EXPECT_THAT(first.summary.tags, ElementsAre("small", "tied"));
  const std::map<std::string, std::string> settings = {{"lr", "0.001"},       {"model.width", "128"},
                                                       {"model.act", "gelu"}, {"betas", "[0.9,0.98]"},
                                                       {"group", "seeds"},    {"late", "yes"}};
  EXPECT_EQ(first.resolvedValues, settings);
  EXPECT_EQ(first.summary.status, RunStatus::Finished);
  EXPECT_EQ(run("vectors/failed01").summary.status, RunStatus::Failed);
  EXPECT_THAT(run("vectors/failed01").summary.reason, HasSubstr("exit code 3"));

  const RunDetail tracked = run("small models/first");
  const std::map<std::string, std::string> params = {{"lr", "0.001"}, {"opt/name", "adamw"}, {"tags.team", "a"}};
  EXPECT_EQ(tracked.resolvedValues, params);
  EXPECT_EQ(tracked.summary.status, RunStatus::Finished);
  EXPECT_EQ(run("small models/failed").summary.status, RunStatus::Failed);
  const fs::path database = kWritten / "mlflow/mlflow.db";
  EXPECT_EQ(import(database).newRuns, 2);
  EXPECT_EQ(run("small models/first-2").resolvedValues, params);
  EXPECT_EQ(run("small models/failed-2").summary.status, RunStatus::Failed);

  const std::map<std::string, std::string> config = {{"lr", "0.001"}, {"model.width", "128"}, {"group", "seeds"}};
  EXPECT_EQ(run("small/second").resolvedValues, config);
  EXPECT_FALSE(fs::exists(walOf(kWritten / "trackio/small.db"))) << "files are only read";
}

TEST_F(OtherProgramsTest, ReadsOnWhereALogOfWandbHasEnded) {
  const std::string whole = *checked(readFile(fileNamed(kWritten / "wandb", "first001.wandb")));
  const fs::path file = logs_ / "run-1.wandb";
  RunImporter importer(*workspace_, logs_.path());
  std::int64_t points = 0;
  std::size_t written = 0;
  for (const std::size_t size : {1'000UL, 1'003UL, 20'000UL, 32'770UL, 32'774UL, 65'536UL, 66'000UL, whole.size()}) {
    append(file, whole.substr(written, size - written));
    written = size;
    const auto report = importer.update();
    if (!report.ok()) continue;  // its name is not written yet
    EXPECT_THAT(report->problems, IsEmpty());
    points += report->points;
  }
  EXPECT_THAT(logged(run("vectors/first run"), "optimizer.state.norm"), SizeIs(150));
  EXPECT_EQ(import(logs_.path()).points, 0);
  EXPECT_GT(points, 450);
}

TEST_F(OtherProgramsTest, LeavesOutOnlyTheDamagedBlockOfALogOfWandb) {
  std::string bytes = *checked(readFile(fileNamed(kWritten / "wandb", "first001.wandb")));
  bytes[20'000] = static_cast<char>(bytes[20'000] ^ 1);
  append(logs_ / "run-1.wandb", bytes);
  const ImportReport report = import(logs_.path());
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], HasSubstr("is damaged at byte 1"));
  const auto points = logged(run("first run"), "train/loss");
  EXPECT_GT(points.size(), 75U);
  EXPECT_LT(points.size(), 150U);
  EXPECT_EQ(points.back().batch, 149);
  EXPECT_EQ(run("first run").summary.status, RunStatus::Finished);
}

TEST_F(OtherProgramsTest, FollowsAFolderOfMlflow) {
  fs::copy(kWritten / "mlflow/mlruns", logs_ / "mlruns", fs::copy_options::recursive);
  const fs::path metric = fileNamed(logs_.path(), "train/loss"),
                 meta = metric.parent_path().parent_path().parent_path() / "meta.yaml";
  std::string text = *checked(readFile(meta));
  const std::string ended = text;
  text.replace(text.find("end_time: "), text.find('\n', text.find("end_time: ")) - text.find("end_time: "),
               "end_time: null");
  text.replace(text.find("status: 3"), 9, "status: 1");
  std::ofstream(meta) << text;
  RunImporter importer(*workspace_, logs_.path());
  ASSERT_TRUE(importer.update().ok());
  EXPECT_EQ(run("models/first").summary.status, RunStatus::Running);
  append(metric, "1795917850000 0.25 12\n1795917850001 0.2");
  EXPECT_EQ(checked(importer.update())->points, 1);
  append(metric, "25 13\nno line\n");
  const ImportReport report = *checked(importer.update());
  EXPECT_EQ(report.points, 1);
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("line 15 has no time")));
  EXPECT_EQ(logged(run("models/first"), "train/loss").back().value, 0.225);
  std::ofstream(meta) << ended;
  ASSERT_TRUE(importer.update().ok());
  EXPECT_EQ(run("models/first").summary.status, RunStatus::Finished);
}

TEST_F(OtherProgramsTest, ARunOfMlflowWithoutANameIsCalledByItsId) {
  append(logs_ / "0/meta.yaml", "name: models\n");
  for (const std::string name : {"null", "''", "~", ""}) {
    const fs::path folder = logs_ / "0" / ("id" + std::to_string(name.size()));
    append(folder / "meta.yaml", "run_id: " + folder.filename().string() +
                                     "\nlifecycle_stage: active\nstart_time: 1\nrun_name: " + name + "\n");
    append(folder / "metrics/loss", "1 2 3\n");
  }
  import(logs_.path());
  std::vector<std::string> names;
  for (const RunSummary& each : *checked(workspace_->listRuns())) names.push_back(each.name);
  EXPECT_THAT(names, UnorderedElementsAre("models/id0", "models/id1", "models/id2", "models/id4"));
}

TEST_F(OtherProgramsTest, ReadsMetricsOfMlflowOfAnyLength) {
  fs::copy(kWritten / "mlflow/mlruns", logs_ / "mlruns", fs::copy_options::recursive);
  constexpr int kSteps = 1'400'000;
  std::string lines;  // 67 MiB
  for (int step = 100; step < kSteps; ++step)
    lines += "1795917850000 0.2500000000000000000000000000 " + std::to_string(step) + "\n";
  append(fileNamed(logs_.path(), "train/loss"), lines);
  append(fileNamed(logs_.path(), "train/loss").parent_path().parent_path() / "again", "1 2 0\n1 3 0\n1 4 0\n1 1 -5\n");
  EXPECT_THAT(import(logs_.path()).problems, ElementsAre(HasSubstr("values left out, of negative steps")));
  EXPECT_THAT(logged(run("models/first"), "train/loss"), SizeIs(kSteps - 100 + 12));
  EXPECT_EQ(import(logs_.path()).points, 0);
}

TEST_F(OtherProgramsTest, ASummaryCountsOnceTheRunHasEndedOrIsLeft) {
  const std::string whole = *checked(readFile(fileNamed(kWritten / "wandb", "summary1.wandb")));
  const fs::path file = logs_ / "run-1.wandb";
  append(file, whole.substr(0, whole.size() - 20));  // without the end of the run
  RunImporter importer(*workspace_, logs_.path());
  ASSERT_TRUE(importer.update().ok());
  EXPECT_FALSE(run("vectors/summary1").summary.evalLoss);
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(importer.update().ok());
  EXPECT_EQ(run("vectors/summary1").summary.evalLoss, 1.25);
}

TEST_F(OtherProgramsTest, FollowsDatabasesThatAreWritten) {
  fs::copy(kWritten / "mlflow/mlflow.db", logs_ / "mlflow.db");
  fs::copy(kWritten / "trackio/small.db", logs_ / "small.db");
  SQLite::Database mlflow((logs_ / "mlflow.db").native(), SQLite::OPEN_READWRITE);
  SQLite::Database trackio((logs_ / "small.db").native(), SQLite::OPEN_READWRITE);  // has a WAL
  RunImporter importer(*workspace_, logs_.path());
  EXPECT_EQ(checked(importer.update())->newRuns, 4);
  EXPECT_EQ(checked(importer.update())->points, 0);
  mlflow.exec(
      "INSERT INTO metrics SELECT key, 0.5, timestamp + 9, run_uuid, step + 1000, 0 FROM metrics WHERE key = 'loss'");
  trackio.exec(
      "INSERT INTO metrics(run_id, timestamp, run_name, step, metrics) SELECT run_id, timestamp, run_name, 999, "
      "'{\"train/loss\": 0.5, \"picture\": {\"_type\": \"trackio.image\", \"width\": 8}}' FROM metrics WHERE step = "
      "100");
  SQLite::Transaction open(trackio);
  trackio.exec("UPDATE configs SET config = '{\"lr\": 2}'");
  const ImportReport report = *checked(importer.update());
  EXPECT_EQ(report.points, 1 + 2) << "of a deleted run none";
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(logged(run("small/first"), "train/loss").back().batch, 999);
  EXPECT_THAT(run("small/first").resolvedValues, Contains(std::pair("lr", "0.001")));
  open.commit();
  mlflow.exec("UPDATE runs SET status = 'RUNNING', end_time = NULL");
  ASSERT_TRUE(importer.update().ok());
  EXPECT_THAT(run("small/first").resolvedValues, Contains(std::pair("lr", "2")));
  EXPECT_NE(run("models/first").summary.status, RunStatus::Finished);
}

TEST_F(OtherProgramsTest, ADatabaseOfAnotherProgramIsNoRun) {
  SQLite::Database other((logs_ / "other.db").native(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  other.exec("CREATE TABLE metrics(a)");
  EXPECT_EQ(RunImporter(*workspace_, logs_.path()).update().error().code, ErrorCode::Unsupported);
  EXPECT_FALSE(looksLikeRuns(logs_.path()));
  for (const char* kind :
       {"wandb", "mlflow", "mlflow/mlflow.db", "trackio/small.db", "events", "lightning", "transformers"})
    EXPECT_TRUE(looksLikeRuns(kWritten / kind)) << kind;
}

TEST_F(OtherProgramsTest, SurvivesAnyBytes) {
  const fs::path meta = fileNamed(kWritten / "mlflow/mlruns", "loss").parent_path().parent_path() / "meta.yaml";
  const std::vector<std::pair<RunSourceKind, fs::path>> kinds = {
      {RunSourceKind::TensorBoard, fileNamed(kWritten / "events/tensors", ".4")},
      {RunSourceKind::TrainerState, fileNamed(kWritten / "transformers/checkpoint-20", ".json")},
      {RunSourceKind::Lightning, fileNamed(kWritten / "lightning", ".csv")},
      {RunSourceKind::Csv, fileNamed(kWritten / "tables", ".csv")},
      {RunSourceKind::JsonLines, fileNamed(kWritten / "tables", ".jsonl")},
      {RunSourceKind::Wandb, fileNamed(kWritten / "wandb", "failed01.wandb")},
      {RunSourceKind::Mlflow, kWritten / "mlflow/mlflow.db"},
      {RunSourceKind::Mlflow, meta},
      {RunSourceKind::Trackio, kWritten / "trackio/small.db"}};
  std::mt19937_64 random(1);
  for (const auto& [kind, original] : kinds) {
    SCOPED_TRACE(original);
    const std::string whole = *checked(readFile(original));
    int read = 0;
    for (int round = 0; round < repeats(300, 3'000); ++round) {
      const TempFolder folder;
      std::string bytes = whole;
      if (round % 3 == 0) bytes.resize(random() % bytes.size());
      for (int i = 0; round % 3 == 1 && i < 5; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (round % 3 == 2)
        bytes.insert(random() % bytes.size(), bytes.substr(random() % bytes.size(), random() % 5'000));
      append(folder.path() / original.filename(), bytes);
      if (original == meta) append(folder / "metrics/loss", "1 2 3\n" + bytes);
      read += readsAnyFile(kind, folder.path() / original.filename()) ? 1 : 0;
    }
    EXPECT_GT(read, 0);
  }
}

TEST_F(OtherProgramsTest, HostileFilesTakeLittleMemory) {
  // References that make endless settings of a short text, and names that would be repeated for each of many members.
  std::string bomb = "run_id: a\nstart_time: 1\na0: &a0 {x: 1, y: 1}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {x: " + before + ", y: " + before + "}\n";
  }
  append(logs_ / "meta.yaml", bomb);
  append(logs_ / "metrics/loss", "1 2 3\n");
  EXPECT_TRUE(readsAnyFile(RunSourceKind::Mlflow, logs_ / "meta.yaml"));
  std::string line = "{\"step\": 1, \"" + std::string(500'000, 'x') + "\": {";
  for (int i = 0; i < 9'000; ++i) line += "\"" + std::to_string(i) + "\": 1,";
  append(logs_ / "log.jsonl", line + "\"z\": 1}, \"loss\": 2}\n");
  EXPECT_TRUE(readsAnyFile(RunSourceKind::JsonLines, logs_ / "log.jsonl"));
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(used.ru_maxrss, 300 * 1024) << "kilobytes";
#endif
}

}  // namespace
}  // namespace batchwise::test
