// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/workspace_dump.h"

#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "core/store/records.h"

namespace batchwise::test {
namespace {

std::ostream& operator<<(std::ostream& out, const std::optional<double>& value) {
  if (value) return out << std::bit_cast<std::uint64_t>(*value);
  return out << "none";
}

std::string figuresOf(const RunSummary& run) {
  std::ostringstream out;
  out << timestampText(run.at) << '|' << run.loss << '|' << run.evalLoss << '|' << run.learningRate << '|'
      << run.samplesPerSec << '|' << run.tokensPerSec;
  return out.str();
}

std::string labelsOf(const RunSummary& run) {
  std::ostringstream out;
  out << run.id << '|' << run.name << '|' << choiceName(run.status) << '|' << run.reason << '|' << run.createdMs << '|'
      << run.endedMs << '|' << run.plannedBatches << '|' << run.checkpoints << '|' << run.parent << '|' << run.archived
      << '|' << run.note;
  for (const std::string& tag : run.tags) out << '|' << tag;
  return out.str();
}

std::string textOf(const RunDetail& run) {
  std::ostringstream out;
  out << run.configYaml << '|' << run.resolvedYaml;
  for (const auto& [name, value] : run.resolvedValues) out << '|' << name << '=' << value;
  for (const auto& [name, value] : run.references) out << '|' << name << '=' << std::optional{value};
  for (const RunSegment& segment : run.segments)
    out << '|' << segment.number << ' ' << timestampText(segment.from) << ' ' << segment.checkpoint << ' '
        << segment.startedMs << ' ' << segment.host << ' ' << segment.environment;
  return out.str();
}

std::string textOf(const std::vector<SeriesPoint>& points) {
  std::ostringstream out;
  for (const SeriesPoint& point : points) out << point.batch << ':' << std::optional{point.value} << ' ';
  return out.str();
}

std::string textOf(const std::vector<SeriesBucket>& buckets) {
  std::ostringstream out;
  for (const SeriesBucket& one : buckets)
    out << one.firstBatch << '-' << one.lastBatch << ':' << std::optional{one.minimum} << ' '
        << std::optional{one.maximum} << ' ' << one.count << ' ';
  return out.str();
}

std::string textOf(const std::vector<StoredEvent>& events) {
  std::ostringstream out;
  for (const StoredEvent& event : events)
    out << event.id << ' ' << event.segment << ' ' << event.wallMs << ' ' << event.superseded << ' '
        << eventToLine(event.event) << '\n';
  return out.str();
}

std::string textOf(const std::vector<CheckpointRecord>& records) {
  std::ostringstream out;
  for (const CheckpointRecord& one : records)
    out << one.id << ' ' << one.segment << ' ' << timestampText(one.at) << ' ' << one.file << ' ' << one.bytes << ' '
        << one.createdMs << ' ' << one.reason << ' ' << one.metric << ' ' << one.pinned << one.verified << one.finite
        << '\n';
  return out.str();
}

class Dumper {
 public:
  explicit Dumper(const Workspace& workspace) : workspace_(workspace) {}

  WorkspaceDump dump() {
    const auto runs = workspace_.listRuns(true);
    if (!runs.ok()) dump_.errors.push_back(runs.error());
    if (runs.ok()) note("number of runs", Result<std::string>(std::to_string(runs->size())));
    if (runs.ok())
      for (const RunSummary& run : *runs) addRun(run);
    if (const auto setting = workspace_.setting("layout"); setting.ok())
      note("labels of the workspace", Result<std::string>(setting->value_or("none")));
    return std::move(dump_);
  }

 private:
  void note(const std::string& what, const Result<std::string>& text) {
    if (text.ok()) {
      dump_.shown[what] = *text;
    } else {
      dump_.errors.push_back(text.error());
    }
  }
  template <typename T>
  void add(const std::string& what, const Result<T>& value) {
    note(what, value.ok() ? Result<std::string>(textOf(*value)) : Result<std::string>(value.error()));
  }
  void addRun(const RunSummary& run) {
    note("figures " + run.id, figuresOf(run));
    note("labels " + run.id, labelsOf(run));
    add("detail " + run.id, workspace_.findRun(run.id));
    add("events " + run.id, workspace_.events(run.id));
    add("checkpoints " + run.id, workspace_.checkpoints(run.id));
    const auto names = workspace_.seriesNames(run.id);
    if (!names.ok()) return dump_.errors.push_back(names.error());
    note("number of series " + run.id, std::to_string(names->size()));
    for (const std::string& name : *names) {
      add("series " + run.id + " " + name, workspace_.series(run.id, name));
      add("buckets " + run.id + " " + name, workspace_.seriesBuckets(run.id, name, 0, 4000, 40));
    }
  }

  const Workspace& workspace_;
  WorkspaceDump dump_;
};

}  // namespace

WorkspaceDump dumpOf(const Workspace& workspace) {
  return Dumper(workspace).dump();
}

void expectNothingElse(const WorkspaceDump& dump, const WorkspaceDump& truth) {
  for (const auto& [what, text] : dump.shown) {
    const auto known = truth.shown.find(what);
    ASSERT_NE(known, truth.shown.end()) << what << " was never stored";
    ASSERT_EQ(known->second, text) << what;
  }
}

}  // namespace batchwise::test
