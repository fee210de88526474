// SPDX-License-Identifier: GPL-3.0-or-later
// store_bench [FOLDER]: speed of the store on the disk of FOLDER (default: the system's temporary folder). Each line
// gives a figure, and the ratio to a plain way of doing the same, measured in the same run.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/store/checkpoints/checkpoint_file.h"
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
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return seconds[2];
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

void writePlainly(const fs::path& path, const std::vector<std::byte>& bytes) {
  const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)};
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t done = ::write(file.get(), bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 8 << 20));
    if (done <= 0) std::exit(1);
    at += static_cast<std::size_t>(done);
  }
  if (::fsync(file.get()) != 0) std::exit(1);
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

void benchCheckpoint(const fs::path& folder) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr std::size_t kEntryBytes = std::size_t{16} << 20;
  std::vector<std::byte> bytes(kBytes);
  for (std::size_t i = 0; i + 8 <= kBytes; i += 8) {
    const std::uint64_t word = randomBits(1, i);
    std::memcpy(&bytes[i], &word, 8);
  }
  const double plain = medianSecondsOf([&] { writePlainly(folder / "plain", bytes); });
  const double checkpoint = medianSecondsOf([&] {
    auto writer = orExit(CheckpointWriter::create(folder / "c.sqlite", static_cast<std::int64_t>(kBytes)));
    for (std::size_t at = 0; at < kBytes; at += kEntryBytes)
      orExit(writer.add({std::to_string(at), "bytes", {}, static_cast<std::int64_t>(kEntryBytes)},
                        std::span{bytes}.subspan(at, kEntryBytes)));
    orExit(writer.finish({}));
  });
  const double verify = medianSecondsOf([&] { orExit(orExit(CheckpointReader::open(folder / "c.sqlite")).verify()); });
  const double mib = static_cast<double>(kBytes) / (1 << 20);
  std::printf("plain write and fsync    %10.0f MiB/s\n", mib / plain);
  std::printf("checkpoint written       %10.0f MiB/s  (%.2f of plain)\n", mib / checkpoint, plain / checkpoint);
  std::printf("checkpoint verified      %10.0f MiB/s\n", mib / verify);
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
  batchwise::benchCheckpoint(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
