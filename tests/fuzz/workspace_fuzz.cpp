// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace that our writer made, with a WAL, and with the changes that the bytes ask for: it is opened, for reading
// or as one's own, and everything in it is read. Without a change everything is there.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "core/base/file.h"
#include "core/store/workspace.h"
#include "tests/fuzz/edited_file.h"
#include "tests/fuzz/shared_folder.h"
#include "tests/store/store_fixture.h"

namespace {

using namespace batchwise;
namespace fs = std::filesystem;

constexpr std::int64_t kRows = 100;

void require(bool holds) {
  if (!holds) std::abort();
}

/// The rows of `loss` that could be read, if all else could be read as well.
std::int64_t readRun(const Workspace& workspace, const std::string& id) {
  bool whole = true;
  std::int64_t rows = 0;
  const auto run = workspace.findRun(id);
  const auto names = workspace.seriesNames(id);
  if (names.ok())
    for (const std::string& name : *names) {
      const auto points = workspace.series(id, name, Workspace::Rows::WithSuperseded);
      const auto buckets = workspace.seriesBuckets(id, name, 0, kRows, 20);
      whole = whole && points.ok() && buckets.ok();
      if (points.ok() && name == "loss") rows = static_cast<std::int64_t>(points->size());
    }
  const auto checkpoints = workspace.checkpoints(id);
  if (checkpoints.ok())
    for (const CheckpointRecord& one : *checkpoints) whole = workspace.findCheckpoint(one.id).ok() && whole;
  whole = workspace.events(id).ok() && whole;
  return whole && run.ok() && names.ok() && checkpoints.ok() ? rows : -1;
}

class Place {
 public:
  Place() : made_("workspace-fuzz-made"), folder_("workspace-fuzz") {
    const auto workspace = test::openStore(made_.path());
    require(workspace != nullptr);
    test::fillStore(workspace, kRows);
    require(workspace->saveSetting("theme", "dark").ok());
    for (const char* name : kNames) {  // while it is open: its WAL is there
      const auto bytes = readFile(made_.path() / name);
      require(bytes.ok() && !bytes->empty());
      originals_.push_back(*bytes);
    }
    const auto runs = workspace->listRuns();
    require(runs.ok() && runs->size() == 1 && readRun(*workspace, runs->front().id) == kRows);
  }

  void take(std::span<const std::uint8_t> input) {
    const auto mode = !input.empty() && input[0] % 2 == 0 ? Workspace::Mode::ReadOnly : Workspace::Mode::ReadWrite;
    std::vector<std::string> files = originals_;
    fuzz::applyEdits(input.empty() ? input : input.subspan(1), {&files[0], &files[1]});
    fs::remove_all(folder_.path());
    fs::create_directory(folder_.path());
    for (std::size_t i = 0; i < files.size(); ++i)
      std::ofstream(folder_.path() / kNames[i], std::ios::binary) << files[i];
    require(readAll(mode) || files != originals_);
  }

 private:
  bool readAll(Workspace::Mode mode) const {
    const auto workspace = Workspace::open(folder_.path(), mode);
    if (!workspace.ok()) return false;
    const auto problems = (*workspace)->check();
    const auto runs = (*workspace)->listRuns(true);
    static_cast<void>((*workspace)->setting("theme"));
    if (!runs.ok()) return false;
    bool whole = runs->size() == 1;
    for (const RunSummary& run : *runs) whole = readRun(**workspace, run.id) == kRows && whole;
    return whole && problems.ok();
  }

  static constexpr std::array<const char*, 2> kNames = {"workspace.sqlite", "workspace.sqlite-wal"};
  fuzz::SharedFolder made_;
  fuzz::SharedFolder folder_;
  std::vector<std::string> originals_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  place.take({data, size});
  return 0;
}
