// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/config/import/config_import.h"
#include "core/config/import/peer_document.h"

namespace batchwise::config {

/// A name of theirs that means the same as a field of ours.
struct DirectName {
  const char* key;
  const char* field;
  const char* note = "";
};

/// Why the settings below a section have no place here. `section` "" stands for every name.
struct SectionReason {
  const char* section;
  const char* why;
};

/// Moves settings of a peer's file into a configuration of ours, one after the other, and keeps account of each. A
/// setting that has been decided on is not touched again.
class ImportSession {
 public:
  ImportSession(const PeerDocument& document, PeerFormat format, const ImportOptions& options);

  /// The setting if it is there, is not null, can be read and has not been decided on; else null. Leaves one that
  /// refers to something unknown, with that as the reason.
  const PeerValue* open(const std::string& key);
  const PeerDocument& document() const { return document_; }
  std::optional<std::int64_t> devices() const { return options_.devices; }
  const TrainConfig& config() const { return import_.config; }
  bool has(const std::string& field) const { return fields_.count(field) > 0; }

  /// Sets `field` to `value`, or with takeAsIs to the setting's own text. What our field does not allow is left with
  /// that reason. Where `field` is set already, an equal value is taken and another one left. True if taken.
  bool take(const std::string& key, const std::string& field, const std::string& value, const std::string& note = "");
  bool takeAsIs(const std::string& key, const std::string& field, const std::string& note = "");
  void takeAll(std::span<const DirectName> names);
  /// Sets a further field from a setting that has been taken already; nothing happens where the field is set.
  void derive(const std::string& from, const std::string& field, const std::string& value,
              const std::string& note = "");
  /// Sets a field that the file does not name, because the peer's default or absence means something else than ours.
  void assume(const std::string& from, const std::string& field, const std::string& value,
              const std::string& note = "");
  void leave(const std::string& key, const std::string& why);
  /// Leaves all that is still open below one section; the rest of the file stays open.
  void leaveBelow(const std::string& section, const std::string& why);
  /// Leaves all that is still open anywhere, the first section that fits giving the reason: the last step.
  void leaveRest(std::span<const SectionReason> reasons);

  /// The configuration, with settings given back that our rules over several fields refuse.
  Result<ConfigImport> finish(const std::string& sourceName);

 private:
  std::string setField(const std::string& field, const std::string& value);
  void giveBack(const std::string& field, const std::string& why);
  std::string yaml(const std::string& sourceName) const;

  const PeerDocument& document_;
  const ImportOptions options_;
  ConfigImport import_;
  std::set<std::string> decided_;  // their names
  std::set<std::string> fields_;   // ours
};

// One per peer: decides on every setting of the session's document.
void importComposer(ImportSession& session);
void importTorchtune(ImportSession& session);
void importDeepSpeed(ImportSession& session);

/// Composer's `model` and tokenizer settings.
void importComposerModel(ImportSession& session);
/// DeepSpeed's `scheduler`.
void importDeepSpeedSchedule(ImportSession& session);
/// The defaults of torch's Adam where section `prefix` is silent. `weightDecay`: of the class in question,
/// empty if it has been decided on.
void assumeAdamDefaults(ImportSession& session, const std::string& prefix, const std::string& owner,
                        const std::string& betas, const std::string& weightDecay);

/// A number as YAML, without the last digits that a division leaves.
std::string shortNumber(double value);

}  // namespace batchwise::config
