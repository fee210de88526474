// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace batchwise::test {

// This program's own open, write, sync, rename and so on, in place of those of the C library, for SQLite as for our
// code: what happens to the files of one folder can be recorded, and made to fail. Outside of that they do what they
// always do.

/// Something that happened to a file or folder. Files and folders have numbers; names come and go. The watched folder
/// is number 0.
struct FileOp {
  enum class Kind { Start, Create, MakeFolder, Write, Truncate, Sync, Rename, Remove, SyncFolder, Mark };
  Kind kind = Kind::Mark;
  int file = 0;             ///< or folder, of MakeFolder and Rename
  int folder = 0;           ///< that has the name, or is synced
  std::string name = {};    ///< in `folder`; of a Mark: its text
  int toFolder = 0;         ///< of a Rename
  std::string target = {};  ///< of a Rename
  std::int64_t offset = 0;  ///< of a Write; length after a Truncate
  std::string bytes = {};
};

/// From now on, what happens below `folder` is recorded. What is there already counts as synced; it comes before the
/// Start.
void startRecording(const std::filesystem::path& folder);
/// Puts a word of the test between what is recorded.
void mark(const std::string& text);
std::vector<FileOp> stopRecording();

/// While it lives, nothing is really synced: for tests that open thousands of files that nobody needs.
class FreeSyncs {
 public:
  FreeSyncs();
  ~FreeSyncs();
  FreeSyncs(const FreeSyncs&) = delete;
  FreeSyncs& operator=(const FreeSyncs&) = delete;
};

/// The disk of a machine that loses its power. What was synced is there; of the rest each sector of 512 bytes may be
/// there or not. A name that was made, changed or removed, of a folder too, is so for certain only once the folder that
/// has it was synced; of the others the first few, of all folders together or of each by itself. What lies in a folder
/// whose name is lost is lost.
class PowerLoss {
 public:
  explicit PowerLoss(std::vector<FileOp> ops);
  std::size_t size() const { return ops_.size(); }
  /// The operation that the recording began with.
  std::size_t first() const { return first_; }
  /// Goes on to just before operation `end`; never backward. Returns the marks passed.
  std::vector<std::string> advance(std::size_t end);
  /// Writes what the disk holds after a loss of power now into `folder`, files for which `wanted` is true.
  void write(const std::filesystem::path& folder, std::mt19937_64& random,
             const std::function<bool(const std::string& path)>& wanted) const;

 private:
  struct Content {
    std::string synced;
    std::vector<const FileOp*> pending;
  };
  using Names = std::map<std::pair<int, std::string>, int>;
  Names namesLeft(std::mt19937_64& random) const;
  void writeFolder(const std::filesystem::path& root, const std::string& below, const Names& names, int folder,
                   std::mt19937_64& random, std::uint64_t keptOf4,
                   const std::function<bool(const std::string& path)>& wanted) const;

  std::vector<FileOp> ops_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;
  std::map<int, Content> contents_;
  std::set<int> folders_;
  Names names_;                              // as synced
  std::vector<const FileOp*> pendingNames_;  // in order
};

/// Kinds of calls that can be made to fail, and how.
enum class Fault { Read, Write, WriteNoSpace, Sync, Name };

/// The n-th call of a kind on a file below `folder` fails, and with `forever` all later ones too.
struct FaultPlan {
  Fault fault = Fault::Write;
  std::int64_t n = 1;
  bool forever = false;
};
void startFaults(const std::filesystem::path& folder, const FaultPlan& plan);
/// Returns whether a call failed.
bool stopFaults();

}  // namespace batchwise::test
