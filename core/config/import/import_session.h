// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <span>
#include <string>

#include "core/base/format.h"
#include "core/config/import/config_import.h"
#include "core/config/import/external_document.h"

namespace batchwise::config {

inline constexpr const char* kDeepspeedPrecisionIsOff = "is off and changes nothing";
inline constexpr const char* kImportChangesNothingLearned = "what is learned does not depend on it";
inline constexpr const char* kImportCommandDecides = "the command decides what is done: train, eval, preview";
inline constexpr const char* kImportResumeIsACommand = "the command resume continues a run";
inline constexpr const char* kImportAlwaysRecorded =
    "learning rate, throughput, memory and gradient norm are always recorded";
inline constexpr const char* kImportNothingToCompile = "there is nothing to compile";
inline constexpr const char* kImportTextFromFiles = "the text is read from files named in data.train";
inline constexpr const char* kImportSetByLauncher = "set by the launcher";
inline constexpr const char* kImportEvaluationText = "evaluation text is named in data.eval, or held out of data.train";
inline constexpr const char* kImportWholeModelPerDevice = "each device holds the whole model";
inline constexpr const char* kImportEvaluationBatchIsFree =
    "evaluation gives the same figures for every batch size; see eval.microbatch_size";
inline constexpr const char* kImportMetricsInWorkspace =
    "metrics go to the workspace; export writes them to other formats";
inline constexpr const char* kImportNoSuchOptimizerSetting =
    "the optimizers here, adamw and stable_adamw, have no such setting";
inline constexpr const char* kImportTerminalShowsProgress = "the terminal shows progress by itself";
inline constexpr const char* kImportTextPreparedIntoCache =
    "the text is read from files named in data.train and prepared into a cache";
inline constexpr const char* kImportDecoderModel =
    "it predicts the next token; the models here are encoders that predict masked tokens";
inline constexpr const char* kImportSeePrecision = "see precision";
inline std::string importDefaultOfText(const auto& name) {
  return formatText("the default of {}", name);
}
inline constexpr const char* kImportDevicesOfLauncher =
    "the number of devices that sizes per device are multiplied by, unless another number is given (--devices)";
inline std::string importDevicesUnknownText(const auto& counted) {
  return formatText("{}; give the number (--devices) if there were more", counted);
}
inline constexpr const char* kImportHubTokenizerNotFetched =
    "nothing is fetched from a hub; put its tokenizer.json (or vocab.txt) into a folder and name that in "
    "tokenizer.path";
inline constexpr const char* kImportKeepsBestCheckpoint = "see checkpoint.keep_best and checkpoint.best_metric";
inline constexpr const char* kImportModelUnknown =
    "no family or preset is known by this name; name its sizes in the section model, or its folder in model.init_from";
inline constexpr const char* kImportOptimizerNotAdamw = "the optimizers here are adamw and stable_adamw";
inline constexpr const char* kImportReadsAhead = "text is read ahead without being configured";
inline constexpr const char* kImportSamplesInRandomOrder =
    "samples are drawn in a random order of the epoch; see data.shuffle";
inline constexpr const char* kImportScheduleToBeChosen = "until you choose a schedule";
inline constexpr const char* kImportSoInAnyCase = "so it is here in any case";
inline constexpr const char* kImportTextFormatUnknown =
    "text is read from text files, one document per line or JSON objects; convert it and name it in data.train or "
    "data.eval";
inline constexpr const char* kImportRunsInWorkspace = "runs are kept in the workspace (--workspace)";
inline constexpr const char* kImportSpeedAndMemoryRecorded = "speed and memory are always recorded";
inline constexpr const char* kImportNameTokenizer =
    "name a folder with a tokenizer.json or vocab.txt in tokenizer.path, or train one with tokenizer.train";
inline constexpr const char* kImportWeightsNotRead =
    "checkpoints of other trainers are not read; name a folder with config.json and model.safetensors in "
    "model.init_from, or fork an own run (resume --fork)";
inline constexpr const char* kStateStaysFp32 = "weights and optimizer state stay in fp32";

/// External names, separated by blanks, with the same meaning as one of our fields.
struct DirectName {
  const char* keys;
  const char* field;
  const char* note = nullptr;
  const char* byDefault = nullptr;  ///< what the tool takes if none is given, where that is not our default
};

/// Why the settings below sections, of which blanks separate the names, are not imported. A name that ends with "_" is
/// the begin of names.
struct SectionReason {
  const char* sections;
  const char* why;
  ImportEffect effect = ImportEffect::None;
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
  /// Returns whether the field takes the value.
  bool takes(const std::string& field, const std::string& value) const;
  bool has(const std::string& field) const { return fields_.count(field) > 0; }

