// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/analysis/run_series_reader.h"
#include "core/config/events/metric.h"
#include "core/config/schema.h"

namespace batchwise {

// Labels of the configuration form, as declared in core/config/fields_*.cpp.

/// "batch.rampup.duration" -> "Ramp-up: length"; the name spelled out of what is no field.
QString fieldLabel(const std::string& path);
/// Returns the path of the sub-group that the field shares with others, "batch.rampup"; empty if it has none.
std::string subgroupOf(const Field& field);
/// Label below the heading of the section: "Length" for "batch.rampup.duration".
QString labelInGroup(const Field& field);
/// Label of a key in the sections of a list, such as the stages of the ramp: "Starts at".
QString keyLabel(const Field& list, const std::string& key);
/// Returns the text of core with the labels of the form in place of the keys of settings: "“Peak learning rate” is 0".
QString formText(const std::string& message);
/// Help text and unit of a field; empty if it has none.
QString fieldHelp(const Field& field);
QString fieldUnit(const Field& field);
/// Label of a value of a field with choices: "Square root".
QString choiceLabel(const Field& field, const std::string& choice);

/// Title and unit of a stored series in the window: "Loss", "nats per masked token".
struct SeriesLabel {
  QString title;
  QString unit;  ///< empty if part of the title or unknown
};
/// Returns the series name without a unit if there is no label for it.
SeriesLabel seriesLabel(const std::string& series);

/// What the window calls the series, for tables, charts and reports of core.
SeriesNames windowSeriesNames();

}  // namespace batchwise
