// SPDX-License-Identifier: GPL-3.0-or-later
// compare_bench [FOLDER [RUNS POINTS]]: how long it takes from runs in a workspace to the curves, groups and table of their
// comparison (default: 20 runs of 100,000 points), on the disk of FOLDER. Prints a ratio to reading the points alone.
#include <algorithm>
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
  const LoadedConfig config = parseConfig("data: {train: [a.txt]}\nmax_duration: 1ep\nseed: " + std::to_string(number % 2) +
                                              "\noptimizer: {lr: " + std::to_string(number / 2 + 1) + "e-4}\n",
                                          "bench", {});
  NewRun run;
  run.resolvedYaml = configToYaml(config.config, YamlScope::Everything);
  run.name = "run-" + std::to_string(number);
  const std::string id = orExit(workspace->createRun(run));
  const auto writer = orExit(RunWriter::begin(workspace, id, {}));
  MetricsRow row;
  for (int batch = 1; batch <= points; ++batch) {
    row.at.batch = row.at.step = batch;
    row.at.sample = std::int64_t{batch} * 256;
    row.at.token = std::int64_t{batch} * 32'768;
    row.at.seconds = batch * 0.1;
    row.loss = 2 + number * 0.01 + 8.0 / batch + (batch % 97) * 0.001;
    writer->publish(row);
  }
  if (const auto done = writer->flush(); !done.ok()) std::exit(1);
  return id;
}

void bench(const fs::path& folder, int runs, int points) {
  const auto workspace = orExit(Workspace::open(folder / "w"));
  std::vector<std::string> ids;
  for (int i = 0; i < runs; ++i) ids.push_back(makeRun(workspace, i, points));
  const double reading = leastSecondsOf([&] {
    for (const std::string& id : ids) orExit(workspace->series(id, "loss"));
  });
  std::printf("%d runs of %d points\n", runs, points);
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
  batchwise::bench(folder, argc > 2 ? std::atoi(argv[2]) : 20, argc > 3 ? std::atoi(argv[3]) : 100'000);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
