// SPDX-License-Identifier: GPL-3.0-or-later
// The n-th call of each kind fails, for every n (of the requests for memory, which are fifty thousand, every 31st):
// input and output, a full disk, memory. Nothing crashes, the error is told, what was acknowledged stays, and once the
// cause is gone the same work succeeds.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>

#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "tests/store/store_fixture.h"
#include "tests/store/watched_files.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// ---- SQLite's memory, with an n-th request that fails.

/// Read by every thread that uses SQLite.
struct MemoryPlan {
  std::atomic<std::int64_t> n{0};  ///< 0: none fails
  std::atomic<bool> forever{false};
  std::atomic<std::int64_t> requests{0};
  std::atomic<std::int64_t> refused{0};

  void begin(std::int64_t failing, bool andAllAfter) {
    requests = refused = 0;
    forever = andAllAfter;
    n = failing;
  }
  void end() { n = 0; }
} memory;
sqlite3_mem_methods systemMemory;

bool refuses() {
  if (memory.n == 0) return false;
  const std::int64_t request = ++memory.requests;
  const bool now = request == memory.n || (memory.forever && request > memory.n);
  if (now) ++memory.refused;
  return now;
}

void installMemory() {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &systemMemory);
  sqlite3_mem_methods own = systemMemory;
  own.xMalloc = [](int bytes) { return refuses() ? nullptr : systemMemory.xMalloc(bytes); };
  own.xRealloc = [](void* old, int bytes) { return refuses() ? nullptr : systemMemory.xRealloc(old, bytes); };
  sqlite3_config(SQLITE_CONFIG_MALLOC, &own);
}
const bool installed = (installMemory(), true);  // before the first use of SQLite

// ---- The work: everything a run does with the store.

enum class Start { Fresh, Existing };

class Work {
 public:
  explicit Work(fs::path folder) : folder_(std::move(folder)) {}

  void run() {
    const auto opened = Workspace::open(folder_);
    if (failed(opened)) return;
    workspace_ = *opened;
    opened_ = true;
    NewRun fresh;
    fresh.name = "new";
    const auto id = workspace_->createRun(fresh);
    if (failed(id)) return;
    run_ = *id;
    auto writer = RunWriter::open(workspace_, run_, {});
    if (failed(writer)) return;
    writer_ = std::move(*writer);
    writeRows(20);
    saveCheckpoint();
    writeRows(20);
    read();
  }
  /// The same again, without faults.
  void retry() {
    if (!writer_) return;
    const auto done = checked(writer_->flush());
    acknowledged_ = rows_;
    EXPECT_FALSE(writer_->writeError().has_value());
    if (!checkpointDone_) saveCheckpoint();
    EXPECT_TRUE(checkpointDone_);
  }
  void close() {
    writer_.reset();
    workspace_.reset();
  }
  void expectWhole() const {
    const auto workspace = openStore(folder_);
    // An existing workspace is copied without the file of its checkpoint.
    EXPECT_THAT(*workspace->check(), testing::Each(testing::StartsWith("checkpoint c1 ")));
    const auto found = workspace->findRun("new");
    if (acknowledged_ == 0 && !found.ok()) return;
    ASSERT_TRUE(found.ok()) << found.error().text();
    const auto loss = checked(workspace->series(found->summary.id, "loss"));
    ASSERT_GE(static_cast<std::int64_t>(loss->size()), acknowledged_);
    for (const SeriesPoint& point : *loss) ASSERT_EQ(point.value, rowOf(point.batch).loss);
    const auto records = workspace->checkpoints(found->summary.id);
    for (const CheckpointRecord& record : *records)
      ASSERT_TRUE(CheckpointReader::open(folder_ / record.file)->verify().ok());
    if (checkpointDone_) {
      EXPECT_EQ(records->size(), 1U);
    }
  }
  bool sawError() const { return sawError_; }
  bool opened() const { return opened_; }

