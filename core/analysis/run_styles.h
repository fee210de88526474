// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
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
  /// Gives `runs`, which are shown together, different styles: each keeps its own, unless an earlier one has the same
  /// or it is dashed although eight colors are enough; then it gets the lowest free one. Returns whether a style has
  /// changed.
  bool assign(const std::vector<std::string>& runs);
  /// Sets the style chosen by the user.
  void set(const std::string& run, int style) { styles_[run] = style; }
  bool operator==(const RunStyles&) const = default;

 private:
  std::map<std::string, int> styles_;
};

/// Look of a line. Two of the eight colors of a background differ by at least 20 (CIEDE2000; Sharma et al. 2005), also
/// with protanopia, deuteranopia and tritanopia (Machado et al. 2009, severity 1), and each has a contrast ratio of at
/// least 3 to its background. From index 8 on they repeat, dashed.
struct SeriesStyle {
  const char* color;   ///< "#1A225A", on a light background (#FFFFFF); exports are light
  const char* onDark;  ///< the same series on a dark background (#22252B)
  bool dashed;
};
SeriesStyle seriesStyle(int index);

/// Returns a style for each of `groups` groups shown together: different colors for up to eight, the most different
/// ones first, then the same dashed.
std::vector<int> spreadStyles(std::size_t groups);

}  // namespace batchwise
