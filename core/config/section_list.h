// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/schema.h"

// Fields whose value is a list of sections, one line of YAML, taken apart for editing in a table: the stages of a ramp,
// the parts of a chain of schedules.

namespace batchwise {

/// One section of the list: keys and values in the order of the text, the values as YAML on one line.
using ListSection = std::vector<std::pair<std::string, std::string>>;

/// Returns the sections of "[{at: 0ba, …}, …]"; nothing if the text is not a list of sections.
std::optional<std::vector<ListSection>> parseSectionList(const std::string& yaml);
/// Inverse of parseSectionList(). Leaves out keys without a value; a value that is no YAML becomes a quoted text.
std::string sectionListText(const std::vector<ListSection>& sections);

/// Returns the keys that each section of the field must have; empty if its value is no list of sections.
std::vector<std::string> requiredKeys(const Field& field);
/// Returns the choices for the value of a key of its sections; empty if it is free.
std::vector<std::string> keyChoices(const Field& field, const std::string& key);

/// A problem in a list of sections: at a key of section `index`, or at the section as a whole if `key` is empty.
struct SectionProblem {
  std::size_t index = 0;
  std::string key;
  std::string message;
};
/// Returns the problems of a value of the field that is a list of sections.
std::vector<SectionProblem> checkSectionList(const Field& field, const std::string& yaml);
/// Returns index and key of a place in such a field: {1, "at"} of "batch.rampup.stages[1].at"; nothing if `place` names
/// no section.
std::optional<std::pair<std::size_t, std::string>> sectionPlace(const std::string& place);

}  // namespace batchwise
