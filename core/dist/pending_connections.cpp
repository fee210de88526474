// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/pending_connections.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace batchwise {
namespace {

constexpr double kAnswerSec = 1.0;  // a rank on a busy machine sends its proof faster
constexpr double kHelloSec = 0.2;   // and its hello; refused ranks try again

}  // namespace

std::optional<std::size_t> connectionToDrop(const std::vector<PendingConnection>& pending, std::uint32_t address,
                                            std::int64_t ranks, double nowSec) {
  std::map<std::uint32_t, std::int64_t> ofAddress;
  for (const PendingConnection& each : pending) ++ofAddress[each.address];
  const std::int64_t allowed = std::max(ranks, ofAddress[address] + 1);
  std::optional<std::size_t> chosen;
  std::tuple<bool, std::int64_t, double> best;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const PendingConnection& each = pending[i];
    const double waitedSec = nowSec - each.progressSec;
    const bool idle = waitedSec >= (each.challenged ? kAnswerSec : kHelloSec);
    const std::int64_t count = ofAddress[each.address];
    if (!idle && count <= allowed) continue;
    const std::tuple claim(idle, count, waitedSec);
    if (chosen && claim <= best) continue;
    chosen = i;
    best = claim;
  }
  return chosen;
}

}  // namespace batchwise
