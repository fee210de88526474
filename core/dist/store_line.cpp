// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/store_line.h"

#include <arpa/inet.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/texts.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

using nlohmann::json;
using Seconds = std::chrono::duration<double>;

constexpr double kRoundSec = 0.2;  // between two looks at the other ranks
constexpr double kLongestRoundSec = 2 * kRoundSec;
constexpr double kBeatSec = 1.0;
constexpr double kSilentSec = 3.0;
constexpr double kLeaveSec = 5.0;  // in which rank 0 still serves the store
constexpr double kForeverSec = 1e9;
// In which the serving thread waits for the texts of the others, and does nothing else.
constexpr std::chrono::milliseconds kTextWait{100};
constexpr const char* kFirstSection = "setting up";
constexpr const char* kBroken = "broken";
constexpr const char* kAbsent = "absent";  // names ranks that have not come
constexpr const char* kNews = "news";      // counts goodbyes and breaks: one number to look at

double nowSec() {
  return SystemClock().monotonicSec();
}

std::string textKey(std::uint64_t round, std::int64_t rank) {
  return "text/" + std::to_string(round) + "/" + std::to_string(rank);
}
std::string allKey(std::uint64_t round) {
  return "all/" + std::to_string(round);
}
std::string stateKey(std::int64_t rank) {
  return "state/" + std::to_string(rank);
}
std::string joinedKey(std::int64_t rank) {
  return "joined/" + std::to_string(rank);
}
std::string leftKey(std::int64_t rank) {
  return "left/" + std::to_string(rank);
}

Error lostRankError(std::string message) {
  return {ErrorCode::LostRank, std::move(message), {}};
}

std::string brokenText(const Error& why, bool lost) {
  return jsonText({{"code", static_cast<int>(why.code)},
                   {"message", why.message},
                   {"context", why.context},
                   {"field", why.field},
                   {"lost", lost}});
}

/// What a rank tells of itself when it comes.
std::string introduction(std::int64_t size, const std::string& version) {
  const ProcessIdentity process = currentProcess();
  return jsonText({{"size", size},
                   {"version", version},
                   {"host", process.host},
                   {"system", process.system},
                   {"process", process.processId},
                   {"start", process.startTicks}});
}

struct Peer {
  std::string name;              // "rank 1 (process 77 on node3)"
  ProcessIdentity process = {};  // processId 0 until it has come
  std::string section = kFirstSection;
  std::uint64_t arrivals = 0;  // number of arrive() and exchange() calls
  std::int64_t beat = -1;
  double heardSec = 0;  // when its beat last changed
  bool left = false;    // said goodbye
};

class Link final : public StoreLine {
 public:
  Link(std::int64_t rank, std::int64_t size, MeetingPoint point, FileDescriptor port)
      : StoreLine(rank, size), point_(std::move(point)), port_(std::move(port)) {
    for (std::int64_t each = 0; each < size; ++each) {
      peers_.push_back({.name = formatText("rank {}", each)});
      absentRanks_.push_back(each);
    }
  }

  // The rest is for connect().
  void serve(double connectSec);
  Result<void> meet(const std::string& version, double timeoutSec);
  void leave();

  Result<std::vector<std::string>> exchange(const std::string& own) override {
    Result<std::optional<std::vector<std::string>>> all = exchangeWithin(own, kForeverSec);
    if (!all.ok()) return all.error();
    return std::move(**all);
  }

  void arrive() override {
    const MutexLock lock(mutex_);
    ++arrivals_;
  }

  void enter(std::string_view section) override {
    const MutexLock lock(mutex_);
    section_ = section;
    changed_.notify_all();
  }

  void abandon(const Error& why) override { breakHere(why.within(formatText("rank {}", rank())), false); }

  void setSilenceLimit(double seconds) override {
    if (rank() == 0) {
      const MutexLock lock(mutex_);
      silenceLimitSec_ = seconds;
      return;
    }
    silence_ = std::jthread([this, seconds](const std::stop_token& stop) { watchRankZero(stop, seconds); });
  }

