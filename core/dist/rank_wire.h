// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"

namespace batchwise {

// The messages of a RankLine on their sockets. Any thread, one at a time for each socket and direction.

// A message: length of the body (4 bytes of this machine's order: all ranks run the same program), kind, body.
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + 1;
constexpr std::uint32_t kLongestBody = 1U << 28;
constexpr char kHello = 'H';      // with which a rank begins to join; the bodies of these four: rank_handshake.h
constexpr char kChallenge = 'C';  // from rank 0
constexpr char kProof = 'R';
constexpr char kWelcome = 'W';   // from rank 0, which has let this rank in
constexpr char kText = 'T';      // to rank 0: one rank's text
constexpr char kAllTexts = 'A';  // from rank 0: all texts, each with its length before it
constexpr char kArrived = 'P';
constexpr char kSection = 'S';
constexpr char kBroken = 'X';  // code of the error, 'l' if a rank was lost or 'g' if it gave up, message
constexpr char kBye = 'B';     // how often the rank has arrived
constexpr char kAlive = 'L';

/// Seconds on a clock that never goes back.
double nowSec();
/// The name by which this machine knows itself.
std::string hostName();

/// A number as kLengthBytes bytes, and back: `bytes` has at least as many.
std::string lengthText(std::size_t length);
std::uint32_t lengthAt(std::string_view bytes);

/// False if not all of it could be sent, as to somebody who takes next to nothing for 10 s. Both directions of
/// the connection are then shut: half a message may have left, behind which no other would be understood.
bool sendMessage(int socket, char kind, std::string_view body);
/// Takes the first whole message out of `unread`, if there is one.
std::optional<std::pair<char, std::string>> takeMessage(std::string& unread);

/// Messages leave at once, a dead machine is noticed, and nobody waits for ever to send.
void prepareSocket(int socket);
/// Prepared as above. Not valid if nobody listens there.
FileDescriptor connectTo(const std::string& host, int port);

/// The body of kBroken, and back; nothing if it is malformed.
struct BrokenMessage {
  Error why;
  bool lost = false;  ///< a rank was lost; else it gave up
};
std::string brokenText(const BrokenMessage& broken);
std::optional<BrokenMessage> brokenFrom(std::string_view body);

/// The body of kAllTexts, and back; nothing if it is malformed.
std::string joinTexts(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> splitTexts(std::string_view body);

enum class ReadResult { Incomplete, Message, Malformed, Closed };
/// Reads up to the end of the next message of a handshake and no further: what follows belongs to another reader. Does
/// not wait. Malformed: a message that is longer than any of a handshake.
ReadResult readHandshakeMessage(int socket, std::string& unread);

}  // namespace batchwise
