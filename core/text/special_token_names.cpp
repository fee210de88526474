// SPDX-License-Identifier: GPL-3.0-or-later
// The roles of tokens by their names in tokenizer_config.json.
#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/text/tokenizer_json.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr JsonLimits kConfigLimits{.depth = 32, .bytes = std::size_t{64} << 20};
constexpr const char* kRoles[] = {"pad_token",  "unk_token", "cls_token", "sep_token",
                                  "mask_token", "bos_token", "eos_token"};

/// A name is written as a text, or as an added token with its content.
std::string nameIn(const json& config, const char* role) {
  const auto found = config.find(role);
  if (found == config.end()) return {};
  const json& name = found->is_object() && found->contains("content") ? found->at("content") : *found;
  return name.is_string() ? name.get<std::string>() : std::string();
}

json objectOf(std::string_view text) {
  json object = parseJsonOrDiscarded(text, kConfigLimits);
  return object.is_object() ? object : json::object();
}

class Roles {
 public:
  Roles(const TokenizerDefinition& definition, std::string_view config)
      : definition_(definition), config_(objectOf(config)) {}

  /// Returns the id of the first of `roles` that the configuration names, else of the first token called one of
  /// `names`; -1 if there is none.
  std::int32_t find(std::initializer_list<const char*> roles, std::initializer_list<std::string_view> names) const {
    for (const char* role : roles)
      if (const std::int32_t id = idOf(nameIn(config_, role)); id >= 0) return id;
    for (const std::string_view name : names)
      if (const std::int32_t id = idOf(name); id >= 0) return id;
    return -1;
  }

  std::string nameOf(const char* role) const { return nameIn(config_, role); }

  std::int32_t idOf(std::string_view name) const {
    if (name.empty()) return -1;
    for (const AddedToken& token : definition_.added)
      if (token.content == name) return token.id;
    const auto found = std::ranges::find(definition_.tokens, name);
    return found == definition_.tokens.end() ? -1 : static_cast<std::int32_t>(found - definition_.tokens.begin());
  }

 private:
  const TokenizerDefinition& definition_;
  json config_;
};

}  // namespace

std::string mergedTokenizerConfig(std::string_view config, std::string_view map) {
  const json names = objectOf(map);
  nlohmann::ordered_json merged = nlohmann::ordered_json::object();
  // Within the limits, which keep what writes it below from nesting too deeply.
  if (parseJsonOrDiscarded(config, kConfigLimits).is_object()) merged = nlohmann::ordered_json::parse(config);
  bool changed = false;
  for (const char* role : kRoles) {
    if (const std::string name = nameIn(names, role); !name.empty() && !merged.contains(role)) {
      merged[role] = name;
      changed = true;
    }
  }
  return changed ? merged.dump(2) + "\n" : std::string(config);
}

Result<SpecialIds> findSpecialIds(const TokenizerDefinition& definition, std::string_view config,
                                  std::string_view name) {
  const Roles roles(definition, config);
  SpecialIds ids;
  ids.cls = definition.before;
  ids.sep = definition.behind;
  if (ids.cls < 0)
    ids.cls = roles.find({"cls_token", "bos_token"}, {"[CLS]", "<s>", "<bos>", "<|begin_of_text|>", "<cls>"});
  if (ids.sep < 0)
    ids.sep = roles.find({"sep_token", "eos_token"}, {"[SEP]", "</s>", "<eos>", "<|end_of_text|>", "<sep>"});
  if (const std::string mask = roles.nameOf("mask_token"); !mask.empty() && roles.idOf(mask) < 0)
    return Error::config(
        formatText("{} has no token '{}', which its tokenizer_config.json names as mask_token: load and save it with "
                   "transformers' AutoTokenizer, which adds the token",
                   name, mask));
  ids.mask = roles.find({"mask_token"}, {"[MASK]", "<mask>", "<|mask|>"});
  ids.pad = roles.find({"pad_token"}, {"[PAD]", "<pad>", "<|pad|>", "<|padding|>"});
  ids.unknown = definition.unknown.empty() ? roles.find({"unk_token"}, {"[UNK]", "<unk>", "<|unk|>"})
                                           : roles.idOf(definition.unknown);
  const auto missing = [&](const char* key) {
    return Error::config(
        formatText("{} has no token for '{}'; name it in a tokenizer_config.json beside it", name, key));
  };
  if (ids.cls < 0) return missing("cls_token");
  if (ids.sep < 0) return missing("sep_token");
  if (ids.mask < 0) return missing("mask_token");
  if (ids.pad < 0) ids.pad = ids.sep;  // nothing is padded here; transformers wants a number
  return ids;
}

}  // namespace batchwise
