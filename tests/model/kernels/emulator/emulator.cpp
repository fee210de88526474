// SPDX-License-Identifier: GPL-3.0-or-later
// See cuda_runtime.h. x86-64 only, as the wheels that the project builds with.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/model/kernels/emulator/cuda_runtime.h"

// Compiled without -fsanitize=thread, for which what follows would be data races; BATCHWISE_TSAN tells of it.
#if defined(BATCHWISE_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

// Saves the registers that a function must keep and the stack in *from, and goes on where `to` was saved.
extern "C" void batchwiseSwitchStack(void** from, void* to);
asm(R"(
.text
.globl batchwiseSwitchStack
.type batchwiseSwitchStack, @function
batchwiseSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size batchwiseSwitchStack, .-batchwiseSwitchStack
)");

namespace batchwise::emulator {
namespace {

constexpr unsigned kWarp = 32;
constexpr std::size_t kStackBytes = std::size_t{128} << 10;  // touched only as far as it is used
constexpr unsigned kMostThreads = 1024;

/// A stack that runs by itself until it switches to another. The host's thread is one too.
struct Fiber {
  void* saved = nullptr;  // the top of its stack, while others run
  char* stack = nullptr;
  void* ofSanitizer = nullptr;
};

#if defined(BATCHWISE_TSAN)
// Switches do not order what fibers do: only barriers and the ends of blocks do.
void* newSanitizerFiber() {
  return __tsan_create_fiber(0);
}
void released(void* by) {
  __tsan_release(by);
}
void acquired(void* by) {
  __tsan_acquire(by);
}
void prepareSwitch(const Fiber& to) {
  __tsan_switch_to_fiber(to.ofSanitizer, __tsan_switch_to_fiber_no_sync);
}
#else
void* newSanitizerFiber() {
  return nullptr;
}
void released(void*) {}
void acquired(void*) {}
void prepareSwitch(const Fiber&) {}
#endif

/// A shuffle that lanes of a warp wait in.
struct Exchange {
  unsigned mask = 0, arrived = 0;  // mask 0: nobody waits
  Place place;
  int distance = 0;
};

struct Warp {
  unsigned ready = 0;                                        // lanes that can go on
  unsigned alive = 0;                                        // lanes that have not returned
  std::array<std::array<std::uint64_t, kWarp>, 2> values{};  // of this shuffle and the one before, still being read
  unsigned turn = 0;
  Exchange exchange;
};

class Machine {
 public:
  Machine() : fibers_(kMostThreads) {
    for (Fiber& fiber : fibers_) {
      void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (stack == MAP_FAILED) std::abort();
      fiber.stack = static_cast<char*>(stack);
    }
  }

  cudaError_t run(const dim3& grid, const dim3& block, const std::function<void()>& thread) {
    problem_.clear();
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > kMostThreads || block.y != 1 || block.z != 1 || grid.x == 0 || grid.x > 0x7FFFFFFFU ||
        grid.y == 0 || grid.y > 0xFFFFU || grid.z != 1)
      return fail("grid or block of a size that does not exist, or more dimensions than the emulator has");
    grid_ = grid;
    block_ = block;
    thread_ = &thread;
    prepareFibers(static_cast<unsigned>(threads));
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y;
    const bool backwards = (launches_++ & 1) != 0;
    for (std::uint64_t i = 0; i < blocks && problem_.empty(); ++i) {
      const std::uint64_t at = backwards ? blocks - 1 - i : i;
      blockAt_ = dim3(static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x), 0);
      runBlock();
    }
    return problem_.empty() ? cudaSuccess : cudaErrorLaunchFailure;
  }

  unsigned thread() const { return current_; }
  const dim3& blockAt() const { return blockAt_; }
  const dim3& block() const { return block_; }
  const dim3& grid() const { return grid_; }
  const std::string& problem() const { return problem_; }
  bool inKernel() const { return running_; }

  void barrier(const Place& place) {
    if (waiting_ == 0) barrierAt_ = place;
    if (!same(barrierAt_, place)) stop("threads of a block wait at two barriers", place);
    if (alive_ != threads_) stop("a barrier waits for threads that have returned", place);
    released(&waiting_);
    ++waiting_;
    own().ready &= ~bit();
    if (waiting_ == threads_) releaseBarrier();
    if ((own().ready & bit()) == 0) switchToNext();
    acquired(&waiting_);
  }

