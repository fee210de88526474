// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// Hands a secret from one process to another over a wire that others can read: both send a public key (X25519, RFC
/// 7748), and the secret goes under a mask that only they can compute (HMAC-SHA256 of what the keys agree on). Who can
/// also change what is sent is not kept out. One object per launch: a mask is used once. One thread.
class SecretExchange {
 public:
  static constexpr std::size_t kLongestSecret = 64;

  /// With a new key. Fails with Internal.
  static Result<SecretExchange> create();

  const std::string& publicKey() const { return publicKey_; }
  /// `text`, at most kLongestSecret bytes, for the process with `peerKey`; or back, with the key of the process that it
  /// comes from. Fails with Device if `peerKey` is no key.
  Result<std::string> masked(std::string_view text, const std::string& peerKey) const;

 private:
  struct KeyDeleter {
    void operator()(void* key) const;
  };
  SecretExchange() = default;

  std::unique_ptr<void, KeyDeleter> key_;  // EVP_PKEY
  std::string publicKey_;
};

}  // namespace batchwise
