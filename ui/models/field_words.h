// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/config/schema.h"

namespace batchwise {

// Labels of the configuration form, made from the names in the file.

/// "batch.global_train_batch_size" -> "Global train batch size"; abbreviations are spelt out.
QString fieldLabel(const std::string& path);
/// What a field is for, and the unit of its values, in the language of the window. Empty if it has none.
QString fieldHelp(const Field& field);
QString fieldUnit(const Field& field);
/// Title of a group of the schema: "Data", "Learning-rate scaling". "" is the general group.
QString groupTitle(const std::string& group);

}  // namespace batchwise
