// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/config_difference.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// Returns whether a stored series is a result of an evaluation that the runs table can show: any but its loss, which
/// every list has.
bool isScoreSeries(const std::string& name);

/// The evaluation of a run with the lowest finite loss; a NaN loss if it has none.
struct BestEvaluation {
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::int64_t batch = 0;
};

/// What the list of runs does not hold of a run: its configuration, its newest scores, the size of its checkpoints.
/// Read on the task queue when asked for, some hundred runs at a time, and again once the run has progressed. GUI
/// thread.
class RunFacts final : public QObject {
  Q_OBJECT

 public:
  explicit RunFacts(WorkspacePresenter& workspace, QObject* parent = nullptr);

  // Each returns nothing if it has not been read yet; then arrived() follows. A result is valid until then.

  /// Returns an empty configuration if it cannot be read.
  const ConfigValues* config(const RunSummary& run);
  /// Returns a number that is the same for runs that differ in the seed only.
  std::optional<std::size_t> experiment(const RunSummary& run);
  /// Returns NaN if the run has no such series.
  std::optional<double> score(const RunSummary& run, const std::string& series);
  std::optional<std::int64_t> checkpointBytes(const RunSummary& run);
  std::optional<BestEvaluation> bestEvaluation(const RunSummary& run);

 Q_SIGNALS:
  void arrived();

 private:
  enum Part { Configs, Figures, PartCount };
  /// A run as the list had it when something of it was asked for; another one is read again, whether or not the last
  /// reading has succeeded.
  struct Asked {
    std::string run;
    std::int64_t batch = 0, checkpoints = 0;  // Figures only
    std::int64_t endedMs = 0;                 // Configs only: a resume may change the configuration
    bool operator==(const Asked&) const = default;
  };
  struct Config {
    Asked asked;
    ConfigValues values;
    std::optional<std::size_t> experiment;  // none if it cannot be read
  };
  struct FiguresOfRun {
    Asked asked;
    std::map<std::string, double> scores;
    std::int64_t bytes = 0;
    BestEvaluation best;
  };
  struct Page;

  void clear();
  void want(Part part, const Asked& asked);
  void readNext();
  void receive(Page page);
  const Config* findConfig(const RunSummary& run);
  const FiguresOfRun* findFigures(const RunSummary& run);

  WorkspacePresenter& workspace_;
  std::unordered_map<std::string, Config> configs_;
  std::unordered_map<std::string, FiguresOfRun> figures_;
  std::map<std::string, std::size_t> experiments_;     // numbers by experimentKey()
  std::unordered_set<std::string> wanted_[PartCount];  // also those being read
  std::vector<Asked> queue_[PartCount];                // to be read, in the order asked for
  bool reading_ = false;
};

}  // namespace batchwise
