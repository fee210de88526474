// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/safe_streams.h"

#include <iostream>
#include <streambuf>
#include <string>

#include "core/base/mutex.h"
#include "core/base/plain_text.h"

namespace batchwise::cli {
namespace {

/// Keeps text until it is flushed or has become long, and hands it on safe.
class SafeBuffer final : public std::streambuf {
 public:
  explicit SafeBuffer(std::streambuf& target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    const MutexLock lock(mutex_);
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    kept_ += traits_type::to_char_type(c);
    return passOnIfLong() ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const MutexLock lock(mutex_);
    kept_.append(text, static_cast<std::size_t>(size));
    return passOnIfLong() ? size : 0;
  }
  int sync() override {
    const MutexLock lock(mutex_);
    return passOn(kept_.size()) && target_.pubsync() == 0 ? 0 : -1;
  }

 private:
  static constexpr std::size_t kLongBytes = 1 << 16;

  bool passOnIfLong() REQUIRES(mutex_) {
    return kept_.size() < kLongBytes || passOn(kept_.size() - unfinishedBytes(kept_));
  }
  bool passOn(std::size_t bytes) REQUIRES(mutex_) {
    const std::string safe = shownSafely(std::string_view(kept_).substr(0, bytes));
    kept_.erase(0, bytes);
    return target_.sputn(safe.data(), std::ssize(safe)) == std::ssize(safe);
  }

  Mutex mutex_;
  std::streambuf& target_ GUARDED_BY(mutex_);
  std::string kept_ GUARDED_BY(mutex_);
};

}  // namespace

void makeStandardStreamsSafe() {
  // Never deleted: the streams are flushed when the process ends.
  for (std::ostream* stream : {&std::cout, &std::cerr}) stream->rdbuf(new SafeBuffer(*stream->rdbuf()));
}

}  // namespace batchwise::cli
