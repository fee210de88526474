// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as the journal of a run: as they are, and each line with the checksum that belongs to it. What is read of it is
// what the database then has.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/store/journal/journal.h"
#include "core/store/workspace_folder.h"
#include "tests/fuzz/shared_folder.h"

namespace {

using namespace batchwise;
namespace fs = std::filesystem;

constexpr const char* kRun = "abcdefghijkl";

/// One workspace for all inputs.
class Place {
 public:
  Place() : shared_("journal-fuzz"), folder_(shared_.path()) {
    const auto opened = Workspace::open(folder_);
    if (!opened.ok()) std::abort();
    workspace_ = *opened;
  }

  void take(std::string_view bytes) {
    const fs::path file = journalFile(folder_, kRun);
    std::ofstream(file, std::ios::binary) << bytes;
    const auto read = readJournalRun(file);
    const auto synced = syncJournals(*workspace_);
    if (!synced.ok()) std::abort();
    const auto found = workspace_->findRun(kRun);
    if (read.ok() && !found.ok()) std::abort();
    if (found.ok()) look();
    fs::remove(file);
  }

 private:
  void look() {
    const auto names = workspace_->seriesNames(kRun);
    const auto checkpoints = workspace_->checkpoints(kRun);
    const auto events = workspace_->events(kRun);
    if (!names.ok() || !checkpoints.ok() || !events.ok()) std::abort();
    for (const std::string& name : *names)
      if (!workspace_->series(kRun, name).ok()) std::abort();
    if (!workspace_->deleteRun(kRun).ok() || !workspace_->saveSetting(std::string("journal.") + kRun, "").ok())
      std::abort();
  }

  fuzz::SharedFolder shared_;
  fs::path folder_;
  std::shared_ptr<Workspace> workspace_;
};

/// Each line with the checksum that belongs to it.
std::string withChecksums(std::string_view lines) {
  std::string bytes;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line.empty()) line.pop_back();  // '}'
    bytes += line + ",\"crc\":" + std::to_string(crc32c(std::as_bytes(std::span{line}))) + "}\n";
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  place.take(bytes);
  place.take(withChecksums(bytes));
  return 0;
}
