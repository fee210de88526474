// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace batchwise {

/// Line styles (indices for seriesStyle) by run id. Assigned once and stored in the workspace, so that a run looks the
/// same in every list, chart and export.
class RunStyles {
 public:
  /// Reads the styles stored in the workspace, ignoring invalid entries.
  static RunStyles read(const Workspace& workspace);
  /// Fails as the store does.
  Result<void> write(Workspace& workspace) const;

  /// Returns the style of the run, or -1 if it has none.
  int of(const std::string& run) const;
  /// Assigns the lowest free style to each of `runs` without one. If two runs look the same because they were never
  /// shown together, the later one gets the dashed variant of its color, or any free style; if none is free, they stay
  /// alike. Returns whether a style has changed.
  bool assign(const std::vector<std::string>& runs);
  /// Sets the style chosen by the user.
  void set(const std::string& run, int style) { styles_[run] = style; }

 private:
  std::map<std::string, int> styles_;
};

/// Color ("#2F6FDE") and dash of a line: eight colors that are distinguishable with color blindness and on light and
/// dark backgrounds, then the same dashed.
struct SeriesStyle {
  const char* color;
  bool dashed;
};
SeriesStyle seriesStyle(int index);

}  // namespace batchwise
