// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace batchwise {

struct DemoCorpusSpec {
  std::uint64_t seed = 17;
  std::int64_t paragraphs = 8000;  ///< documents; about 200 bytes each
};

/// Incremented whenever the generator's output changes.
constexpr int kDemoCorpusVersion = 1;

/// Returns English-like paragraphs from a small grammar, one document each, separated by blank lines. Learning them
/// needs more than neighboring words: subject and verb agree in number across a relative clause with another noun, and
/// the last sentence repeats the topic of the first. The same spec gives the same bytes on every machine; paragraphs
/// with different seeds are independent.
std::string demoCorpus(const DemoCorpusSpec& spec);

}  // namespace batchwise
