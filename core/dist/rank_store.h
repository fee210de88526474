// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/dist/rank_line.h"

namespace batchwise {

/// Creates c10d's key-value store for the ranks of a line, one object per rank: every change is an entry in the log of
/// the line, and each rank applies all entries to a HashStore of its own. So c10d defines what a change does, and
/// reading needs no message: check and getNumKeys may lag behind a change that another rank has just made; get and wait
/// wait for it. A broken line ends waiting calls with its error, as a DistStoreError. Thread-safe.
c10::intrusive_ptr<c10d::Store> makeRankStore(std::shared_ptr<RankLine> line);

}  // namespace batchwise
