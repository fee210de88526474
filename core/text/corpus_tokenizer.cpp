// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/corpus_tokenizer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/mutex.h"
#include "core/base/random.h"
#include "core/text/csv_row.h"
#include "core/text/text_source.h"
#include "core/text/token_cache.h"

namespace batchwise {
namespace fs = std::filesystem;
using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextCounts, documents, textBytes, replacedSequences, cutDocuments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextPosition, byte, line, piece)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DatasetStatistics, text, sequences, tokens, unknown, longest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextPlace, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TokenWriterState, storedTokens, statistics, counts, joining)

namespace {

using BytesFn = std::function<void(std::int64_t, std::int64_t)>;

constexpr int kFormatVersion = 1;  // of token files and of the conversion from text to sequences
constexpr std::int64_t kFullCheckBytes = std::int64_t{1} << 30;

/// Progress of an interrupted job.
struct JobState {
  std::size_t file = 0;
  TextPosition position;
  std::vector<TokenWriterState> writers;
  std::vector<TextPlace> replaced = {};  // of each writer
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(JobState, file, position, writers, replaced)

/// File lock held while a job runs; the system releases it if the process dies.
class JobLock {
 public:
  /// Waits for the lock, calling `tick` every 100 ms. Fails with Stopped on `stop`, or Io.
  static Result<JobLock> wait(const fs::path& path, std::stop_token stop, const std::function<void()>& tick) {
    JobLock lock;
    lock.path_ = path;
    lock.file_ = FileDescriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
    if (!lock.file_.valid()) return Error::fromErrno(errno, "cannot write '{}'", path.native());
    Mutex mutex;  // required by condition_variable_any; guards nothing
    std::condition_variable_any stopped;
    MutexLock waiting(mutex);
    while (::flock(lock.file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return Error::fromErrno(errno, "cannot lock '{}'", path.native());
      if (stop.stop_requested())
        return Error{ErrorCode::Stopped, "stopped while another process prepares the data", {}};
      stopped.wait_for(waiting, stop, std::chrono::milliseconds(100), [] { return false; });
      tick();
    }
    return lock;
  }
  /// Removes the lock file once the results are complete. A process still waiting on it then finds them, too.
  void remove() { ::unlink(path_.c_str()); }

 private:
  fs::path path_;
  FileDescriptor file_;
};

std::int64_t totalBytes(const std::vector<FileIdentity>& files) {
  std::int64_t total = 0;
  for (const FileIdentity& file : files) total += file.bytes;
  return total;
}

class JobRun {
 public:
  JobRun(const CorpusJob& job, const BytesFn& progress, std::stop_token stop)
      : job_(job), progress_(progress), stop_(std::move(stop)), key_(job.key()), encoder_(job.tokenizer) {}

  Result<CorpusDatasets> run() {
    if (auto found = openFinished(); found.ok()) return found;
    ASSIGN_OR_RETURN(auto lock, JobLock::wait(path(".lock"), stop_, [this] { progress_(0, -1); }));
    auto opened = openFinished();
    if (!opened.ok()) {
      RETURN_IF_ERROR(make());
      opened = openFinished();
      if (opened.ok()) opened->fromCache = false;
    }
    if (opened.ok()) lock.remove();
    return opened;
  }

 private:
  bool hasHoldout() const { return job_.holdout > 0.0; }
  fs::path path(std::string_view ending) const { return job_.cacheFolder / key_.hex().append(ending); }
  fs::path tokenPath(bool heldOut) const { return path(heldOut ? ".eval.tokens" : ".train.tokens"); }
  fs::path statePath() const { return path(".progress.json"); }
  fs::path replacedPath() const { return path(".replaced.json"); }

  static Result<TokenDataset> openChecked(const fs::path& path) {
    std::error_code missing;
    const auto bytes = fs::file_size(path, missing);
    const bool small = !missing && static_cast<std::int64_t>(bytes) <= kFullCheckBytes;
    return TokenDataset::open(path, small ? CacheCheck::Content : CacheCheck::Structure);
  }

