// SPDX-License-Identifier: GPL-3.0-or-later
// An archive that our writer made, with the changes that the bytes ask for: it is refused, or its run is entered and
// all of it can be read. Without a change it is entered.
#include <cstdlib>
#include <fstream>

#include "core/base/file.h"
#include "core/store/archive/run_archive.h"
#include "tests/fuzz/edited_file.h"
#include "tests/fuzz/shared_folder.h"
#include "tests/store/store_fixture.h"

namespace {

using namespace batchwise;

void require(bool holds) {
  if (!holds) std::abort();
}

class Place {
 public:
  Place() : folder_("archive-fuzz") {
    const auto source = test::openStore(folder_.path() / "source");
    const std::string run = test::fillStore(source, 100);
    require(exportArchive(*source, run, {CheckpointSelection::Kind::None, {}}, file_).ok());
    const auto bytes = readFile(file_);
    require(bytes.ok());
    original_ = *bytes;
    workspace_ = test::openStore(folder_.path() / "w");
  }

  void take(std::span<const std::uint8_t> edits) {
    std::string bytes = original_;
    fuzz::applyEdits(edits, {&bytes});
    std::ofstream(file_, std::ios::binary) << bytes;
    const auto imported = importArchive(*workspace_, file_, "");
    require(imported.ok() || bytes != original_);
    if (!imported.ok()) return;
    const auto points = workspace_->series(imported->run, "loss", Workspace::Rows::WithSuperseded);
    require(points.ok() && points->size() == 100 && workspace_->events(imported->run).ok());
    require(workspace_->deleteRun(imported->run).ok());
  }

 private:
  fuzz::SharedFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "run.bwarchive";
  std::string original_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  place.take({data, size});
  return 0;
}
