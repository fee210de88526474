// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace batchwise {
namespace {

TEST(ResultTest, HoldsAMoveOnlyValueOrAnError) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(3);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*std::move(good).value(), 3);
  const Result<std::unique_ptr<int>> bad = Error::notFound("no such thing");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(Result<void>{}.ok());
}

TEST(ErrorTest, ContextIsBuiltFromOutsideIn) {
  const Error inner = Error::config("the value '5' is not usable");
  EXPECT_EQ(inner.within("line 3").within("config.yaml").text(), "config.yaml: line 3: the value '5' is not usable");
}

TEST(ErrorTest, ErrnoBecomesTheRightCode) {
  EXPECT_EQ(Error::fromErrno(ENOSPC, "cannot write '{}'", "a").code, ErrorCode::DiskFull);
  EXPECT_EQ(Error::fromErrno(ENOENT, "cannot read '{}'", "a").code, ErrorCode::NotFound);
  EXPECT_EQ(Error::fromErrno(EACCES, "cannot read '{}'", "a").code, ErrorCode::Io);
}

}  // namespace
}  // namespace batchwise