  std::uint64_t shuffleXor(unsigned mask, std::uint64_t value, int distance, const Place& place) {
    Warp& warp = own();
    const unsigned lane = current_ % kWarp, source = lane ^ static_cast<unsigned>(distance);
    Exchange& exchange = warp.exchange;
    if ((mask & bit()) == 0) stop("a lane that is not in the mask of a shuffle calls it", place);
    if (source >= kWarp || (mask >> source & 1U) == 0) stop("a shuffle reads a lane that is not in its mask", place);
    if ((mask & ~warp.alive) != 0) stop("a shuffle waits for lanes that have returned or do not exist", place);
    if (exchange.mask == 0)
      exchange = {mask, 0, place, distance};
    else if (exchange.mask != mask || !same(exchange.place, place))
      stop("lanes of a warp are in two shuffles", place);
    const unsigned turn = warp.turn;
    warp.values[turn][lane] = value;
    exchange.arrived |= bit();
    if (exchange.arrived == mask) {
      warp.ready |= mask;
      warp.turn = 1 - turn;
      exchange.mask = 0;
    } else {
      warp.ready &= ~bit();
      switchToNext();
    }
    return warp.values[turn][source];
  }

  /// Ends the launch. Does not return.
  [[noreturn]] void stop(const std::string& what, const Place& place) {
    stop(what + " (" + place.file + ":" + std::to_string(place.line) + ")");
  }
  [[noreturn]] void stop(const std::string& what) {
    if (problem_.empty())
      problem_ = what + ", thread " + std::to_string(current_) + " of block (" + std::to_string(blockAt_.x) + ", " +
                 std::to_string(blockAt_.y) + ")";
    switchTo(host_);
    std::abort();  // what was stopped does not go on
  }

 private:
  static bool same(const Place& a, const Place& b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

  cudaError_t fail(const char* what) {
    problem_ = what;
    return cudaErrorLaunchFailure;
  }

  Warp& own() { return warps_[current_ / kWarp]; }
  unsigned bit() const { return 1U << (current_ % kWarp); }

  void prepareFibers(unsigned threads) {
    threads_ = threads;
    warps_.assign((threads + kWarp - 1) / kWarp, {});
    for (unsigned i = 0; i < threads; ++i) {
      Fiber& fiber = fibers_[i];
      if (fiber.ofSanitizer == nullptr) fiber.ofSanitizer = newSanitizerFiber();
      // What batchwiseSwitchStack() takes from a stack: six registers, then where to go on; then an empty place, for a
      // stack that is aligned as after a call.
      void** const top = reinterpret_cast<void**>(fiber.stack + kStackBytes) - 8;
      std::fill(top, top + 8, nullptr);
      top[6] = reinterpret_cast<void*>(&Machine::enter);
      fiber.saved = top;
    }
#if defined(__SANITIZE_ADDRESS__)
    for (unsigned i = 0; i < threads; ++i) ASAN_UNPOISON_MEMORY_REGION(fibers_[i].stack, kStackBytes);
#endif
#if defined(BATCHWISE_TSAN)
    host_.ofSanitizer = __tsan_get_current_fiber();
#endif
    order_.resize(warps_.size());
    std::iota(order_.begin(), order_.end(), 0U);
  }

  void runBlock() {
    for (unsigned i = 0; i < warps_.size(); ++i) {
      const unsigned lanes = std::min(kWarp, threads_ - i * kWarp);
      warps_[i] = {};
      warps_[i].alive = warps_[i].ready = lanes == kWarp ? 0xFFFFFFFFU : (1U << lanes) - 1;
    }
    alive_ = threads_;
    waiting_ = 0;
    // Forwards, backwards, or any order.
    const std::uint64_t bits = randomBits(launches_, blockAt_.x + std::uint64_t{blockAt_.y} * grid_.x);
    highestLaneFirst_ = (bits & 1) != 0;
    for (std::size_t i = order_.size(); i > 1 && (bits & 6) != 0; --i)
      std::swap(order_[i - 1], order_[boundedRandom(randomBits(bits, i), i)]);
    if ((bits & 6) == 0) std::iota(order_.begin(), order_.end(), 0U);
    running_ = true;
    released(this);
    current_ = next();
    switchFrom(host_, fibers_[current_]);
    running_ = false;
    acquired(&alive_);
  }

  void releaseBarrier() {
    waiting_ = 0;
    for (Warp& warp : warps_) warp.ready = warp.alive;
  }

  /// The first warp in this block's order that can go on, and a lane of it.
  unsigned next() const {
    for (const unsigned number : order_) {
      const unsigned ready = warps_[number].ready;
      if (ready == 0) continue;
      const int lane = highestLaneFirst_ ? 31 - std::countl_zero(ready) : std::countr_zero(ready);
      return number * kWarp + static_cast<unsigned>(lane);
    }
    return kMostThreads;
  }

  void switchToNext() {
    const unsigned chosen = next();
    if (chosen == kMostThreads)
      stop("no thread of the block can go on: some are in a barrier or a shuffle that others do not reach");
    if (chosen == current_) return;
    Fiber& from = fibers_[current_];
    current_ = chosen;
    switchFrom(from, fibers_[chosen]);
  }

  void switchTo(Fiber& to) {
    switchFrom(fibers_[current_], to);
  }

  static void switchFrom(Fiber& from, const Fiber& to) {
    prepareSwitch(to);
    batchwiseSwitchStack(&from.saved, to.saved);
  }

  /// Where the stack of a thread begins: a kernel for each block.
  static void enter();

  void returned() {
    own().alive &= ~bit();
    own().ready &= ~bit();
    --alive_;
    if ((own().exchange.mask & bit()) != 0) stop("a lane returns that others wait for in a shuffle");
    if (waiting_ != 0) stop("a thread returns that others wait for at a barrier");
    if (alive_ == 0) return switchTo(host_);
    switchToNext();
  }

  std::vector<Fiber> fibers_;
  Fiber host_;
  std::vector<Warp> warps_;
  std::vector<unsigned> order_;  // of the warps of this block
  dim3 grid_, block_, blockAt_;
  const std::function<void()>* thread_ = nullptr;
  unsigned current_ = 0, threads_ = 0;
  unsigned alive_ = 0, waiting_ = 0;  // threads of this block that have not returned; of them, at the barrier
  Place barrierAt_;
  bool highestLaneFirst_ = false, running_ = false;
  std::uint64_t launches_ = 0;
  std::string problem_;
};

Machine& machine() {
  static Machine one;
  return one;
}

void Machine::enter() {
  Machine& self = machine();
  for (;;) {
    acquired(&self);
    (*self.thread_)();
    released(&self.alive_);
    self.returned();
  }
}

// Around each piece of memory: bits of NaN in every type.
constexpr std::size_t kGuard = 256;
constexpr unsigned char kNaN = 0xFF;
std::map<void*, std::size_t> allocated;

bool intact(const unsigned char* guard, std::size_t bytes) {
  return std::all_of(guard, guard + bytes, [](unsigned char byte) { return byte == kNaN; });
}

}  // namespace

