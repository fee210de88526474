// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <bit>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/store/integrity.h"
#include "core/store/records.h"
#include "core/store/workspace.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

/// Everything a workspace shows, as text by what was asked ("series run loss"). Doubles keep every bit.
struct WorkspaceDump {
  std::map<std::string, std::string> shown;
  std::vector<Error> errors;  ///< of what could not be read
};

std::ostream& operator<<(std::ostream& out, const std::optional<double>& value) {
  if (value) return out << std::bit_cast<std::uint64_t>(*value);
  return out << "none";
}

std::string figuresOf(const RunSummary& run) {
  std::ostringstream out;
  out << timestampText(run.at) << '|' << run.loss << '|' << run.evalLoss << '|' << run.learningRate << '|'
      << run.samplesPerSec << '|' << run.tokensPerSec;
  return out.str();
}

std::string labelsOf(const RunSummary& run) {
  std::ostringstream out;
  out << run.id << '|' << run.name << '|' << choiceName(run.status) << '|' << run.reason << '|' << run.createdMs << '|'
      << run.endedMs << '|' << run.plannedBatches << '|' << run.checkpoints << '|' << run.parent << '|' << run.archived
      << '|' << run.note;
  for (const std::string& tag : run.tags) out << '|' << tag;
  return out.str();
}

std::string textOf(const RunDetail& run) {
  std::ostringstream out;
  out << run.configYaml << '|' << run.resolvedYaml;
  for (const auto& [name, value] : run.resolvedValues) out << '|' << name << '=' << value;
  for (const auto& [name, value] : run.references) out << '|' << name << '=' << std::optional{value};
  for (const RunSegment& segment : run.segments)
    out << '|' << segment.number << ' ' << timestampText(segment.from) << ' ' << segment.checkpoint << ' '
        << segment.startedMs << ' ' << segment.host << ' ' << segment.environment;
  return out.str();
}

std::string textOf(const std::vector<SeriesPoint>& points) {
  std::ostringstream out;
  for (const SeriesPoint& point : points) out << point.batch << ':' << std::optional{point.value} << ' ';
  return out.str();
}

std::string textOf(const std::vector<SeriesBucket>& buckets) {
  std::ostringstream out;
  for (const SeriesBucket& one : buckets)
    out << one.firstBatch << '-' << one.lastBatch << ':' << std::optional{one.minimum} << ' '
        << std::optional{one.maximum} << ' ' << one.count << ' ';
  return out.str();
}

std::string textOf(const std::vector<StoredEvent>& events) {
  std::ostringstream out;
  for (const StoredEvent& event : events)
    out << event.id << ' ' << event.segment << ' ' << event.wallMs << ' ' << event.superseded << ' '
        << eventToLine(event.event) << '\n';
  return out.str();
}

std::string textOf(const std::vector<CheckpointRecord>& records) {
  std::ostringstream out;
  for (const CheckpointRecord& one : records)
    out << one.id << ' ' << one.segment << ' ' << timestampText(one.at) << ' ' << one.file << ' ' << one.bytes << ' '
        << one.createdMs << ' ' << choiceName(one.reason) << ' ' << one.metric << ' ' << one.pinned << one.verified
        << one.finite << '\n';
  return out.str();
}

class Dumper {
 public:
  explicit Dumper(const Workspace& workspace) : workspace_(workspace) {}

  WorkspaceDump dump() {
    const auto runs = workspace_.listRuns(true);
    if (!runs.ok()) dump_.errors.push_back(runs.error());
    if (runs.ok()) note("number of runs", Result<std::string>(std::to_string(runs->size())));
    if (runs.ok())
      for (const RunSummary& run : *runs) addRun(run);
    if (const auto setting = workspace_.setting("layout"); setting.ok())
      note("labels of the workspace", Result<std::string>(setting->value_or("none")));
    return std::move(dump_);
  }

