// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_messages.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/message.h"

namespace batchwise {
namespace {

constexpr int kSendSec = 10;
constexpr std::size_t kLeastInTime = 1U << 16U;        // the system of a suspended peer keeps accepting a little
constexpr std::size_t kLongestHandshakeMessage = 512;  // bounds the memory for an unauthenticated peer

}  // namespace

double nowSec() {
  return SystemClock().monotonicSec();
}

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string lengthText(std::size_t length) {
  const auto value = static_cast<std::uint32_t>(length);
  std::string text(sizeof(value), '\0');
  std::memcpy(text.data(), &value, sizeof(value));
  return text;
}

std::uint32_t lengthAt(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

bool sendMessage(int socket, char kind, std::string_view body) {
  const std::string bytes = lengthText(body.size()) + kind + std::string(body);
  double sinceSec = nowSec();
  for (std::size_t done = 0, before = 0; done < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    done += static_cast<std::size_t>(std::max<ssize_t>(0, sent));
    const bool late = done < bytes.size() && nowSec() - sinceSec >= kSendSec;
    if (sent <= 0 || (late && done - before < kLeastInTime)) {
      ::shutdown(socket, SHUT_RDWR);
      return false;
    }
    if (!late) continue;
    sinceSec = nowSec();
    before = done;
  }
  return true;
}

std::optional<std::pair<char, std::string>> takeMessage(std::string& unread) {
  if (unread.size() < kHeadBytes) return std::nullopt;
  const std::size_t length = lengthAt(unread);
  if (unread.size() < kHeadBytes + length) return std::nullopt;
  std::pair<char, std::string> message{unread[4], unread.substr(kHeadBytes, length)};
  unread.erase(0, kHeadBytes + length);
  return message;
}

void prepareSocket(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const timeval patience{kSendSec, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

FileDescriptor connectTo(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;  // IPv4 like rank 0: an IPv6 address of the same name may reach another program
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return FileDescriptor();
  FileDescriptor connected;
  for (const addrinfo* one = found; one != nullptr && !connected.valid(); one = one->ai_next) {
    FileDescriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.valid()) continue;
    prepareSocket(socket.get());
    if (::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) connected = std::move(socket);
  }
  ::freeaddrinfo(found);
  return connected;
}

std::string brokenText(const BrokenMessage& broken) {
  return std::string(1, static_cast<char>(broken.why.code)) + (broken.lost ? 'l' : 'g') + broken.why.text();
}

std::optional<BrokenMessage> brokenFrom(std::string_view body) {
  if (body.size() < 2 || body[0] < 0 || body[0] > static_cast<char>(ErrorCode::Internal)) return std::nullopt;
  return BrokenMessage{{static_cast<ErrorCode>(body[0]), std::string(body.substr(2)), {}}, body[1] == 'l'};
}

std::string joinTexts(const std::vector<std::string>& texts) {
  std::string body;
  for (const std::string& text : texts) body.append(lengthText(text.size())).append(text);
  return body;
}

std::optional<std::vector<std::string>> splitTexts(std::string_view body) {
  std::vector<std::string> texts;
  while (!body.empty()) {
    if (body.size() < kLengthBytes) return std::nullopt;
    const std::size_t length = lengthAt(body);
    body.remove_prefix(kLengthBytes);
    if (body.size() < length) return std::nullopt;
    texts.emplace_back(body.substr(0, length));
    body.remove_prefix(length);
  }
  return texts;
}

ReadResult readHandshakeMessage(int socket, std::string& unread) {
  for (;;) {
    const std::size_t whole = unread.size() < kHeadBytes ? kHeadBytes : kHeadBytes + lengthAt(unread);
    if (whole > kLongestHandshakeMessage) return ReadResult::Malformed;
    if (unread.size() == whole) return ReadResult::Message;
    std::array<char, kLongestHandshakeMessage> buffer{};
    const ssize_t size = ::recv(socket, buffer.data(), whole - unread.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return ReadResult::Incomplete;
    if (size <= 0) return ReadResult::Closed;
    unread.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace batchwise
