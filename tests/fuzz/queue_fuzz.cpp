// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as the queue of a workspace. What can be read can be changed, and is then as it was but for the change.
#include <cstdlib>
#include <string>

#include "core/run/run_queue.h"
#include "tests/fuzz/shared_folder.h"

namespace {

using namespace batchwise;

void require(bool holds) {
  if (!holds) std::abort();
}

class Place {
 public:
  Place() : folder_("queue-fuzz") {
    const auto opened = Workspace::open(folder_.path());
    require(opened.ok());
    workspace_ = *opened;
  }

  void take(const std::string& text) {
    if (!workspace_->saveSetting("queue", text).ok()) return;  // no text for a database
    RunQueue queue(workspace_);
    const auto read = queue.read();
    if (!read.ok()) {
      require(!queue.takeNext().ok() && !queue.setContinueOnError(true).ok());
      require(workspace_->setting("queue")->value() == text);
      return;
    }
    require(queue.setContinueOnError(!read->continueOnError).ok());
    const auto again = queue.read();
    require(again.ok() && again->entries.size() == read->entries.size());
    require(again->continueOnError != read->continueOnError && again->held == read->held);
    if (!again->entries.empty()) static_cast<void>(queue.move(again->entries.back().id, 0));
    require(queue.release().ok());
    const auto turn = queue.takeNext();
    require(turn.ok());
    if (turn->entry) static_cast<void>(queue.ended(turn->entry->id, RunStatus::Failed, "fuzz"));
    require(queue.removeEnded().ok() && queue.read().ok());
  }

 private:
  fuzz::SharedFolder folder_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  place.take(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