 private:
  template <typename T>
  bool failed(const T& result) {
    if (result.ok()) return false;
    sawError_ = true;
    EXPECT_FALSE(result.error().message.empty());
    EXPECT_NE(result.error().code, ErrorCode::Config) << result.error().text();
    return true;
  }
  void writeRows(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) writer_->publish(rowOf(++rows_));
    if (!failed(writer_->flush())) acknowledged_ = rows_;
  }
  void saveCheckpoint() {
    const std::vector<std::byte> content(1000, std::byte{5});
    auto file = CheckpointWriter::create(folder_ / "checkpoints/c.sqlite", 1000);
    if (failed(file) || failed(file->add({"weights", "bytes", {}, 1000}, content)) ||
        failed(file->finish({{"a", "b"}})))
      return;
    checkpointDone_ = !failed(writer_->addCheckpoint(checkpointOf("c", rows_, "checkpoints/c.sqlite")));
  }
  void read() {
    (void)failed(workspace_->listRuns());
    (void)failed(workspace_->series(run_, "loss"));
    (void)failed(workspace_->events(run_));
    const auto reader = CheckpointReader::open(folder_ / "checkpoints/c.sqlite");
    if (checkpointDone_ && !failed(reader)) (void)failed(reader->verify());
    (void)failed(workspace_->check());
  }

  fs::path folder_;
  std::shared_ptr<Workspace> workspace_;
  std::unique_ptr<RunWriter> writer_;
  std::string run_;
  std::int64_t rows_ = 0;
  std::int64_t acknowledged_ = 0;
  bool checkpointDone_ = false;
  bool opened_ = false;
  bool sawError_ = false;
};

struct Case {
  const char* name;
  std::optional<Fault> fault;  ///< none: memory
  bool forever;
};

class StoreFaultTest : public testing::TestWithParam<std::tuple<Case, Start>> {
 protected:
  void prepare(Start start) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    if (start == Start::Fresh) return;
    if (!fs::exists(existing_)) fillStore(openStore(existing_.parent_path()), 60);
    fs::copy_file(existing_, folder_ / "workspace.sqlite");
  }
  /// True if a call failed.
  bool runWithFault(std::int64_t n) {
    const auto& [which, start] = GetParam();
    prepare(start);
    Work work(folder_);
    if (which.fault) {
      startFaults(folder_, {*which.fault, n, which.forever});
    } else {
      memory.begin(n, which.forever);
    }
    work.run();
    const bool failed = which.fault ? stopFaults() : memory.refused > 0;
    // The very last request is for the end of a reading, which the next one makes up for.
    const bool onlyTheLast = !which.fault && memory.refused == 1;
    memory.end();
    opened_ = work.opened();
    work.retry();
    work.close();
    work.expectWhole();
    if (which.forever && failed && !onlyTheLast) {
      EXPECT_TRUE(work.sawError()) << "nobody was told";
    }
    return failed;
  }

  /// There are a hundred times as many requests for memory as other calls. Once a workspace is open, they are those of
  /// an existing one.
  bool othersCoverTheRest() const {
    const auto& [which, start] = GetParam();
    return !isFullTier() && !which.fault && start != Start::Existing && opened_;
  }

  TempFolder temp_;
  bool opened_ = false;  ///< the last run with a fault got as far as that
  fs::path folder_ = temp_ / "w";
  fs::path existing_ = temp_ / "existing/workspace.sqlite";  // of the newest version
  FreeSyncs freeSyncs_;
};

TEST_P(StoreFaultTest, EveryCallMayFail) {
  const bool ofMemory = !std::get<0>(GetParam()).fault;
  const std::int64_t step = ofMemory ? repeats(499, 31) : repeats(10, 1);  // prime: no kind of request is passed over
  bool failed = true;
  std::int64_t n = 1;
  for (; failed && !othersCoverTheRest(); n += step) {
    failed = runWithFault(n);
    ASSERT_FALSE(HasFailure()) << "call " << n;
  }
  EXPECT_GT(n, 1 + step) << "no call was made to fail";
  RecordProperty("calls", std::to_string(n));
  EXPECT_EQ(sqlite3_memory_used(), 0) << "SQLite keeps memory";
}

/// In a process that has not used SQLite before: what it refuses for want of memory, it takes once memory is back.
[[noreturn]] void openWithoutMemoryThenWith(const fs::path& folder) {
  memory.begin(1, true);
  const bool refused = !Workspace::open(folder).ok() && memory.refused > 0;
  memory.end();
  const auto opened = Workspace::open(folder);
  if (!opened.ok()) std::fprintf(stderr, "%s\n", opened.error().text().c_str());
  std::_Exit(refused && opened.ok() ? 0 : 1);
}