  std::string missing() const override {
    const MutexLock lock(mutex_);
    std::string text;
    for (const Peer& peer : peers_) {
      const double silentSec = silenceOf(peer);
      if (&peer == &ownPeer() || (peer.arrivals >= arrivals_ && silentSec < kSilentSec)) continue;
      const std::string one = silentSec < kSilentSec
                                  ? formatText("{} has not reached it, last seen in {}", peer.name, peer.section)
                                  : formatText("{} has been silent for {} s, last seen in {}", peer.name,
                                               formatValue(silentSec), peer.section);
      text = text.empty() ? one : listItemsText(text, one);
    }
    return text;
  }

  bool hasSilentRank() const override {
    const MutexLock lock(mutex_);
    bool silent = false;
    for (const Peer& peer : peers_) silent = silent || (&peer != &ownPeer() && silenceOf(peer) >= kSilentSec);
    return silent;
  }

  c10::intrusive_ptr<c10d::Store> openStore() const override {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(point_.port);
    options.waitWorkers = false;
    return c10::make_intrusive<c10d::PrefixStore>(point_.prefix + "/c10d",
                                                  c10::make_intrusive<c10d::TCPStore>(address(), options));
  }

 private:
  Result<std::optional<std::vector<std::string>>> exchangeWithin(const std::string& own, double timeoutSec);
  void breakHere(const Error& why, bool lost);
  void watchRankZero(const std::stop_token& stop, double limitSec);
  const Peer& ownPeer() const REQUIRES(mutex_) { return peers_[static_cast<std::size_t>(rank())]; }
  double silenceOf(const Peer& peer) const REQUIRES(mutex_) { return peer.left ? 0.0 : servedSec_ - peer.heardSec; }

  std::string address() const { return rank() == 0 && !point_.servedByLauncher ? "127.0.0.1" : point_.host; }

  // Below: by the serving thread.
  bool open(double connectSec);
  bool turn();
  void carryTexts();
  std::optional<std::vector<std::string>> textsOfAll();
  bool fits(std::size_t bytes);
  void look();
  void lookForAbsent();
  void readNews();
  void beat();
  void checkPeers();
  void lose(const std::string& what);
  void sayGoodbye();
  bool othersNeedStore();

  const MeetingPoint point_;
  FileDescriptor port_;                    // of rank 0, until the store has it
  c10::intrusive_ptr<c10d::Store> store_;  // used by the serving thread only, as all up to mutex_'s
  std::uint64_t round_ = 0;                // of the exchange that is next
  bool sent_ = false;                      // the own text of it
  double lookedSec_ = 0, beatSec_ = 0;
  std::int64_t beats_ = 0, news_ = 0;
  std::vector<std::int64_t> absentRanks_;  // as rank 0 sees before the meeting
  std::string toldSection_;

  std::vector<Peer> peers_ GUARDED_BY(mutex_);  // by rank, with this one
  bool met_ GUARDED_BY(mutex_) = false;
  std::string absent_ GUARDED_BY(mutex_);                   // ranks that have not come yet
  std::optional<std::string> outgoing_ GUARDED_BY(mutex_);  // text of the exchange that waits
  std::optional<std::vector<std::string>> incoming_ GUARDED_BY(mutex_);
  std::optional<std::string> untold_ GUARDED_BY(mutex_);  // what broke the line, for the others
  std::uint64_t arrivals_ GUARDED_BY(mutex_) = 0;         // of this rank
  std::string section_ GUARDED_BY(mutex_) = kFirstSection;
  // Time that the thread has served: a round that takes longer than it should counts as kLongestRoundSec, wherever in
  // it the process was suspended or starved.
  double servedSec_ GUARDED_BY(mutex_) = 0;
  double silenceLimitSec_ GUARDED_BY(mutex_) = kForeverSec;
  double turnedSec_ GUARDED_BY(mutex_) = nowSec();
  std::uint64_t zeroHeard_ GUARDED_BY(mutex_) = 0;  // signs of life of rank 0
  bool connected_ GUARDED_BY(mutex_) = false;
  bool leaving_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;  // the serving thread
  std::jthread silence_;
};

