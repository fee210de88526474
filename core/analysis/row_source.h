// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "core/analysis/text_table.h"

namespace batchwise {

/// A table read block by block because it is too long for memory. Not thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Returns up to `most` further rows, with all column titles.
  virtual TextTable next(std::size_t most) = 0;
  virtual bool atEnd() const = 0;
  /// Returns the fraction of rows returned so far, 0 to 1.
  virtual double progress() const = 0;
};

}  // namespace batchwise