  Result<CorpusDatasets> openFinished() const {
    ASSIGN_OR_RETURN(auto train, openChecked(tokenPath(false)));
    CorpusDatasets datasets{std::move(train), std::nullopt, true};
    if (hasHoldout()) {
      ASSIGN_OR_RETURN(auto heldOut, openChecked(tokenPath(true)));
      datasets.heldOut = std::move(heldOut);
    }
    if (const auto places = readFile(replacedPath()); places.ok()) readPlaces(*places, datasets);
    return datasets;
  }

  void readPlaces(const std::string& text, CorpusDatasets& datasets) const {
    try {
      const auto places = parseJsonOrDiscarded(text).get<std::vector<TextPlace>>();
      const auto isKnown = [&](const TextPlace& place) { return place.file < job_.files.size(); };
      if (places.size() == 2 && std::ranges::all_of(places, isKnown)) {
        datasets.replacedInTrain = places[0];
        datasets.replacedInHeldOut = places[1];
      }
    } catch (const json::exception&) {  // only a note would name it
    }
  }

  TokenFileSpec spec(bool heldOut) const {
    Hasher identity;
    identity.update(key_.hex());
    identity.update(heldOut ? "eval" : "train");
    const Vocabulary& vocabulary = job_.tokenizer.vocabulary();
    return {tokenPath(heldOut), identity.digest(),  vocabulary.special(),  vocabulary.size(),
            job_.maxSeqLen,     job_.joinDocuments, job_.documentSeparator};
  }

  /// Returns the recorded state, or the initial state if there is no usable record.
  JobState loadState() const {
    const std::size_t writers = hasHoldout() ? 2 : 1;
    const JobState beginning{0, {}, std::vector<TokenWriterState>(writers), std::vector<TextPlace>(2)};
    const auto text = readFile(statePath());
    if (!text.ok()) return beginning;
    try {
      auto state = parseJsonOrDiscarded(*text).get<JobState>();
      state.replaced.resize(2);
      return state.file <= job_.files.size() && state.writers.size() == writers ? state : beginning;
    } catch (const json::exception&) {  // damaged record: start over
      return beginning;
    }
  }

  Result<void> openWriters(const JobState& state) {
    writers_.clear();
    for (std::size_t i = 0; i < state.writers.size(); ++i) {
      ASSIGN_OR_RETURN(auto writer, TokenFileWriter::open(spec(i == 1), state.writers[i]));
      writers_.push_back(std::move(writer));
    }
    return {};
  }

  Result<void> make() {
    JobState state = loadState();
    auto opened = openWriters(state);
    if (!opened.ok() && opened.error().code == ErrorCode::Corrupt) {
      state = JobState{0, {}, std::vector<TokenWriterState>(state.writers.size()), std::vector<TextPlace>(2)};
      opened = openWriters(state);
    }
    if (!opened.ok()) return opened;
    for (std::size_t i = 0; i < state.file; ++i) doneBytes_ += job_.files[i].bytes;
    recordedBytes_ = doneBytes_ + state.position.byte;
    for (; state.file < job_.files.size(); ++state.file, state.position = {}) RETURN_IF_ERROR(tokenizeFile(state));
    if (auto unchanged = checkUnchanged(job_.files); !unchanged.ok()) return discard(unchanged.error());
    if (state.replaced[0].line > 0 || state.replaced[1].line > 0)
      RETURN_IF_ERROR(writeFileAtomically(replacedPath(), json(state.replaced).dump()));
    for (TokenFileWriter& writer : writers_) RETURN_IF_ERROR(writer.finish());
    ::unlink(statePath().c_str());
    return {};
  }

  /// Deletes partial files after the input has changed.
  Error discard(Error reason) const {
    ::unlink(statePath().c_str());
    for (const bool heldOut : {false, true})
      for (const char* ending : {".part", ".offsets.part"}) ::unlink((tokenPath(heldOut).native() + ending).c_str());
    return reason;
  }

