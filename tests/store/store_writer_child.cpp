// SPDX-License-Identifier: GPL-3.0-or-later
// store_writer_child FOLDER RUN ROWS GROUP [checkpoints]: continues (or makes) a run, writes ROWS rows (0: until
// killed) in groups, and says on stdout what the store has acknowledged: "row N", "checkpoint ID". With `checkpoints`,
// or until killed, every fourth group is followed by a small checkpoint file. A run whose name begins with "journal" is
// recorded in a journal, under that id.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"

namespace batchwise::test {
namespace {

void say(const std::string& line) {
  (void)!::write(STDOUT_FILENO, (line + "\n").c_str(), line.size() + 1);
}

[[noreturn]] void fail(const Error& error) {
  std::cerr << error.text() << "\n";
  std::exit(1);
}

template <typename T>
T orFail(Result<T> result) {
  if (!result.ok()) fail(result.error());
  return std::move(*result);
}
void orFail(const Result<void>& result) {
  if (!result.ok()) fail(result.error());
}

void saveCheckpoint(const std::filesystem::path& folder, RunRecorder& writer, std::int64_t batch) {
  const std::string id = newRecordId();
  const std::string file = "checkpoints/" + id + ".sqlite";
  const std::vector<std::byte> content(256 << 10, static_cast<std::byte>(batch));
  auto target = orFail(CheckpointWriter::create(folder / file, 256 << 10));
  orFail(target.add({"weights", "bytes", {}, 256 << 10}, content));
  orFail(target.finish({{"batch", std::to_string(batch)}}));
  orFail(writer.addCheckpoint(checkpointOf(id, batch, file)));
  say("checkpoint " + id);
}

/// A recorder of the next segment of a run, and where it begins.
struct Writer {
  std::unique_ptr<RunRecorder> recorder;
  Timestamp from;
};

Writer writeToDatabase(const std::string& folder, const NewRun& run) {
  const auto workspace = orFail(Workspace::open(folder));
  const auto known = workspace->findRun(run.name);
  const std::string id = known.ok() ? known->summary.id : orFail(workspace->createRun(run));
  const Timestamp from = known.ok() ? known->summary.at : Timestamp{};
  return {orFail(RunWriter::open(workspace, id, {from, "", "{}", ""})), from};
}

Writer writeToJournal(const std::string& folder, const NewRun& run) {
  orFail(makeFolders(std::filesystem::path(folder) / "checkpoints"));
  const auto known = readJournalRun(journalFile(folder, run.name));
  if (!known.ok()) return {orFail(JournalWriter::create(folder, run.name, run, {})), {}};
  const Timestamp from = known->run.summary.at;
  return {orFail(JournalWriter::resume(folder, run.name, {from, "", "{}", ""})), from};
}

enum class Checkpoints { None, EveryFourthGroup };

int main(const std::string& folder, const std::string& name, std::int64_t rows, std::int64_t group,
         Checkpoints checkpoints) {
  NewRun run;
  run.name = name;
  const auto [writer, from] = name.starts_with("journal") ? writeToJournal(folder, run) : writeToDatabase(folder, run);
  say("ready");
  for (std::int64_t batch = from.batch + 1; rows == 0 || batch <= from.batch + rows; ++batch) {
    writer->publish(rowOf(batch));
    if (batch % group != 0 && batch != from.batch + rows) continue;
    orFail(writer->flush());
    say("row " + std::to_string(batch));
    if (checkpoints == Checkpoints::EveryFourthGroup && batch / group % 4 == 0) saveCheckpoint(folder, *writer, batch);
  }
  writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(from.batch + rows), ""});
  orFail(writer->flush());
  return 0;
}

}  // namespace
}  // namespace batchwise::test

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  using batchwise::test::Checkpoints;
  const std::int64_t rows = std::atoll(argv[3]);
  const auto checkpoints = rows == 0 || argc == 6 ? Checkpoints::EveryFourthGroup : Checkpoints::None;
  return batchwise::test::main(argv[1], argv[2], rows, std::atoll(argv[4]), checkpoints);
}
