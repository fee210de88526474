// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/analysis/localization.h"
#include "core/config/schema.h"

namespace batchwise {

// Labels of the configuration form, from field paths.

/// "batch.global_train_batch_size" -> "Global batch size", translated. A field without a label gets its spelled-out
/// name.
QString fieldLabel(const std::string& path);
/// Help text and unit of a field, translated; empty if it has none.
QString fieldHelp(const Field& field);
QString fieldUnit(const Field& field);
/// Title of a schema group: "Data", "Learning-rate scaling". "" is the general group.
QString groupTitle(const std::string& group);

/// Title and unit of a stored series in the window: "Loss", "nats per masked token".
struct SeriesLabel {
  QString title;
  QString unit;  ///< empty if part of the title or unknown
};
/// Returns the series name without a unit if there is no label for it.
SeriesLabel seriesLabel(const std::string& series);

/// Texts for tables, charts and reports of core, in the window's language.
Localization windowTexts();

}  // namespace batchwise
