// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/secret_exchange.h"

#include <openssl/evp.h>

#include <algorithm>

#include "core/dist/messages.h"
#include "core/dist/rank_handshake.h"

namespace batchwise {
namespace {

constexpr std::size_t kKeyBytes = 32;

unsigned char* bytesOf(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

struct ContextDeleter {
  void operator()(EVP_PKEY_CTX* context) const { ::EVP_PKEY_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_PKEY_CTX, ContextDeleter>;

}  // namespace

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
