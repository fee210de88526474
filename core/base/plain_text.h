// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace batchwise {

/// What keeps a name from being shown as one plain line anywhere, as the end of a sentence: "has 300 bytes; at most 200
/// are allowed", "contains a control character; use printable ones". Empty if nothing does. Right-to-left letters are
/// fine; characters that turn the direction of what stands around them (Unicode 15, Bidi_Control) are not.
std::string whyNoPlainLine(std::string_view text, std::size_t longestBytes);

/// `text` for a terminal: line ends and tabs stay, other control characters and those that turn the direction of text
/// are written as <U+001B>, what is no UTF-8 as U+FFFD. For messages that quote what somebody else wrote.
std::string shownSafely(std::string_view text);

}  // namespace batchwise
