// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise::resolved_names {

/// Name of the resolved value that holds Tokenizer::identity() in hexadecimal digits. Runs of earlier versions have
/// none.
inline constexpr const char* kTokenizerIdentity = "tokenizer.identity";

}  // namespace batchwise::resolved_names
