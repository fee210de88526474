// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/time/timestamp.h"

namespace batchwise {

// Small state of a run as JSON that preserves all bits of doubles, including NaN and infinities.

/// Reads the fields of an object and records the first one that is missing or has the wrong type.
class JsonFields {
 public:
  /// `what`: name of the object in messages. `object` must outlive this.
  JsonFields(const nlohmann::json& object, std::string what);
  void read(const char* name, std::int64_t& target);
  void read(const char* name, double& target);
  void read(const char* name, std::string& target);
  /// Fails with Corrupt.
  Result<void> result() const;

 private:
  const nlohmann::json* find(const char* name);
  void fail(const char* name, const Message& why);

  const nlohmann::json& object_;
  std::string what_;
  Message problem_;
};

/// The format of the store (core/store/SCHEMA.md). Reading fails with Corrupt.
nlohmann::json clocksToJson(const Timestamp& at);
Result<Timestamp> clocksFromJson(const nlohmann::json& object);
nlohmann::json growthToJson(const GrowthState& growth);
Result<GrowthState> growthFromJson(const nlohmann::json& object);

}  // namespace batchwise
