// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace batchwise {

/// Which colour and dash each run has, by its id: an index as in `seriesStyle`. Given once and kept for the run's life,
/// so that a run looks the same in every list, chart and export; stored in the workspace.
class RunStyles {
 public:
  /// Those of the workspace; of text that cannot be read what can be.
  static RunStyles read(const Workspace& workspace);
  /// Fails as the store does.
  Result<void> write(Workspace& workspace) const;

  /// The run's index, or -1 if it has none yet.
  int of(const std::string& run) const;
  /// Gives every one of `runs` an index if it has none: the lowest that none of `runs` has. Of two that look the same,
  /// for they were never beside each other before, the later one takes its colour with the dash, or whatever is free if
  /// that is taken; while all is taken they stay alike. True if any index is new.
  bool assign(const std::vector<std::string>& runs);
  /// The person's choice.
  void set(const std::string& run, int style) { styles_[run] = style; }

 private:
  std::map<std::string, int> styles_;
};

/// Colour as "#2F6FDE" and dash of a line: eight colours that colour-blind people can tell apart and both grounds
/// carry; from the ninth on the same, dashed.
struct SeriesStyle {
  const char* color;
  bool dashed;
};
SeriesStyle seriesStyle(int index);

}  // namespace batchwise
