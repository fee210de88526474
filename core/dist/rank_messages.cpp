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

#include "core/base/clock.h"

namespace batchwise {
namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
constexpr std::size_t kHeadBytes = kLengthBytes + 1;
constexpr int kSendSec = 10;
constexpr std::size_t kLeastInTime = 1U << 16U;  // the system of a suspended peer keeps accepting a little

bool sendAll(int socket, std::string_view bytes) {
  double sinceSec = nowSec();
  for (std::size_t done = 0, before = 0; done < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
    if (nowSec() - sinceSec < kSendSec) continue;
    if (done < bytes.size() && done - before < kLeastInTime) return false;
    sinceSec = nowSec();
    before = done;
  }
  return true;
}

std::string lengthText(std::size_t length) {
  return numberText(static_cast<std::uint32_t>(length));
}

}  // namespace

double nowSec() {
  return SystemClock().monotonicSec();
}

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

RankSocket::RankSocket(FileDescriptor socket) : socket_(std::move(socket)) {
  const int on = 1;
  ::setsockopt(get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const timeval patience{kSendSec, 0};
  ::setsockopt(get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

RankSocket RankSocket::connect(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;  // IPv4 like rank 0: an IPv6 address of the same name may reach another program
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  RankSocket connected;
  for (const addrinfo* one = found; one != nullptr && !connected.valid(); one = one->ai_next) {
    RankSocket made(FileDescriptor(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    if (made.valid() && ::connect(made.get(), one->ai_addr, one->ai_addrlen) == 0) connected = std::move(made);
  }
  ::freeaddrinfo(found);
  return connected;
}

bool RankSocket::send(char kind, std::string_view body) {
  if (sendFailed_) return false;
  sendFailed_ = !sendAll(get(), lengthText(body.size()) + kind + std::string(body));
  if (sendFailed_) ::shutdown(get(), SHUT_RDWR);
  return !sendFailed_;
}

ReadResult RankSocket::receive(RankMessage& message, std::uint32_t longestBody) {
  for (std::array<char, 65536> buffer{};;) {
    const std::size_t length = unread_.size() < kHeadBytes ? 0 : numberAt<std::uint32_t>(unread_);
    if (length > longestBody) return ReadResult::Malformed;
    const std::size_t missing = kHeadBytes + length - unread_.size();
    if (missing == 0) break;
    const ssize_t size = ::recv(get(), buffer.data(), std::min(missing, buffer.size()), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return ReadResult::Incomplete;
    if (size <= 0) return ReadResult::Closed;
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
  }
  message = {unread_[kLengthBytes], unread_.substr(kHeadBytes)};
  unread_.clear();
  return ReadResult::Message;
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
  while (body.size() >= kLengthBytes) {
    const std::size_t length = numberAt<std::uint32_t>(body);
    body.remove_prefix(kLengthBytes);
    if (body.size() < length) return std::nullopt;
    texts.emplace_back(body.substr(0, length));
    body.remove_prefix(length);
  }
  return body.empty() ? std::optional(std::move(texts)) : std::nullopt;
}

}  // namespace batchwise