// Nothing: the time is up.
Result<std::optional<std::vector<std::string>>> Link::exchangeWithin(const std::string& own, double timeoutSec) {
  MutexLock lock(mutex_);
  if (broken_) return *broken_;
  ++arrivals_;
  outgoing_ = own;
  changed_.notify_all();
  changed_.wait_for(lock, Seconds(timeoutSec), [this]() REQUIRES(mutex_) { return broken_ || incoming_; });
  if (broken_) return *broken_;
  return std::exchange(incoming_, std::nullopt);
}

Result<void> Link::meet(const std::string& version, double timeoutSec) {
  const auto refuse = [this](ErrorCode code, std::string message) {
    const Error why{code, std::move(message), {}};
    breakHere(why, false);
    return why;
  };
  ASSIGN_OR_RETURN(const auto all, exchangeWithin(introduction(size(), version), timeoutSec));
  MutexLock lock(mutex_);
  if (!all) {
    const std::string absent = absent_;
    const bool connected = connected_;
    lock.unlock();
    return refuse(
        ErrorCode::Device,
        connected ? formatText("{} did not come to {} within {} s: their output may say why; see also whether {} "
                               "processes were started (WORLD_SIZE)",
                               absent, point_.text(), formatValue(timeoutSec), size())
                  : formatText("rank {} cannot reach {} at {}: see whether it runs there and the machines of the run "
                               "reach each other at that port (MASTER_PORT sets another one)",
                               rank(), point_.servedByLauncher ? "torchrun" : "rank 0", point_.text()));
  }
  for (std::size_t each = 0; each < all->size(); ++each) {
    const json one = json::parse((*all)[each]);
    if (one.at("version") != version || one.at("size") != size()) {
      lock.unlock();
      if (one.at("size") != size())
        return refuse(ErrorCode::Config,
                      formatText("rank {} is one of {} and rank {} one of {}: all processes of a run need the same "
                                 "WORLD_SIZE, and each run a MASTER_PORT of its own",
                                 rank(), size(), each, one.at("size").get<std::int64_t>()));
      return refuse(ErrorCode::Unsupported,
                    formatText("rank {} runs {}, but rank {} {}: all machines of a run need the same build", rank(),
                               version, each, one.at("version").get<std::string>()));
    }
    Peer& peer = peers_[each];
    peer.process = {one.at("host"), one.at("system"), one.at("process"), one.at("start")};
    peer.name = formatText("rank {} (process {} on {})", each, peer.process.processId, peer.process.host);
    peer.heardSec = servedSec_;
  }
  met_ = true;
  return {};
}

// Callbacks are for what comes from others. The serving thread tells the others.
void Link::breakHere(const Error& why, bool lost) {
  const MutexLock lock(mutex_);
  if (setBroken(why, lost)) untold_ = brokenText(why, lost);
}

// The serving thread cannot: it may wait for an answer of rank 0.
void Link::watchRankZero(const std::stop_token& stop, double limitSec) {
  double silentSec = 0, sinceSec = nowSec();
  std::uint64_t heard = 0;
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && !broken_) {
    changed_.wait_for(lock, stop, Seconds(kRoundSec), [] { return false; });
    silentSec += std::min(nowSec() - sinceSec, kLongestRoundSec);
    sinceSec = nowSec();
    if (heard != zeroHeard_ || peers_.front().left) silentSec = 0;
    heard = zeroHeard_;
    if (silentSec <= limitSec || broken_) continue;
    setBroken(lostRankError(formatText("rank 0 has been silent for {} s", static_cast<int>(silentSec))), true);
    lock.unlock();
    notifyBroken();
    return;
  }
}

void Link::serve(double connectSec) {
  std::optional<Error> failure;
  try {
    if (open(connectSec))
      while (turn()) {
      }
  } catch (const c10::DistNetworkError&) {  // rank 0 is gone, or never came
    const MutexLock lock(mutex_);
    failure = lostRankError(formatText("{} was lost in {}: its process ended without a message, or the network failed",
                                       point_.servedByLauncher ? "torchrun" : peers_.front().name, section_));
  } catch (const c10::Error& e) {
    failure = Error{ErrorCode::Device, e.what_without_backtrace(), "the store of the ranks"};
  } catch (const std::exception& e) {
    failure = Error::internal(e.what()).within("the store of the ranks");
  }
  store_.reset();
  MutexLock lock(mutex_);
  const bool breaks = failure && setBroken(*failure, failure->code == ErrorCode::LostRank);
  ended_ = true;
  changed_.notify_all();
  lock.unlock();
  if (breaks) notifyBroken();
}

