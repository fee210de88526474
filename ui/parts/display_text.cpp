// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/display_text.h"

#include <QtCore/QDateTime>
#include <QtCore/QLocale>
#include <QtCore/QObject>
#include <QtCore/QRegularExpression>
#include <vector>

#include "core/base/choice.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

QString sentence(const RunStarted& e) {
  if (e.segment == 0) return QObject::tr("Started as %1").arg(toQt(e.name));
  return QObject::tr("Resumed %1 from global batch %2").arg(toQt(e.name), integerText(e.from.batch));
}
template <typename Event>  // progress and rows
QString sentence(const Event&) {
  return {};
}
QString sentence(const EvalResult& e) {
  const QString noise =
      e.drawError ? QStringLiteral(" ± %1").arg(valueText(*e.drawError, ValueFormat::Plain)) : QString();
  const QString bytes =
      e.bitsPerByte ? QObject::tr(", %1 bits per byte").arg(valueText(*e.bitsPerByte, ValueFormat::Plain)) : QString();
  return QObject::tr("Evaluation loss %1, perplexity %2, accuracy %3 % of masked tokens%4 (%5)")
      .arg(valueText(e.loss, ValueFormat::Plain) + noise, valueText(e.perplexity, ValueFormat::Plain),
           QString::number(100 * e.accuracy, 'f', 1), bytes, toQt(formatDuration(e.seconds)));
}
QString sentence(const CheckpointSaved& e) {
  return QObject::tr("Saved a checkpoint of %1 in %2").arg(toQt(formatBytes(e.bytes)), toQt(formatDuration(e.seconds)));
}
QString sentence(const RunNote& e) {
  return sentenceCase(toQt(e.text));
}
QString sentence(const RunFinished& e) {
  const QString word = statusText(e.status);
  return e.reason.empty() ? word : QObject::tr("%1: %2").arg(word, toQt(e.reason));
}

NoteLevel finishedLevel(RunStatus status) {
  if (status == RunStatus::Failed) return NoteLevel::Error;
  return status == RunStatus::Interrupted ? NoteLevel::Warning : NoteLevel::Info;
}

}  // namespace

QString plainToolTip(const QString& text) {
  if (!text.contains(QLatin1Char('<')) && !text.contains(QLatin1Char('&'))) return text;
  return QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

QString stateText(const RunSummary& run) {
  if (run.status == RunStatus::Finished && run.cause == FailureCause::Diverged)
    return QObject::tr("Finished, diverged");
  if (run.status == RunStatus::Stopped && run.cause == FailureCause::Unneeded)
    return QObject::tr("Stopped, not needed");
  return run.paused ? QObject::tr("Paused") : statusText(run.status);
}

QString statusText(RunStatus status) {
  switch (status) {
    case RunStatus::Created: return QObject::tr("Created");
    case RunStatus::Running: return QObject::tr("Running");
    case RunStatus::Finished: return QObject::tr("Finished");
    case RunStatus::Stopped: return QObject::tr("Stopped");
    case RunStatus::Failed: return QObject::tr("Failed");
    case RunStatus::Interrupted: return QObject::tr("Interrupted");
    case RunStatus::Queued: return QObject::tr("Waiting");
  }
  return {};
}

QString stateIcon(const RunSummary& run) {
  return run.paused ? QStringLiteral("state-paused") : statusIcon(run.status);
}

QString statusIcon(RunStatus status) {
  const RunStatus shown = status == RunStatus::Queued ? RunStatus::Created : status;
  return QStringLiteral("state-") + toQt(std::string(choiceName(shown)));
}

QString levelIcon(NoteLevel level) {
  return QStringLiteral("note-") + toQt(std::string(choiceName(level)));
}

QString sentenceCase(const QString& text) {
  static const QRegularExpression option(QStringLiteral(R"( \([\w ]*--[^()]*\))"));
  static const QRegularExpression name(QStringLiteral(R"(^\S*(\d|[_/\\.]\w))"));  // of a run, a file or a setting
  const QString plain = QString(text).remove(option);
  return plain.isEmpty() || name.match(plain).hasMatch() ? plain : plain.left(1).toUpper() + plain.mid(1);
}

QString fileNameFor(const QString& run) {
  return QString(run).replace(QLatin1Char('/'), QLatin1Char('-'));
}

QStringList toQt(const std::vector<std::string>& texts) {
  QStringList all;
  for (const std::string& text : texts) all << toQt(text);
  return all;
}

std::vector<std::string> fromQt(const QStringList& texts) {
  std::vector<std::string> all;
  for (const QString& text : texts) all.push_back(text.toStdString());
  return all;
}

QString inTwoLines(QString title) {
  constexpr qsizetype kShortTitle = 9;  // characters
  if (title.size() <= kShortTitle) return title;
  qsizetype best = -1;
  for (qsizetype at = title.indexOf(QLatin1Char(' ')); at >= 0; at = title.indexOf(QLatin1Char(' '), at + 1))
    if (best < 0 || std::abs(2 * at - title.size()) < std::abs(2 * best - title.size())) best = at;
  if (best >= 0) title[best] = QLatin1Char('\n');
  return title;
}

QStringList brokenLines(const QString& text, const std::function<bool(const QString& line)>& fits) {
  QStringList lines;
  for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QString longer = lines.isEmpty() ? word : lines.back() + QLatin1Char(' ') + word;
    if (!lines.isEmpty() && fits(longer))
      lines.back() = longer;
    else
      lines << word;
  }
  return lines;
}

QString valueText(double value, ValueFormat format) {
  switch (format) {
    case ValueFormat::Plain: return toQt(formatValue(value));
    case ValueFormat::Rate: return toQt(formatRate(value));
    case ValueFormat::Count: return toQt(formatCount(value));
    case ValueFormat::Gibibytes: return QLocale::c().toString(value / (1024.0 * 1024 * 1024), 'g', 4);
  }
  return {};
}

QString integerText(std::int64_t value) {
  return toQt(formatInteger(value));
}

QString plural(std::int64_t count, const QString& one, const QString& many) {
  return QString(count == 1 ? one : many).replace(QLatin1String("%n"), integerText(count));
}

QString localTimeText(std::int64_t wallMs) {
  if (wallMs == 0) return QStringLiteral("–");
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(wallMs);
  const bool today = time.date() == QDate::currentDate();
  return today ? QLocale().toString(time.time(), QStringLiteral("HH:mm"))
               : QLocale().toString(time, QStringLiteral("d MMM yyyy HH:mm"));
}

QString exactTimeText(std::int64_t wallMs) {
  if (wallMs == 0) return {};
  return QLocale().toString(QDateTime::fromMSecsSinceEpoch(wallMs), QStringLiteral("yyyy-MM-dd HH:mm:ss t"));
}

QString eventSentence(const RunEvent& event) {
  return std::visit([](const auto& e) { return sentence(e); }, event);
}

NoteLevel eventLevel(const RunEvent& event) {
  if (const auto* note = std::get_if<RunNote>(&event)) return note->level;
  if (const auto* finished = std::get_if<RunFinished>(&event)) return finishedLevel(finished->status);
  return NoteLevel::Info;
}

std::int64_t eventBatch(const RunEvent& event) {
  const auto batchOf = [](const auto& e) -> std::int64_t {
    if constexpr (requires { e.at; })
      return e.at.batch;
    else if constexpr (requires { e.from; })
      return e.from.batch;
    else
      return 0;
  };
  return std::visit(batchOf, event);
}

}  // namespace batchwise
