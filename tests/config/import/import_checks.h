// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/config/import/config_import.h"

namespace batchwise::test {

/// Imports and reads the result back as a file would be, expecting no errors and the same configuration.
ConfigImport imported(const std::string& text, const ImportOptions& options = {});

/// The same with what can be imported of a file that would train another model.
ConfigImport partlyImported(const std::string& text, ImportOptions options = {});

/// Returns why the import is refused.
std::string refusalOf(const std::string& text, const ImportOptions& options = {});

/// Returns the text of a file in tests/vectors/cases/import-recipes.
std::string recipe(const std::string& name);

/// Our fields with their values, as the result has them.
using Values = std::map<std::string, std::string>;
void expectValues(const ConfigImport& import, const Values& expected);

/// Every listed setting was left with a reason that holds the text.
void expectLeft(const ConfigImport& import, const Values& reasons);

/// Every setting of the file is accounted for, and none is left twice.
void expectNothingLost(const ConfigImport& import, const std::string& text);

/// The note of the setting that became `field`.
std::string noteOf(const ConfigImport& import, const std::string& field);

}  // namespace batchwise::test
