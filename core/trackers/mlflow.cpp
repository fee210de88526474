// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/import/config_import.h"
#include "core/trackers/other_runs.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostMetaBytes = 64 << 10;
constexpr std::int64_t kMostMetricBytes = 64 << 20;  // of a run
constexpr std::size_t kMostFiles = 20'000;

using Meta = std::map<std::string, std::string>;

Meta metaOf(const fs::path& folder) {
  const auto text = readFile(folder / kMlflowMeta, kMostMetaBytes);
  return text.ok() ? flatSettings(*text) : Meta();
}

/// Calls `take` with the files in a folder and those inside it, and their names below it: a name may have slashes.
void forEachFile(const fs::path& folder, const std::function<void(const fs::path&, const std::string&)>& take) {
  std::error_code failure, ignored;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end && count < kMostFiles;
       entry.increment(failure), ++count)
    if (entry->is_regular_file(ignored)) take(entry->path(), entry->path().lexically_relative(folder).generic_string());
}

/// A run, which is read as a whole whenever a file of it has changed.
class MlflowRun final : public RunSource {
 public:
  explicit MlflowRun(fs::path folder) : folder_(std::move(folder)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    std::map<std::string, FileState> states{{kMlflowMeta, fileState(folder_ / kMlflowMeta)}};
    news.run.writtenMs = states[kMlflowMeta].changedMs;
    if (hasEnded_ && states[kMlflowMeta] == states_[kMlflowMeta]) return news;
    std::int64_t bytes = 0;
    forEachFile(folder_ / "metrics", [&](const fs::path& file, const std::string& name) {
      const FileState its = states["metrics/" + name] = fileState(file);
      bytes += its.bytes;
      news.run.writtenMs = std::max(news.run.writtenMs, its.changedMs);
    });
    if (states == states_) return news;
    if (bytes > kMostMetricBytes)
      return Error::unsupported(formatText("'{}' has more than {} of metrics, so what is new in it is not read",
                                           folder_.native(), formatBytes(kMostMetricBytes)));
    const Meta meta = metaOf(folder_);
    if (!meta.contains("start_time"))
      return Error::corrupt("no run of MLflow").within((folder_ / kMlflowMeta).native());
    news.run.startedMs = numberNamed<std::int64_t>(meta, "start_time").value_or(0);
    if (const auto status = meta.find("status"); status != meta.end()) news.run.status = mlflowStatus(status->second);
    for (const char* kind : {"params", "tags"})
      forEachFile(folder_ / kind, [&](const fs::path& file, const std::string& name) {
        const auto value = readFile(file, kMostMetaBytes);
        if (value.ok() && !name.starts_with("mlflow."))
          addSetting(news.run.config, (*kind == 't' ? "tags." : "") + name, *value);
      });
    PointCollector points;
    forEachFile(folder_ / "metrics", [&](const fs::path& file, const std::string& name) {
      if (const auto text = readFile(file, kMostMetricBytes); text.ok())
        addLines(*text, file, name, points, news.problems);
    });
    news.hasNews = news.run.isWhole = true;
    news.run.series = points.take();
    hasEnded_ = news.run.status != RunStatus::Running;
    states_ = std::move(states);
    return news;
  }

 private:
  static void addLines(std::string_view text, const fs::path& file, const std::string& name, PointCollector& points,
                       std::vector<std::string>& problems) {
    std::int64_t number = 0, leftOut = 0;
    for (text = text.substr(0, text.rfind('\n') + 1); !text.empty(); ++number) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      const auto word = [&line] {
        const std::string_view first = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(line.size(), first.size() + 1));
        return first;
      };
      const auto time = numberFrom<double>(word()), value = numberFrom<double>(word());
      const auto step = numberFrom<std::int64_t>(word());
      if (time && value && step)
        points.add(name, *step, *value, *time / 1000);
      else if (leftOut++ == 0)
        problems.push_back(formatText("'{}': line {} has no time, value and step; such lines are left out",
                                      file.native(), number + 1));
    }
  }

  const fs::path folder_;
  std::map<std::string, FileState> states_;  // of the files that have been read
  bool hasEnded_ = false;
};

}  // namespace

RunTitle mlflowTitle(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder / "metrics", ignored)) return {};
  Meta meta = metaOf(folder), experiment = metaOf(folder.parent_path());
  if (meta["run_id"].empty() || meta["lifecycle_stage"] == "deleted") return {};
  return {experiment["name"] + "/" + (meta["run_name"].empty() ? meta["run_id"] : meta["run_name"]), {}};
}

std::unique_ptr<RunSource> mlflowRun(const fs::path& folder) {
  return std::make_unique<MlflowRun>(folder);
}

RunStatus mlflowStatus(std::string_view name) {
  if (name == "FINISHED" || name == "3") return RunStatus::Finished;
  if (name == "FAILED" || name == "4") return RunStatus::Failed;
  return name == "KILLED" || name == "5" ? RunStatus::Stopped : RunStatus::Running;
}

}  // namespace batchwise
