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
#include "core/store/process_identity.h"

// Three kinds of threads meet here:
//   - those of the rank call the functions of StoreLine. They touch only what mutex_ guards, and never the store.
//   - the serving thread, one per line, is the only one that uses the store, in rounds of at most kRoundSec: it carries
//     the texts of an exchange, writes the heartbeat, and looks at the other ranks. It may wait for an answer of rank 0
//     at any time, so nobody waits for it with mutex_ held.
//   - the silence thread of a rank other than 0 ends the run if rank 0 no longer answers the serving thread.
// The keys in the store, below the prefix of the meeting point:
//   joined/RANK         counts the processes that came as this rank: 1
//   absent              names the ranks that have not come, until all have met
//   text/ROUND/RANK     the text of a rank in an exchange; all/ROUND: those of all ranks, collected by rank 0
//   state/RANK          heartbeat, section and arrivals of a rank
//   left/RANK           goodbye of a rank: the arrivals of its life
//   broken              why the line broke; the first one counts
//   news                counts goodbyes and breaks: one number to look at

namespace batchwise {
namespace {

using nlohmann::json;
using Seconds = std::chrono::duration<double>;
using Texts = std::vector<std::string>;  // of all ranks, by rank

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
constexpr const char* kAbsent = "absent";
constexpr const char* kNews = "news";
std::string keyOf(const char* kind, auto number) {
  return kind + std::string("/") + std::to_string(number);
}
std::string textKey(std::uint64_t round, std::int64_t rank) {
  return keyOf("text", round) + "/" + std::to_string(rank);
}

double nowSec() {
  return SystemClock().monotonicSec();
}

/// Why the line broke. `lost`: a rank was lost, as opposed to abandon().
struct Break {
  Error why;
  bool lost = false;
};

Break rankLost(std::string message) {
  return {{ErrorCode::LostRank, std::move(message), {}}, true};
}

std::string breakText(const Break& broken) {
  return jsonText({{"code", static_cast<int>(broken.why.code)},
                   {"message", broken.why.message},
                   {"context", broken.why.context},
                   {"field", broken.why.field},
                   {"lost", broken.lost}});
}
Break breakFrom(const std::string& text) {
  const json read = json::parse(text);
  return {
      {static_cast<ErrorCode>(read.at("code").get<int>()), read.at("message"), read.at("context"), read.at("field")},
      read.at("lost")};
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

/// What the threads share, and what the rank's threads do.
class Link final : public StoreLine {
 public:
  Link(std::int64_t rank, std::int64_t size, MeetingPoint point) : StoreLine(rank, size), point_(std::move(point)) {
    for (std::int64_t each = 0; each < size; ++each) peers_.push_back({.name = formatText("rank {}", each)});
  }

  /// Exchanges introductions: see connect().
  Result<void> meet(const std::string& version, double timeoutSec) {
    ASSIGN_OR_RETURN(const auto all, exchangeWithin(introduction(size(), version), timeoutSec));
    const Result<void> met = all ? acquaint(*all, version) : notMet(timeoutSec);
    if (!met.ok()) breakHere(met.error());
    return met;
  }

  /// Ends the serving thread; leaves it behind, with what it uses, if it gets no answer.
  void leave() {
    silence_ = std::jthread();
    MutexLock lock(mutex_);
    leaving_ = true;
    changed_.notify_all();
    if (connected_) changed_.wait_for(lock, Seconds(kLeaveSec + 1), [this]() REQUIRES(mutex_) { return ended_; });
  }

  Result<Texts> exchange(const std::string& own) override {
    Result<std::optional<Texts>> all = exchangeWithin(own, kForeverSec);
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
  void abandon(const Error& why) override { breakHere(why.within(formatText("rank {}", rank()))); }

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
      const bool own = &peer == &peers_[static_cast<std::size_t>(rank())];
      if (own || (peer.arrivals >= arrivals_ && silentSec < kSilentSec)) continue;
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
    for (std::int64_t each = 0; each < size(); ++each)
      if (each != rank() && silenceOf(peers_[static_cast<std::size_t>(each)]) >= kSilentSec) return true;
    return false;
  }

  c10::intrusive_ptr<c10d::Store> openStore() const override {
    return c10::make_intrusive<c10d::PrefixStore>(point_.prefix + "/c10d", connection({}));
  }

 private:
  friend class Server;

  /// A connection to the store of the meeting point.
  c10::intrusive_ptr<c10d::Store> connection(c10d::TCPStoreOptions options) const {
    options.port = static_cast<std::uint16_t>(point_.port);
    options.waitWorkers = false;
    const bool own = rank() == 0 && !point_.servedByLauncher;
    return c10::make_intrusive<c10d::TCPStore>(own ? "127.0.0.1" : point_.host, options);
  }

  /// Returns nothing if the time is up.
  Result<std::optional<Texts>> exchangeWithin(const std::string& own, double timeoutSec) {
    MutexLock lock(mutex_);
    if (broken_) return *broken_;
    ++arrivals_;
    outgoing_ = own;
    changed_.notify_all();
    changed_.wait_for(lock, Seconds(timeoutSec), [this]() REQUIRES(mutex_) { return broken_ || incoming_; });
    if (broken_) return *broken_;
    return std::exchange(incoming_, std::nullopt);
  }

  Result<void> acquaint(const Texts& introductions, const std::string& version) {
    const MutexLock lock(mutex_);
    for (std::size_t each = 0; each < introductions.size(); ++each) {
      const json one = json::parse(introductions[each]);
      if (one.at("size") != size())
        return Error::config(
            formatText("rank {} is one of {} and rank {} one of {}: all processes of a run need the "
                       "same WORLD_SIZE, and each run a MASTER_PORT of its own",
                       rank(), size(), each, one.at("size").get<std::int64_t>()));
      if (one.at("version") != version)
        return Error::unsupported(
            formatText("rank {} runs {}, but rank {} {}: all machines of a run need the same build", rank(), version,
                       each, one.at("version").get<std::string>()));
      Peer& peer = peers_[each];
      peer.process = {one.at("host"), one.at("system"), one.at("process"), one.at("start")};
      peer.name = formatText("rank {} (process {} on {})", each, peer.process.processId, peer.process.host);
      peer.heardSec = servedSec_;
    }
    met_ = true;
    return {};
  }

  Error notMet(double timeoutSec) {
    const MutexLock lock(mutex_);
    if (connected_)
      return {ErrorCode::Device,
              formatText("{} did not come to {} within {} s: their output may say why; see also whether {} processes "
                         "were started (WORLD_SIZE)",
                         absent_, point_.text(), formatValue(timeoutSec), size()),
              {}};
    return {
        ErrorCode::Device,
        formatText("rank {} cannot reach {} at {}: see whether it runs there and the machines of the run reach each "
                   "other at that port (MASTER_PORT sets another one)",
                   rank(), point_.servedByLauncher ? "torchrun" : "rank 0", point_.text()),
        {}};
  }

  /// For what comes from others: calls the callbacks.
  void breakByOthers(const Break& broken) {
    {
      const MutexLock lock(mutex_);
      if (!setBroken(broken.why, broken.lost)) return;
    }
    notifyBroken();
  }

  /// For what this rank finds out itself: no callbacks, the serving thread tells the others.
  void breakHere(const Error& why) {
    const MutexLock lock(mutex_);
    if (setBroken(why, false)) untold_ = Break{why};
  }

  void watchRankZero(const std::stop_token& stop, double limitSec) {
    double silentSec = 0, sinceSec = nowSec();
    std::uint64_t heard = 0;
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && !broken_ && silentSec <= limitSec) {
      changed_.wait_for(lock, stop, Seconds(kRoundSec), [] { return false; });
      silentSec += std::min(nowSec() - sinceSec, kLongestRoundSec);
      sinceSec = nowSec();
      if (heard != zeroHeard_ || peers_.front().left) silentSec = 0;
      heard = zeroHeard_;
    }
    lock.unlock();
    if (silentSec > limitSec)
      breakByOthers(rankLost(formatText("rank 0 has been silent for {} s", static_cast<int>(silentSec))));
  }

  double silenceOf(const Peer& peer) const REQUIRES(mutex_) { return peer.left ? 0.0 : servedSec_ - peer.heardSec; }

  const MeetingPoint point_;
  std::vector<Peer> peers_ GUARDED_BY(mutex_);  // by rank, with this one
  bool connected_ GUARDED_BY(mutex_) = false;
  bool met_ GUARDED_BY(mutex_) = false;
  bool leaving_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;                   // the serving thread
  std::string absent_ GUARDED_BY(mutex_);                   // ranks that have not come yet
  std::optional<std::string> outgoing_ GUARDED_BY(mutex_);  // text of the exchange that waits
  std::optional<Texts> incoming_ GUARDED_BY(mutex_);
  std::optional<Break> untold_ GUARDED_BY(mutex_);  // what broke the line, for the others
  std::uint64_t arrivals_ GUARDED_BY(mutex_) = 0;   // of this rank
  std::string section_ GUARDED_BY(mutex_) = kFirstSection;
  // Time that the serving thread has served: a round that takes longer than it should counts as kLongestRoundSec,
  // wherever in it the process was suspended or starved.
  double servedSec_ GUARDED_BY(mutex_) = 0;
  double silenceLimitSec_ GUARDED_BY(mutex_) = kForeverSec;
  std::uint64_t zeroHeard_ GUARDED_BY(mutex_) = 0;  // signs of life of rank 0
  std::jthread silence_;
};

/// What the serving thread does. All members are its own, and the store of this class is the only use of it.
class Server {
 public:
  /// `port`: of rank 0, unless the launcher serves the store.
  Server(Link& link, FileDescriptor port) : link_(link), port_(std::move(port)) {
    for (std::int64_t each = 0; each < size(); ++each) absentRanks_.push_back(each);
  }

