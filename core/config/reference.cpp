// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/config/external_names.h"
#include "core/config/schema.h"
#include "core/config/schema_entries.h"

namespace batchwise {
namespace {

/// Escapes `|`, which would end a table cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char character : text) escaped += character == '|' ? std::string{"\\|"} : std::string(1, character);
  return escaped;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

std::string fieldRow(const Field& field, const TrainConfig& defaults) {
  return "| " + code(field.path) + " | " + cell(field.expectation()) + " | " + code(field.get(defaults)) + " | " +
         cell(field.help) + " |\n";
}

/// Returns the groups in the order of their first field.
std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const Field& field : configSchema())
    if (std::find(names.begin(), names.end(), field.group) == names.end()) names.push_back(field.group);
  return names;
}

std::string externalNameTable() {
  std::string text =
      "\n## Names of other trainers\n\nAccepted with a note. DeepSpeed's section `dynamic_batching` is read as "
      "`batch.tokens`.\n\n"
      "| theirs | ours | from |\n|---|---|---|\n";
  for (const config::ExternalNameRow& row : config::externalNames())
    text += "| " + code(row.theirs) + " | " + code(row.ours) + " | " + row.owner + " |\n";
  return text;
}

}  // namespace

std::string configReference() {
  const TrainConfig defaults;
  std::string text =
      "# Configuration\n\nOne YAML file. What is left out has its default. `--set name=value` changes one value on the "
      "command line.\n"
      "Units of time: ep (epochs), ba (global batches), sp (samples), tok (tokens), dur (fraction of max_duration), "
      "sec; also 90m, 1h30m.\n";
  for (const std::string& group : groups()) {
    text += "\n## " + (group.empty() ? std::string("The run") : group) +
            "\n\n| field | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : configSchema())
      if (field.group == group) text += fieldRow(field, defaults);
  }
  return text + externalNameTable();
}

}  // namespace batchwise