 private:
  void note(const std::string& what, const Result<std::string>& text) {
    if (text.ok()) {
      dump_.shown[what] = *text;
    } else {
      dump_.errors.push_back(text.error());
    }
  }
  template <typename T>
  void add(const std::string& what, const Result<T>& value) {
    note(what, value.ok() ? Result<std::string>(textOf(*value)) : Result<std::string>(value.error()));
  }
  void addRun(const RunSummary& run) {
    note("figures " + run.id, figuresOf(run));
    note("labels " + run.id, labelsOf(run));
    add("detail " + run.id, workspace_.findRun(run.id));
    add("events " + run.id, workspace_.events(run.id));
    add("checkpoints " + run.id, workspace_.checkpoints(run.id));
    const auto names = workspace_.seriesNames(run.id);
    if (!names.ok()) return dump_.errors.push_back(names.error());
    note("number of series " + run.id, std::to_string(names->size()));
    for (const std::string& name : *names) {
      add("series " + run.id + " " + name, workspace_.series(run.id, name));
      add("buckets " + run.id + " " + name, workspace_.seriesBuckets(run.id, name, 0, 4000, 40));
    }
  }

  const Workspace& workspace_;
  WorkspaceDump dump_;
};

WorkspaceDump dumpOf(const Workspace& workspace) {
  return Dumper(workspace).dump();
}

/// Fails the test if `dump` shows something that differs from `truth`, or shows what `truth` does not.
void expectNothingElse(const WorkspaceDump& dump, const WorkspaceDump& truth) {
  for (const auto& [what, text] : dump.shown) {
    const auto known = truth.shown.find(what);
    ASSERT_NE(known, truth.shown.end()) << what << " was never stored";
    ASSERT_EQ(known->second, text) << what;
  }
}

// Damaged workspace files: what is shown is what was stored, or it is refused. (Checkpoint files:
// checkpoint_file_test.)

void overwrite(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Names, notes, tags, settings and events have no checksum.
void withoutLabels(WorkspaceDump& dump) {
  std::erase_if(dump.shown, [](const auto& each) {
    return each.first.starts_with("labels ") || each.first.starts_with("events ");
  });
}

class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    const auto workspace = openStore(folder_ / "w");
    fillStore(workspace, 2200);
    truth_ = dumpOf(*workspace);
    withoutLabels(truth_);
    EXPECT_TRUE(truth_.errors.empty());
  }

  /// Opens the damaged file and looks at everything. Counts damage that was noticed.
  void expectTruthOrRefusal(const std::string& bytes, Workspace::Mode mode) {
    const fs::path folder = folder_ / "damaged";
    fs::remove_all(folder);
    fs::create_directories(folder);
    overwrite(folder / "workspace.sqlite", bytes);
    const auto workspace = Workspace::open(folder, mode);
    if (!workspace.ok()) {
      ++refused_;
      refusal_ = workspace.error().text();
      EXPECT_FALSE(refusal_.empty());
      return;
    }
    auto dump = dumpOf(**workspace);
    withoutLabels(dump);
    if (!dump.errors.empty()) ++refused_;
    ASSERT_NO_FATAL_FAILURE(expectNothingElse(dump, truth_));
    if (dump.errors.empty()) {
      ASSERT_EQ(dump.shown.size(), truth_.shown.size()) << "something vanished without a word";
    }
  }

  TempFolder folder_;
  fs::path file_ = folder_ / "w" / "workspace.sqlite";
  WorkspaceDump truth_;
  int refused_ = 0;
  std::string refusal_;  // of the last one that was refused
};

TEST_F(DamageTest, NoFlippedBitChangesAFigure) {
  const std::string whole = *readFile(file_);
  ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(whole, Workspace::Mode::ReadOnly));
  ASSERT_EQ(refused_, 0);
  std::mt19937_64 random(21);
  const int trials = repeats(200, 2000);
  for (int trial = 0; trial < trials; ++trial) {
    std::string damaged = whole;
    const std::size_t at = trial < 100 ? static_cast<std::size_t>(trial) : random() % whole.size();
    damaged[at] ^= static_cast<char>(1 << (random() % 8));
    const auto mode = trial % 4 == 0 ? Workspace::Mode::ReadWrite : Workspace::Mode::ReadOnly;
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, mode)) << "byte " << at << ", trial " << trial;
  }
  EXPECT_GT(refused_, trials / 3) << "hardly any damage was noticed";  // bytes that nothing uses are many
}

