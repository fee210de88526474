// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "core/analysis/text_table.h"

namespace batchwise {

/// A table that is too long to be made as a whole: its rows come a block at a time. One thread at a time.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// The next rows, at most `most`, with the titles of all columns.
  virtual TextTable next(std::size_t most) = 0;
  virtual bool atEnd() const = 0;
  /// 0 to 1: how far along.
  virtual double progress() const = 0;
};

}  // namespace batchwise
