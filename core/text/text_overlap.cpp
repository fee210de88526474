// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_overlap.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/text/text_check.h"
#include "core/text/text_source.h"

namespace batchwise {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextOverlap, documents, shared, file)

namespace {

using nlohmann::json;

constexpr double kMostEvaluatedBytes = 64 << 20;

/// Calls take(line) for each line of a document that is not blank, without white space around it.
template <typename Take>
void eachLine(std::string_view document, const Take& take) {
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size());
    std::string_view line = document.substr(0, end);
    document.remove_prefix(std::min(document.size(), end + 1));
    while (!line.empty() && isBlank(line.front())) line.remove_prefix(1);
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    if (!line.empty()) take(line);
  }
}

std::uint64_t hashOfLine(std::string_view line) {
  return hash128(line).low;
}

/// Lines by their hashes, and which of them have been seen in the training text.
class LineSet {
 public:
  void add(std::uint64_t hash) { hashes_.push_back(hash); }
  void complete() {
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    hashes_.shrink_to_fit();
    seen_.assign(hashes_.size(), false);
    maybe_.assign(std::size_t{1} << kFilterBits, false);
    for (const std::uint64_t hash : hashes_) maybe_[hash >> (64 - kFilterBits)] = true;
  }
  void see(std::uint64_t hash) {
    if (!maybe_[hash >> (64 - kFilterBits)]) return;
    const auto found = std::ranges::lower_bound(hashes_, hash);
    if (found != hashes_.end() && *found == hash) seen_[placeOf(found)] = true;
  }
  bool isSeen(std::uint64_t hash) const { return seen_[placeOf(std::ranges::lower_bound(hashes_, hash))]; }

 private:
  static constexpr int kFilterBits = 25;  // 4 MiB: most lines of the training text need no search
  std::size_t placeOf(std::vector<std::uint64_t>::const_iterator found) const {
    return static_cast<std::size_t>(found - hashes_.begin());
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<bool> seen_, maybe_;
};

std::int64_t bytesOf(const std::vector<FileIdentity>& files) {
  std::int64_t bytes = 0;
  for (const FileIdentity& file : files) bytes += file.bytes;
  return bytes;
}

class Comparison {
 public:
  Comparison(const OverlapJob& job, const std::function<void(std::int64_t, std::int64_t)>& progress,
             std::stop_token stop)
      : job_(job), progress_(progress), stop_(std::move(stop)) {
    std::int64_t evaluated = 0;
    for (const auto& files : job.evaluated) evaluated += bytesOf(files);
    share_ = std::min(1.0, kMostEvaluatedBytes / static_cast<double>(std::max<std::int64_t>(1, evaluated)));
    total_ = 2 * evaluated + bytesOf(job.train);
  }

  Result<std::vector<TextOverlap>> run() {
    for (const auto& files : job_.evaluated)
      RETURN_IF_ERROR(eachDocument(files, [this](std::size_t, const std::string& document) {
        if (isDrawn(document)) eachLine(document, [this](std::string_view line) { lines_.add(hashOfLine(line)); });
      }));
    lines_.complete();
    RETURN_IF_ERROR(eachDocument(job_.train, [this](std::size_t, const std::string& document) {
      eachLine(document, [this](std::string_view line) { lines_.see(hashOfLine(line)); });
    }));
    std::vector<TextOverlap> found;
    for (const auto& files : job_.evaluated) {
      TextOverlap& overlap = found.emplace_back();
      RETURN_IF_ERROR(
          eachDocument(files, [&](std::size_t file, const std::string& document) { judge(file, document, overlap); }));
      overlap.documents = std::llround(static_cast<double>(overlap.documents) / share_);
      overlap.shared = std::llround(static_cast<double>(overlap.shared) / share_);
    }
    return found;
  }

 private:
  bool isDrawn(const std::string& document) const {
    return share_ >= 1.0 || unitRandom(hash128(std::string_view(document)).high) < share_;
  }

  void judge(std::size_t file, const std::string& document, TextOverlap& overlap) const {
    if (!isDrawn(document)) return;
    std::size_t bytes = 0, known = 0;
    eachLine(document, [&](std::string_view line) {
      bytes += line.size();
      if (lines_.isSeen(hashOfLine(line))) known += line.size();
    });
    ++overlap.documents;
    if (2 * known < bytes) return;
    if (overlap.shared++ == 0) overlap.file = file;
  }

  /// Calls take(place of the file, document).
  template <typename Take>
  Result<void> eachDocument(const std::vector<FileIdentity>& files, const Take& take) {
    std::string document;
    for (std::size_t i = 0; i < files.size(); ++i) {
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(files[i].path, job_.format, job_.textField));
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested()) return stoppedWhileReading(files[i].path);
        take(i, document);
        progress_(done_ + reader.fileBytesRead(), total_);
      }
      done_ += files[i].bytes;
    }
    return {};
  }

  const OverlapJob& job_;
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  const std::stop_token stop_;
  double share_ = 1.0;  // of the evaluation documents
  std::int64_t done_ = 0, total_ = 0;
  LineSet lines_;
};

std::filesystem::path answerFile(const OverlapJob& job) {
  Hasher hasher;
  hasher.update("overlap 1 " + std::string(choiceName(job.format)) + " " + job.textField);
  const auto add = [&](const std::vector<FileIdentity>& files) {
    hasher.update(std::string_view("\n"));
    for (const FileIdentity& file : files)
      hasher.update(file.content.hex() + (file.path.native().ends_with(".gz") ? "z" : "t"));
  };
  add(job.train);
  for (const auto& files : job.evaluated) add(files);
  return job.cacheFolder / (hasher.digest().hex() + ".overlap.json");
}

std::vector<TextOverlap> readAnswer(const std::filesystem::path& file, const OverlapJob& job) {
  const auto text = readFile(file);
  if (!text.ok()) return {};
  try {
    auto found = parseJsonOrDiscarded(*text).get<std::vector<TextOverlap>>();
    if (found.size() != job.evaluated.size()) return {};
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].file >= std::max<std::size_t>(1, job.evaluated[i].size())) return {};
    return found;
  } catch (const json::exception&) {  // damaged: compared again
    return {};
  }
}

}  // namespace

Result<std::vector<TextOverlap>> findOverlap(const OverlapJob& job,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress,
                                             std::stop_token stop) {
  const bool keeps = !job.cacheFolder.empty();
  const std::filesystem::path file = answerFile(job);
  if (auto known = keeps ? readAnswer(file, job) : std::vector<TextOverlap>(); !known.empty()) return known;
  ASSIGN_OR_RETURN(auto found, Comparison(job, progress, std::move(stop)).run());
  if (keeps) RETURN_IF_ERROR(writeFileAtomically(file, json(found).dump()));
  return found;
}

}  // namespace batchwise
