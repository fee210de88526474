// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/secret_exchange.h"

#include <gtest/gtest.h>

#include "core/dist/rank_handshake.h"

namespace batchwise {
namespace {

TEST(SecretExchangeTest, TheOtherEndGetsTheSecretAndWhoListensDoesNot) {
  const auto zero = SecretExchange::create(), one = SecretExchange::create(), listener = SecretExchange::create();
  ASSERT_TRUE(zero.ok() && one.ok() && listener.ok());
  const std::string secret = *newRankSecret();
  ASSERT_EQ(secret.size(), SecretExchange::kLongestSecret);
  const auto sent = zero->masked(secret, one->publicKey());
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(*one->masked(*sent, zero->publicKey()), secret);
  EXPECT_NE(*sent, secret);
  EXPECT_NE(sent->substr(0, 32), sent->substr(32)) << "each half has its own mask";
  EXPECT_NE(*listener->masked(*sent, zero->publicKey()), secret);
  EXPECT_NE(*listener->masked(*sent, one->publicKey()), secret);
  EXPECT_NE(*zero->masked(secret, listener->publicKey()), *sent) << "another rank, another mask";
}

TEST(SecretExchangeTest, WhatIsNoKeyIsRefused) {
  const auto zero = SecretExchange::create();
  ASSERT_TRUE(zero.ok());
  for (const std::string& key : {std::string(), std::string(31, 'k'), std::string(32, '\0')}) {
    const auto sent = zero->masked("secret", key);
    ASSERT_FALSE(sent.ok()) << key.size();
    EXPECT_EQ(sent.error().code, ErrorCode::Device);
  }
  EXPECT_FALSE(zero->masked(std::string(65, 's'), SecretExchange::create()->publicKey()).ok());
}

}  // namespace
}  // namespace batchwise
