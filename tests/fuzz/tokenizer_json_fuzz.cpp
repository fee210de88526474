// SPDX-License-Identifier: GPL-3.0-or-later
// A tokenizer.json up to the first NUL, and a text behind it. What is accepted gives ids of its vocabulary, the same
// ones from the cache as from the model, and those of a tokenizer that is made again from what is stored of it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace batchwise;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  const std::string_view text = end < all.size() ? all.substr(end + 1) : all;
  const std::string config = R"({"cls_token": "<s>", "sep_token": "</s>", "mask_token": "<m>", "pad_token": "<s>"})";
  const auto tokenizer = Tokenizer::fromTexts({{}, true, std::string(all.substr(0, end)), config}, "it");
  if (!tokenizer.ok()) return 0;
  const auto again = Tokenizer::fromTexts(tokenizer->texts(), "it");
  if (!again.ok() || again->identity() != tokenizer->identity()) std::abort();
  for (const auto special : {SpecialTokensInText::Plain, SpecialTokensInText::Recognize}) {
    Tokenizer::Encoder encoder(*tokenizer, special);
    std::vector<std::int32_t> once, twice;
    encoder.append(text, once);
    encoder.append(text, twice);
    if (once != twice || once != again->encode(text, special)) std::abort();
    for (const std::int32_t id : once)
      if (id < 0 || id >= tokenizer->vocabulary().size()) std::abort();
  }
  for (std::int32_t id = 0; id < std::min(tokenizer->vocabulary().size(), 100); ++id) (void)tokenizer->shownToken(id);
  return 0;
}
