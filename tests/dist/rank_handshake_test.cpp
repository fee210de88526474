// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_handshake.h"

#include <gtest/gtest.h>

#include <set>

#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

const std::string kSecret = "the secret of this run";

std::string nonceOf(char byte) {
  return std::string(kNonceBytes, byte);
}

std::string hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4U]);
    text.push_back(kDigits[static_cast<unsigned char>(byte) & 15U]);
  }
  return text;
}

// Test cases 1 to 4, 6 and 7 of RFC 4231 (5 is about truncation).
TEST(HmacSha256Test, GivesTheValuesOfRfc4231) {
  std::string counting;
  for (char byte = 1; byte <= 25; ++byte) counting.push_back(byte);
  struct Case {
    std::string key, text, mac;
  };
  const std::string longKey(131, '\xaa');
  for (const Case& one : {
           Case{std::string(20, '\x0b'), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
           Case{"Jefe", "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
           Case{std::string(20, '\xaa'), std::string(50, '\xdd'),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
           Case{counting, std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
           Case{longKey, "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
           Case{longKey,
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
                "be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
       })
    EXPECT_EQ(hex(hmacSha256(one.key, one.text)), one.mac) << one.text;
}

TEST(RandomBytesTest, AreNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto bytes = randomBytes(kNonceBytes);
    ASSERT_TRUE(bytes.ok());
    ASSERT_EQ(bytes->size(), kNonceBytes);
    EXPECT_TRUE(seen.insert(*bytes).second);
  }
  const auto secret = newRankSecret();
  ASSERT_TRUE(secret.ok());
  EXPECT_EQ(secret->size(), 64u);
  EXPECT_NE(*secret, *newRankSecret());
}

// What one whole handshake sent.
struct Transcript {
  std::string hello, challenge, proof, welcome;
};

Transcript met(const std::string& secret, std::int64_t rank, std::int64_t size, char joiningNonce, char leadingNonce) {
  ServerHandshake lead(secret, size, nonceOf(leadingNonce));
  ClientHandshake join(secret, rank, size, nonceOf(joiningNonce));
  Transcript sent;
  sent.hello = join.hello();
  const auto challenge = lead.challenge(sent.hello);
  EXPECT_TRUE(challenge.has_value());
  sent.challenge = *challenge;
  const auto proof = join.prove(sent.challenge, "rank of a test");
  EXPECT_TRUE(proof.has_value());
  sent.proof = *proof;
  const auto joiner = lead.verify(sent.proof);
  EXPECT_TRUE(joiner.has_value());
  EXPECT_EQ(joiner->rank, rank);
  EXPECT_EQ(joiner->name, "rank of a test");
  sent.welcome = lead.welcome(joiner->rank);
  EXPECT_TRUE(join.isWelcome(sent.welcome));
  return sent;
}

TEST(RankHandshakeTest, BothWhoKnowTheSecretMeetAndTheSecretIsNotSent) {
  const Transcript sent = met(kSecret, 3, 8, 'j', 'l');
  for (const std::string* one : {&sent.hello, &sent.challenge, &sent.proof, &sent.welcome})
    EXPECT_EQ(one->find(kSecret), std::string::npos);
}

TEST(RankHandshakeTest, AJoiningRankProvesNothingToSomebodyWithAnotherSecretOrSize) {
  for (const auto& [secret, size] : std::vector<std::pair<std::string, std::int64_t>>{
           {"the secret of this ruN", 8}, {"", 8}, {kSecret, 9}, {kSecret + " ", 8}}) {
    ServerHandshake other(secret, size, nonceOf('l'));
    ClientHandshake join(kSecret, 3, 8, nonceOf('j'));
    EXPECT_FALSE(join.prove(*other.challenge(join.hello()), "me").has_value());
    EXPECT_FALSE(join.isWelcome(other.welcome(3)));
  }
  ClientHandshake without("", 3, 8, nonceOf('j'));
  ServerHandshake alsoWithout("", 8, nonceOf('l'));
  EXPECT_FALSE(without.prove(*alsoWithout.challenge(without.hello()), "me").has_value()) << "no secret is no proof";
}

TEST(RankHandshakeTest, RankZeroLetsNobodyInWhoDoesNotKnowTheSecret) {
  const Transcript right = met(kSecret, 3, 8, 'j', 'l');
  for (std::size_t bit = 0; bit < right.proof.size() * 8; ++bit) {
    ServerHandshake lead(kSecret, 8, nonceOf('l'));
    ASSERT_EQ(lead.challenge(right.hello), right.challenge);
    std::string wrong = right.proof;
    wrong[bit / 8] = static_cast<char>(static_cast<unsigned char>(wrong[bit / 8]) ^ (1U << (bit % 8)));
    EXPECT_FALSE(lead.verify(wrong).has_value()) << "bit " << bit << ": MAC, rank and name are all covered";
    EXPECT_FALSE(lead.verify(right.proof).has_value()) << "one try per connection";
  }
  for (std::size_t length = 0; length < right.proof.size(); ++length) {
    ServerHandshake lead(kSecret, 8, nonceOf('l'));
    ASSERT_TRUE(lead.challenge(right.hello).has_value());
    EXPECT_FALSE(lead.verify(right.proof.substr(0, length)).has_value()) << length;
  }
  for (const std::int64_t rank : {-1, 0, 8, 9}) {
    ServerHandshake lead(kSecret, 8, nonceOf('l'));
    ClientHandshake join(kSecret, rank, 8, nonceOf('j'));
    const auto proof = join.prove(*lead.challenge(join.hello()), "me");
    ASSERT_TRUE(proof.has_value());
    EXPECT_FALSE(lead.verify(*proof).has_value()) << rank;
  }
}

TEST(RankHandshakeTest, AMacThatIsReflectedProvesNothing) {
  // Somebody who has no secret holds two connections to rank 0 and one to a joining rank, and gives each what another
  // has sent.
  ServerHandshake lead(kSecret, 8, nonceOf('l'));
  ServerHandshake second(kSecret, 8, nonceOf('m'));
  const std::string challenge = *lead.challenge(nonceOf('x'));
  const std::string reflected = *second.challenge(challenge.substr(0, kNonceBytes));
  const std::string rank("\x01\0\0\0\0\0\0\0", 8);
  EXPECT_FALSE(lead.verify(challenge.substr(kNonceBytes) + rank).has_value());
  EXPECT_FALSE(second.verify(reflected.substr(kNonceBytes) + rank).has_value());
  ClientHandshake join(kSecret, 1, 8, nonceOf('j'));
  EXPECT_FALSE(join.prove(join.hello() + challenge.substr(kNonceBytes), "me").has_value());
  // The proof of one rank is neither a welcome nor another rank's proof.
  const Transcript sent = met(kSecret, 1, 8, 'j', 'l');
  ASSERT_TRUE(join.prove(sent.challenge, "rank of a test").has_value());
  EXPECT_FALSE(join.isWelcome(sent.proof.substr(0, kMacBytes)));
  EXPECT_FALSE(join.isWelcome(sent.challenge.substr(kNonceBytes)));
  EXPECT_FALSE(join.isWelcome(met(kSecret, 2, 8, 'j', 'l').welcome));
  EXPECT_TRUE(join.isWelcome(sent.welcome));
}

TEST(RankHandshakeTest, WhatAnotherConnectionSentProvesNothing) {
  const Transcript recorded = met(kSecret, 3, 8, 'j', 'l');
  ServerHandshake lead(kSecret, 8, nonceOf('n'));
  ASSERT_TRUE(lead.challenge(recorded.hello).has_value());
  EXPECT_FALSE(lead.verify(recorded.proof).has_value());
  ClientHandshake join(kSecret, 3, 8, nonceOf('k'));
  EXPECT_FALSE(join.prove(recorded.challenge, "me").has_value());
  EXPECT_FALSE(join.isWelcome(recorded.welcome));
}

TEST(RankHandshakeTest, NothingIsAnsweredOutOfTurn) {
  ServerHandshake lead(kSecret, 8, nonceOf('l'));
  EXPECT_FALSE(lead.challenge("short").has_value());
  EXPECT_FALSE(lead.challenge(std::string(kNonceBytes + 1, 'j')).has_value());
  ASSERT_TRUE(lead.challenge(nonceOf('j')).has_value());
  EXPECT_FALSE(lead.challenge(nonceOf('k')).has_value()) << "one nonce is used once";
  const Transcript right = met(kSecret, 3, 8, 'j', 'l');
  ServerHandshake unasked(kSecret, 8, nonceOf('l'));
  EXPECT_FALSE(unasked.verify(right.proof).has_value());
}

TEST(RankMessagesTest, TextsOfRanksComeBackAndHalfOnesDoNot) {
  const std::vector<std::string> texts = {"zero", "", std::string(300, 'x')};
  const std::string body = joinTexts(texts);
  EXPECT_EQ(splitTexts(body), texts);
  EXPECT_EQ(splitTexts(""), std::vector<std::string>());
  for (std::size_t length = 1; length < body.size(); ++length) {
    const auto cut = splitTexts(std::string_view(body).substr(0, length));
    EXPECT_TRUE(!cut || cut->size() < texts.size()) << length;
  }
  EXPECT_FALSE(splitTexts("\xff\xff\xff\xffx").has_value());
}

TEST(RankMessagesTest, WhyALineBrokeComesBackAndNonsenseDoesNot) {
  const auto broken = brokenFrom(brokenText({Error{ErrorCode::OutOfMemory, "no room", "rank 2"}, true}));
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->why.code, ErrorCode::OutOfMemory);
  EXPECT_EQ(broken->why.text(), "rank 2: no room");
  EXPECT_TRUE(broken->lost);
  for (const char* body : {"", "\x01", "\x7fl", "\xffl"}) EXPECT_FALSE(brokenFrom(body).has_value());
}

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
