// SPDX-License-Identifier: GPL-3.0-or-later
// store_bench [FOLDER]: how fast rows of metrics are written and read on the disk of FOLDER (default: the system's
// temporary folder). checkpoint_bench measures checkpoints.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

/// The middle one of five.
double medianSecondsOf(const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) seconds.push_back(secondsOf(work));
  return median(seconds);
}

MetricsRow rowOf(std::int64_t batch) {
  MetricsRow row;
  row.at.batch = row.at.step = batch;
  row.at.sample = batch * 256;
  row.at.token = batch * 32'768;
  row.loss = 10.0 / static_cast<double>(batch);
  row.devices = {{"cuda:0", 1, 2, 3, 4}, {"cuda:1", 1, 2, 3, 4}};
  return row;
}

void benchRows(const fs::path& folder) {
  constexpr std::int64_t kRows = 100'000;
  const auto workspace = orExit(Workspace::open(folder / "w"));
  const std::string run = orExit(workspace->createRun({}));
  double published = 0;
  const double total = secondsOf([&] {
    const auto writer = orExit(RunWriter::open(workspace, run, {}));
    published = secondsOf([&] {
      for (std::int64_t batch = 1; batch <= kRows; ++batch) writer->publish(rowOf(batch));
    });
    orExit(writer->flush());
  });
  const double rowBytes = static_cast<double>(fs::file_size(folder / "w" / "workspace.sqlite")) / kRows;
  std::printf("metrics rows written     %10.0f /s     (%.0f bytes per row of 24 series; publish() %.2f us)\n",
              kRows / total, rowBytes, published / kRows * 1e6);

  std::size_t points = 0;
  const double all = medianSecondsOf([&] { points = orExit(workspace->series(run, "loss")).size(); });
  std::printf("points read              %10.0f /s     (all %zu of a series: %.1f ms)\n",
              static_cast<double>(points) / all, points, all * 1e3);
  std::size_t buckets = 0;
  const double chart =
      medianSecondsOf([&] { buckets = orExit(workspace->seriesBuckets(run, "loss", 1, kRows, 1000)).size(); });
  std::printf("chart of 1000 columns    %10.2f ms     (%zu buckets; %.1f x faster than all points)\n", chart * 1e3,
              buckets, all / chart);
  const double follow = medianSecondsOf([&] { orExit(workspace->seriesAfter(run, "loss", kRows - 10)); });
  std::printf("newest 10 points         %10.3f ms\n", follow * 1e3);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::string folder = (argc > 1 ? fs::path{argv[1]} : fs::temp_directory_path()) / "store-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "store_bench: cannot make a folder like '%s'\n", folder.c_str());
    return 1;
  }
  batchwise::benchRows(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
