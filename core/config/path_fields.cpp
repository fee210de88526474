// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/path_fields.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchwise {
namespace {

namespace fs = std::filesystem;

struct PathField {
  std::string_view path;
  PathKind kind;
};
constexpr std::array kPathFields = {PathField{"model.init_from", PathKind::Folder},
                                    PathField{"tokenizer.path", PathKind::Folder},
                                    PathField{"data.train", PathKind::Files}, PathField{"data.eval", PathKind::Files},
                                    PathField{"batch.tokens.metrics_path", PathKind::File}};

void anchor(std::string& name, const fs::path& folder) {
  if (name.empty() || fs::path(name).is_absolute()) return;
  std::error_code failure;
  const fs::path absolute = fs::absolute(folder / name, failure);
  if (!failure) name = absolute.lexically_normal().string();
}

TrainConfig anchored(TrainConfig config, const fs::path& folder) {
  for (auto* names : {&config.data.train, &config.data.eval})
    for (std::string& name : *names) anchor(name, folder);
  for (auto* name : {&config.model.initFrom, &config.tokenizer.path, &config.batch.tokens.metricsPath})
    anchor(*name, folder);
  return config;
}

/// The value, as YAML text, of a field that names files.
std::string anchoredValue(const Field& field, const std::string& value, const fs::path& folder) {
  TrainConfig only;
  field.set(only, value);
  return field.get(anchored(only, folder));
}

}  // namespace

PathKind pathKind(std::string_view fieldPath) {
  const auto found = std::find_if(kPathFields.begin(), kPathFields.end(),
                                  [fieldPath](const PathField& field) { return field.path == fieldPath; });
  return found == kPathFields.end() ? PathKind::None : found->kind;
}

bool anchorPaths(TrainConfig& config, std::vector<SweepAxis>& axes, const fs::path& folder) {
  const TrainConfig before = config;
  const std::vector<SweepAxis> axesBefore = axes;
  config = anchored(std::move(config), folder);
  for (SweepAxis& axis : axes)
    if (pathKind(axis.field) != PathKind::None)
      for (std::string& value : axis.values) value = anchoredValue(*findField(axis.field), value, folder);
  return !(config == before) || axes != axesBefore;
}

}  // namespace batchwise