TEST_F(DamageTest, NoTruncationChangesAFigure) {
  const std::string whole = *readFile(file_);
  std::mt19937_64 random(22);
  const int trials = repeats(50, 500);
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t pages = whole.size() / 4096;
    const std::size_t length = trial % 2 == 0 ? random() % whole.size() : (random() % pages) * 4096;
    const int before = refused_;
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(whole.substr(0, length), Workspace::Mode::ReadWrite)) << length;
    // SQLite reads what the last page lacks as zeros, so that zeros are not missed.
    if (length <= whole.size() - 4096 || whole.find_first_not_of('\0', length) != std::string::npos) {
      EXPECT_EQ(refused_, before + 1) << "cut to " << length << " of " << whole.size() << " bytes";
    }
  }
}

TEST_F(DamageTest, AZeroedPageIsNoticed) {
  const std::string whole = *readFile(file_);
  for (std::size_t page = 0; page < whole.size() / 4096; ++page) {
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page * 4096), 4096, '\0');
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, Workspace::Mode::ReadOnly)) << "page " << page + 1;
    if (page == 0) continue;  // that is no database any more
    EXPECT_THAT(refusal_, testing::AllOf(testing::HasSubstr("damaged: "), testing::HasSubstr("store restore")));
    EXPECT_THAT(refusal_, testing::Not(testing::HasSubstr("disk I/O")));
  }
  EXPECT_GT(refused_, 0);
}

TEST_F(DamageTest, SwappedPagesAreNoticed) {
  const std::string whole = *readFile(file_);
  const std::size_t pages = whole.size() / 4096;
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t one = 1 + random() % (pages - 1);
    const std::size_t other = 1 + (one + random() % (pages - 2)) % (pages - 1);
    std::string damaged = whole;
    damaged.replace(one * 4096, 4096, whole, other * 4096, 4096);
    damaged.replace(other * 4096, 4096, whole, one * 4096, 4096);
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, Workspace::Mode::ReadOnly)) << one << " and " << other;
  }
  EXPECT_GT(refused_, 0);
}

// ---- Damage in the WAL of a killed process takes the commits from there on; what is left is what was true then.

