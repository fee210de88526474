// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/failure_cause.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace batchwise {
namespace {

struct Words {
  const char* said;  // in lower case
  FailureCause cause;
};

/// The first that fits counts: a rank may be lost because it ran out of memory, or for want of space.
constexpr Words kWords[] = {
    {" was lost", FailureCause::LostRank},
    {"has been silent for", FailureCause::LostRank},
    {"this rank waits for it", FailureCause::LostRank},
    {"no space left", FailureCause::DiskFull},
    {"quota exceeded", FailureCause::DiskFull},
    {"free some space", FailureCause::DiskFull},
    {"out of memory", FailureCause::OutOfMemory},
    {"not enough memory", FailureCause::OutOfMemory},
    {"no memory left", FailureCause::OutOfMemory},
    {"allocate memory", FailureCause::OutOfMemory},
    {"alloc_failed", FailureCause::OutOfMemory},
    {"does not fit into the memory", FailureCause::OutOfMemory},
    {"less batch.reserve", FailureCause::OutOfMemory},
    {"guard.loss_spike", FailureCause::LossSpike},
    {"holds numbers that are not finite", FailureCause::DamagedCheckpoint},
    {"has no good checkpoint", FailureCause::DamagedCheckpoint},
    {"not finite", FailureCause::NonFinite},
    {"there is no file or folder", FailureCause::MissingFile},
    {"no file fits the pattern", FailureCause::MissingFile},
    {"has no file for the format", FailureCause::MissingFile},
    {"is gone, and no file", FailureCause::MissingFile},
    {"such file", FailureCause::MissingFile},
    {"damaged", FailureCause::DamagedFile},
    {"is shorter than", FailureCause::DamagedFile},
    {"became shorter", FailureCause::DamagedFile},
    {"fetch or pack it again", FailureCause::DamagedFile},
    {"checksum", FailureCause::DamagedFile},
    {"cuda error", FailureCause::Device},
    {"cublas", FailureCause::Device},
    {"cudnn", FailureCause::Device},
    {"nccl", FailureCause::Device},
};

/// Without what stands in quotes: names of files and runs say nothing about the cause.
std::string unquoted(std::string_view text) {
  std::string plain;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = !quoted && text[i] == '\'' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(');
    if (opens || (quoted && text[i] == '\''))
      quoted = opens;
    else if (!quoted)
      plain += text[i];
  }
  return quoted ? std::string(text) : plain;
}

std::string lowerCase(std::string_view text) {
  std::string lower = unquoted(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

}  // namespace

FailureCause failureCause(std::string_view reason) {
  const std::string text = lowerCase(reason);
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Words& words) { return text.find(words.said) != std::string::npos; });
  if (found == std::end(kWords)) return FailureCause::Unknown;
  const bool ofCheckpoint = found->cause == FailureCause::DamagedFile && text.find("checkpoint") != std::string::npos;
  return ofCheckpoint ? FailureCause::DamagedCheckpoint : found->cause;
}

}  // namespace batchwise