TEST(StoreFaultDeathTest, TheFirstUseOfAProcessMayFailForWantOfMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, with just this test
  const TempFolder folder;
  fillStore(openStore(folder / "w"), 60);
  EXPECT_EXIT(openWithoutMemoryThenWith(folder / "w"), testing::ExitedWithCode(0), "");
}

TEST(JournalFaultTest, LinesThatWereWrittenButNotSyncedAreWrittenAgainAlike) {
  const TempFolder folder;
  const std::string id = newRecordId();
  NewRun run;
  run.name = "far away";
  const auto workspace = openStore(folder.path());
  startFaults(folder / "runs", {Fault::Sync, 3, true});  // once the journal and its folder are synced
  const auto writer = checked(JournalWriter::create(folder.path(), id, run, {}));
  std::int64_t rows = 0;
  do {
    (*writer)->publish(rowOf(++rows));
  } while ((*writer)->flush().ok() && rows < 100);
  EXPECT_TRUE(syncJournals(*workspace).ok());
  EXPECT_EQ(workspace->series(id, "loss")->size(), static_cast<std::size_t>(rows))
      << "a reader sees what is not synced";
  (*writer)->publish(rowOf(++rows));
  EXPECT_FALSE((*writer)->flush().ok());
  EXPECT_TRUE(stopFaults());
  ASSERT_TRUE((*writer)->flush().ok());
  EXPECT_THAT(checked(syncJournals(*workspace))->notes, IsEmpty());
  EXPECT_EQ(workspace->series(id, "loss")->size(), static_cast<std::size_t>(rows));
}

TEST(JournalFaultTest, AJournalThatCannotBeReadDoesNotKeepTheOthersOut) {
  const TempFolder folder;
  const auto workspace = openStore(folder.path());
  std::vector<std::string> ids;
  std::vector<fs::path> files;
  std::vector<std::unique_ptr<JournalWriter>> writers;
  for (const char* name : {"one", "other"}) {
    NewRun run;
    run.name = name;
    ids.push_back(newRecordId());
    files.push_back(journalFile(folder.path(), ids.back()));
    writers.push_back(*checked(JournalWriter::create(folder.path(), ids.back(), run, {})));
  }
  ASSERT_TRUE(syncJournals(*workspace, files).ok());
  std::int64_t rows = 0;
  for (bool hasFailed = true; hasFailed;) {
    ++rows;
    for (const auto& writer : writers) {
      writer->publish(rowOf(rows));
      ASSERT_TRUE(writer->flush().ok());
    }
    startFaults(folder / "runs", {Fault::Read, rows, false});
    const auto synced = syncJournals(*workspace, files);
    hasFailed = stopFaults();
    ASSERT_TRUE(synced.ok()) << synced.error().text();
    const std::size_t one = workspace->series(ids[0], "loss")->size();
    const std::size_t other = workspace->series(ids[1], "loss")->size();
    EXPECT_EQ(std::max(one, other), static_cast<std::size_t>(rows));
    if (!hasFailed) {
      EXPECT_EQ(one, other);
    }
  }
  EXPECT_GT(rows, 2) << "reads of both have failed";
}

std::string nameOf(Start start) {
  return start == Start::Fresh ? "Fresh" : "Existing";
}

INSTANTIATE_TEST_SUITE_P(
    Calls, StoreFaultTest,
    testing::Combine(testing::Values(Case{"Read", Fault::Read, false}, Case{"Write", Fault::Write, false},
                                     Case{"NoSpace", Fault::WriteNoSpace, true}, Case{"Sync", Fault::Sync, false},
                                     Case{"Name", Fault::Name, false}, Case{"Memory", std::nullopt, false},
                                     Case{"AllMemory", std::nullopt, true}),
                     testing::Values(Start::Fresh, Start::Existing)),
    [](const auto& which) { return std::string{std::get<0>(which.param).name} + nameOf(std::get<1>(which.param)); });

}  // namespace
}  // namespace batchwise::test