unsigned threadX() {
  return machine().thread();
}
unsigned blockX() {
  return machine().blockAt().x;
}
unsigned blockY() {
  return machine().blockAt().y;
}
unsigned threadsX() {
  return machine().block().x;
}
unsigned blocksX() {
  return machine().grid().x;
}
unsigned blocksY() {
  return machine().grid().y;
}

cudaError_t run(const dim3& grid, const dim3& block, const std::function<void()>& thread) {
  return machine().run(grid, block, thread);
}
void barrier(const Place& place) {
  machine().barrier(place);
}
std::uint64_t shuffleXor(unsigned mask, std::uint64_t own, int distance, const Place& place) {
  return machine().shuffleXor(mask, own, distance, place);
}

}  // namespace batchwise::emulator

using batchwise::emulator::machine;

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  using namespace batchwise::emulator;
  const std::size_t all = (bytes + 2 * kGuard + kGuard - 1) / kGuard * kGuard;
  auto* const block = static_cast<unsigned char*>(std::aligned_alloc(kGuard, all));
  if (block == nullptr) return cudaErrorInvalidValue;
  std::memset(block, kNaN, all);
  *memory = block + kGuard;
  allocated[*memory] = bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  using namespace batchwise::emulator;
  if (memory == nullptr) return cudaSuccess;
  const auto found = allocated.find(memory);
  if (found == allocated.end()) return cudaErrorInvalidValue;
  auto* const begin = static_cast<unsigned char*>(memory);
  const bool good = intact(begin - kGuard, kGuard) && intact(begin + found->second, kGuard);
  allocated.erase(found);
  std::free(begin - kGuard);
  return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 2;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return machine().problem().empty() ? cudaSuccess : cudaErrorLaunchFailure;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? machine().problem().c_str() : error == cudaSuccess ? "" : "invalid value";
}

// What -fsanitize=alignment calls for an access that is not aligned.
namespace {
struct TypeMismatch {
  const char* file;
  std::uint32_t line, column;
};
[[gnu::used]] void misaligned(const TypeMismatch* at, const void* pointer) {
  const std::string place = std::string(at->file) + ":" + std::to_string(at->line);
  if (machine().inKernel()) machine().stop("an access that is not aligned (" + place + ")");
  std::fprintf(stderr, "%s: the access to %p is not aligned\n", place.c_str(), pointer);
  std::abort();
}
}  // namespace
extern "C" {
void __ubsan_handle_type_mismatch_v1(const TypeMismatch* at, const void* pointer) {
  misaligned(at, pointer);
}
void __ubsan_handle_type_mismatch_v1_abort(const TypeMismatch* at, const void* pointer) {
  misaligned(at, pointer);
}
}
