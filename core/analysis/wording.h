// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace batchwise {

/// The language in which tables, charts and reports speak. This folder writes English; a reader of another language
/// hands in who puts its texts, one by one, into that. Names and figures in them stay as they are.
struct Wording {
  std::function<std::string(const std::string& english)> say = [](const std::string& english) { return english; };
  std::string language = "en";  ///< as HTML names it
  /// What a stored series is called, and the unit of its values ("" if it has none). Here they have their own names.
  std::function<std::string(const std::string& series)> series = [](const std::string& name) { return name; };
  std::function<std::string(const std::string& series)> unit = [](const std::string&) { return std::string(); };
};

}  // namespace batchwise
