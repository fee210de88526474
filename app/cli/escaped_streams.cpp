// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/escaped_streams.h"

#include <iostream>
#include <streambuf>
#include <string>

#include "core/base/mutex.h"
#include "core/base/plain_text.h"

namespace batchwise::cli {
namespace {

/// Buffers text until a flush or until it is long, then passes it on escaped.
class EscapingBuffer final : public std::streambuf {
 public:
  explicit EscapingBuffer(std::streambuf& target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    const MutexLock lock(mutex_);
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    buffer_ += traits_type::to_char_type(c);
    return forwardIfLong() ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const MutexLock lock(mutex_);
    buffer_.append(text, static_cast<std::size_t>(size));
    return forwardIfLong() ? size : 0;
  }
  int sync() override {
    const MutexLock lock(mutex_);
    return forward(buffer_.size()) && target_.pubsync() == 0 ? 0 : -1;
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 16;

  bool forwardIfLong() REQUIRES(mutex_) {
    return buffer_.size() < kFlushBytes || forward(buffer_.size() - incompleteTailBytes(buffer_));
  }
  bool forward(std::size_t bytes) REQUIRES(mutex_) {
    const std::string safe = escapedForTerminal(std::string_view(buffer_).substr(0, bytes));
    buffer_.erase(0, bytes);
    return target_.sputn(safe.data(), std::ssize(safe)) == std::ssize(safe);
  }

  Mutex mutex_;
  std::streambuf& target_ GUARDED_BY(mutex_);
  std::string buffer_ GUARDED_BY(mutex_);
};

}  // namespace

void escapeStandardStreams() {
  // Never deleted, because the streams are flushed at process exit.
  for (std::ostream* stream : {&std::cout, &std::cerr}) stream->rdbuf(new EscapingBuffer(*stream->rdbuf()));
}

}  // namespace batchwise::cli
