// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as what comes over the connections of ranks: before the proof, as a proof that somebody with the secret makes
// of them, and after it. Nobody is let in without the secret.
#include <sys/socket.h>

#include <array>
#include <cstdlib>

#include "core/dist/rank_handshake.h"
#include "core/dist/rank_messages.h"

namespace {

using namespace batchwise;

constexpr std::int64_t kSize = 4;
const std::string kSecret = *newRankSecret();  // another one in each process: no input can hold its MACs

void require(bool holds) {
  if (!holds) std::abort();
}

std::string nonceOf(char byte) {
  return std::string(kNonceBytes, byte);
}

void decode(std::string_view body) {
  if (const auto broken = brokenFrom(body)) require(brokenFrom(brokenText(*broken))->why.text() == broken->why.text());
  if (const auto texts = splitTexts(body)) require(joinTexts(*texts) == body);
}

// Through a socket, as they come to rank 0 and to a joining rank.
void receive(std::string_view bytes) {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  RankSocket ours{FileDescriptor(ends[0])};
  FileDescriptor theirs(ends[1]);
  static_cast<void>(::send(theirs.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  theirs = FileDescriptor();
  ServerHandshake lead(kSecret, kSize, nonceOf('l'));
  ClientHandshake join(kSecret, 1, kSize, nonceOf('j'));
  RankMessage message;
  while (ours.receive(message, kLongestHandshakeBody) == ReadResult::Message) {
    require(message.body.size() <= kLongestHandshakeBody);
    decode(message.body);
    static_cast<void>(lead.challenge(message.body));
    require(!lead.verify(message.body));
    require(!join.prove(message.body, "name") && !join.isWelcome(message.body));
  }
}

void prove(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const std::int64_t rank = static_cast<signed char>(bytes[0]);
  const std::int64_t size = static_cast<signed char>(bytes[1]);
  const std::string_view name = bytes.substr(2);
  ServerHandshake lead(kSecret, kSize, nonceOf('l'));
  ClientHandshake join(kSecret, rank, size, nonceOf('j'));
  const auto proof = join.prove(*lead.challenge(join.hello()), name);
  require(proof.has_value() == (size == kSize));
  if (!proof) return;
  const auto joiner = lead.verify(*proof);
  require(joiner.has_value() == (rank >= 1 && rank < kSize));
  if (!joiner) return;
  require(joiner->rank == rank && joiner->name == name.substr(0, kLongestRankName));
  require(join.isWelcome(lead.welcome(rank)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  receive(bytes);
  prove(bytes);
  decode(bytes);
  return 0;
}
