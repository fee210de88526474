// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"

namespace batchwise {

// std::string protocol of RankChannel: length of the body (4 bytes in native order: all ranks run the same program),
// kind, body.
constexpr std::uint32_t kLongestBody = 1U << 28;
constexpr std::uint32_t kLongestHandshakeBody = 500;  // bounds the memory for an unauthenticated peer
constexpr char kHello = 'H';                          // handshake; bodies: rank_handshake.h
constexpr char kChallenge = 'C';                      // from rank 0
constexpr char kProof = 'R';
constexpr char kWelcome = 'W';   // from rank 0: admitted
constexpr char kText = 'T';      // to rank 0: text of one rank
constexpr char kAllTexts = 'A';  // from rank 0: texts of all ranks, each with its length
constexpr char kArrived = 'P';
constexpr char kLogEntry = 'E';  // to rank 0: for the log of the run; from rank 0: its next entry
constexpr char kSection = 'S';
constexpr char kBroken = 'X';   // error code, 'l' (rank lost) or 'g' (abandoned), message
constexpr char kGoodbye = 'B';  // number of arrivals of the rank
constexpr char kHeartbeat = 'L';

/// Returns seconds of a monotonic clock.
double nowSec();
/// Returns the host name of this machine.
std::string hostName();

/// Encode and decode a number in native byte order; `bytes` must be long enough.
template <typename Number>
std::string numberText(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
template <typename Number>
Number numberAt(std::string_view bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

struct RankMessage {
  char kind = 0;
  std::string body;
};
enum class ReadResult { Incomplete, Message, Malformed, Closed };

/// A connection between two ranks. Each direction is for one thread at a time.
class RankSocket {
 public:
  RankSocket() = default;
  /// `socket`: connected. Sets TCP_NODELAY, keep-alive and a send timeout.
  explicit RankSocket(FileDescriptor socket);
  /// Connects; invalid if nothing listens there.
  static RankSocket connect(const std::string& host, int port);

  int get() const { return socket_.get(); }
  bool valid() const { return socket_.valid(); }

  /// Returns false if this or an earlier message could not be sent, or the peer has accepted next to nothing for 10 s;
  /// then shuts the connection down, because a partial message may have been sent.
  bool send(char kind, std::string_view body);
  bool sendFailed() const { return sendFailed_; }
  /// Takes the next message and reads nothing behind it, without waiting. Malformed: its body is longer than
  /// `longestBody`, and was not read.
  ReadResult receive(RankMessage& message, std::uint32_t longestBody = kLongestBody);

 private:
  FileDescriptor socket_;
  std::string unread_;  // begin of a message
  bool sendFailed_ = false;
};

/// Body of kBroken. brokenFrom() returns nothing if it is malformed.
struct BrokenMessage {
  Error why;
  bool lost = false;  ///< a rank was lost; otherwise it called abandon()
};
std::string brokenText(const BrokenMessage& broken);
std::optional<BrokenMessage> brokenFrom(std::string_view body);

/// Body of kAllTexts. splitTexts() returns nothing if it is malformed.
std::string joinTexts(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> splitTexts(std::string_view body);

}  // namespace batchwise
