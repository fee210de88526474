// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/text/text_check.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using test::TempFolder;
using test::writeText;

class TextOverlapTest : public testing::Test {
 protected:
  TextOverlap overlap(const std::string& train, const std::string& evaluated, TextFormat format = TextFormat::Text) {
    const std::string name = std::to_string(files_++);
    OverlapJob job;
    job.format = format;
    job.textField = "text";
    job.cacheFolder = folder_.path();
    FileIdentities identities(folder_ / "files.json");
    const auto read = [&](const std::string& file, const std::string& text) {
      return identities.of({writeText(folder_ / file, text)}, [](auto, auto) {}, {}).value();
    };
    job.train = read("train" + name, train);
    job.evaluated = {read("eval" + name, evaluated)};
    const auto report = [this](std::int64_t, std::int64_t) { ++reports_; };
    const auto first = findOverlap(job, report, {}).value();
    std::stop_source stop;
    stop.request_stop();
    const auto again = findOverlap(job, report, stop.get_token()).value();  // from the cache
    EXPECT_EQ(again.front().shared, first.front().shared);
    EXPECT_EQ(again.front().documents, first.front().documents);
    return first.front();
  }

  TempFolder folder_;
  int files_ = 0, reports_ = 0;
};

TEST_F(TextOverlapTest, DocumentsAreFoundWhereverTheyStand) {
  const std::string one = "the first line of it\nand its second line", two = "another document\nof two lines";
  const TextOverlap found =
      overlap("nothing\n\n" + two + "\n\nmore\n\n" + one + "\n", one + "\n\nnew\n\n" + two + "\n");
  EXPECT_EQ(found.documents, 3);
  EXPECT_EQ(found.shared, 2);
}

TEST_F(TextOverlapTest, OneMoreLineHidesNothing) {
  const std::string text = "the first line of it\nand its second line\nand the third one";
  EXPECT_EQ(overlap("A heading\n" + text, text).shared, 1);
  EXPECT_EQ(overlap(text, "A heading\n" + text + "\n").shared, 1);
  EXPECT_EQ(overlap(text + "\nthe end", "  " + text + "  \r\n").shared, 1) << "nor does white space";
  EXPECT_EQ(overlap("and its second line", text).shared, 0) << "less than half of it";
}

TEST_F(TextOverlapTest, EveryFormatHasDocuments) {
  EXPECT_EQ(overlap("a line\nb line\n", "b line\nc line\n", TextFormat::Lines).shared, 1);
  EXPECT_EQ(
      overlap("{\"text\": \"b line\"}\n", "{\"text\": \"b line\", \"id\": 3}\n{\"text\": \"c\"}\n", TextFormat::Jsonl)
          .shared,
      1);
  EXPECT_EQ(overlap("a line\n", "", TextFormat::Lines).documents, 0);
}

}  // namespace
}  // namespace batchwise
