// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/format.h"
#include "core/base/message.h"

namespace batchwise {

/// Returns the message for a short name: an axis, a verdict, a run state, a column title. One that the catalog does not
/// have stays as it is. Thread-safe.
Message labelOf(std::string_view name);

/// The language of tables, charts and reports: English, unless a reader passes a translation. Names and numbers with
/// decimals stay as they are.
struct Localization {
  std::function<std::string(const Message& message)> translate = [](const Message& message) { return message.text(); };
  std::string label(std::string_view name) const { return translate(labelOf(name)); }
  std::function<std::string(std::int64_t)> integer = formatInteger;
  std::string language = "en";  ///< HTML language code
  /// Display name of a stored series, and the unit of its values ("" if none). By default the stored names.
  std::function<std::string(const std::string& series)> series = [](const std::string& name) { return name; };
  std::function<std::string(const std::string& series)> unit = [](const std::string&) { return std::string(); };
};

}  // namespace batchwise
