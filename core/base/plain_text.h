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
/// are written as <U+001B>, what is no UTF-8 as U+FFFD. For all that is stored or comes from elsewhere.
std::string shownSafely(std::string_view text);

/// The same for one line, as a cell of a table: line ends and tabs are control characters too.
std::string shownInLine(std::string_view text);

/// A JSON text that says the same and can be shown: the characters that shownSafely() would replace are written as
/// \u001b. `json` must be well-formed, so that they stand inside of strings only.
std::string escapedInJson(std::string json);

/// The bytes at the end of `text` that may be the beginning of something: of a character of UTF-8, or of a line end.
std::size_t unfinishedBytes(std::string_view text);

}  // namespace batchwise
