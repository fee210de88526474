// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/choice.h"
#include "core/base/result.h"
#include "core/store/external_run.h"

namespace batchwise {

/// Whose files a run of another program is in.
enum class RunSourceKind { TensorBoard, TrainerState, Lightning, Csv, JsonLines, Wandb, Mlflow, Trackio, Python };
template <>
inline constexpr auto kChoiceNames<RunSourceKind> = namesInFiles("tensorboard", "transformers", "lightning", "csv",
                                                                 "jsonl", "wandb", "mlflow", "trackio", "python");
/// Returns the name for people of a kind by its name in files: "TensorBoard".
std::string sourceTitle(std::string_view source);

/// What a list has of a run before its points are read.
struct RunTitle {
  std::string name;  ///< empty: that of its path
  std::vector<std::string> tags;
};

/// What a source has read.
struct ReadNews {
  ExternalRun run;                    ///< what is new; id and name are not set
  bool hasNews = false;               ///< the files have changed
  bool more = false;                  ///< there is more to read at once
  std::vector<std::string> problems;  ///< what could not be read, with file and place; what is around it was
};

/// The files of one run. Each read returns what is new since the last, at most about a million points. Not thread-safe.
class RunSource {
 public:
  virtual ~RunSource() = default;
  /// Fails with Io, NotFound, or Corrupt if nothing of it can be read.
  virtual Result<ReadNews> read() = 0;
};

constexpr std::size_t kPointsPerRead = 1'000'000;
constexpr std::size_t kMostRuns = 100'000;  ///< in a folder or database

/// Collects points in the order in which they were written, for one read after the other. Where a series goes back, the
/// program has started again from there: what it wrote before from that step on no longer counts.
/// Makes the series steps, wall and sec (seconds since the first point) from steps and times.
class PointCollector {
 public:
  /// `wallSec`: seconds since 1970 UTC; NaN if unknown. Leaves out negative steps, and names beyond 10,000.
  void add(std::string_view series, std::int64_t step, double value,
           double wallSec = std::numeric_limits<double>::quiet_NaN());
  std::size_t size() const { return size_; }
  /// Returns what was added since the last call.
  std::vector<LoggedSeries> take();
  /// Returns the time of the first point; 0 if unknown.
  std::int64_t startedMs() const;
  /// Adds to `problems` how many values were left out since the last call, and with `saysAgain` once that much of what
  /// was added lost its place to what came later.
  void tellLosses(const std::filesystem::path& path, bool saysAgain, std::vector<std::string>& problems);

 private:
  struct Series {
    std::string name;
    std::vector<SeriesPoint> points = {};  // since the last take()
    std::int64_t last = -1;
    /// Returns whether the program has started again.
    bool push(const SeriesPoint& point);
  };
  void addClocks(std::int64_t step, double wallSec);

  std::unordered_map<std::string, Series> series_;
  Series steps_{.name = "steps"}, wall_{.name = "wall"}, sec_{.name = "sec"};
  std::optional<double> firstWall_;
  std::size_t size_ = 0;
  std::int64_t leftOut_ = 0, added_ = 0, replaced_ = 0;
  bool saidAgain_ = false;
};

/// Adds a setting as a plain line, if there are not too many yet.
void addSetting(std::map<std::string, std::string>& config, std::string_view name, std::string_view value);
/// The same for a value as JSON has it; the members of an object become "name.member".
void addJsonSetting(std::map<std::string, std::string>& config, const std::string& name, std::string_view json);
/// Adds the settings of `hparams.yaml` in a folder, which Lightning writes; nothing if there is none.
void addHparamsFile(std::map<std::string, std::string>& config, const std::filesystem::path& folder);

/// Size and time of change of a file, by which a read notices that it has grown.
struct FileState {
  std::int64_t bytes = -1;
  std::int64_t changedMs = 0;
  bool operator==(const FileState&) const = default;
};
FileState fileState(const std::filesystem::path& file);
/// What has changed less than this ago may be half written, or change again without another time or size.
constexpr std::int64_t kSettledMs = 5'000;

// Event files of TensorBoard: TFRecord frames (length and content, each with a masked CRC-32C) around Event messages.
// Sources: tensorflow/core/util/event.proto, framework/summary.proto, tensorboard/plugins/hparams/*.proto.

bool isEventFileName(const std::filesystem::path& file);
/// Returns whether a file begins with a whole TFRecord header.
bool isEventFile(const std::filesystem::path& file);
/// Returns whether a folder is one that torch's add_hparams() makes in that of the run: its name is a time.
bool isHparamsFolder(const std::filesystem::path& folder);

/// Reads the scalars and hparams of all event files in a folder, or of one file.
std::unique_ptr<RunSource> tensorBoardRun(const std::filesystem::path& folderOrFile);

}  // namespace batchwise
