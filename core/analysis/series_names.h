// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace batchwise {

/// How a reader calls the stored series in tables, charts and reports: by their stored names, unless told otherwise.
struct SeriesNames {
  std::function<std::string(const std::string& series)> series = [](const std::string& name) { return name; };
  /// Unit of its values; "" if none.
  std::function<std::string(const std::string& series)> unit = [](const std::string&) { return std::string(); };
};

}  // namespace batchwise