  /// Serves until the goodbye, or until the store is gone; `connectSec`: waits for the store.
  void serve(double connectSec) {
    std::optional<Break> failure;
    try {
      if (open(connectSec))
        while (serveRound()) {
        }
    } catch (const c10::DistNetworkError&) {  // rank 0 is gone, or never came
      const MutexLock lock(link_.mutex_);
      failure =
          rankLost(formatText("{} was lost in {}: its process ended without a message, or the network failed",
                              link_.point_.servedByLauncher ? "torchrun" : link_.peers_.front().name, link_.section_));
    } catch (const c10::Error& e) {
      failure = Break{{ErrorCode::Device, e.what_without_backtrace(), "the store of the ranks"}};
    } catch (const std::exception& e) {
      failure = Break{Error::internal(e.what()).within("the store of the ranks")};
    }
    store_.reset();
    {
      const MutexLock lock(link_.mutex_);
      link_.ended_ = true;
      link_.changed_.notify_all();
    }
    if (failure) link_.breakByOthers(*failure);
  }

 private:
  std::int64_t rank() const { return link_.rank(); }
  std::int64_t size() const { return link_.size(); }
  std::string state(std::int64_t rank) { return store_->get_to_str(keyOf("state", rank)); }
  bool hasLeft(std::int64_t rank) { return store_->check({keyOf("left", rank)}); }

