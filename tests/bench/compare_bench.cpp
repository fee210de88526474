// SPDX-License-Identifier: GPL-3.0-or-later
// compare_bench [FOLDER [RUNS POINTS [ALL OTHERS [keep]]]]: how long it takes from a workspace to the list of its runs
// and to the curves, groups and table of some of them (default: 20 runs of 100,000 points, no others), on the disk of
// FOLDER. ALL: runs in the workspace, those that are not compared with OTHERS points each; keep: it stays, and its
// folder is told. Prints ratios to reading the points alone. Each run has one spike and one NaN.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "core/analysis/run_comparison.h"
#include "core/analysis/svg.h"
#include "core/config/config_file.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

/// The smallest of five: other programs on the machine only add to it.
double leastSecondsOf(const std::function<void()>& work) {
  double least = secondsOf(work);
  for (int i = 0; i < 4; ++i) least = std::min(least, secondsOf(work));
  return least;
}

std::string makeRun(const std::shared_ptr<Workspace>& workspace, int number, int points) {
  const LoadedConfig config =
      parseConfig("data: {train: [a.txt]}\nmax_duration: 1ep\nseed: " + std::to_string(number % 2) +
                      "\noptimizer: {lr: " + std::to_string(number / 2 + 1) + "e-4}\n",
                  "bench", {});
  NewRun run;
  run.resolvedYaml = configToYaml(config.config, YamlScope::Everything);
  run.name = "run-" + std::to_string(number);
  const std::string id = orExit(workspace->createRun(run));
  if (points == 0) return id;
  const auto writer = orExit(RunWriter::begin(workspace, id, {}));
  MetricsRow row;
  for (int batch = 1; batch <= points; ++batch) {
    row.at.batch = row.at.step = batch;
    row.at.sample = std::int64_t{batch} * 256;
    row.at.token = std::int64_t{batch} * 32'768;
    row.at.seconds = batch * 0.1;
    row.loss = 2 + number * 0.01 + 8.0 / batch + (batch % 97) * 0.001;
    if (batch == points / 2 + 7 * number) row.loss = 20 + number;
    if (batch == points / 3 + 5 * number) row.loss = std::nan("");
    writer->publish(row);
  }
  if (const auto done = writer->flush(); !done.ok()) std::exit(1);
  return id;
}

struct Sizes {
  int runs = 20, points = 100'000, all = 20, others = 0;
};

void benchList(const fs::path& folder) {
  std::size_t runs = 0;
  const double listing = leastSecondsOf([&] { runs = orExit(orExit(Workspace::open(folder))->listRuns()).size(); });
  std::printf("opened and listed        %8.1f ms     (%zu runs)\n", listing * 1e3, runs);
}

void bench(const fs::path& folder, const Sizes& sizes) {
  const auto workspace = orExit(Workspace::open(folder / "w"));
  std::vector<std::string> ids;
  for (int i = 0; i < sizes.runs; ++i) ids.push_back(makeRun(workspace, i, sizes.points));
  for (int i = sizes.runs; i < sizes.all; ++i) makeRun(workspace, i, sizes.others);
  benchList(folder / "w");
  if (ids.empty()) return;
  const double reading = leastSecondsOf([&] {
    for (const std::string& id : ids) orExit(workspace->series(id, "loss"));
  });
  std::printf("%d runs of %d points\n", sizes.runs, sizes.points);
  std::printf("points read              %8.1f ms\n", reading * 1e3);
  const auto measure = [&](const char* what, const ComparisonOptions& options) {
    const double seconds = leastSecondsOf([&] { orExit(compareRuns(*workspace, ids, options)); });
    std::printf("%-24s %8.1f ms     (%.1f x reading)\n", what, seconds * 1e3, seconds / reading);
  };
  ComparisonOptions options;
  measure("comparison", options);
  options.smoothing = 0.9;
  measure("  smoothed", options);
  options.groupBy = kGroupByExperiment;
  measure("  grouped by seed", options);
  const RunComparison comparison = orExit(compareRuns(*workspace, ids, {}));
  const double drawing = leastSecondsOf([&] { figureSvg(figureOf(comparison, Scale::Linear), 24, 12); });
  std::printf("chart as SVG             %8.1f ms\n", drawing * 1e3);
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
