// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>

class QWidget;

namespace batchwise {

/// What a question for a text says.
struct TextQuestion {
  QString title;
  QString label;
  QString accept;  ///< on the button that does it: "Rename"
  QString text;    ///< at first
  bool severalLines = false;
};

/// Asks for a text; nothing if the person wants none of it. Where the text has several lines, Ctrl+Return accepts it.
std::optional<QString> askText(QWidget& parent, const TextQuestion& question);

}  // namespace batchwise
