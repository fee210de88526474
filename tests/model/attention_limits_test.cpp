// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/model/device_error.h"
#include "core/model/padded_attention.h"

namespace batchwise {
namespace {

TEST(AttentionLimitsTest, FlashAttentionIsForHalfPrecisionSinceAmpere) {
  for (const int major : {7, 8, 9, 12}) {
    EXPECT_FALSE(hasFlashAttention(c10::kFloat, major)) << major;
    EXPECT_EQ(hasFlashAttention(c10::kHalf, major), major >= 8) << major;
    EXPECT_EQ(hasFlashAttention(c10::kBFloat16, major), major >= 8) << major;
  }
}

TEST(AttentionLimitsTest, FlashAttentionIsNeverToldThatEachSequenceHasOneQueryAtMost) {
  EXPECT_EQ(longestFlashQuery(0), 2);
  EXPECT_EQ(longestFlashQuery(1), 2);
  EXPECT_EQ(longestFlashQuery(2), 2);
  EXPECT_EQ(longestFlashQuery(77), 77);
}

TEST(AttentionLimitsTest, APassWithTooManySequencesGetsFewerAsForLackOfMemory) {
  EXPECT_NO_THROW(checkSequencesInPass(65535));
  try {
    checkSequencesInPass(65536);
    ADD_FAILURE() << "the grid of the kernel has no more blocks";
  } catch (const c10::Error& e) {
    EXPECT_TRUE(isOutOfMemory(e)) << e.what();
  }
}

}  // namespace
}  // namespace batchwise
