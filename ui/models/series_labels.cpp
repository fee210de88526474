// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/series_labels.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

/// Translation context.
struct SeriesLabels {
  Q_DECLARE_TR_FUNCTIONS(SeriesLabels)
};

struct SeriesText {
  const char *series, *title, *unit;  // unit: null for none
};

constexpr const char* kLossUnit = QT_TRANSLATE_NOOP("SeriesLabels", "nats per masked token");

constexpr std::array kSeriesTexts = {
    SeriesText{"loss", QT_TRANSLATE_NOOP("SeriesLabels", "Loss"), kLossUnit},
    SeriesText{"eval.loss", QT_TRANSLATE_NOOP("SeriesLabels", "Evaluation loss"), kLossUnit},
    SeriesText{"lr", QT_TRANSLATE_NOOP("SeriesLabels", "Learning rate"), QT_TRANSLATE_NOOP("SeriesLabels", "per step")},
    SeriesText{"step_samples", QT_TRANSLATE_NOOP("SeriesLabels", "Batch size"),
               QT_TRANSLATE_NOOP("SeriesLabels", "samples per step")},
    SeriesText{"tokens_per_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Speed"),
               QT_TRANSLATE_NOOP("SeriesLabels", "tokens per second")},
    SeriesText{"grad_norm", QT_TRANSLATE_NOOP("SeriesLabels", "Gradient norm"),
               QT_TRANSLATE_NOOP("SeriesLabels", "before clipping")},
    SeriesText{"samples_per_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Samples per second"), nullptr},
    SeriesText{"step_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Seconds per step"), nullptr},
    SeriesText{"fill", QT_TRANSLATE_NOOP("SeriesLabels", "Fill of the micro-batches"), nullptr},
    SeriesText{"parts", QT_TRANSLATE_NOOP("SeriesLabels", "Steps per global batch"), nullptr},
    SeriesText{"global_batch_samples", QT_TRANSLATE_NOOP("SeriesLabels", "Samples per global batch"), nullptr},
    SeriesText{"noise_scale", QT_TRANSLATE_NOOP("SeriesLabels", "Noise scale of the gradient"), nullptr},
    SeriesText{"eval.perplexity", QT_TRANSLATE_NOOP("SeriesLabels", "Perplexity of the evaluation"), nullptr},
    SeriesText{"eval.accuracy", QT_TRANSLATE_NOOP("SeriesLabels", "Accuracy of the evaluation"), nullptr},
    SeriesText{"eval.seconds", QT_TRANSLATE_NOOP("SeriesLabels", "Seconds of an evaluation"), nullptr},
    SeriesText{"eval.samples", QT_TRANSLATE_NOOP("SeriesLabels", "Samples of an evaluation"), nullptr},
    SeriesText{"eval.tokens", QT_TRANSLATE_NOOP("SeriesLabels", "Tokens of an evaluation"), nullptr},
    SeriesText{"ep", QT_TRANSLATE_NOOP("SeriesLabels", "Epoch"), nullptr}};

/// Label of a series such as "memory.cuda:0.peak"; none for other series.
std::optional<SeriesLabel> memoryLabel(const std::string& series) {
  constexpr std::string_view kMemory = "memory.";
  const auto dot = series.rfind('.');
  if (!series.starts_with(kMemory) || dot < kMemory.size()) return {};
  const std::string what = series.substr(dot + 1);
  const std::map<std::string, QString> words = {{"allocated", SeriesLabels::tr("used")},
                                                {"reserved", SeriesLabels::tr("reserved")},
                                                {"peak", SeriesLabels::tr("peak")},
                                                {"total", SeriesLabels::tr("limit")},
                                                {"driver_used", SeriesLabels::tr("used by all programs")}};
  const auto found = words.find(what);
  const QString device = toQt(series.substr(kMemory.size(), dot - kMemory.size()));
  return SeriesLabel{SeriesLabels::tr("Memory of %1, %2", "%1: a device, %2: used, peak, …")
                         .arg(device, found == words.end() ? toQt(what) : found->second),
                     QStringLiteral("GiB")};
}

}  // namespace

SeriesLabel seriesLabel(const std::string& series) {
  if (const auto memory = memoryLabel(series)) return *memory;
  const auto found = std::find_if(kSeriesTexts.begin(), kSeriesTexts.end(),
                                  [&series](const SeriesText& text) { return series == text.series; });
  if (found == kSeriesTexts.end()) return {toQt(series), {}};
  return {SeriesLabels::tr(found->title), found->unit == nullptr ? QString() : SeriesLabels::tr(found->unit)};
}

Localization windowTexts() {
  Localization localization;
  localization.translate = [](const Message& message) { return coreText(message).toStdString(); };
  localization.series = [](const std::string& series) { return seriesLabel(series).title.toStdString(); };
  localization.unit = [](const std::string& series) { return seriesLabel(series).unit.toStdString(); };
  localization.language = SeriesLabels::tr("en", "the language of these words, as HTML names it").toStdString();
  return localization;
}

}  // namespace batchwise
