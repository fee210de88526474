// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_handshake.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/dist/messages.h"

namespace batchwise {
namespace {

constexpr std::size_t kRankBytes = 8;
constexpr std::string_view kChallengeLabel = "batchwise rank line 1: challenge";
constexpr std::string_view kProofLabel = "batchwise rank line 1: proof    ";
constexpr std::string_view kWelcomeLabel = "batchwise rank line 1: welcome  ";
static_assert(kChallengeLabel.size() == kProofLabel.size() && kProofLabel.size() == kWelcomeLabel.size());

std::string numberText(std::int64_t number) {
  std::string text;
  for (std::size_t i = 0; i < kRankBytes; ++i)
    text.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 255U));
  return text;
}

std::int64_t numberAt(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kRankBytes; ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return static_cast<std::int64_t>(number);
}

// Input of a MAC. All fields before the name have fixed lengths, so the encoding is unambiguous.
struct Claim {
  std::string_view label;
  std::int64_t size = 0;
  std::int64_t rank = 0;
  std::string_view joiningNonce;
  std::string_view leadingNonce;
  std::string_view name;
};

std::string macOf(std::string_view secret, const Claim& claim) {
  std::string text(claim.label);
  text.append(numberText(claim.size)).append(numberText(claim.rank));
  text.append(claim.joiningNonce).append(claim.leadingNonce).append(claim.name);
  return hmacSha256(secret, text);
}

// Takes a time that does not depend on the contents.
bool equalsInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

constexpr std::size_t kKeyBytes = 32;

unsigned char* bytesOf(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

struct ContextDeleter {
  void operator()(EVP_PKEY_CTX* context) const { ::EVP_PKEY_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_PKEY_CTX, ContextDeleter>;

}  // namespace

Result<std::string> randomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::getrandom(bytes.data() + done, count - done, 0);
    if (got < 0 && errno != EINTR) return Error::fromErrno(errno, messages::cannotRead, "getrandom");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<std::string> newRankSecret() {
  ASSIGN_OR_RETURN(const auto bytes, randomBytes(kMacBytes));
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4U]);
    text.push_back(kDigits[static_cast<unsigned char>(byte) & 15U]);
  }
  return text;
}

std::string hmacSha256(std::string_view key, std::string_view text) {
  std::string mac(kMacBytes, '\0');
  unsigned length = 0;
  const bool done = ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
                           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                           reinterpret_cast<unsigned char*>(mac.data()), &length) != nullptr;
  if (!done || length != kMacBytes) mac.clear();  // an empty MAC equals no valid one
  return mac;
}

std::optional<std::string> ServerHandshake::challenge(std::string_view hello) {
  if (step_ != Step::New || hello.size() != kNonceBytes || nonce_.size() != kNonceBytes) return std::nullopt;
  step_ = Step::Challenged;
  peerNonce_ = hello;
  return nonce_ + macOf(secret_, {kChallengeLabel, size_, 0, peerNonce_, nonce_, {}});
}

std::optional<ServerHandshake::Joiner> ServerHandshake::verify(std::string_view proof) {
  const bool challenged = step_ == Step::Challenged;
  step_ = Step::Over;
  constexpr std::size_t kHead = kMacBytes + kRankBytes;
  if (!challenged || secret_.empty() || proof.size() < kHead || proof.size() > kHead + kLongestRankName)
    return std::nullopt;
  const Joiner joiner{numberAt(proof.substr(kMacBytes)), std::string(proof.substr(kHead))};
  const Claim claim{kProofLabel, size_, joiner.rank, peerNonce_, nonce_, joiner.name};
  if (!equalsInConstantTime(proof.substr(0, kMacBytes), macOf(secret_, claim))) return std::nullopt;
  if (joiner.rank < 1 || joiner.rank >= size_) return std::nullopt;
  return joiner;
}

std::string ServerHandshake::welcome(std::int64_t rank) const {
  return macOf(secret_, {kWelcomeLabel, size_, rank, peerNonce_, nonce_, {}});
}

std::optional<std::string> ClientHandshake::prove(std::string_view challenge, std::string_view name) {
  serverNonce_.clear();
  if (secret_.empty() || challenge.size() != kNonceBytes + kMacBytes) return std::nullopt;
  const std::string_view nonce = challenge.substr(0, kNonceBytes);
  const std::string expected = macOf(secret_, {kChallengeLabel, size_, 0, nonce_, nonce, {}});
  if (!equalsInConstantTime(challenge.substr(kNonceBytes), expected)) return std::nullopt;
  serverNonce_ = nonce;
  name = name.substr(0, kLongestRankName);
  return macOf(secret_, {kProofLabel, size_, rank_, nonce_, serverNonce_, name}) + numberText(rank_) +
         std::string(name);
}

bool ClientHandshake::isWelcome(std::string_view welcome) const {
  return !serverNonce_.empty() && welcome.size() == kMacBytes &&
         equalsInConstantTime(welcome, macOf(secret_, {kWelcomeLabel, size_, rank_, nonce_, serverNonce_, {}}));
}

void SecretExchange::KeyDeleter::operator()(void* key) const {
  ::EVP_PKEY_free(static_cast<EVP_PKEY*>(key));
}

Result<SecretExchange> SecretExchange::create() {
  SecretExchange made;
  made.key_.reset(::EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"));
  std::size_t length = kKeyBytes;
  made.publicKey_.resize(length);
  if (!made.key_ ||
      ::EVP_PKEY_get_raw_public_key(static_cast<EVP_PKEY*>(made.key_.get()), bytesOf(made.publicKey_), &length) != 1)
    return Error::internal(messages::x25519KeyUnavailable());
  return made;
}

Result<std::string> SecretExchange::masked(std::string_view text, const std::string& peerKey) const {
  if (text.size() > kLongestSecret) return Error::internal(messages::rankSecretTooLong());
  const std::unique_ptr<void, KeyDeleter> peer(::EVP_PKEY_new_raw_public_key(
      EVP_PKEY_X25519, nullptr, reinterpret_cast<const unsigned char*>(peerKey.data()), peerKey.size()));
  const Context context(::EVP_PKEY_CTX_new(static_cast<EVP_PKEY*>(key_.get()), nullptr));
  std::string agreed(kKeyBytes, '\0');
  std::size_t length = agreed.size();
  if (!peer || !context || ::EVP_PKEY_derive_init(context.get()) != 1 ||
      ::EVP_PKEY_derive_set_peer(context.get(), static_cast<EVP_PKEY*>(peer.get())) != 1 ||
      ::EVP_PKEY_derive(context.get(), bytesOf(agreed), &length) != 1)
    return Error{ErrorCode::Device, messages::rankPublicKeyUnusable(), {}};
  const auto [first, second] = std::minmax(publicKey_, peerKey);  // same order at both ends
  std::string mask;
  for (const char* part : {"1", "2"}) mask += hmacSha256(agreed, "batchwise rank secret " + (part + first) + second);
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<char>(result[i] ^ mask[i]);
  return result;
}

}  // namespace batchwise
