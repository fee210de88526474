// SPDX-License-Identifier: GPL-3.0-or-later
// compare_bench [FOLDER [RUNS POINTS [ALL OTHERS [keep]]]]: how long it takes from a workspace to the list of its runs
// and to the curves, groups and table of some of them (default: 20 runs of 100,000 points, no others), on the disk of
// FOLDER. ALL: runs in the workspace, those that are not compared with OTHERS points each; keep: it stays, and its
// folder is told. Prints ratios to reading the points alone. Each run has one spike and one NaN.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/run_comparison.h"
#include "core/base/format.h"
#include "core/config/config_file.h"
#include "core/store/recording/run_writer.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

double lossOf(int number, int points, int batch) {
  if (batch == points / 2 + 7 * (number % 100)) return 20 + number;
  if (batch == points / 3 + 5 * (number % 100)) return std::nan("");
  return 2 + number * 0.01 + 8.0 / batch + (batch % 97) * 0.001;
}

/// A run that trains on.
struct GrowingRun {
  std::string id;
  std::unique_ptr<RunWriter> writer;
  int number = 0, points = 0;  // that it is made for
  MetricsRow row = {};

  void grow(int rows) {
    for (int i = 0; i < rows; ++i) {
      const auto batch = static_cast<int>(++row.at.batch);
      row.at.step = batch;
      row.at.token = std::int64_t{batch} * 32'768;
      row.at.seconds = batch * 0.1;
      row.loss = lossOf(number, points, batch);
      writer->publish(row);
    }
    orExit(writer->flush());
  }
};

/// Runs two and two alike but for the seed.
GrowingRun makeRun(const std::shared_ptr<Workspace>& workspace, int number, int points) {
  const LoadedConfig config =
      parseConfig("data: {train: [a.txt]}\nmax_duration: 1ep\nseed: " + std::to_string(number % 2) +
                      "\noptimizer: {lr: " + std::to_string(number / 2 + 1) + "e-4}\n",
                  "bench", {});
  NewRun run;
  run.name = "run-" + std::to_string(number);
  run.resolvedYaml = configToYaml(config.config, YamlScope::Everything);
  run.plannedBatches = points;
  GrowingRun made{orExit(workspace->createRun(run)), nullptr, number, points};
  made.writer = orExit(RunWriter::open(workspace, made.id, {}));
  RunStarted started;
  started.run = made.id;
  made.writer->publish(started);
  made.grow(points);
  return made;
}

std::string finish(GrowingRun run) {
  run.writer->publish(RunFinished{RunStatus::Finished, "", run.row.at, ""});
  orExit(run.writer->flush());
  return run.id;
}

struct Sizes {
  int runs = 20, points = 100'000, all = 20, others = 0;
};

/// The smallest of five: other programs on the machine only add to it.
struct Cost {
  double seconds = std::numeric_limits<double>::infinity();
  double processor = seconds;  // of all threads
};
void keepLeast(Cost& least, const std::function<void()>& work) {
  const std::clock_t begun = std::clock();
  least.seconds = std::min(least.seconds, secondsOf(work));
  least.processor = std::min(least.processor, static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
}
Cost leastCostOf(const std::function<void()>& work) {
  Cost least;
  for (int i = 0; i < 5; ++i) keepLeast(least, work);
  return least;
}

void print(const char* what, const Cost& cost, const std::string& besides) {
  std::printf("%-24s %8.1f ms, %8.1f ms of processor time   %s\n", what, cost.seconds * 1e3, cost.processor * 1e3,
              besides.c_str());
}

void benchList(const fs::path& folder) {
  std::size_t runs = 0;
  const Cost listing = leastCostOf([&] { runs = orExit(orExit(Workspace::open(folder))->listRuns()).size(); });
  print("opened and listed", listing, "(" + std::to_string(runs) + " runs)");
}

/// One of them trains on by 20 global batches between two comparisons. Tells how much of that is reading, which the
/// window does a second time for its charts.
void benchGrowing(const std::shared_ptr<Workspace>& workspace, std::vector<std::string> ids, int points) {
  constexpr int kRows = 20;
  GrowingRun run = makeRun(workspace, static_cast<int>(ids.size()) - 1, points);
  ids.back() = run.id;
  RunComparer comparer(*workspace);
  orExit(comparer.compare(ids, {}));
  Cost comparing, reading;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t last = run.row.at.batch;
    run.grow(kRows);
    keepLeast(comparing, [&] { orExit(comparer.compare(ids, {})); });
    keepLeast(reading, [&] {
      for (const char* series : {"loss", "tok", "sec"}) orExit(workspace->seriesAfter(run.id, series, last));
    });
  }
  print("while one trains", comparing, "");
  print("  its new rows read", reading, "");
}

void bench(const fs::path& folder, const Sizes& sizes) {
  const auto workspace = orExit(Workspace::open(folder / "w"));
  std::vector<std::string> ids;
  for (int i = 0; i < sizes.runs; ++i) ids.push_back(finish(makeRun(workspace, i, sizes.points)));
  for (int i = sizes.runs; i < sizes.all; ++i) finish(makeRun(workspace, i, sizes.others));
  benchList(folder / "w");
  if (ids.empty()) return;
  const Cost reading = leastCostOf([&] {
    for (const std::string& id : ids) orExit(workspace->series(id, "loss"));
  });
  std::printf("%d runs of %d points\n", sizes.runs, sizes.points);
  print("points read", reading, "");
  const auto measure = [&](const char* what, const ComparisonOptions& options) {
    const Cost cost = leastCostOf([&] { orExit(compareRuns(*workspace, ids, options)); });
    print(what, cost, "(" + formatExact(std::round(10 * cost.processor / reading.processor) / 10) + " x reading)");
  };
  ComparisonOptions options;
  measure("comparison", options);
  options.smoothing = 0.9;
  measure("  smoothed", options);
  options.groupBy = kGroupByExperiment;
  measure("  grouped by seed", options);
  const RunComparison comparison = orExit(compareRuns(*workspace, ids, {}));
  RunComparer comparer(*workspace);
  orExit(comparer.compare(ids, {}));
  print("compared again", leastCostOf([&] { orExit(comparer.compare(ids, {})); }), "");
  benchGrowing(workspace, ids, sizes.points);
  print("chart as SVG", leastCostOf([&] { figureSvg(figureOf(comparison, Scale::Linear), 24, 12); }), "");
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::string folder = (argc > 1 ? fs::path{argv[1]} : fs::temp_directory_path()) / "compare-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "compare_bench: cannot make a folder like '%s'\n", folder.c_str());
    return 1;
  }
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  batchwise::bench(folder, {number(2, 20), number(3, 100'000), number(4, 20), number(5, 0)});
  if (argc > 6) {
    std::printf("kept in %s\n", folder.c_str());
    return 0;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
