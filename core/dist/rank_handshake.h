// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct evp_pkey_st;  // EVP_PKEY of libcrypto

namespace batchwise {

// Mutual authentication of rank 0 and a joining rank by the secret of their run, which is never sent. Four messages:
//
//   joining rank -> rank 0   hello      nonce of the joining rank
//   rank 0 -> joining rank   challenge  nonce of rank 0, MAC
//   joining rank -> rank 0   proof      MAC, rank (8 bytes, native order), name
//   rank 0 -> joining rank   welcome    MAC
//
// A MAC is HMAC-SHA256 (RFC 2104), keyed with the secret, over: message type, number of ranks, rank (0 in a challenge,
// where it is still unknown), both nonces, and the name (in a proof). So a MAC is valid only for this message,
// connection, rank and number of ranks. Later messages are neither encrypted nor signed.

constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kLongestRankName = 300;

/// Returns `count` (at most 256) random bytes of the system. Fails with Io.
Result<std::string> randomBytes(std::size_t count);
/// Returns a new secret for a run: 64 hexadecimal digits. Fails with Io.
Result<std::string> newRankSecret();
/// Returns the HMAC-SHA256 of `text`, 32 bytes; empty on failure.
std::string hmacSha256(std::string_view key, std::string_view text);

/// Rank 0's side of the handshake, one per connection. Does no I/O. Not thread-safe.
class ServerHandshake {
 public:
  struct Joiner {
    std::int64_t rank = 0;
    std::string name;
  };
  /// `nonce`: kNonceBytes of randomBytes(), for this connection only.
  ServerHandshake(std::string secret, std::int64_t size, std::string nonce)
      : secret_(std::move(secret)), size_(size), nonce_(std::move(nonce)) {}

  /// Returns the challenge for a hello; nothing if it is malformed or not the first.
  std::optional<std::string> challenge(std::string_view hello);
  /// Verifies a proof and returns its sender; nothing if it is invalid, or not the first after a challenge.
  std::optional<Joiner> verify(std::string_view proof);
  /// Returns the welcome message for an authenticated rank.
  std::string welcome(std::int64_t rank) const;

 private:
  std::string secret_;
  std::int64_t size_;
  std::string nonce_;   // empty once a proof has come
  std::string nonces_;  // of the joining rank and of rank 0, once challenged
};

/// A joining rank's side of the handshake, one per connection. Does no I/O. Not thread-safe.
class ClientHandshake {
 public:
  ClientHandshake(std::string secret, std::int64_t rank, std::int64_t size, std::string nonce)
      : secret_(std::move(secret)), rank_(rank), size_(size), nonce_(std::move(nonce)) {}

  std::string hello() const { return nonce_; }
  /// Returns the proof for rank 0; nothing if the challenge does not prove its sender to be rank 0 of this run.
  std::optional<std::string> prove(std::string_view challenge, std::string_view name);
  /// Returns whether the message is the welcome of the rank 0 whose challenge was answered.
  bool isWelcome(std::string_view welcome) const;

 private:
  std::string secret_;
  std::int64_t rank_;
  std::int64_t size_;
  std::string nonce_;
  std::string nonces_;  // of both, once rank 0 is authenticated
};

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
  SecretExchange() = default;

  std::shared_ptr<evp_pkey_st> key_;
  std::string publicKey_;
};

}  // namespace batchwise
