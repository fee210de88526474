// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/events/run_event.h"
#include "core/store/records.h"
#include "ui/models/chart_content.h"

namespace batchwise {

// The words, icons and numbers that several parts of the window show alike.

inline QString toQt(const std::string& text) {
  return QString::fromStdString(text);
}

/// A tooltip that shows `text` as it is: Qt takes texts that look like markup for markup.
QString plainToolTip(const QString& text);

QString statusWord(RunStatus status);      ///< "Running", translated
QString stateWord(const RunSummary& run);  ///< the same, or "Paused"
QString statusIcon(RunStatus status);      ///< name in resources/icons
QString stateIcon(const RunSummary& run);  ///< the same, or that of a pause
QString levelIcon(NoteLevel level);

/// A message of core (an error, a note, a reason, a phase) in the language of the window; as it is if there are no
/// words for it.
QString coreText(const std::string& message);
/// The name of a run as that of a file: it may hold what stands between folders.
QString fileNameFor(const QString& run);
/// With a capital at the start: for messages of the core, which begin small.
QString sentenceCase(const QString& text);
/// Why a run ended, in words that stand after its state: those of the trainer but for the names of settings.
QString reasonText(const std::string& reason);
/// Numbers as core/base/format.h writes them.
QString valueText(double value, ValueFormat format);
QString integerText(std::int64_t value);
/// Local date and clock, short; "–" for 0.
QString clockText(std::int64_t wallMs);
/// With seconds and zone, for tooltips.
QString exactClockText(std::int64_t wallMs);

/// One sentence for the log. Empty for events that a log leaves out (metrics rows, progress).
QString eventSentence(const RunEvent& event);
NoteLevel eventLevel(const RunEvent& event);
/// Where in the run it happened, in global batches.
std::int64_t eventBatch(const RunEvent& event);

}  // namespace batchwise
