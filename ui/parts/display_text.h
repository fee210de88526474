// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <functional>
#include <string>
#include <vector>

#include "core/config/events/run_event.h"
#include "core/store/records.h"

namespace batchwise {

// Texts, icons and number formats shared by the parts of the window.

inline QString toQt(const std::string& text) {
  return QString::fromStdString(text);
}
QStringList toQt(const std::vector<std::string>& texts);
std::vector<std::string> fromQt(const QStringList& texts);

/// Returns a tooltip that shows `text` literally: Qt would interpret text that looks like markup.
QString plainToolTip(const QString& text);

QString statusText(RunStatus status);      ///< "Running", translated
QString stateText(const RunSummary& run);  ///< same, or "Paused", "Finished, diverged"
QString statusIcon(RunStatus status);      ///< name in resources/icons
QString stateIcon(const RunSummary& run);  ///< same, or the icon of a pause
QString levelIcon(NoteLevel level);

/// Run name as a file name: slashes are replaced.
QString fileNameFor(const QString& run);
/// Capitalizes the first letter, except of a name such as data.train or base-1; texts of core start in lower case.
/// Leaves out the options of the command line, which they have in parentheses: "fork it (--fork)".
QString sentenceCase(const QString& text);
/// Breaks a long title into two lines, so that its column may be narrow.
QString inTwoLines(QString title);
/// Breaks a text at blanks into lines that fit, but for words that do not.
QStringList brokenLines(const QString& text, const std::function<bool(const QString& line)>& fits);
/// Number format of a chart's values, on axes and hover cards.
enum class ValueFormat { Plain, Rate, Count, Gibibytes };
/// Formats numbers as core/base/format.h does.
QString valueText(double value, ValueFormat format);
/// With digits in groups: 12,400.
QString integerText(std::int64_t value);
/// `one` or `many` with `count` in the place of %n: "1 run", "12,400 runs".
QString plural(std::int64_t count, const QString& one, const QString& many);
/// Local time, with the date unless it is today; "–" for 0.
QString localTimeText(std::int64_t wallMs);
/// Local date and time with seconds and zone, for tooltips; empty for 0.
QString exactTimeText(std::int64_t wallMs);

/// Log sentence for an event; empty for events that the log omits (metrics rows, progress).
QString eventSentence(const RunEvent& event);
NoteLevel eventLevel(const RunEvent& event);
/// Global batch at which the event happened.
std::int64_t eventBatch(const RunEvent& event);

}  // namespace batchwise
