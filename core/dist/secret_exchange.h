// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// Protects a secret sent to another process over a readable channel: X25519 key agreement (RFC 7748), secret XORed
/// with HMAC-SHA256 of the shared key. Does not protect against an active attacker. Use one object per launch, because
/// a mask may be used only once. Not thread-safe.
class SecretExchange {
 public:
  static constexpr std::size_t kLongestSecret = 64;

  /// Generates a key. Fails with Internal.
  static Result<SecretExchange> create();

  const std::string& publicKey() const { return publicKey_; }
  /// Encrypts `text` (at most kLongestSecret bytes) for the process with `peerKey`, or decrypts text from it. Fails
  /// with Device if `peerKey` is invalid.
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
