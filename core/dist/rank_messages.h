// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/message.h"

namespace batchwise {

// Message protocol of RankChannel. Thread-safe, except that each direction of a socket is for one thread at a time.

// Message: length of the body (4 bytes in native order: all ranks run the same program), kind, body.
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + 1;
constexpr std::uint32_t kLongestBody = 1U << 28;
constexpr char kHello = 'H';      // handshake; bodies: rank_handshake.h
constexpr char kChallenge = 'C';  // from rank 0
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

/// Encode and decode a number in kLengthBytes bytes; `bytes` must have at least as many.
std::string lengthText(std::size_t length);
std::uint32_t lengthAt(std::string_view bytes);

/// Sends a message. Returns false if it could not be sent, or the peer has accepted next to nothing for 10 s; then
/// shuts the connection down, because a partial message may have been sent.
bool sendMessage(int socket, char kind, std::string_view body);
/// Removes the first complete message from `unread` and returns it, if there is one.
std::optional<std::pair<char, std::string>> takeMessage(std::string& unread);

/// Sets TCP_NODELAY, keep-alive and a send timeout.
void prepareSocket(int socket);
/// Connects and prepares a socket; invalid if nothing listens there.
FileDescriptor connectTo(const std::string& host, int port);

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

enum class ReadResult { Incomplete, Message, Malformed, Closed };
/// Reads without waiting, at most up to the end of the next handshake message, because later bytes belong to another
/// reader. Malformed: longer than any handshake message.
ReadResult readHandshakeMessage(int socket, std::string& unread);

}  // namespace batchwise