  // Returns false if nobody waits for the connection any longer.
  bool open(double connectSec) {
    c10d::TCPStoreOptions options;
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(connectSec * 1e3));
    options.isServer = port_.valid();
    if (port_.valid()) options.masterListenFd = ::fcntl(port_.get(), F_DUPFD_CLOEXEC, 0);
    store_ = c10::make_intrusive<c10d::PrefixStore>(link_.point_.prefix, link_.connection(options));
    port_ = FileDescriptor();
    {
      const MutexLock lock(link_.mutex_);
      if (link_.leaving_) return false;
      link_.connected_ = true;
    }
    if (store_->add(keyOf("joined", rank()), 1) == 1) return true;
    const MutexLock lock(link_.mutex_);
    link_.setBroken(
        Error::config(formatText("another rank {} has come to {} before: each run needs a MASTER_PORT of its "
                                 "own, and each process a RANK of its own",
                                 rank(), link_.point_.text())),
        false);
    return false;
  }

  // Returns false after the goodbye.
  bool serveRound() {
    std::optional<Break> untold;
    std::optional<std::string> text;
    bool leaves = false;
    {
      MutexLock lock(link_.mutex_);
      link_.changed_.wait_for(lock, Seconds(kRoundSec), [this]() REQUIRES(link_.mutex_) {
        return link_.leaving_ || link_.untold_ || (link_.outgoing_ && !link_.broken_) || link_.section_ != toldSection_;
      });
      link_.servedSec_ += std::min(nowSec() - roundSec_, kLongestRoundSec);
      roundSec_ = nowSec();
      if (!link_.point_.servedByLauncher) ++link_.zeroHeard_;
      untold = std::exchange(link_.untold_, std::nullopt);
      leaves = link_.leaving_;
      if (!link_.broken_) text = link_.outgoing_;
    }
    if (untold) tell(*untold);
    if (leaves) {
      sayGoodbye();
      return false;
    }
    beat();
    if (text && !sent_ && fits(text->size())) {
      store_->set(textKey(round_, rank()), *text);
      sent_ = true;
    }
    if (text && sent_) carryTexts();
    look();
    return true;
  }

