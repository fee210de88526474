// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as vocab.txt; then a vocabulary meets the same bytes as text.
#include <cstdlib>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace batchwise;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const fuzz::MemoryFile file(bytes);
  const auto vocabulary = Vocabulary::load(file.path());
  auto known = Vocabulary::fromTokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##a", "##b", "the"});
  if (!known.ok()) std::abort();
  std::vector<Vocabulary> all{std::move(*known)};
  if (vocabulary.ok()) all.push_back(*vocabulary);
  for (const Vocabulary& one : all)
    for (const bool lowercase : {true, false}) {
      const Tokenizer tokenizer = Tokenizer::bert(one, lowercase);
      for (const std::int32_t id : tokenizer.encode(text))
        if (id < 0 || id >= one.size()) std::abort();
    }
  return 0;
}
