// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of the way from text to micro-batches, on one core; that of encoding is in tokenizer_json_vs_hf.py:
//   data_bench                                   all but the large preparations
//   data_bench --benchmark_filter=Prepare/1024   tokenizes 1 GiB and tells the peak of resident memory (run it alone)
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/text/demo_corpus.h"
#include "core/text/masking.h"
#include "core/text/prepare_data.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_trainer.h"
#include "tests/support/token_dataset.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

/// The text of BATCHWISE_BENCH_TEXT if set (real text has rarer words), else the demo corpus.
const std::string& benchText() {
  static const std::string text = [] {
    const char* path = std::getenv("BATCHWISE_BENCH_TEXT");
    if (path == nullptr) return demoCorpus({});
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

const Tokenizer& benchTokenizer() {
  static const Tokenizer tokenizer = [] {
    WordCounter counter(true);
    counter.add(benchText());
    return Tokenizer::bert(trainVocabulary(counter, 8192).value(), true);
  }();
  return tokenizer;
}

void countBytes(benchmark::State& state, std::size_t bytesPerRound) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytesPerRound) * static_cast<std::int64_t>(state.iterations()));
}

void CountWords(benchmark::State& state) {
  for (auto _ : state) {
    WordCounter counter(true);
    counter.add(benchText());
    benchmark::DoNotOptimize(counter.isEmpty());
  }
  countBytes(state, benchText().size());
}
BENCHMARK(CountWords)->Unit(benchmark::kMillisecond);

void TrainVocabulary(benchmark::State& state) {
  WordCounter counter(true);
  counter.add(benchText());
  for (auto _ : state) benchmark::DoNotOptimize(trainVocabulary(counter, static_cast<std::int32_t>(state.range(0))));
}
BENCHMARK(TrainVocabulary)->Arg(1024)->Arg(8192)->Unit(benchmark::kMillisecond);

void BuildMicroBatch(benchmark::State& state) {
  std::vector<std::vector<std::int32_t>> sequences(4096, std::vector<std::int32_t>(126, 100));
  const auto data = test::datasetOf(sequences, benchTokenizer().vocabulary().special(), 8192);
  const MaskSpec spec = MaskSpec::of(benchTokenizer().vocabulary(), 0.15);
  std::vector<std::int64_t> ids(32);
  std::iota(ids.begin(), ids.end(), 1000);
  for (auto _ : state) benchmark::DoNotOptimize(buildMicroBatch(data, ids, 0, {17, 1}, spec));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 32 * 128);  // tokens
}
BENCHMARK(BuildMicroBatch)->Unit(benchmark::kMicrosecond);

std::int64_t peakResidentKiB() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// From text files to mapped token files, vocabulary included; range(0): MiB of text, made of numbered words besides
/// the bench text, so that there are many different ones.
void Prepare(benchmark::State& state) {
  const fs::path folder = fs::temp_directory_path() / ("batchwise-bench-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::int64_t wanted = state.range(0) << 20;
  {
    std::ofstream file(folder / "text.txt", std::ios::binary);
    std::int64_t number = 0;
    for (std::int64_t bytes = 0; bytes < wanted;) {
      std::string piece = benchText().substr(0, 1 << 20);
      for (int i = 0; i < 2000; ++i) piece += " word" + std::to_string(number += 7919);
      piece += "\n\n";
      file << piece;
      bytes += std::ssize(piece);
    }
  }
  DataRequest request;
  request.train = {(folder / "text.txt").native()};
  request.tokenizer.vocabSize = 30'000;
  request.cacheFolder = folder / "cache";
  for (auto _ : state) {
    const auto prepared = prepareData(request, {}, {});
    if (!prepared.ok()) state.SkipWithError(prepared.error().text().c_str());
    state.PauseTiming();
    fs::remove_all(request.cacheFolder);
    state.ResumeTiming();
  }
  countBytes(state, static_cast<std::size_t>(wanted));
  state.counters["peakRssMiB"] = static_cast<double>(peakResidentKiB()) / 1024.0;
  fs::remove_all(folder);
}
BENCHMARK(Prepare)->Arg(16)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(Prepare)->Arg(1024)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace batchwise

BENCHMARK_MAIN();
