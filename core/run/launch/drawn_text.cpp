// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/drawn_text.h"

#include <system_error>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/store/workspace_folder.h"
#include "core/text/file_identity.h"
#include "core/text/text_files.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = ".batchwise-text-";

/// Returns a hash of all that decides what is drawn.
std::string digestOf(const GeneralTextRequest& request, const std::vector<FileIdentity>& files) {
  constexpr std::size_t kDigits = 8;
  Hasher hasher;
  hasher.update("general text 1 " + std::string(choiceName(request.general.format)) + " " + request.general.textField +
                "\n" + std::string(choiceName(request.own.format)) + " " + request.own.textField + "\n" +
                std::to_string(request.own.textBytes) + " " + formatExact(request.share) + " " +
                formatExact(request.holdout) + "\n");
  for (const FileIdentity& file : files)
    hasher.update(file.content.hex() + (file.path.native().ends_with(".gz") ? "z" : "t"));
  return hasher.digest().hex().substr(0, kDigits);
}

}  // namespace

Result<std::shared_ptr<DrawnText>> DrawnText::draw(GeneralTextRequest request, const std::string& name,
                                                   const fs::path& workspace, std::stop_token stop) {
  SurveyRequest survey;
  survey.paths = request.paths;
  ASSIGN_OR_RETURN(request.general, surveyText(survey, {}, stop));
  ASSIGN_OR_RETURN(const auto paths, findTextFiles(request.paths, {}, request.general.format));
  RETURN_IF_ERROR(makeFolders(workspace / kCacheFolder));
  FileIdentities identities(workspace / kCacheFolder / "files.json");
  ASSIGN_OR_RETURN(const auto files, identities.of(
                                         paths, [](std::int64_t, std::int64_t) {}, stop));
  const fs::path texts = workspace / kTextsFolder;
  RETURN_IF_ERROR(makeFolders(texts));
  removeStagedFolders(texts, kMark);
  ASSIGN_OR_RETURN(auto staged, StagedFolder::make(texts, kMark));
  request.folder = staged.path();
  ASSIGN_OR_RETURN(auto text, writeGeneralText(request, {}, stop));
  return std::shared_ptr<DrawnText>(
      new DrawnText(std::move(staged), std::move(text), texts / (name + "-" + digestOf(request, files))));
}

Result<GeneralText> DrawnText::keep() {
  std::error_code ignored;
  if (staged_ != nullptr && !fs::exists(place_, ignored)) {
    const fs::perms mode = fs::status(place_.parent_path(), ignored).permissions();
    if (!ignored) fs::permissions(staged_->path(), mode, ignored);  // while drawn, it was for us only
    RETURN_IF_ERROR(staged_->moveTo(place_));
    moved_ = true;
  }
  staged_.reset();
  GeneralText kept = text_;
  for (fs::path* file : {&kept.train, &kept.eval})
    if (!file->empty()) *file = place_ / file->filename();
  return kept;
}

DrawnText::~DrawnText() {
  if (staged_ == nullptr && !moved_) return;
  staged_.reset();
  std::error_code inUse;
  if (moved_) fs::remove_all(place_, inUse);
  fs::remove(place_.parent_path(), inUse);  // with the last one
}

}  // namespace batchwise