// Returns false if nobody waits for the connection any longer.
bool Link::open(double connectSec) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(point_.port);
  options.waitWorkers = false;
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(connectSec * 1e3));
  options.isServer = port_.valid();
  if (port_.valid()) options.masterListenFd = ::fcntl(port_.get(), F_DUPFD_CLOEXEC, 0);
  store_ =
      c10::make_intrusive<c10d::PrefixStore>(point_.prefix, c10::make_intrusive<c10d::TCPStore>(address(), options));
  port_ = FileDescriptor();
  {
    const MutexLock lock(mutex_);
    if (leaving_) return false;
    connected_ = true;
  }
  if (store_->add(joinedKey(rank()), 1) == 1) return true;
  const MutexLock lock(mutex_);
  setBroken({ErrorCode::Config,
             formatText("another rank {} has come to {} before: each run needs a MASTER_PORT of its own, and each "
                        "process a RANK of its own",
                        rank(), point_.text()),
             {}},
            false);
  return false;
}

// Returns false after the goodbye.
bool Link::turn() {
  std::optional<std::string> tells, sends;
  bool leaves = false, waits = false;
  {
    MutexLock lock(mutex_);
    changed_.wait_for(lock, Seconds(kRoundSec), [this]() REQUIRES(mutex_) {
      return leaving_ || untold_ || (outgoing_ && !broken_) || section_ != toldSection_;
    });
    servedSec_ += std::min(nowSec() - turnedSec_, kLongestRoundSec);
    turnedSec_ = nowSec();
    if (!point_.servedByLauncher) ++zeroHeard_;
    tells = std::exchange(untold_, std::nullopt);
    leaves = leaving_;
    waits = outgoing_ && !broken_;
    if (waits && !sent_) sends = outgoing_;
  }
  if (tells) {
    store_->compareSet(kBroken, "", *tells);
    store_->add(kNews, 1);
  }
  if (leaves) {
    sayGoodbye();
    return false;
  }
  beat();
  if (sends && fits(sends->size())) {
    store_->set(textKey(round_, rank()), *sends);
    sent_ = true;
  }
  if (waits && sent_) carryTexts();
  look();
  return true;
}

// Rank 0 collects the texts, so that the others wait for one key. The store answers as soon as the keys are there, as
// each step has exchanges. Nothing: they have not come within kTextWait.
std::optional<std::vector<std::string>> Link::textsOfAll() {
  std::vector<std::string> texts;
  try {
    if (rank() > 0) return json::from_cbor(store_->get(allKey(round_))).get<std::vector<std::string>>();
    std::vector<std::string> keys;
    for (std::int64_t each = 0; each < size(); ++each) keys.push_back(textKey(round_, each));
    for (const auto& bytes : store_->multiGet(keys)) texts.emplace_back(bytes.begin(), bytes.end());
  } catch (const c10::DistStoreError&) {
    return std::nullopt;
  }
  const std::vector<std::uint8_t> all = json::to_cbor(texts);
  if (!fits(all.size())) return std::nullopt;
  store_->set(allKey(round_), all);
  return texts;
}

void Link::carryTexts() {
  const std::chrono::milliseconds usual = store_->getTimeout();
  store_->setTimeout(kTextWait);
  std::optional<std::vector<std::string>> texts = textsOfAll();
  store_->setTimeout(usual);
  if (!texts) return;
  sent_ = false;
  {
    const MutexLock lock(mutex_);
    outgoing_.reset();
    incoming_ = *std::move(texts);
    changed_.notify_all();
  }
  if (rank() == 0 && round_ > 0) store_->deleteKey(allKey(round_ - 1));  // all have read it
  store_->deleteKey(textKey(round_++, rank()));
}

// Larger ones the store would not take: it closes the connection.
bool Link::fits(std::size_t bytes) {
  if (bytes <= kMostBytes) return true;
  breakHere(
      {ErrorCode::Unsupported,
       formatText("the ranks cannot tell each other {}: at most {} at a time",
                  formatBytes(static_cast<std::int64_t>(bytes)), formatBytes(static_cast<std::int64_t>(kMostBytes))),
       {}},
      false);
  return false;
}

