// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/config/import/import_checks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/config/import/external_document.h"
#include "core/config/schema.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {

ConfigImport imported(const std::string& text, const ImportOptions& options) {
  const auto result = checked(importConfig(text, "peer.yaml", options));
  const LoadedConfig loaded = parseConfig(result->yaml, "run.yaml", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText() << '\n' << result->yaml;
  EXPECT_EQ(loaded.config, result->config);
  return *result;
}

ConfigImport partlyImported(const std::string& text, ImportOptions options) {
  options.partly = true;
  return imported(text, options);
}

std::string refusalOf(const std::string& text, const ImportOptions& options) {
  const Result<ConfigImport> result = importConfig(text, "peer.yaml", options);
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().text();
}

std::string recipe(const std::string& name) {
  const auto text = readFile(sourceRoot() / "tests/vectors/cases/import-recipes" / name, kMaxImportedBytes);
  EXPECT_TRUE(text.ok()) << name;
  return text.ok() ? *text : "";
}

void expectValues(const ConfigImport& import, const Values& expected) {
  for (const auto& [field, value] : expected) {
    const Field* found = findField(field);
    ASSERT_NE(found, nullptr) << field;
    EXPECT_EQ(found->get(import.config), value) << field;
  }
}

void expectLeft(const ConfigImport& import, const Values& reasons) {
  for (const auto& [key, reason] : reasons) {
    const auto found = std::find_if(import.notTaken.begin(), import.notTaken.end(),
                                    [&, name = key](const SettingNotTaken& setting) { return setting.key == name; });
    ASSERT_NE(found, import.notTaken.end()) << key;
    EXPECT_THAT(found->why, testing::HasSubstr(reason)) << key;
  }
}

void expectNothingLost(const ConfigImport& import, const std::string& text) {
  std::set<std::string> decided, left;
  for (const TakenSetting& setting : import.taken) decided.insert(setting.from);
  for (const SettingNotTaken& setting : import.notTaken) {
    EXPECT_TRUE(left.insert(setting.key).second) << setting.key << " is left twice";
    EXPECT_FALSE(setting.why.empty()) << setting.key;
  }
  const auto document = checked(config::ExternalDocument::read(text, "peer.yaml"));
  ASSERT_FALSE(document->values().empty());
  for (const config::ExternalValue& value : document->values())
    EXPECT_TRUE(decided.count(value.key) || left.count(value.key)) << value.key << " is in neither list";
}

std::string noteOf(const ConfigImport& import, const std::string& field) {
  const auto found = std::find_if(import.taken.begin(), import.taken.end(),
                                  [&](const TakenSetting& setting) { return setting.to == field; });
  return found == import.taken.end() ? "not taken" : found->note;
}

}  // namespace batchwise::test
