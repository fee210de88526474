// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace batchwise {

/// Size and seed of the demo corpus.
struct DemoCorpusSpec {
  std::uint64_t seed = 17;
  std::int64_t paragraphs = 8000;  ///< documents; about 200 bytes each
};

/// Changes whenever the generator's output does.
constexpr int kDemoCorpusVersion = 1;

/// English-like paragraphs from a small grammar, one document each, separated by blank lines: there is something to
/// learn that neighbouring words do not tell. Subject and verb agree in number across a relative clause whose own noun
/// may differ, and the topic that a paragraph opens with returns at its end. The same spec gives the same bytes on
/// every machine; paragraphs with equal numbers but different seeds are unrelated.
std::string demoCorpus(const DemoCorpusSpec& spec);

}  // namespace batchwise