  Result<void> tokenizeFile(JobState& state) {
    const FileIdentity& file = job_.files[state.file];
    ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file.path, job_.format, job_.textField, state.position));
    while (true) {
      ASSIGN_OR_RETURN(const auto more, addDocument(reader, state));
      const std::int64_t done = doneBytes_ + reader.fileBytesRead();
      progress_(done, totalBytes_);
      if (!more) break;
      const bool stopping = stop_.stop_requested();
      if (!stopping && done - recordedBytes_ < job_.checkpointBytes) continue;
      recordedBytes_ = done;
      state.position = reader.position();
      RETURN_IF_ERROR(record(state));
      if (stopping) return Error{ErrorCode::Stopped, "stopped while tokenizing; the next call resumes from there", {}};
    }
    doneBytes_ += file.bytes;
    return {};
  }

  /// Returns false at the end of the file.
  Result<bool> addDocument(DocumentReader& reader, JobState& state) {
    const TextCounts before = reader.counts();
    auto more = reader.next(document_);
    if (!more.ok() || !*more) return more;
    ids_.clear();
    encoder_.append(document_, ids_);
    const TextCounts& now = reader.counts();
    const TextCounts counts{now.documents - before.documents, now.textBytes - before.textBytes,
                            now.replacedSequences - before.replacedSequences, now.cutDocuments - before.cutDocuments};
    const std::size_t part = hasHoldout() && isHeldOut(document_, job_.holdout) ? 1 : 0;
    RETURN_IF_ERROR(writers_[part].add(ids_, counts));
    if (counts.replacedSequences > 0 && state.replaced[part].line == 0)
      state.replaced[part] = {state.file, reader.replacedLine()};
    return true;
  }

  Result<void> record(JobState& state) {
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      ASSIGN_OR_RETURN(auto writerState, writers_[i].checkpoint());
      state.writers[i] = std::move(writerState);
    }
    return writeFileAtomically(statePath(), json(state).dump());
  }

  const CorpusJob& job_;
  const BytesFn& progress_;
  std::stop_token stop_;
  Hash128 key_;
  Tokenizer::Encoder encoder_;
  std::int64_t totalBytes_ = totalBytes(job_.files);
  std::int64_t doneBytes_ = 0;            // of completed files
  std::int64_t recordedBytes_ = 0;        // value of the progress counter when the state was last recorded
  std::vector<TokenFileWriter> writers_;  // train, then held-out
  std::string document_;
  std::vector<std::int32_t> ids_;
};

}  // namespace

bool isHeldOut(std::string_view document, double holdout) {
  return unitRandom(hash128(document).low) < holdout;
}

Hash128 CorpusJob::key() const {
  Hasher hasher;
  const auto add = [&](std::string_view name, const std::string& value) {
    hasher.update(name);
    hasher.update(value);
    hasher.update(std::string_view("\n"));
  };
  add("version ", std::to_string(kFormatVersion));
  add("format ", std::string(choiceName(format)));
  add("field ", namesTextField(format) ? textField : "");
  add("max_seq_len ", std::to_string(maxSeqLen));
  add("join ", !joinDocuments ? "no" : documentSeparator ? "with [SEP] [CLS]" : "yes");
  add("holdout ", formatExact(holdout));
  add("tokenizer ", tokenizer.identity().hex());
  for (const FileIdentity& file : files) {
    add("bytes ", std::to_string(file.bytes));
    add("content ", file.content.hex());
    add("packed ", isPacked(file.path) ? "yes" : "no");
    if (format == TextFormat::Csv) add("separator ", {csvSeparator(file.path)});
  }
  return hasher.digest();
}

Result<CorpusDatasets> tokenizeCorpus(const CorpusJob& job, const BytesFn& progress, std::stop_token stop) {
  return JobRun(job, progress, std::move(stop)).run();
}

}  // namespace batchwise
