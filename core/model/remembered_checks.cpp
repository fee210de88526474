// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/remembered_checks.h"

#include <dlfcn.h>
#include <torch/version.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/user_folders.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "batchwise.gpu-check/1";
constexpr std::int64_t kMostBytes = 1 << 20;

std::string textOf(const CheckedGpu& gpu, const std::vector<OperationCheck>& checks) {
  json list = json::array();
  for (const OperationCheck& check : checks)
    list.push_back({{"operation", operationName(check.group)},
                    {"type", check.type},
                    {"error", jsonNumber(check.error)},
                    {"good", check.good()}});
  return jsonText({{"schema", kSchema},
                   {"gpu", gpu.name},
                   {"uuid", gpu.uuid},
                   {"driver", gpu.driver},
                   {"build", gpu.build},
                   {"checks", std::move(list)}}) +
         "\n";
}

std::optional<OperationCheck> checkFrom(const json& one) {
  const std::optional<double> error = numberFromJson(one.at("error"));
  const auto group = std::ranges::find(kOperationGroups, one.at("operation").get<std::string>(), operationName);
  if (!error || group == kOperationGroups.end()) return std::nullopt;
  return OperationCheck{*group, one.at("type").get<std::string>(), *error, {}};
}

// Returns the checks in a text; nothing if it does not hold those of `gpu`, each once and all of them.
std::optional<std::vector<OperationCheck>> checksIn(const std::string& text, const CheckedGpu& gpu) try {
  const json object = parseJsonOrDiscarded(text);
  if (!object.is_object() || object.at("schema") != kSchema) return std::nullopt;
  const auto named = [&object](const char* name) { return object.at(name).get<std::string>(); };
  if (CheckedGpu{named("gpu"), named("uuid"), named("driver"), named("build")} != gpu) return std::nullopt;
  std::vector<OperationCheck> checks;
  for (const json& one : object.at("checks")) {
    auto check = checkFrom(one);
    if (!check || one.at("good") != check->good()) return std::nullopt;
    checks.push_back(std::move(*check));
  }
  const std::vector<std::string> types = checkedTypes();
  if (checks.size() != kOperationGroups.size() * types.size()) return std::nullopt;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (checks[i].group != kOperationGroups[i / types.size()] || checks[i].type != types[i % types.size()])
      return std::nullopt;
  return checks;
} catch (const json::exception&) {
  return std::nullopt;
}

}  // namespace

std::string buildIdentity() {
  std::string identity = BATCHWISE_VERSION ", LibTorch " TORCH_VERSION;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&buildIdentity), &info) == 0 || info.dli_fname == nullptr) return identity;
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(info.dli_fname, failed);
  const auto time = std::filesystem::last_write_time(info.dli_fname, failed);
  if (failed) return identity;
  return identity + ", " + std::to_string(bytes) + " bytes of " + std::to_string(time.time_since_epoch().count());
}

std::filesystem::path rememberedChecksFile(const std::filesystem::path& folder, const CheckedGpu& gpu) {
  const std::string all = gpu.name + "\n" + gpu.uuid + "\n" + gpu.driver + "\n" + gpu.build;
  return folder / (kRememberedChecks + hash128(all).hex() + ".json");
}

std::vector<OperationCheck> rememberedChecks(const std::filesystem::path& folder, const CheckedGpu& gpu,
                                             const std::function<std::vector<OperationCheck>()>& check) {
  if (folder.empty()) return check();
  const std::filesystem::path file = rememberedChecksFile(folder, gpu);
  if (const Result<std::string> text = readFile(file, kMostBytes); text.ok())
    if (auto checks = checksIn(*text, gpu)) return std::move(*checks);
  std::vector<OperationCheck> checks = check();
  const auto threw = [](const OperationCheck& one) { return !one.problem.empty(); };
  if (std::ranges::none_of(checks, threw) && makeFolders(folder).ok())
    static_cast<void>(writeFileAtomically(file, textOf(gpu, checks)));
  return checks;
}

}  // namespace batchwise
