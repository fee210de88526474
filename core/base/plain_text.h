// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/message.h"

namespace batchwise {

/// Returns why `text` cannot be shown as one plain line, as the end of a sentence: "has 300 bytes; at most 200 are
/// allowed", "contains a control character; use printable ones". Empty if it can. Right-to-left letters are allowed;
/// characters that change the direction of surrounding text (Unicode 15, Bidi_Control) are not.
Message plainLineProblem(std::string_view text, std::size_t longestBytes);

/// Escapes stored or untrusted `text` for a terminal: control characters (except line ends and tabs) and Bidi_Control
/// characters become <U+001B>, invalid UTF-8 becomes U+FFFD.
std::string escapedForTerminal(std::string_view text);

/// Like escapedForTerminal(), but escapes line ends and tabs too, for example for a table cell.
std::string escapedLine(std::string_view text);

/// Returns an equivalent JSON text in which the characters that escapedForTerminal() replaces are escaped as \u001b.
/// Requires well-formed `json`, so that these occur only inside strings.
std::string withEscapedControls(std::string json);

/// Returns the number of trailing bytes that may be an incomplete UTF-8 character or line end.
std::size_t incompleteTailBytes(std::string_view text);

}  // namespace batchwise