TEST(DamagedWalTest, WhatIsLeftIsAnEarlierState) {
  const TempFolder folder;
  const fs::path file = folder / "w" / "workspace.sqlite";
  std::string database, wal, run;
  {
    const auto workspace = openStore(folder / "w");
    run = makeRun(*workspace, "run");
    const auto writer = startRun(workspace, run);
    for (std::int64_t batch = 1; batch <= 300; ++batch) {
      writer->publish(rowOf(batch));
      if (batch % 10 == 0) {
        ASSERT_TRUE(writer->flush().ok());
      }
    }
    database = *readFile(file);
    wal = *readFile(file.native() + "-wal");
  }
  ASSERT_GT(wal.size(), 100'000U);
  std::mt19937_64 random(24);
  std::size_t fewest = 300;
  for (int trial = 0; trial < repeats(40, 400); ++trial) {
    const fs::path damaged = folder / "damaged";
    fs::remove_all(damaged);
    fs::create_directories(damaged);
    std::string bytes = wal;
    if (trial % 3 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    overwrite(damaged / "workspace.sqlite", database);
    overwrite(damaged / "workspace.sqlite-wal", bytes);
    const auto workspace = Workspace::open(damaged);
    if (!workspace.ok() || !(*workspace)->findRun("run").ok()) continue;
    const auto loss = checked((*workspace)->series(run, "loss"));
    ASSERT_EQ(loss->size() % 10, 0U) << "half a commit";
    for (std::size_t i = 0; i < loss->size(); ++i) {
      ASSERT_EQ(loss->at(i).batch, static_cast<std::int64_t>(i) + 1);
      ASSERT_EQ(loss->at(i).value, rowOf(loss->at(i).batch).loss);
    }
    fewest = std::min(fewest, loss->size());
  }
  EXPECT_LT(fewest, 300U) << "no damage reached the rows";
}

// What another program changes in a workspace is noticed where it is read, and never gets a checksum.

class IntegrityTest : public testing::Test {
 protected:
  IntegrityTest() {
    run_ = fillStore(openStore(folder_ / "whole"), 2200);
    EXPECT_THAT(*openStore(folder_ / "whole")->check(), IsEmpty());
  }
  /// Opens a copy that another program has changed.
  std::shared_ptr<Workspace> changed(const std::string& sql) {
    fs::remove_all(folder_ / "w");
    fs::copy(folder_ / "whole", folder_ / "w", fs::copy_options::recursive);
    SQLite::Database visitor(folder_ / "w" / "workspace.sqlite", SQLite::OPEN_READWRITE);
    EXPECT_GT(visitor.exec(sql), 0) << sql;
    return openStore(folder_ / "w");
  }

  TempFolder folder_;
  std::string run_;
};

template <typename Value>
bool isCorrupt(const Result<Value>& result) {
  return !result.ok() && result.error().code == ErrorCode::Corrupt;
}

TEST_F(IntegrityTest, WhatARunIsResumedFrom) {
  for (const char* sql :
       {"UPDATE run SET config_yaml = 'seed: 2'", "UPDATE run SET resolved_yaml = resolved_yaml || ' '",
        "UPDATE run_value SET value = '33' WHERE name = 'batch.microbatch'", "DELETE FROM run_value",
        "UPDATE run_reference SET value = 6.5", "UPDATE segment SET environment = '{\"resolved\": {}}'",
        "DELETE FROM segment"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->findRun(run_))) << sql;
    EXPECT_THAT(*workspace->check(), testing::Contains(HasSubstr("run number 1: the checksum of its "))) << sql;
  }
}

TEST_F(IntegrityTest, FiguresInTheListOfRuns) {
  for (const char* sql : {"UPDATE run SET loss = 1.0", "UPDATE run SET eval_loss = NULL", "UPDATE run SET at = '{}'"})
    EXPECT_TRUE(isCorrupt(changed(sql)->listRuns())) << sql;
}

TEST_F(IntegrityTest, Checkpoints) {
  for (const char* sql : {"UPDATE checkpoint SET file = 'checkpoints/c2.sqlite'", "UPDATE checkpoint SET metric = 3.0",
                          "UPDATE checkpoint SET pinned = 1"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->checkpoints(run_))) << sql;
    EXPECT_TRUE(isCorrupt(workspace->findCheckpoint("c1"))) << sql;
  }
  EXPECT_TRUE(isCorrupt(changed("DELETE FROM checkpoint")->checkpoints(run_)));
}

TEST_F(IntegrityTest, Metrics) {
  for (const char* sql :
       {"UPDATE segment SET from_batch = 5", "UPDATE series SET name = 'lost' WHERE name = 'loss'",
        "DELETE FROM series WHERE name = 'loss'", "DELETE FROM metric_extent", "DELETE FROM metric_row",
        "DELETE FROM metric_row WHERE position = 2190", "UPDATE metric_row SET position = 9999 WHERE position = 2190",
        "DELETE FROM metric_block", "UPDATE metric_block SET number = 1", "UPDATE metric_block SET segment = 1",
        "UPDATE metric_extent SET data = x'00'"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->series(run_, "loss"))) << sql;
    EXPECT_THAT(*workspace->check(), testing::Not(IsEmpty())) << sql;
  }
}

TEST_F(IntegrityTest, DamageIsNeverGivenAChecksum) {
  EXPECT_TRUE(isCorrupt(changed("UPDATE checkpoint SET metric = 3.0")->setPinned("c1", true)));
  const auto workspace = changed("UPDATE run SET loss = 1.0");
  {
    const auto opened = RunWriter::open(workspace, run_, {afterBatches(2200), "", "{}", ""});
    ASSERT_TRUE(opened.ok()) << "which sets all figures anew: " << opened.error().text();
  }
  EXPECT_EQ(workspace->findRun(run_)->summary.loss, rowOf(2200).loss);
  EXPECT_TRUE(isCorrupt(RunWriter::open(changed("UPDATE segment SET from_step = 5"), run_, {})));
}

}  // namespace
}  // namespace batchwise::test
