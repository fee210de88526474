// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/folder.h"
#include "core/base/machine.h"
#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/model/shape/model_shape.h"
#include "core/text/general_text.h"
#include "core/text/text_survey.h"

namespace batchwise {

/// A model folder in the Hugging Face layout, as a start for training.
struct StartingModel {
  std::filesystem::path folder;
  std::optional<ModelShape> shape;  ///< empty: config.json cannot be used
  std::int64_t vocabularySize = 0;  ///< of vocab.txt; 0: it cannot be used
  bool lowercase = true;
  std::vector<std::string> problems;  ///< what is missing or not supported; empty: the model can be trained further
  std::vector<std::string> notes;
};

/// Inspects a folder: config.json, vocab.txt, tokenizer_config.json and the headers of the weights. Reads no weights.
/// Thread-safe; blocks on the file system.
StartingModel inspectStartingModel(const std::filesystem::path& folder);

/// Inputs of a first configuration for a text.
struct FirstRun {
  std::string name;
  std::vector<std::string> paths;  ///< absolute, for data.train
  TextSurvey text;
  std::string devices = "auto";        ///< for devices.use
  std::optional<ModelPreset> preset;   ///< empty: chosen
  std::optional<std::int64_t> epochs;  ///< empty: chosen
  std::optional<StartingModel> model;  ///< without problems; its size replaces the preset
  std::optional<GeneralText> general;  ///< trained on and evaluated beside the own text
};

struct FirstConfig {
  TrainConfig config;
  /// Why no larger preset was chosen.
  enum class Limit {
    Text,    ///< a larger one needs more text
    Time,    ///< one epoch would take more than an hour on this machine
    Memory,  ///< a step would need more than half of the memory
    Given,   ///< by the user or by the starting model
  };
  Limit limit = Limit::Text;
  /// Why there are not more epochs.
  enum class EpochLimit {
    Size,    ///< they are enough tokens for a model of this size
    Time,    ///< more would take over an hour on this machine
    Most,    ///< more of the same text teach little
    Recipe,  ///< of the starting model
    Given,   ///< by the user
  };
  EpochLimit epochLimit = EpochLimit::Size;
  std::int64_t epochs = 1;
  std::int64_t samples = 0;          ///< of an epoch, about
  std::int64_t tokensPerSample = 1;  ///< likewise
};

/// Share of the documents that a first run holds out for evaluation.
double firstHoldout(const TextSurvey& text);

/// Returns a configuration for a first run on a text: a size that fits text and machine, epochs for about 20 tokens per
/// parameter (Hoffmann et al. 2022) within an hour, and sizes of vocabulary, sequences and batches that fit the text. A
/// starting model is continued by the recipe "continue", for at most its three epochs.
FirstConfig firstConfig(FirstRun run, const MachineInfo& machine);

/// General text drawn for a run that may never be launched: its files are in a hidden folder of the workspace's
/// `texts`. What it has written is removed with this object, unless release() was called. Not thread-safe.
class DrawnText {
 public:
  /// Surveys `request.paths` and draws from them; `request.general` and `request.folder` are ignored. `name`: a plain
  /// file name for the folder that keep() makes. Fails as surveyText(), FileIdentities::of() and writeGeneralText(),
  /// with Io or DiskFull.
  static Result<std::shared_ptr<DrawnText>> draw(GeneralTextRequest request, const std::string& name,
                                                 const std::filesystem::path& workspace, std::stop_token stop);
  DrawnText(const DrawnText&) = delete;
  DrawnText& operator=(const DrawnText&) = delete;
  ~DrawnText();

  const GeneralText& text() const { return text_; }
  /// Moves the files to `texts/NAME-HASH`, where a run with the same texts and choices may have put them before.
  /// Returns the text with its places there; text() stays as it is. Fails with Io or DiskFull.
  Result<GeneralText> keep();
  /// Leaves the kept files to the run that is launched with them.
  void release() { moved_ = false; }

 private:
  DrawnText(StagedFolder staged, GeneralText text, std::filesystem::path place)
      : staged_(std::make_unique<StagedFolder>(std::move(staged))), text_(std::move(text)), place_(std::move(place)) {}

  std::unique_ptr<StagedFolder> staged_;  // null once kept
  bool moved_ = false;                    // to place_, which goes with this object
  GeneralText text_;
  std::filesystem::path place_;
};

}  // namespace batchwise
