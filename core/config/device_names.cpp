// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/device_names.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/config/texts.h"

namespace batchwise {
namespace {

/// The numbers after the colon; empty if something there is no number.
std::vector<int> numbersIn(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (const char character : text.substr(std::min(text.size(), text.find(':') + 1))) {
    if (character == ',') {
      parts.emplace_back();
    } else if (character >= '0' && character <= '9' && parts.back().size() < 4) {
      parts.back() += character;
    } else {
      return {};
    }
  }
  std::vector<int> numbers;
  for (const std::string& part : parts) {
    if (part.empty()) return {};
    numbers.push_back(std::stoi(part));
  }
  return numbers;
}

}  // namespace

std::string checkDeviceNames(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return "";
  const std::string kind = text.substr(0, text.find(':'));
  if ((kind != "cpu" && kind != "cuda") || kind == text) return kDeviceNameInvalid;
  std::vector<int> numbers = numbersIn(text);
  if (numbers.empty()) return kDeviceNameInvalid;
  if (kind == "cpu" && numbers.size() > 1)
    return "has several numbers; cpu:N takes one, the number of devices on the processor";
  if (kind == "cpu" && (numbers.front() < 1 || numbers.front() > kMaxCpuDevices))
    return formatText("asks for {} devices; cpu:N is N devices on the processor, 1 to {}, and cpu is one",
                      numbers.front(), kMaxCpuDevices);
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) return "names a device twice";
  return "";
}

std::optional<std::int64_t> namedDeviceCount(const std::string& text) {
  if (text == "cpu") return 1;
  if (text.find(':') == std::string::npos) return std::nullopt;
  const std::vector<int> numbers = numbersIn(text);
  if (text.rfind("cpu:", 0) == 0) return numbers.empty() ? 1 : numbers.front();
  return static_cast<std::int64_t>(numbers.size());
}

std::vector<int> namedGpus(const std::string& text) {
  return text.starts_with("cuda:") ? numbersIn(text) : std::vector<int>();
}

}  // namespace batchwise
