// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as what one of our processes says to another: the request of a launch, the name of a command, lines of events.
#include <cstdlib>
#include <string>

#include "core/run/controllers/child_process.h"
#include "core/run/trainer.h"

namespace {

using namespace batchwise;

void readRequest(const std::string& text) {
  const auto request = requestFromText(text);
  if (!request.ok()) return;
  const std::string written = requestToText(*request);
  const auto again = requestFromText(written);
  if (!again.ok() || requestToText(*again) != written) std::abort();
}

void readCommand(std::string_view text) {
  const auto command = choiceFromName<RunCommand>(text);
  if (command && choiceName(*command) != text) std::abort();
}

// In two pieces and as one, which give the same.
void readEvents(std::string_view bytes) {
  EventLineParser whole, pieces;
  const std::size_t events = whole.take(bytes).size();
  const std::size_t cut = bytes.size() / 3;
  const std::size_t before = pieces.take(bytes.substr(0, cut)).size();
  if (before + pieces.take(bytes.substr(cut)).size() != events) std::abort();
  if (whole.malformedLines() != pieces.malformedLines()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  readRequest(text);
  readCommand(text);
  readEvents(text);
  return 0;
}
