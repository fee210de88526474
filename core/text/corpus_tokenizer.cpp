// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/corpus_tokenizer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/machine.h"
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
  std::int64_t removed = 0, blank = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(JobState, file, position, writers, replaced, removed, blank)

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

/// Documents in their order, and the place behind them.
struct TextBatch {
  struct Document {
    std::size_t textEnd = 0, idsEnd = 0;
    TextCounts counts;
    TextPlace replaced = {};
    bool heldOut = false;
  };
  std::vector<Document> documents;
  std::string text;               // of all, one after the other
  std::vector<std::int32_t> ids;  // likewise, once encoded
  std::size_t file = 0;
  TextPosition after;
  std::int64_t doneBytes = 0;  // of all files
  std::int64_t removed = 0;    // documents before `after` that had occurred before
  std::int64_t blank = 0;      // records before `after` without text
};

/// Reads the files of a job from a place on.
class BatchReader {
 public:
  BatchReader(const CorpusJob& job, const JobState& state, std::int64_t doneBytes)
      : job_(job),
        file_(state.file),
        position_(state.position),
        doneBytes_(doneBytes),
        removed_(state.removed),
        blank_(state.blank) {}

  /// Reads what comes before the place, if duplicates of it are to be removed. Fails with Stopped.
  Result<void> readBefore(const std::stop_token& stop) {
    if (!job_.removeDuplicates) return {};
    std::vector<FileIdentity> files = job_.before;
    const auto open = file_ < job_.files.size() && !(position_ == TextPosition()) ? 1 : 0;
    files.insert(files.end(), job_.files.begin(), job_.files.begin() + static_cast<std::ptrdiff_t>(file_) + open);
    for (std::size_t i = 0; i < files.size(); ++i) {
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(files[i].path, job_.format, job_.textField));
      const bool isOpen = open > 0 && i + 1 == files.size();
      while (!isOpen || !(reader.position() == position_)) {
        if (stop.stop_requested()) return Error{ErrorCode::Stopped, "stopped while looking for duplicates", {}};
        ASSIGN_OR_RETURN(const bool more, reader.next(document_));
        if (!more) break;
        seen_.insert(hash128(document_).low);
      }
    }
    return {};
  }

  /// Returns nothing at the end.
  Result<std::optional<TextBatch>> next() {
    if (file_ == job_.files.size()) return std::optional<TextBatch>();
    TextBatch batch;
    const auto limit = static_cast<std::size_t>(std::min(kBatchBytes, job_.checkpointBytes));
    // Text that is removed ends a batch, too: between batches a preparation can be stopped.
    for (std::size_t read = 0; file_ < job_.files.size() && read < limit; read += document_.size())
      RETURN_IF_ERROR(readOne(batch));
    return std::optional(std::move(batch));
  }

 private:
  /// Adds a document, or goes on to the next file.
  Result<void> readOne(TextBatch& batch) {
    if (!reader_) {
      ASSIGN_OR_RETURN(auto opened,
                       DocumentReader::open(job_.files[file_].path, job_.format, job_.textField, position_));
      reader_.emplace(std::move(opened));
    }
    const TextCounts before = reader_->counts();
    const std::int64_t blankBefore = reader_->blankRecords();
    ASSIGN_OR_RETURN(const bool more, reader_->next(document_));
    blank_ += reader_->blankRecords() - blankBefore;
    batch.file = file_;
    batch.after = reader_->position();
    batch.doneBytes = doneBytes_ + reader_->fileBytesRead();
    batch.removed = removed_;
    batch.blank = blank_;
    if (!more) {
      doneBytes_ += job_.files[file_].bytes;
      reader_.reset();
      position_ = {};
      ++file_;
      return {};
    }
    const bool isNew = !job_.removeDuplicates || seen_.insert(hash128(document_).low).second;
    if (!isNew) ++removed_;
    batch.removed = removed_;
    if (!isNew) return {};
    const TextCounts& now = reader_->counts();
    const TextCounts counts{now.documents - before.documents, now.textBytes - before.textBytes,
                            now.replacedSequences - before.replacedSequences, now.cutDocuments - before.cutDocuments};
    batch.text += document_;
    TextPlace replaced;
    if (counts.replacedSequences > 0) replaced = {file_, reader_->replacedLine()};
    batch.documents.push_back({batch.text.size(), 0, counts, replaced, false});
    return {};
  }

  static constexpr std::int64_t kBatchBytes = std::int64_t{1} << 18;

  const CorpusJob& job_;
  std::size_t file_;
  TextPosition position_;  // where to begin in the file
  std::int64_t doneBytes_;
  std::int64_t removed_, blank_;
  std::unordered_set<std::uint64_t> seen_;  // hashes of documents
  std::optional<DocumentReader> reader_;
  std::string document_;
};

/// Encodes batches side by side.
class BatchEncoder {
 public:
  explicit BatchEncoder(const CorpusJob& job) : job_(job) {
    const auto threads = std::clamp<std::int64_t>(machineInfo().cores, 1, kMaxThreads);
    for (std::int64_t i = 0; i <= threads; ++i) idle_.push_back(std::make_unique<Tokenizer::Encoder>(job.tokenizer));
    threads_ = static_cast<std::size_t>(threads);
  }

