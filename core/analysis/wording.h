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
};

}  // namespace batchwise