  void carryTexts() {
    const std::chrono::milliseconds usual = store_->getTimeout();
    store_->setTimeout(kTextWait);
    std::optional<Texts> texts = textsOfAll();
    store_->setTimeout(usual);
    if (!texts) return;
    sent_ = false;
    {
      const MutexLock lock(link_.mutex_);
      link_.outgoing_.reset();
      link_.incoming_ = *std::move(texts);
      link_.changed_.notify_all();
    }
    if (rank() == 0 && round_ > 0) store_->deleteKey(keyOf("all", round_ - 1));  // all have read it
    store_->deleteKey(textKey(round_++, rank()));
  }

  // Rank 0 collects the texts, so that the others wait for one key. The store answers as soon as the keys are there, as
  // each step has an exchange. Nothing: they have not come within kTextWait.
  std::optional<Texts> textsOfAll() {
    Texts texts;
    try {
      if (rank() > 0) return json::from_cbor(store_->get(keyOf("all", round_))).get<Texts>();
      std::vector<std::string> keys;
      for (std::int64_t each = 0; each < size(); ++each) keys.push_back(textKey(round_, each));
      for (const auto& bytes : store_->multiGet(keys)) texts.emplace_back(bytes.begin(), bytes.end());
    } catch (const c10::DistStoreError&) {
      return std::nullopt;
    }
    const std::vector<std::uint8_t> all = json::to_cbor(texts);
    if (!fits(all.size())) return std::nullopt;
    store_->set(keyOf("all", round_), all);
    return texts;
  }

  // Larger ones the store would not take: it closes the connection.
  bool fits(std::size_t bytes) {
    if (bytes <= StoreLine::kMostBytes) return true;
    link_.breakHere(Error::unsupported(formatText("the ranks cannot tell each other {}: at most {} at a time",
                                                  formatBytes(static_cast<std::int64_t>(bytes)),
                                                  formatBytes(static_cast<std::int64_t>(StoreLine::kMostBytes)))));
    return false;
  }

  // Tells how far this rank is, each second and when its section changes, and reads how far the others are: rank 0 all
  // of them, the others rank 0.
  void beat() {
    json own;
    bool met = false;
    {
      const MutexLock lock(link_.mutex_);
      if (nowSec() - beatSec_ < kBeatSec && link_.section_ == toldSection_) return;
      toldSection_ = link_.section_;
      own = {{"beat", beats_++}, {"arrivals", link_.arrivals_}, {"section", link_.section_}};
      met = link_.met_;
    }
    beatSec_ = nowSec();
    store_->set(keyOf("state", rank()), jsonText(own));
    if (!met) return;
    std::vector<std::string> keys;
    for (std::int64_t each = 0; each < (rank() == 0 ? size() : 1); ++each) keys.push_back(keyOf("state", each));
    const auto states = store_->multiGet(keys);
    const MutexLock lock(link_.mutex_);
    for (std::size_t each = 0; each < states.size(); ++each) {
      const json read = json::parse(states[each]);
      Peer& peer = link_.peers_[each];
      peer.section = read.at("section");
      if (!peer.left) peer.arrivals = read.at("arrivals");
      const auto beat = read.at("beat").get<std::int64_t>();
      if (beat == std::exchange(peer.beat, beat)) continue;
      peer.heardSec = link_.servedSec_;
      if (each == 0) ++link_.zeroHeard_;
    }
  }

  void look() {
    if (nowSec() - lookedSec_ < kRoundSec) return;
    lookedSec_ = nowSec();
    lookForAbsent();
    const std::int64_t news = store_->add(kNews, 0);
    if (news != std::exchange(news_, news)) readNews();
    checkPeers();
  }

