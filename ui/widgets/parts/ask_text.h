// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>

class QWidget;

namespace batchwise {

/// Texts and options of the dialog that askText() shows.
struct TextQuestion {
  QString title;
  QString label;
  QString accept;  ///< text of the accept button, for example "Rename"
  QString text;    ///< initial text
  bool severalLines = false;
};

/// Shows a modal dialog and returns the entered text, or nothing if the user cancels. Ctrl+Return accepts, also where
/// the text has several lines.
std::optional<QString> askText(QWidget& parent, const TextQuestion& question);

}  // namespace batchwise
