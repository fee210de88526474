// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_handshake.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kProofHead = kMacBytes + sizeof(std::int64_t);
constexpr std::string_view kChallengeLabel = "batchwise rank line 1: challenge";
constexpr std::string_view kProofLabel = "batchwise rank line 1: proof    ";
constexpr std::string_view kWelcomeLabel = "batchwise rank line 1: welcome  ";
static_assert(kChallengeLabel.size() == kProofLabel.size() && kProofLabel.size() == kWelcomeLabel.size());

// `nonces`: of the joining rank and of rank 0. All fields before the name have fixed lengths, so the encoding is
// unambiguous.
std::string macOf(std::string_view secret, std::string_view label, std::int64_t size, std::int64_t rank,
                  std::string_view nonces, std::string_view name = {}) {
  std::string text(label);
  text.append(numberText(size)).append(numberText(rank)).append(nonces).append(name);
  return hmacSha256(secret, text);
}

// Takes a time that does not depend on the contents.
bool equalsInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

unsigned char* bytesOf(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const unsigned char* bytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Result<std::string> randomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (::getentropy(bytes.data(), count) != 0) return Error::fromErrno(errno, "cannot read '{}'", "getentropy");
  return bytes;
}

Result<std::string> newRankSecret() {
  ASSIGN_OR_RETURN(const auto bytes, randomBytes(kMacBytes));
  std::string text;
  for (const char digits : bytes)
    for (const unsigned shift : {4U, 0U}) text += "0123456789abcdef"[static_cast<unsigned char>(digits) >> shift & 15U];
  return text;
}

std::string hmacSha256(std::string_view key, std::string_view text) {
  std::string mac(kMacBytes, '\0');
  unsigned length = 0;
  const bool done = ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), bytesOf(text), text.size(),
                           bytesOf(mac), &length) != nullptr;
  if (!done || length != kMacBytes) mac.clear();  // an empty MAC equals no valid one
  return mac;
}

std::optional<std::string> ServerHandshake::challenge(std::string_view hello) {
  if (!nonces_.empty() || hello.size() != kNonceBytes || nonce_.size() != kNonceBytes) return std::nullopt;
  nonces_ = std::string(hello) + nonce_;
  return nonce_ + macOf(secret_, kChallengeLabel, size_, 0, nonces_);
}

std::optional<ServerHandshake::Joiner> ServerHandshake::verify(std::string_view proof) {
  const bool first = !std::exchange(nonce_, {}).empty();
  if (!first || nonces_.empty() || secret_.empty() || proof.size() < kProofHead ||
      proof.size() > kProofHead + kLongestRankName)
    return std::nullopt;
  const Joiner joiner{numberAt<std::int64_t>(proof.substr(kMacBytes)), std::string(proof.substr(kProofHead))};
  const std::string expected = macOf(secret_, kProofLabel, size_, joiner.rank, nonces_, joiner.name);
  if (!equalsInConstantTime(proof.substr(0, kMacBytes), expected)) return std::nullopt;
  if (joiner.rank < 1 || joiner.rank >= size_) return std::nullopt;
  return joiner;
}

std::string ServerHandshake::welcome(std::int64_t rank) const {
  return macOf(secret_, kWelcomeLabel, size_, rank, nonces_);
}

std::optional<std::string> ClientHandshake::prove(std::string_view challenge, std::string_view name) {
  nonces_.clear();
  if (secret_.empty() || challenge.size() != kNonceBytes + kMacBytes) return std::nullopt;
  const std::string nonces = nonce_ + std::string(challenge.substr(0, kNonceBytes));
  const std::string expected = macOf(secret_, kChallengeLabel, size_, 0, nonces);
  if (!equalsInConstantTime(challenge.substr(kNonceBytes), expected)) return std::nullopt;
  nonces_ = nonces;
  name = name.substr(0, kLongestRankName);
  return macOf(secret_, kProofLabel, size_, rank_, nonces_, name) + numberText(rank_) + std::string(name);
}

bool ClientHandshake::isWelcome(std::string_view welcome) const {
  return !nonces_.empty() && welcome.size() == kMacBytes &&
         equalsInConstantTime(welcome, macOf(secret_, kWelcomeLabel, size_, rank_, nonces_));
}

Result<SecretExchange> SecretExchange::create() {
  SecretExchange made;
  made.key_.reset(::EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"), ::EVP_PKEY_free);
  made.publicKey_.resize(kKeyBytes);
  std::size_t length = kKeyBytes;
  if (!made.key_ || ::EVP_PKEY_get_raw_public_key(made.key_.get(), bytesOf(made.publicKey_), &length) != 1)
    return Error::internal("libcrypto cannot create an X25519 key");
  return made;
}

Result<std::string> SecretExchange::masked(std::string_view text, const std::string& peerKey) const {
  if (text.size() > kLongestSecret) return Error::internal("a secret is too long to be sent");
  const std::shared_ptr<EVP_PKEY> peer(
      ::EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, bytesOf(peerKey), peerKey.size()), ::EVP_PKEY_free);
  const std::shared_ptr<EVP_PKEY_CTX> context(::EVP_PKEY_CTX_new(key_.get(), nullptr), ::EVP_PKEY_CTX_free);
  std::string agreed(kKeyBytes, '\0');
  std::size_t length = kKeyBytes;
  if (!peer || !context || ::EVP_PKEY_derive_init(context.get()) != 1 ||
      ::EVP_PKEY_derive_set_peer(context.get(), peer.get()) != 1 ||
      ::EVP_PKEY_derive(context.get(), bytesOf(agreed), &length) != 1)
    return Error{ErrorCode::Device, "another rank sent no usable public key", {}};
  const auto [first, second] = std::minmax(publicKey_, peerKey);  // same order at both ends
  std::string mask;
  for (const char* part : {"1", "2"}) mask += hmacSha256(agreed, "batchwise rank secret " + (part + first) + second);
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<char>(result[i] ^ mask[i]);
  return result;
}

}  // namespace batchwise