  // Until all have met: rank 0 looks who is absent, the others read it.
  void lookForAbsent() {
    {
      const MutexLock lock(link_.mutex_);
      if (link_.met_ || link_.broken_) return;
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
    const MutexLock lock(link_.mutex_);
    link_.absent_ = absent;
  }

  void readNews() {
    std::optional<Break> broken;
    if (store_->check({kBroken})) broken = breakFrom(store_->get_to_str(kBroken));
    for (std::int64_t each = 0; each < size(); ++each) {
      if (!hasLeft(each)) continue;
      const std::string arrivals = store_->get_to_str(keyOf("left", each));
      const MutexLock lock(link_.mutex_);
      Peer& peer = link_.peers_[static_cast<std::size_t>(each)];
      peer.left = true;
      peer.arrivals = std::strtoull(arrivals.c_str(), nullptr, 10);
    }
    if (broken) link_.breakByOthers(*broken);
  }

  void checkPeers() {
    std::vector<Peer> peers;
    std::uint64_t arrivals = 0;
    std::string section;
    double servedSec = 0, limitSec = 0;
    {
      const MutexLock lock(link_.mutex_);
      if (!link_.met_ || link_.broken_) return;
      servedSec = link_.servedSec_;
      limitSec = link_.silenceLimitSec_;
      peers = link_.peers_;
      arrivals = link_.arrivals_;
      section = link_.section_;
    }
    std::string lost;
    for (std::int64_t each = 0; each < size() && lost.empty(); ++each) {
      const Peer& peer = peers[static_cast<std::size_t>(each)];
      const auto lastSection = [&] { return json::parse(state(each)).at("section").get<std::string>(); };
      if (peer.left) {
        // A rank may end early, but not before it has taken part in everything that others wait for.
        if (peer.arrivals < arrivals)
          lost = formatText("{}, and this rank waits for it in {}",
                            formatText("{} has ended after {}", peer.name, lastSection()), section);
        continue;
      }
      const Liveness alive = livenessOf(peer.process);
      const double silentSec = servedSec - peer.heardSec;
      const bool silent = rank() == 0 && alive == Liveness::Unknown && silentSec > limitSec;
      if ((alive != Liveness::Dead && !silent) || hasLeft(each)) continue;  // a goodbye is read at the next look
      const std::string why =
          silent ? formatText("nothing has come from it for {} s, so its machine or the network is gone",
                              static_cast<int>(silentSec))
                 : "its process ended without a message (killed, or out of memory)";
      lost = formatText("{} was lost in {}: {}", peer.name, lastSection(), why);
    }
    if (lost.empty()) return;
    tell(rankLost(lost));
    link_.breakByOthers(rankLost(lost));
  }

  void tell(const Break& broken) {
    store_->compareSet(kBroken, "", breakText(broken));
    store_->add(kNews, 1);
  }

  void sayGoodbye() {
    std::uint64_t arrivals = 0;
    {
      const MutexLock lock(link_.mutex_);
      arrivals = link_.arrivals_;
    }
    store_->set(keyOf("left", rank()), std::to_string(arrivals));
    store_->add(kNews, 1);
    if (rank() != 0 || link_.point_.servedByLauncher) return;
    for (const double untilSec = nowSec() + kLeaveSec; nowSec() < untilSec && othersNeedStore();)
      std::this_thread::sleep_for(Seconds(kRoundSec / 10));
  }

  // Whether a rank that came has not said goodbye.
  bool othersNeedStore() {
    std::vector<Peer> peers;
    {
      const MutexLock lock(link_.mutex_);
      peers = link_.peers_;
    }
    for (std::int64_t each = 1; each < size(); ++each) {
      const ProcessIdentity& process = peers[static_cast<std::size_t>(each)].process;
      const bool dead = process.processId != 0 && livenessOf(process) == Liveness::Dead;
      if (!dead && store_->check({keyOf("joined", each)}) && !hasLeft(each)) return true;
    }
    return false;
  }

  Link& link_;
  FileDescriptor port_;  // until the store has it
  c10::intrusive_ptr<c10d::Store> store_;
  std::uint64_t round_ = 0;  // of the exchange that is next
  bool sent_ = false;        // the own text of it
  double roundSec_ = nowSec(), lookedSec_ = 0, beatSec_ = 0;
  std::int64_t beats_ = 0, news_ = 0;
  std::vector<std::int64_t> absentRanks_;  // as rank 0 sees before the meeting
  std::string toldSection_;
};

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
  const auto link = std::make_shared<Link>(rank, size, point);
  constexpr double kLongerSec = 10;  // than meet() waits, which says what is wrong
  std::thread([link, timeoutSec, port = std::move(port)]() mutable {
    Server(*link, std::move(port)).serve(timeoutSec + kLongerSec);
  }).detach();
  const std::shared_ptr<StoreLine> line(link.get(), [link](StoreLine*) { link->leave(); });
  RETURN_IF_ERROR(link->meet(version, timeoutSec));
  return line;
}

}  // namespace batchwise
