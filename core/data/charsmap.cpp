// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/charsmap.h"

#include <cstring>

#include "core/data/texts.h"

namespace batchwise {
namespace {

constexpr std::size_t kLongestWhole = 5;  // bytes of a cluster that is looked up as a whole

std::optional<std::string> decodeBase64(std::string_view text) {
  const auto valueOf = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = valueOf(c);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return out;
}

// A unit of darts-clone: a label to compare, an offset to the children, and a value in place of both.
std::uint32_t labelOf(std::uint32_t unit) {
  return unit & 0x800000FFu;
}
std::uint32_t offsetOf(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200u) >> 6);
}
bool hasValue(std::uint32_t unit) {
  return (unit & 0x100u) != 0;
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view base64) {
  const auto bytes = decodeBase64(base64);
  std::uint32_t trieBytes = 0;
  if (!bytes || bytes->size() < sizeof trieBytes) return Error::config(kCharsmapDamaged);
  std::memcpy(&trieBytes, bytes->data(), sizeof trieBytes);
  if (trieBytes == 0 || trieBytes % 4 != 0 || trieBytes > bytes->size() - sizeof trieBytes)
    return Error::config(kCharsmapDamaged);
  Charsmap map;
  map.units_.resize(trieBytes / 4);
  std::memcpy(map.units_.data(), bytes->data() + sizeof trieBytes, trieBytes);
  map.replacements_ = bytes->substr(sizeof trieBytes + trieBytes);
  for (std::uint32_t c = 0; c < 128; ++c) {
    const char one = static_cast<char>(c);
    map.plain_[c] = !map.replacement(std::string_view(&one, 1)) && c != '\r';
  }
  return map;
}

/// The replacement of the shortest beginning of `text` that has one.
std::optional<std::string_view> Charsmap::replacement(std::string_view text) const {
  std::size_t at = offsetOf(units_[0]);
  for (const char c : text) {
    const auto label = static_cast<std::uint8_t>(c);
    if (label == 0) return std::nullopt;
    at ^= label;
    if (at >= units_.size() || labelOf(units_[at]) != label) return std::nullopt;
    const std::uint32_t unit = units_[at];
    at ^= offsetOf(unit);
    if (!hasValue(unit)) continue;
    if (at >= units_.size()) return std::nullopt;
    const std::size_t begin = units_[at] & 0x7FFFFFFFu;
    if (begin >= replacements_.size()) return std::nullopt;
    return std::string_view(replacements_).substr(begin, replacements_.find('\0', begin) - begin);
  }
  return std::nullopt;
}

void Charsmap::appendCluster(std::string& out, std::string_view cluster) const {
  if (cluster.size() <= kLongestWhole) {
    if (const auto whole = replacement(cluster)) {
      out.append(*whole);
      return;
    }
  }
  for (std::size_t at = 0; at < cluster.size();) {
    const std::string_view one = cluster.substr(at, unicode::stepAt(cluster, at).bytes);
    out.append(replacement(one).value_or(one));
    at += one.size();
  }
}

void Charsmap::append(std::string& out, std::string_view text) const {
  for (std::size_t at = 0; at < text.size();) {
    // A character before an ASCII character is a cluster of its own, except before a line feed.
    std::size_t end = at;
    while (end < text.size() && static_cast<std::uint8_t>(text[end]) < 0x80 &&
           plain_[static_cast<std::uint8_t>(text[end])])
      ++end;
    if (end < text.size() && static_cast<std::uint8_t>(text[end]) >= 0x80 && end > at) --end;
    if (end > at) {
      out.append(text.substr(at, end - at));
      at = end;
      continue;
    }
    end = unicode::clusterEnd(text, at, *classes_);
    appendCluster(out, text.substr(at, end - at));
    at = end;
  }
}

}  // namespace batchwise