void Link::look() {
  if (nowSec() - lookedSec_ < kRoundSec) return;
  lookedSec_ = nowSec();
  lookForAbsent();
  const std::int64_t news = store_->add(kNews, 0);
  if (news != std::exchange(news_, news)) readNews();
  checkPeers();
}

// Until all have met: rank 0 looks who is absent, the others read it.
void Link::lookForAbsent() {
  {
    const MutexLock lock(mutex_);
    if (met_ || broken_) return;
  }
  std::string absent;
  if (rank() == 0) {
    std::erase_if(absentRanks_, [this](std::int64_t each) { return store_->check({textKey(0, each)}); });
    for (const std::int64_t each : absentRanks_) {
      const std::string one = formatText("rank {}", each);
      absent = absent.empty() ? one : listItemsText(absent, one);
    }
    store_->set(kAbsent, absent);
  } else {
    absent = store_->check({kAbsent}) ? store_->get_to_str(kAbsent) : "rank 0";
  }
  const MutexLock lock(mutex_);
  absent_ = absent;
}

void Link::readNews() {
  std::optional<json> broken;
  if (store_->check({kBroken})) broken = json::parse(store_->get_to_str(kBroken));
  for (std::int64_t each = 0; each < size(); ++each) {
    if (!store_->check({leftKey(each)})) continue;
    const std::string arrivals = store_->get_to_str(leftKey(each));
    const MutexLock lock(mutex_);
    Peer& peer = peers_[static_cast<std::size_t>(each)];
    peer.left = true;
    peer.arrivals = std::strtoull(arrivals.c_str(), nullptr, 10);
  }
  if (!broken) return;
  MutexLock lock(mutex_);
  const Error why{static_cast<ErrorCode>(broken->at("code").get<int>()), broken->at("message"), broken->at("context"),
                  broken->at("field")};
  const bool breaks = setBroken(why, broken->at("lost"));
  lock.unlock();
  if (breaks) notifyBroken();
}

// Tells how far this rank is, each second and when its section changes, and reads how far the others are: rank 0 all of
// them, the others rank 0.
void Link::beat() {
  json own;
  bool met = false;
  {
    const MutexLock lock(mutex_);
    if (nowSec() - beatSec_ < kBeatSec && section_ == toldSection_) return;
    toldSection_ = section_;
    own = {{"beat", beats_++}, {"arrivals", arrivals_}, {"section", section_}};
    met = met_;
  }
  beatSec_ = nowSec();
  store_->set(stateKey(rank()), jsonText(own));
  if (!met) return;
  std::vector<std::string> keys;
  for (std::int64_t each = 0; each < (rank() == 0 ? size() : 1); ++each) keys.push_back(stateKey(each));
  const auto states = store_->multiGet(keys);
  const MutexLock lock(mutex_);
  for (std::size_t each = 0; each < states.size(); ++each) {
    const json state = json::parse(states[each]);
    Peer& peer = peers_[each];
    peer.section = state.at("section");
    if (!peer.left) peer.arrivals = state.at("arrivals");
    const auto beat = state.at("beat").get<std::int64_t>();
    if (beat == std::exchange(peer.beat, beat)) continue;
    peer.heardSec = servedSec_;
    if (each == 0) ++zeroHeard_;
  }
}

