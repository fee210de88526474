// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/base/staged_folder.h"
#include "core/text/general_text.h"

namespace batchwise {

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
