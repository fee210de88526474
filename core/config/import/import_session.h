// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/config/import/config_import.h"
#include "core/config/import/external_document.h"

namespace batchwise::config {

/// An external name with the same meaning as one of our fields.
struct DirectName {
  const char* key;
  const char* field;
  const MessageTemplate<0>* note = nullptr;
};

/// Why the settings below a section are not supported. `section` "" matches every name.
struct SectionReason {
  const char* section;
  MessageTemplate<0> why;
};

/// Imports settings of an external file one by one and records the outcome of each. Each setting is handled once.
class ImportSession {
 public:
  ImportSession(const ExternalDocument& document, ExternalFormat format, const ImportOptions& options);

  /// Returns the setting if it exists, is not null, is valid and has not been handled; else null. Skips one with an
  /// unknown reference, which is then its reason.
  const ExternalValue* open(const std::string& key);
  const ExternalDocument& document() const { return document_; }
  std::optional<std::int64_t> devices() const { return options_.devices; }
  const TrainConfig& config() const { return import_.config; }
  bool has(const std::string& field) const { return fields_.count(field) > 0; }

  /// Sets `field` to `value`, or with importAsIs to the setting's own text. Skips values that our field does not allow,
  /// with that reason. If `field` is set already, an equal value is accepted and any other skipped. Returns true if
  /// accepted.
  bool importSetting(const std::string& key, const std::string& field, const std::string& value,
                     const Message& note = {});
  bool importAsIs(const std::string& key, const std::string& field, const Message& note = {});
  void importAll(std::span<const DirectName> names);
  /// Sets an additional field from a setting that was imported already; does nothing if the field is set.
  void derive(const std::string& from, const std::string& field, const std::string& value, const Message& note = {});
  /// Sets a field that the file does not name, because the tool's default differs from ours.
  void assume(const std::string& from, const std::string& field, const std::string& value, const Message& note = {});
  void skip(const std::string& key, const Message& why);
  /// Skips all remaining settings below one section.
  void skipBelow(const std::string& section, const Message& why);
  /// Skips all remaining settings, with the reason of the first matching section. Call last.
  void skipRest(std::span<const SectionReason> reasons);

  /// Returns the configuration, after reverting settings that violate our rules over several fields.
  Result<ConfigImport> finish(const std::string& sourceName);

 private:
  Message setField(const std::string& field, const std::string& value);
  void revert(const std::string& field, const Message& why);
  std::string yaml(const std::string& sourceName) const;

  const ExternalDocument& document_;
  const ImportOptions options_;
  ConfigImport import_;
  std::set<std::string> handled_;  // external names
  std::set<std::string> fields_;   // our names
};

// One importer per tool: handles every setting of the session's document.
void importComposer(ImportSession& session);
void importTorchtune(ImportSession& session);
void importDeepSpeed(ImportSession& session);

/// Imports Composer's `model` and tokenizer settings.
void importComposerModel(ImportSession& session);
void importDeepSpeedSchedule(ImportSession& session);
/// Applies the defaults of torch's Adam to settings missing in section `prefix`. `weightDecay`: default of the class,
/// empty if handled already.
void assumeAdamDefaults(ImportSession& session, const std::string& prefix, const std::string& owner,
                        const std::string& betas, const std::string& weightDecay);

/// Returns a number as YAML, rounded to drop the error of a division.
std::string shortNumber(double value);

}  // namespace batchwise::config