  /// Sets `field` to `value`, or with importAsIs to the setting's own text. Skips values that our field does not allow,
  /// with that reason. If `field` is set already, an equal value is accepted and any other skipped. Returns true if
  /// accepted.
  bool importSetting(const std::string& key, const std::string& field, const std::string& value,
                     const std::string& note = {});
  bool importAsIs(const std::string& key, const std::string& field, const std::string& note = {});
  /// `owner`: of the defaults.
  void importAll(std::span<const DirectName> names, const char* owner = "");
  /// Sets an additional field from a setting that was imported already; does nothing if the field is set.
  void derive(const std::string& from, const std::string& field, const std::string& value,
              const std::string& note = {});
  /// Sets a field that the file does not name, because the tool's default differs from ours. Does nothing if `from` is
  /// auto in a file of DeepSpeed: what is filled in there is no default.
  void assume(const std::string& from, const std::string& field, const std::string& value,
              const std::string& note = {});
  void skip(const std::string& key, const std::string& why, ImportEffect effect = ImportEffect::None);
  /// Skips all remaining settings below one section.
  void skipBelow(const std::string& section, const std::string& why, ImportEffect effect = ImportEffect::None);
  /// Skips what is left below each section, in their order.
  void skipSections(std::span<const SectionReason> reasons);
  /// Skips all remaining settings, with the reason of the first matching section. Call last.
  void skipRest(std::span<const SectionReason> reasons);
  /// Reports a setting that the file omits and whose default in the tool has no equivalent.
  void reportDefault(const std::string& key, const std::string& value, const std::string& why);
  /// Reports a setting, imported or not, that has to be completed by hand.
  void ask(const std::string& key, const std::string& value, const std::string& why);
  /// Makes finish() fail: the file contradicts itself.
  void refuse(const std::string& why);
  /// Refuses a file in which two settings are on that `program` does not take together.
  void refuseBoth(const std::string& first, const std::string& second, const char* program);

  /// Returns the configuration, after reverting settings that violate our rules over several fields. Fails as
  /// importConfig() does.
  Result<ConfigImport> finish(const std::string& sourceName);

 private:
  Result<void> checkImport() const;
  std::string setField(const std::string& field, const std::string& value);
  void revert(const std::string& field, const std::string& why);
  std::string yaml(const std::string& sourceName) const;

  const ExternalDocument& document_;
  ImportOptions options_;
  ConfigImport import_;
  std::set<std::string> handled_;  // external names
  std::set<std::string> fields_;   // our names
  std::size_t unknown_ = 0;        // settings that no importer of the tool knows
  std::string refusal_;
};

// One importer per tool: handles every setting of the session's document.
void importComposer(ImportSession& session);
void importTorchtune(ImportSession& session);
void importDeepSpeed(ImportSession& session);
void importTransformers(ImportSession& session);
void importXlm(ImportSession& session);

/// Imports Composer's `model` and tokenizer settings.
void importComposerModel(ImportSession& session);
/// Imports the choices of a FlexBERT model, where they are those of ModernBERT.
void importFlexBert(ImportSession& session);
/// Imports the ramp of ModernBERT's packer; call after the packing has been imported, without which it has no effect.
void importSizeWarmup(ImportSession& session);
/// Imports the settings of transformers' run_mlm that are not the Trainer's; does nothing if there are none.
void importMaskedModelScript(ImportSession& session);
void importDeepSpeedSchedule(ImportSession& session);
void importTransformersSchedule(ImportSession& session);
/// Returns the number of steps that transformers' Trainer is given; empty if its epochs count.
std::optional<std::int64_t> givenMaxSteps(const ImportSession& session);
/// Imports the global batch: size per device, which `sizeKey` gives, x accumulation x devices.
void importGlobalBatch(ImportSession& session, const std::string& sizeKey, std::int64_t each,
                       const std::string& accumulationKey);
/// Returns the number of a setting that is not handled yet, or `otherwise`.
double numberOr(ImportSession& session, const std::string& key, double otherwise);
/// Sets family and preset for the name of a published model. Returns false if the name is not known.
bool importKnownModel(ImportSession& session, const std::string& key);
/// Sets whether a vocabulary is lowercased, if the name of a model or vocabulary tells it.
void importCase(ImportSession& session, const std::string& key, const std::string& name);
/// Returns whether a name is that of a folder, not of a model on a hub.
bool isFolderName(const std::string& name);
/// Applies the defaults of torch's Adam to settings missing in section `prefix`. `weightDecay`: default of the class,
/// empty if handled already.
void assumeAdamDefaults(ImportSession& session, const std::string& prefix, const std::string& owner,
                        const std::string& betas, const std::string& weightDecay);

/// Returns a number as YAML, rounded to drop the error of a division.
std::string shortNumber(double value);

}  // namespace batchwise::config
