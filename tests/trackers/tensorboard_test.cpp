// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/trackers/run_source.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/trackers/event_files.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const fs::path kVectors = sourceRoot() / "tests/vectors/trackers";

std::map<std::string, std::vector<SeriesPoint>> seriesOf(const ReadNews& news) {
  std::map<std::string, std::vector<SeriesPoint>> series;
  for (const LoggedSeries& each : news.run.series) series[each.name] = each.points;
  return series;
}

/// Applies what TensorBoard's data server does: a step that goes back takes the place of what was there.
std::vector<SeriesPoint> withoutReplaced(const nlohmann::json& points) {
  std::vector<SeriesPoint> kept;
  for (const auto& point : points) {
    const auto step = point[0].get<std::int64_t>();
    while (!kept.empty() && kept.back().batch >= step) kept.pop_back();
    kept.push_back({step, point[2].is_string() ? std::stod(point[2].get<std::string>()) : point[2].get<double>()});
  }
  return kept;
}

void expectEqual(const std::vector<SeriesPoint>& found, const std::vector<SeriesPoint>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].batch, wanted[i].batch);
    if (std::isnan(wanted[i].value))
      EXPECT_TRUE(std::isnan(found[i].value));
    else
      EXPECT_EQ(found[i].value, wanted[i].value);
  }
}

TEST(TensorBoardTest, FindsWhatTensorBoardsOwnReaderFinds) {
  const auto expected = nlohmann::json::parse(std::ifstream(kVectors / "expected.json"));
  int runs = 0;
  for (const auto& [name, tags] : expected.items()) {
    if (isHparamsFolder(name)) continue;  // its settings are its parent's
    SCOPED_TRACE(name);
    ++runs;
    auto series = seriesOf(*checked(tensorBoardRun(kVectors / "events" / name)->read()));
    for (const auto& [tag, points] : tags.items()) {
      SCOPED_TRACE(tag);
      expectEqual(series[tag], withoutReplaced(points));
      series.erase(tag);
    }
    for (const char* clock : {"steps", "wall", "sec"}) EXPECT_EQ(series.erase(clock), 1U);
    EXPECT_THAT(series, IsEmpty());
  }
  EXPECT_EQ(runs, 3);
}

TEST(TensorBoardTest, TakesSettingsOfHparams) {
  const auto news = *checked(tensorBoardRun(kVectors / "events/torch/first")->read());
  const std::map<std::string, std::string> wanted = {
      {"lr", "0.001"}, {"nested", "1"}, {"optimizer", "adamw"}, {"seed", "7"}};
  EXPECT_EQ(news.run.config, wanted);
  EXPECT_EQ(news.run.startedMs, 1'764'000'000'000);
}

TEST(TensorBoardTest, ReadsOnWhereItHasEnded) {
  const TempFolder folder;
  const fs::path file = folder / "events.out.tfevents.1";
  const std::string last = scalarRecord("loss", 3, 1);
  append(file, scalarRecord("loss", 1, 3) + scalarRecord("loss", 2, 2) + last.substr(0, 20));
  const auto run = tensorBoardRun(folder.path());
  auto first = *checked(run->read());
  EXPECT_THAT(first.problems, IsEmpty());
  EXPECT_THAT(seriesOf(first)["loss"], SizeIs(2));
  EXPECT_FALSE(checked(run->read())->hasNews);
  append(file, last.substr(20));
  append(folder / "events.out.tfevents.2", scalarRecord("loss", 4, 0.5));
  EXPECT_THAT(seriesOf(*checked(run->read()))["loss"], SizeIs(2));
}

TEST(TensorBoardTest, ClocksFollowTheSeriesThatIsFarthest) {
  PointCollector points;
  for (int step = 0; step < 100; ++step) points.add("batch_loss", step * 10, 1, 1000 + step);
  points.add("epoch_loss", 1, 1, 1100);  // counts in other steps
  points.add("batch_loss", 500, 2, 1200);
  auto taken = points.take();
  const auto steps = std::ranges::find(taken, "steps", &LoggedSeries::name);
  ASSERT_NE(steps, taken.end());
  EXPECT_THAT(steps->points, SizeIs(51));  // began again at 500
  EXPECT_EQ(steps->points.back().batch, 500);
}

TEST(TensorBoardTest, NamesThePlaceOfDamage) {
  const TempFolder folder;
  const std::string good = scalarRecord("loss", 1, 3);
  std::string changed = scalarRecord("loss", 2, 2);
  changed[changed.size() - 6] ^= 1;  // in the value
  append(folder / "events.out.tfevents.1", good + changed + scalarRecord("loss", 3, 1));
  auto news = *checked(tensorBoardRun(folder.path())->read());
  EXPECT_THAT(seriesOf(news)["loss"], SizeIs(2));
  ASSERT_THAT(news.problems, SizeIs(1));
  EXPECT_THAT(news.problems[0], HasSubstr("at byte " + std::to_string(good.size())));

  std::string frame = scalarRecord("loss", 2, 2);
  frame[1] ^= 1;  // in the length
  const TempFolder other;
  append(other / "events.out.tfevents.1", good + frame + scalarRecord("loss", 3, 1));
  news = *checked(tensorBoardRun(other.path())->read());
  EXPECT_THAT(seriesOf(news)["loss"], SizeIs(1));
  ASSERT_THAT(news.problems, SizeIs(1));
  EXPECT_THAT(news.problems[0], HasSubstr("at byte " + std::to_string(good.size())));
}

TEST(TensorBoardTest, SurvivesAnyBytes) {
  std::string whole;
  for (const auto& entry : fs::directory_iterator(kVectors / "events/torch/first")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  ASSERT_GT(whole.size(), 10'000U);
  std::mt19937_64 random(1);
  for (int round = 0; round < repeats(300, 3'000); ++round) {
    std::string bytes = whole;
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    if (round % 3 != 0)
      for (int i = 0; i < 5; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    // Right checksums around damaged messages, as a hostile file has.
    if (round % 3 == 2) bytes = recordOf(bytes.substr(random() % 4'000, random() % 4'000)) + scalarRecord("end", 1, 1);
    const TempFolder folder;
    append(folder / "events.out.tfevents.1", bytes);
    const auto news = checked(tensorBoardRun(folder.path())->read());
    for (const LoggedSeries& series : news->run.series)
      EXPECT_TRUE(std::ranges::is_sorted(series.points, std::ranges::less_equal{}, &SeriesPoint::batch));
    EXPECT_EQ(seriesOf(*news).count("end"), round % 3 == 2 ? 1U : 0U);
  }
  // A length that no file has, with a right checksum.
  const TempFolder folder;
  std::string endless;
  appendNumber(endless, std::uint64_t{0xFFFF'FFFF'FFFF'FFF0});
  appendNumber(endless, maskedCrcOf(endless));
  append(folder / "events.out.tfevents.1", scalarRecord("loss", 1, 1) + endless + endless);
  EXPECT_THAT(seriesOf(*checked(tensorBoardRun(folder.path())->read()))["loss"], SizeIs(1));
}

}  // namespace
}  // namespace batchwise::test
