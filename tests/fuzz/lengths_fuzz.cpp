// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a list of lengths: JSON, or one per line.
#include <cstdlib>

#include "core/plan/lengths.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace batchwise;
  const fuzz::MemoryFile file(std::span(reinterpret_cast<const std::byte*>(data), size));
  const auto lengths = openLengths(file.path());
  if (!lengths.ok()) return 0;
  std::int64_t total = 0;
  for (std::int64_t sample = 0; sample < (*lengths)->size(); ++sample) total += (*lengths)->at(sample);
  if (total != (*lengths)->totalTokens()) std::abort();
  return 0;
}
