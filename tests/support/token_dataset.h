// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/text/token_cache.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {

/// Returns a dataset of sequences that have no [CLS] and [SEP] yet; its file is gone already.
inline TokenDataset datasetOf(const std::vector<std::vector<std::int32_t>>& sequences, const SpecialIds& special,
                              std::int32_t vocabularySize) {
  const TempFolder folder;
  std::size_t longest = 1;
  for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
  const auto mostTokens = static_cast<std::int32_t>(longest + 2);
  Hasher identity;
  for (const auto& sequence : sequences) {
    identity.update(std::as_bytes(std::span(sequence)));
    identity.update("|");
  }
  auto writer =
      *checked(TokenFileWriter::open({folder / "t.tokens", identity.digest(), special, vocabularySize, mostTokens}));
  for (const auto& sequence : sequences) (void)checked(writer.add(sequence, {1}));
  (void)checked(writer.finish());
  return *checked(TokenDataset::open(folder / "t.tokens"));
}

}  // namespace batchwise::test
