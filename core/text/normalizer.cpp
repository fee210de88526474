// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "core/text/pre_tokenizer.h"

namespace batchwise {
namespace {

constexpr const char* kCharsmapDamaged =
    "the character map of the normalizer 'Precompiled' is damaged; download tokenizer.json again";
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

using unicode::Step;
using unicode::stepAt;

bool isWhite(std::uint32_t codePoint) {
  return (unicode::classTable()[codePoint] & unicode::kSpace) != 0;
}

/// Calls take(code point, its text) for each character.
template <typename Take>
void eachCharacter(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const Step step = stepAt(text, at);
    take(step.codePoint, text.substr(at, step.bytes));
    at += step.bytes;
  }
}

/// Writes `text` to `out` with one byte replaced by up to four others: each place gets four bytes, of which those that
/// count are kept.
void replaceByte(char wanted, std::string_view by, std::string_view text, std::string& out) {
  std::uint32_t replacement = 0;
  std::memcpy(&replacement, by.data(), by.size());
  out.resize(text.size() * std::max<std::size_t>(by.size(), 1) + sizeof replacement);
  char* to = out.data();
  for (const char c : text) {
    const bool found = c == wanted;
    const std::uint32_t bytes = found ? replacement : static_cast<std::uint8_t>(c);
    std::memcpy(to, &bytes, sizeof bytes);
    to += found ? by.size() : 1;
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

void replaceAll(const std::string& wanted, const std::string& by, std::string_view text, std::string& out) {
  if (wanted.size() == 1 && by.size() <= sizeof(std::uint32_t)) return replaceByte(wanted[0], by, text, out);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find(wanted, at), text.size());
    out.append(text.substr(at, found - at));
    if (found < text.size()) out.append(by);
    at = found + wanted.size();
  }
}

void replaceRuns(const ReplaceStep& step, std::string_view text, std::string& out) {
  const bool white = step.pattern == ReplaceStep::Pattern::WhiteRuns;
  const auto isOne = [&](std::uint32_t c) { return white ? isWhite(c) : c == ' '; };
  std::size_t done = 0;  // what stands before is written
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] > ' ' && text[at] < '\x7F') {  // most characters are no white space
      ++at;
      continue;
    }
    std::size_t end = at, count = 0;
    while (end < text.size()) {
      const Step next = stepAt(text, end);
      if (!isOne(next.codePoint)) break;
      end += next.bytes;
      ++count;
    }
    if (count >= (white ? 1u : 2u) && text.substr(at, end - at) != step.by) {
      out.append(text.substr(done, at - done)).append(step.by);
      done = end;
    }
    at = count == 0 ? at + stepAt(text, at).bytes : end;
  }
  out.append(text.substr(done));
}

/// One step. Returns the text itself if nothing changes, else writes to `out`.
class Application {
 public:
  Application(std::string_view text, std::string& out) : text_(text), out_(out) {}

  std::string_view operator()(const FormStep& step) const {
    if (unicode::isPlainlyNormal(text_, step.form)) return text_;
    unicode::appendNormalized(out_, text_, step.form);
    return out_;
  }
  std::string_view operator()(const LowercaseStep&) const {
    eachCharacter(text_, [&](std::uint32_t c, std::string_view) {
      if (c < 0x80)
        out_.push_back(static_cast<char>(c - 'A' < 26 ? c + ('a' - 'A') : c));
      else
        unicode::appendLower(out_, c);
    });
    return out_;
  }
  std::string_view operator()(const StripAccentsStep& step) const {
    if (unicode::isAscii(text_)) return text_;
    const auto& classes = unicode::classTable();
    eachCharacter(text_, [&](std::uint32_t c, std::string_view one) {
      if ((classes[c] & step.removed) == 0) out_.append(one);
    });
    return out_;
  }
  std::string_view operator()(const CleanTextStep&) const {
    const auto stays = [](char c) { return c >= ' ' && c != '\x7F'; };
    if (std::all_of(text_.begin(), text_.end(), stays)) return text_;
    eachCharacter(text_, [&](std::uint32_t c, std::string_view one) {
      const bert::CodePointKind kind = bert::kindOf(c);
      if (kind == bert::CodePointKind::Space)
        out_.push_back(' ');
      else if (kind != bert::CodePointKind::Removed)
        out_.append(one);
    });
    return out_;
  }
  std::string_view operator()(const SpacedChineseStep&) const {
    if (unicode::isAscii(text_)) return text_;
    eachCharacter(text_, [&](std::uint32_t c, std::string_view one) {
      const bool chinese = bert::kindOf(c) == bert::CodePointKind::Cjk;
      if (chinese) out_.push_back(' ');
      out_.append(one);
      if (chinese) out_.push_back(' ');
    });
    return out_;
  }
  std::string_view operator()(const StripStep& step) const {
    std::string_view rest = text_;
    while (step.left && !rest.empty() && isWhite(stepAt(rest, 0).codePoint)) rest.remove_prefix(stepAt(rest, 0).bytes);
    while (step.right && !rest.empty()) {
      const Step last = unicode::stepBefore(rest, rest.size());
      if (!isWhite(last.codePoint)) break;
      rest.remove_suffix(last.bytes);
    }
    return rest;
  }
  std::string_view operator()(const PrependStep& step) const {
    if (text_.empty()) return text_;
    out_.append(step.text).append(text_);
    return out_;
  }
  std::string_view operator()(const ReplaceStep& step) const {
    if (step.pattern != ReplaceStep::Pattern::Text)
      replaceRuns(step, text_, out_);
    else if (step.text.empty())
      return text_;
    else
      replaceAll(step.text, step.by, text_, out_);
    return out_;
  }
  std::string_view operator()(const CharsmapStep& step) const {
    step.map->append(out_, text_);
    return out_;
  }

 private:
  std::string_view text_;
  std::string& out_;
};

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

std::string_view Normalizer::apply(std::string_view text, Buffers& buffers) const {
  for (const NormalizerStep& step : steps_) {
    // The text may lie in one buffer; the other one is free.
    const bool inFirst =
        text.data() >= buffers.first.data() && text.data() <= buffers.first.data() + buffers.first.size();
    std::string& out = inFirst ? buffers.second : buffers.first;
    out.clear();
    text = std::visit(Application(text, out), step);
  }
  return text;
}

}  // namespace batchwise
