// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

// What an editor of a configuration as YAML text knows beyond the characters: where fields stand, how to mend an error,
// what may follow. Works on text that cannot be parsed, too. Pure.

/// A name of the text and its value on the same line. Columns count from 0.
struct YamlEntry {
  std::string path;             ///< "batch.rampup.duration"; the items of a list have the path of the list
  int line = 0;                 ///< from 1
  int key = 0, keyEnd = 0;      ///< columns of the name
  int value = 0, valueEnd = 0;  ///< columns of the value; equal if there is none on this line
};
/// Returns the names of sections in blocks and, within one line, in braces.
std::vector<YamlEntry> yamlEntries(const QString& text);

/// A range of columns in a line, from 1; line 0: none.
struct YamlRange {
  int line = 0, from = 0, to = 0;
};
/// Returns what the issue is about: the name or its value, or else the line without its indentation.
YamlRange yamlRange(const QString& text, const ConfigIssue& issue);

/// A correction: its title and the text after it.
struct YamlFix {
  QString title;
  QString text;
};
/// Returns the corrections that the issue suggests: the nearest known name or value, or no such line.
std::vector<YamlFix> yamlFixes(const QString& text, const ConfigIssue& issue);

/// What may stand at the cursor.
struct YamlCompletion {
  QStringList items;
  int typed = 0;  ///< characters before the cursor that an item replaces
};
/// Returns the names of fields and sections, or the values of the field, that may stand at `column` of line `line`,
/// from 1.
YamlCompletion completeYaml(const QString& text, int line, int column);

/// Returns the field that the line belongs to; null if there is none.
const Field* yamlFieldAt(const QString& text, int line);

/// Returns whether `before` has comments and `after` has none of them.
bool losesComments(const QString& before, const QString& after);

}  // namespace batchwise
