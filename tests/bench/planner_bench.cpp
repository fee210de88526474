// SPDX-License-Identifier: GPL-3.0-or-later
// How fast packs are planned, how full they are, and what a plan over a large mapped file costs.
// planner_bench [SEQUENCES]: 100,000,000 by default (a file of 200 MB in the temporary folder). Prints one line per
// figure with the bound it is held to; ends with 1 if one is missed.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/plan/lengths.h"
#include "core/plan/pack_source.h"
#include "core/plan/plan.h"

namespace {

using namespace batchwise;
constexpr std::int64_t kBudget = 65'536;
int missed = 0;

/// Processor time of this thread: planning is single-threaded, and other work on the machine must not count.
double nowSec() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double secondsSince(double start) {
  return nowSec() - start;
}

void report(const char* what, double value, const char* unit, double bound, bool atMost) {
  const bool fine = atMost ? value <= bound : value >= bound;
  if (!fine) ++missed;
  std::printf("%-44s %10.3f %-9s (%s %g)%s\n", what, value, unit, atMost ? "at most" : "at least", bound,
              fine ? "" : "  MISSED");
}

/// Lengths as texts have them: lognormal, cut to [1, 512], mean 226.
std::filesystem::path writeLengths(std::int64_t count) {
  const auto path = std::filesystem::temp_directory_path() / ("planner_bench_" + std::to_string(count) + ".u16");
  if (std::filesystem::exists(path) && std::filesystem::file_size(path) == static_cast<std::uintmax_t>(count) * 2)
    return path;
  std::mt19937_64 random(17);
  std::lognormal_distribution<double> lengths(5.27, 0.6);
  std::ofstream file(path, std::ios::binary);
  std::vector<std::uint16_t> block;
  for (std::int64_t done = 0; done < count;) {
    block.clear();
    for (; done < count && block.size() < 65'536; ++done)
      block.push_back(static_cast<std::uint16_t>(std::clamp(std::lround(lengths(random)), 1L, 512L)));
    file.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(block.size() * 2));
  }
  return path;
}

/// Anonymous memory of the process in MB: what is ours, without mapped files.
double ownMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::stod(line.substr(8)) / 1024.0;
  return 0.0;
}

TrainConfig configOf(PackMethod packing, bool shuffle) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.maxDuration = Time::of(1, TimeUnit::Epoch);
  config.data.shuffle = shuffle;
  config.batch.globalTrainBatchSize = 8;
  config.batch.tokens.maxTokens = kBudget;
  config.batch.tokens.packing = packing;
  return config;
}

/// Plans a whole epoch; nanoseconds per sequence and the fill.
void measurePlanning(const char* name, const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                     double bound, double fillBound) {
  const auto rules = packRules(config.batch.tokens, config.batch.globalTrainBatchSize);
  double best = 1e9;
  double fill = 0;
  for (int round = 0; round < 3; ++round) {
    const auto source = PackSource::make(config, lengths, *rules);
    const auto start = nowSec();
    fill = (*source)->fill(0);
    best = std::min(best, secondsSince(start) * 1e9 / static_cast<double>(lengths->size()));
  }
  report((std::string{name} + ", per sequence").c_str(), best, "ns", bound, true);
  report((std::string{name} + ", fill").c_str(), fill * 100.0, "%", fillBound, false);
}

void measureLargeFile(const std::filesystem::path& path) {
  const double before = ownMegabytes();
  const auto start = nowSec();
  const auto lengths = openLengths(path);
  const double opened = secondsSince(start);
  auto config = configOf(PackMethod::InOrder, true);
  const auto plan = Plan::resolve(config, *lengths, {});
  const auto batch = plan->globalBatchAt({});
  const auto units = plan->unitsOf(0, batch->steps[0]);
  report("opening the lengths and the first batch", secondsSince(start) * 1e3, "ms", 50.0, true);
  std::printf("  of it opening, one pass over the file        %10.3f ms\n", opened * 1e3);
  Timestamp far;
  far.unitInEpoch = 1'000'000'000;  // any number: the window is found by the samples
  far.sampleInEpoch = ((*lengths)->size() / 2) / PackSource::kWindow * PackSource::kWindow;
  const auto seek = nowSec();
  const auto there = plan->globalBatchAt(far);
  report("a seek to the middle", secondsSince(seek) * 1e3, "ms", 50.0, true);
  (void)plan->totals();
  report("own memory after planning a whole epoch", ownMegabytes() - before, "MB", 64.0, true);
  std::printf("  (%lld sequences, first batch of %zu packs, middle %s)\n", static_cast<long long>((*lengths)->size()),
              units->size(), there.ok() ? "found" : there.error().message.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc > 1 ? std::stoll(argv[1]) : 100'000'000;
  const auto path = writeLengths(count);
  const auto small = openLengths(writeLengths(std::min<std::int64_t>(count, 4'000'000)));
  std::printf("lognormal lengths, mean %.1f of %u, budget %lld\n",
              static_cast<double>((*small)->totalTokens()) / static_cast<double>((*small)->size()), (*small)->longest(),
              static_cast<long long>(kBudget));
  measurePlanning("in order", configOf(PackMethod::InOrder, false), *small, 20.0, 99.7);
  measurePlanning("shuffled", configOf(PackMethod::InOrder, true), *small, 40.0, 99.7);
  measurePlanning("best fit, file order", configOf(PackMethod::BestFit, false), *small, 60.0, 99.9);
  measurePlanning("best fit, shuffled", configOf(PackMethod::BestFit, true), *small, 60.0, 99.9);
  measureLargeFile(path);
  return missed == 0 ? 0 : 1;
}
