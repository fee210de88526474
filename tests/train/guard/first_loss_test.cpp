// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "core/train/guard/detectors.h"

namespace batchwise {
namespace {

MetricsRow rowOf(std::int64_t batch, double loss) {
  MetricsRow row;
  row.at.batch = batch;
  row.loss = loss;
  return row;
}

TEST(FirstLossTest, SaysHowTheRowComparesWithTheEarlierOne) {
  struct Case {
    double loss;
    std::optional<EarlierLoss> earlier;
    NoteLevel level;
    const char* says;
  };
  const Case cases[] = {
      {2.5, EarlierLoss{6, 2.5}, NoteLevel::Info, "(6ba) has the same loss as before, 2.5, equal to the last bit"},
      {std::nan(""), EarlierLoss{6, std::nan("")}, NoteLevel::Info, "equal to the last bit"},
      {std::nextafter(2.5, 3.0), EarlierLoss{6, 2.5}, NoteLevel::Info, "no more than rounding"},
      {2.75, EarlierLoss{6, 2.5}, NoteLevel::Warning, "has a loss of 2.75 and had 2.5 before: it differs by 0.25"},
      {2.25, EarlierLoss{6, 2.5}, NoteLevel::Warning, "differs by -0.25"},
      {std::nan(""), EarlierLoss{6, 2.5}, NoteLevel::Warning, "has a loss of nan and had 2.5"},
      {2.5, EarlierLoss{7, 2.5}, NoteLevel::Info, "no earlier row to compare its loss with"},
      {2.5, std::nullopt, NoteLevel::Info, "no earlier row to compare its loss with"},
  };
  for (const Case& one : cases) {
    const RunNote note = compareFirstLoss(rowOf(6, one.loss), one.earlier);
    EXPECT_EQ(note.level, one.level) << note.text;
    EXPECT_NE(note.text.find(one.says), std::string::npos) << note.text;
    EXPECT_EQ(note.at.batch, 6);
  }
}

}  // namespace
}  // namespace batchwise
