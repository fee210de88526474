// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

// How rank 0 and a joining rank prove to each other that they know the secret of their run, before anything else is
// sent. The secret itself is never sent. Four messages:
//
//   joining rank -> rank 0   hello      nonce of the joining rank
//   rank 0 -> joining rank   challenge  nonce of rank 0, MAC
//   joining rank -> rank 0   proof      MAC, rank (8 bytes, little-endian), name
//   rank 0 -> joining rank   welcome    MAC
//
// A MAC is HMAC-SHA256 (RFC 2104) with the secret as key, over which of the three messages it is, the number of ranks,
// the rank (0 in a challenge: rank 0 does not know yet whom it speaks to), both nonces and the name (of a proof). So no
// MAC serves another message, another connection, another rank or a run of another size. The proof authenticates the
// two ends when they meet; what they send later is neither encrypted nor signed.

constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kLongestRankName = 300;

/// `count` (at most 256) bytes of the system's generator. Fails with Io.
Result<std::string> randomBytes(std::size_t count);
/// A secret for one run: 64 hexadecimal digits. Fails with Io.
Result<std::string> newRankSecret();
/// HMAC-SHA256 of `text`: 32 bytes.
std::string hmacSha256(std::string_view key, std::string_view text);
/// Takes the same time whatever the first difference is.
bool equalsInConstantTime(std::string_view a, std::string_view b);

/// Rank 0's side, one per connection. No sockets. One thread.
class LeadingHandshake {
 public:
  struct Joiner {
    std::int64_t rank = 0;
    std::string name;
  };
  /// `nonce`: kNonceBytes from randomBytes(), used for this connection only.
  LeadingHandshake(std::string secret, std::int64_t size, std::string nonce)
      : secret_(std::move(secret)), size_(size), nonce_(std::move(nonce)) {}

  /// The challenge that answers a hello. Nothing if it is malformed or not the first.
  std::optional<std::string> challenge(std::string_view hello);
  /// Who sent this proof. Nothing if it proves nothing, or no challenge came before; a second try is refused.
  std::optional<Joiner> verify(std::string_view proof);
  /// What tells `rank`, whose proof was right, that it is let in.
  std::string welcome(std::int64_t rank) const;

 private:
  enum class Step { New, Challenged, Over };

  std::string secret_;
  std::int64_t size_;
  std::string nonce_;
  std::string peerNonce_;
  Step step_ = Step::New;
};

/// A joining rank's side, one per connection. No sockets. One thread.
class JoiningHandshake {
 public:
  JoiningHandshake(std::string secret, std::int64_t rank, std::int64_t size, std::string nonce)
      : secret_(std::move(secret)), rank_(rank), size_(size), nonce_(std::move(nonce)) {}

  std::string hello() const { return nonce_; }
  /// The proof for rank 0, with `name`. Nothing if the challenge does not prove that its sender is rank 0 of this run.
  std::optional<std::string> prove(std::string_view challenge, std::string_view name);
  /// Whether this comes from the rank 0 whose challenge was answered.
  bool isWelcome(std::string_view welcome) const;

 private:
  std::string secret_;
  std::int64_t rank_;
  std::int64_t size_;
  std::string nonce_;
  std::string leadNonce_;  // empty until its sender has proven itself
};

}  // namespace batchwise