  std::size_t threads() const { return threads_; }
  /// Encodes the batch on a thread of its own; at most threads() + 1 at a time. The encoder must outlive it.
  std::future<TextBatch> start(TextBatch batch) {
    return std::async(std::launch::async, [this, own = std::move(batch)]() mutable {
      std::unique_ptr<Tokenizer::Encoder> encoder = take();
      std::size_t begin = 0;
      for (TextBatch::Document& document : own.documents) {
        const std::string_view text = std::string_view(own.text).substr(begin, document.textEnd - begin);
        encoder->append(text, own.ids);
        document.idsEnd = own.ids.size();
        document.heldOut = job_.holdout > 0.0 && isHeldOut(text, job_.holdout);
        begin = document.textEnd;
      }
      const MutexLock lock(mutex_);
      idle_.push_back(std::move(encoder));
      return std::move(own);
    });
  }

 private:
  std::unique_ptr<Tokenizer::Encoder> take() {
    const MutexLock lock(mutex_);
    std::unique_ptr<Tokenizer::Encoder> encoder = std::move(idle_.back());
    idle_.pop_back();
    return encoder;
  }

  static constexpr std::int64_t kMaxThreads = 16;  // with more, reading is what takes the time

  const CorpusJob& job_;
  std::size_t threads_ = 1;
  Mutex mutex_;
  std::vector<std::unique_ptr<Tokenizer::Encoder>> idle_ GUARDED_BY(mutex_);
};

class JobRun {
 public:
  JobRun(const CorpusJob& job, const BytesFn& progress, std::stop_token stop)
      : job_(job), progress_(progress), stop_(std::move(stop)), key_(job.key()) {}

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
  fs::path notesPath() const { return path(".notes.json"); }

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
    if (const auto notes = readFile(notesPath()); notes.ok()) readNotes(*notes, datasets);
    return datasets;
  }

  void readNotes(const std::string& text, CorpusDatasets& datasets) const {
    try {
      const auto notes = parseJsonOrDiscarded(text).get<JobState>();
      const auto isKnown = [&](const TextPlace& place) { return place.file < job_.files.size(); };
      if (notes.replaced.size() == 2 && std::ranges::all_of(notes.replaced, isKnown)) {
        datasets.replacedInTrain = notes.replaced[0];
        datasets.replacedInHeldOut = notes.replaced[1];
        datasets.removed = std::max<std::int64_t>(0, notes.removed);
        datasets.blank = std::max<std::int64_t>(0, notes.blank);
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
    recordedBytes_ = state.position.byte > 0 ? -1 : doneBytes_;
    RETURN_IF_ERROR(tokenize(state));
    if (auto unchanged = checkUnchanged(job_.files); !unchanged.ok()) return discard(unchanged.error());
    state.writers.clear();
    if (state.replaced[0].line > 0 || state.replaced[1].line > 0 || state.removed > 0 || state.blank > 0)
      RETURN_IF_ERROR(writeFileAtomically(notesPath(), json(state).dump()));
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

  /// Reads, encodes and writes what is left. Batches are encoded on all cores and written in their order, so that the
  /// number of cores changes no byte.
  Result<void> tokenize(JobState& state) {
    BatchReader reader(job_, state, doneBytes_);
    RETURN_IF_ERROR(reader.readBefore(stop_));
    BatchEncoder encoder(job_);
    std::deque<std::future<TextBatch>> encoding;
    for (bool more = true; more || !encoding.empty();) {
      if (more && encoding.size() <= encoder.threads()) {
        ASSIGN_OR_RETURN(auto batch, reader.next());
        more = batch.has_value();
        if (more) encoding.push_back(encoder.start(std::move(*batch)));
        continue;
      }
      RETURN_IF_ERROR(write(encoding.front().get(), state));
      encoding.pop_front();
    }
    return {};
  }

  Result<void> write(const TextBatch& batch, JobState& state) {
    std::size_t first = 0;
    for (const TextBatch::Document& document : batch.documents) {
      const std::size_t part = document.heldOut ? 1 : 0;
      const std::span ids = std::span(batch.ids).subspan(first, document.idsEnd - first);
      RETURN_IF_ERROR(writers_[part].add(ids, document.counts));
      if (document.replaced.line > 0 && state.replaced[part].line == 0) state.replaced[part] = document.replaced;
      first = document.idsEnd;
    }
    state.removed = batch.removed;
    state.blank = batch.blank;
    progress_(batch.doneBytes, totalBytes_);
    const bool stopping = stop_.stop_requested();
    if (recordedBytes_ < 0) recordedBytes_ = batch.doneBytes;
    if (!stopping && batch.doneBytes - recordedBytes_ < job_.checkpointBytes) return {};
    recordedBytes_ = batch.doneBytes;
    state.file = batch.file;
    state.position = batch.after;
    RETURN_IF_ERROR(record(state));
    if (stopping) return Error{ErrorCode::Stopped, "stopped while tokenizing; the next call resumes from there", {}};
    return {};
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
  std::int64_t totalBytes_ = totalBytes(job_.files);
  std::int64_t doneBytes_ = 0;            // of the files before those of this call
  std::int64_t recordedBytes_ = 0;        // of all files when the state was last recorded; -1: not known yet
  std::vector<TokenFileWriter> writers_;  // train, then held-out
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
  if (removeDuplicates) add("without those of ", std::to_string(before.size()));
  for (const FileIdentity& file : before) add("before ", file.readingKey());
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