void Link::checkPeers() {
  std::vector<Peer> peers;
  std::uint64_t arrivals = 0;
  std::string section;
  double servedSec = 0, limitSec = 0;
  {
    const MutexLock lock(mutex_);
    if (!met_ || broken_) return;
    servedSec = servedSec_;
    limitSec = silenceLimitSec_;
    peers = peers_;
    arrivals = arrivals_;
    section = section_;
  }
  for (std::int64_t each = 0; each < size(); ++each) {
    const Peer& peer = peers[static_cast<std::size_t>(each)];
    const auto lastSection = [&] {
      return json::parse(store_->get_to_str(stateKey(each))).at("section").get<std::string>();
    };
    // A rank may end early, but not before it has taken part in everything that others wait for.
    if (peer.left && peer.arrivals < arrivals)
      return lose(formatText("{}, and this rank waits for it in {}",
                             formatText("{} has ended after {}", peer.name, lastSection()), section));
    const Liveness alive = peer.left ? Liveness::Alive : livenessOf(peer.process);
    const double silentSec = servedSec - peer.heardSec;
    const bool silent = rank() == 0 && alive == Liveness::Unknown && silentSec > limitSec;
    if (alive != Liveness::Dead && !silent) continue;
    if (store_->check({leftKey(each)})) continue;  // seen at the next look
    const std::string why = silent
                                ? formatText("nothing has come from it for {} s, so its machine or the network is gone",
                                             static_cast<int>(silentSec))
                                : "its process ended without a message (killed, or out of memory)";
    return lose(formatText("{} was lost in {}: {}", peer.name, lastSection(), why));
  }
}

void Link::lose(const std::string& what) {
  const Error why = lostRankError(what);
  store_->compareSet(kBroken, "", brokenText(why, true));
  store_->add(kNews, 1);
  MutexLock lock(mutex_);
  const bool breaks = setBroken(why, true);
  lock.unlock();
  if (breaks) notifyBroken();
}

void Link::sayGoodbye() {
  std::uint64_t arrivals = 0;
  {
    const MutexLock lock(mutex_);
    arrivals = arrivals_;
  }
  store_->set(leftKey(rank()), std::to_string(arrivals));
  store_->add(kNews, 1);
  if (rank() != 0 || point_.servedByLauncher) return;
  for (const double untilSec = nowSec() + kLeaveSec; nowSec() < untilSec && othersNeedStore();)
    std::this_thread::sleep_for(Seconds(kRoundSec / 10));
}

// Whether a rank that came has not said goodbye.
bool Link::othersNeedStore() {
  std::vector<Peer> peers;
  {
    const MutexLock lock(mutex_);
    peers = peers_;
  }
  for (std::int64_t each = 1; each < size(); ++each) {
    const ProcessIdentity& process = peers[static_cast<std::size_t>(each)].process;
    const bool dead = process.processId != 0 && livenessOf(process) == Liveness::Dead;
    if (!dead && store_->check({joinedKey(each)}) && !store_->check({leftKey(each)})) return true;
  }
  return false;
}

// A thread that gets no answer is left behind, with what it uses.
void Link::leave() {
  silence_ = std::jthread();
  MutexLock lock(mutex_);
  leaving_ = true;
  changed_.notify_all();
  if (connected_) changed_.wait_for(lock, Seconds(kLeaveSec + 1), [this]() REQUIRES(mutex_) { return ended_; });
}

}  // namespace

Result<FileDescriptor> openRankPort(MeetingPoint& point) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(point.onOneMachine ? INADDR_LOOPBACK : INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(point.port));
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (!socket.valid() || ::bind(socket.get(), general, length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), general, &length) != 0) {
    if (errno == EADDRINUSE)
      return Error{
          ErrorCode::Io,
          formatText("port {}, where the ranks meet, is in use by another program or run; end that one, or set "
                     "another MASTER_PORT for all ranks",
                     point.port),
          {}};
    return Error::fromErrno(errno, "cannot open '{}'", formatText("port {} for the ranks", point.port));
  }
  point.port = ntohs(address.sin_port);
  return socket;
}

Result<std::shared_ptr<StoreLine>> StoreLine::connect(std::int64_t rank, std::int64_t size, const MeetingPoint& point,
                                                      const std::string& version, double timeoutSec,
                                                      FileDescriptor port) {
  // c10d warns of each connection that ends, with a trace of the stack; our error says which rank it was.
  FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, c10::GLOG_ERROR);
  const auto link = std::make_shared<Link>(rank, size, point, std::move(port));
  constexpr double kLongerSec = 10;  // than meet() waits, which says what is wrong
  std::thread([link, timeoutSec] { link->serve(timeoutSec + kLongerSec); }).detach();
  const std::shared_ptr<StoreLine> line(link.get(), [link](StoreLine*) { link->leave(); });
  RETURN_IF_ERROR(link->meet(version, timeoutSec));
  return line;
}

}  // namespace batchwise
