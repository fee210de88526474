// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/config/train_config.h"
#include "core/model/shape/model_shape.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// Reads values of a config.json and keeps the first error. A value that is missing or null stays as it is.
class ConfigFields {
 public:
  explicit ConfigFields(const nlohmann::json& object) : object_(object) {}

  /// Returns a value; null if it is missing or null.
  const nlohmann::json* find(const char* name) const;
  bool isNull(const char* name) const;

  void requiredSize(const char* name, std::int64_t& target);
  void size(const char* name, std::int64_t& target);
  void real(const char* name, double& target);
  void flag(const char* name, bool& target);
  std::string text(const char* name, std::string otherwise);
  /// Knows every name that transformers has for the functions of Activation.
  void activation(const char* name, Activation& target);

  /// Fails unless the value is missing or `supported`: for options that a family knows but the trainer does not.
  void requireFlag(const char* name, bool supported);
  void requireText(const char* name, const std::string& supported);
  void requireNull(const char* name);
  /// Fails if two spellings of one value are present and differ.
  void requireSame(const char* first, const nlohmann::json& firstValue, const char* second,
                   const nlohmann::json& secondValue);
  /// Notes that the value is not used if it is a number other than 0.
  void noteUnused(const char* name);

  void fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  template <typename Value, typename Fits>
  void read(const char* name, Value& target, const std::string& expected, Fits fits);

  const nlohmann::json& object_;
  std::optional<Error> error_;
  std::vector<std::string> notes_;
};

/// Reads the theta of rotary positions from an entry of rope_parameters ({"rope_type", "rope_theta"}), named `entry` in
/// messages, and from its old spelling `old`, a key of config.json. `ofNull`: what null means there; nothing: it fails.
void readTheta(ConfigFields& fields, const nlohmann::json* parameters, const std::string& entry, const char* old,
               double& target, std::optional<double> ofNull = std::nullopt);

inline std::string modelConfigOptionUnsupportedText(const auto& field, const auto& found, const auto& supported) {
  return formatText("{} of config.json is {}; only {} is supported", field, found, supported);
}
inline std::string modelConfigSpellingsDifferText(const auto& first, const auto& firstValue, const auto& second,
                                                  const auto& secondValue) {
  return formatText("config.json has {} {} and {} {}, two spellings of the same value: remove the wrong one", first,
                    firstValue, second, secondValue);
}

/// Names of a family's tensors in the state dictionary of its masked language model, without ".weight" and ".bias".
/// Those of a layer follow `layers`, the number of the layer and a dot. Null: the family has no such tensor.
struct TensorNames {
  const char* words;
  const char* positions = nullptr;
  const char* types = nullptr;
  const char* embeddingNorm = nullptr;
  const char* layers;
  const char* query = nullptr;
  const char* key = nullptr;
  const char* value = nullptr;
  const char* queryKeyValue = nullptr;  ///< in place of the three
  const char* attentionOutput;
  const char* attentionNorm;
  const char* intermediate = nullptr;
  const char* gate = nullptr;
  const char* up = nullptr;
  const char* gateUp = nullptr;  ///< in place of the two
  const char* output;
  const char* outputNorm;
  const char* finalNorm;
  const char* transform = nullptr;
  const char* transformNorm = nullptr;
  const char* decoder;
  const char* decoderBias = nullptr;
};

/// Names of the tensors of a family's heads for tasks; the last matrix of those of tokens is "classifier".
struct TaskHeadNames {
  const char* dense;
  const char* sequence = "classifier";  ///< last matrix
  const char* norm = nullptr;
  bool denseBias = true;
  const char* pooler = nullptr;  ///< dense matrix of the encoder's class, which nothing here reads
};

/// A family: what it fixes, and how its folders spell sizes and tensors. One constant per family, in family_*.cpp.
struct FamilyFormat {
  FamilyTraits traits;
  const char* architecture;  ///< class of the masked language model
  TensorNames names;
  TaskHeadNames taskHead;
  /// Reads the family's fields beyond the sizes that all families spell alike.
  void (*readConfig)(ConfigFields& fields, ModelShape& shape);
  /// Adds the family's fields to a config.json.
  void (*writeConfig)(const ModelShape& shape, const SpecialIds& special, nlohmann::ordered_json& config);
  /// Returns the name in `names` of a tensor that has another one in older files or in those of the encoder alone.
  std::string (*canonicalName)(std::string_view name);
  /// Returns whether an unused tensor (canonical name) is kept for export: the pooler.
  bool (*isKept)(std::string_view name);
  /// Reads what writeStored() added; null: nothing.
  void (*readStored)(ConfigFields& fields, ModelShape& shape) = nullptr;
  /// Adds what a run stores about its model and no file of the family tells; null: nothing.
  void (*writeStored)(const ModelShape& shape, nlohmann::ordered_json& config) = nullptr;
  const char* maxPositionsField = "max_position_embeddings";
  /// Whether the file holds a tied decoder too, because readers of the family do not tie by themselves.
  bool writesTiedDecoder = false;
  /// Whether readers expect the bias of an untied decoder under `decoder` as well.
  bool writesDecoderBiasTwice = false;
};

extern const FamilyFormat kBertFormat;
extern const FamilyFormat kRobertaFormat;
extern const FamilyFormat kXlmRobertaFormat;
extern const FamilyFormat kModernBertFormat;
extern const FamilyFormat kEuroBertFormat;
extern const FamilyFormat kNeoBertFormat;

constexpr const FamilyFormat& formatOf(ModelFamily family) {
  switch (family) {
    case ModelFamily::Bert: break;
    case ModelFamily::Roberta: return kRobertaFormat;
    case ModelFamily::XlmRoberta: return kXlmRobertaFormat;
    case ModelFamily::ModernBert: return kModernBertFormat;
    case ModelFamily::EuroBert: return kEuroBertFormat;
    case ModelFamily::NeoBert: return kNeoBertFormat;
  }
  return kBertFormat;
}

/// Returns the pad_token_id of a model's files. Where positions are counted behind it, it is a token that stands in no
/// sequence, or takes no position there; else -1, with which transformers places every token.
std::int64_t paddingIdOf(const ModelShape& shape, const SpecialIds& special);

/// Returns `name` with `prefix` before it if it starts with one of `parts`: the name of an encoder's tensor in the
/// masked language model.
template <typename... Parts>
std::string withPrefix(std::string_view prefix, std::string_view name, Parts... parts) {
  const bool encoder = (name.starts_with(std::string_view(parts)) || ...);
  return (encoder ? std::string(prefix) : std::string()) + std::string(name);
}

/// Replaces the last part of a name: "gamma" and "beta" of the first releases, or an alias.
void replaceSuffix(std::string& name, std::string_view old, std::string_view now);

/// Returns whether a setting ("model.rope_theta") has a meaning in the family; true for those of all families.
bool familyHasOption(ModelFamily family, std::string_view field);

/// Returns whether a setting has the value that the family fixes: it may stay although the family has no such option.
bool isFixedByFamily(const ModelConfig& config, ModelFamily family, std::string_view field);

}  // namespace batchwise
