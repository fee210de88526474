// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

std::vector<ExampleScore> examplesOf(const Texts& labels, const Texts& predictions) {
  std::vector<ExampleScore> examples;
  for (std::size_t i = 0; i < labels.size(); ++i)
    examples.push_back(
        {static_cast<std::int64_t>(i), labels[i], predictions[i], labels[i] == predictions[i] ? 1.0 : 0.0});
  return examples;
}

Texts textsOf(const Numbers& numbers) {
  Texts texts;
  for (const double number : numbers) texts.push_back(nlohmann::json(number).dump());
  return texts;
}

TEST(MetricsTest, AgreeWithScikitLearnAndScipy) {
  const auto vectors = nlohmann::json::parse(std::ifstream(sourceRoot() / "tests/vectors/metrics.json"));
  int compared = 0;
  for (const auto& one : vectors.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    ++compared;
    const auto expect = [&](const char* metric, double found) {
      EXPECT_NEAR(found, one.at(metric).get<double>(), 1e-12) << metric;
    };
    if (one.at("kind") == "classes") {
      const auto labels = one.at("labels").get<Texts>(), predictions = one.at("predictions").get<Texts>();
      const auto examples = examplesOf(labels, predictions);
      for (const char* metric : {"accuracy", "f1", "f1_macro", "matthews"}) expect(metric, scoreOf(metric, examples));
    } else if (one.at("kind") == "numbers") {
      const auto x = one.at("x").get<Numbers>(), y = one.at("y").get<Numbers>();
      const auto examples = examplesOf(textsOf(x), textsOf(y));
      for (const char* metric : {"pearson", "spearman"}) expect(metric, scoreOf(metric, examples));
    } else {
      expect("ndcg", ndcgAt10(one.at("ranked").get<Numbers>(), one.at("relevant").get<Numbers>()));
    }
  }
  EXPECT_GE(compared, 10);
}

TEST(MetricsTest, F1OfTwoClassesIsThatOfTheOneThatSortsLast) {
  const Texts labels{"2", "10", "10", "2"}, predictions{"10", "10", "10", "2"};
  EXPECT_DOUBLE_EQ(scoreOf("f1", examplesOf(labels, predictions)), 0.8) << "by value";
}

TEST(MetricsTest, WhatIsNotDefinedIsZero) {
  for (const char* metric : {"accuracy", "f1", "f1_macro", "matthews", "pearson", "spearman", "ndcg_at_10"})
    EXPECT_EQ(scoreOf(metric, {}), 0) << metric;
  const Texts ones{"1", "1"}, zeros{"0", "0"};
  EXPECT_EQ(scoreOf("matthews", examplesOf(ones, ones)), 0);
  EXPECT_EQ(scoreOf("f1", examplesOf(zeros, zeros)), 1) << "of the only class";
  EXPECT_EQ(scoreOf("pearson", examplesOf(ones, {"1", "2"})), 0);
  EXPECT_EQ(scoreOf("spearman", examplesOf({"1", "nan"}, {"1", "2"})), 0);
  EXPECT_EQ(ndcgAt10(Numbers{0, 0}, {}), 0);
}

TEST(MetricsTest, WeightsAreRepetitions) {
  const auto examples = examplesOf({"1", "2", "3", "2", "1", "3"}, {"1", "3", "3", "2", "2", "1"});
  const Numbers weights{2, 0, 1, 3, 1, 2};
  std::vector<ExampleScore> repeated;
  for (std::size_t i = 0; i < examples.size(); ++i)
    repeated.insert(repeated.end(), static_cast<std::size_t>(weights[i]), examples[i]);
  for (const char* metric : {"accuracy", "f1", "f1_macro", "matthews", "pearson", "spearman"})
    EXPECT_NEAR(weightedMetric(metric, examples)(weights), scoreOf(metric, repeated), 1e-12) << metric;
}

}  // namespace
}  // namespace batchwise::test
