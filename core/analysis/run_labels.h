// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/store/workspace.h"

namespace batchwise {

// Names of runs and groups of runs in legends and tables.

/// Returns the runs in groups that differ in ignored fields (the seed) only, as indices in the order of the first
/// members. A run whose configuration is null or empty is a group of its own.
std::vector<std::vector<std::size_t>> seedGroups(const std::vector<const ConfigValues*>& configs,
                                                 const IgnoredFields& ignored = IgnoredFields::standard());

/// A run among repetitions of an experiment.
struct Repetition {
  std::string key;             ///< equal for runs with the same settings and seed; empty if unknown
  bool finished = false;       ///< it has reached its planned end
  std::int64_t createdMs = 0;  ///< milliseconds since 1970 UTC
};

/// Returns the seeds by which repetitions of one experiment differ, as one text.
std::string repetitionSeeds(const ConfigValues& config);

/// Returns for each run whether it counts in a mean and deviation over seeds: of those with the same key only the
/// newest finished one does, or the newest if none has finished. A run without a key counts.
std::vector<bool> countedRepetitions(const std::vector<Repetition>& runs);

struct LabeledGroup {
  std::vector<std::string> names;            ///< of its members, at least one
  std::vector<const ConfigValues*> configs;  ///< of its members; null or empty if it could not be read
  bool operator==(const LabeledGroup&) const = default;
};

/// Returns a label for each group, all different: its variant; or the common part of its members' names without their
/// seeds and numbers; or, where that is the same for several groups, the fewest settings that tell them apart ("ramp 8
/// to 64", "budget 1,600").
std::vector<std::string> distinctLabels(const std::vector<LabeledGroup>& groups);

/// Returns the common part of names that differ in a seed or number: "base" for "base-s1" and "base-s2"; the name
/// itself for one. Empty if nothing with a letter is common.
std::string commonStem(const std::vector<std::string>& names);

/// Returns whether a text fits into the room for a label.
using LabelFits = std::function<bool(const std::string& text)>;
/// Shortens names that do not fit by an ellipsis so that different names stay different: in the middle, or else without
/// what the equal ones have in common at their beginning, or else to the parts that differ, or else with a number.
/// Equal names are numbered.
std::vector<std::string> elided(const std::vector<std::string>& names, const LabelFits& fits);

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

}  // namespace batchwise
