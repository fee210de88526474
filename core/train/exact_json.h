// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/time/timestamp.h"

namespace batchwise {

// The small state of a run as JSON, such that every double comes back with the same bits, NaN and infinities included.

/// Reads the fields of an object one by one and remembers the first that is missing or of another type.
class JsonFields {
 public:
  /// `what` stands for the object in messages. `object` must outlive this.
  JsonFields(const nlohmann::json& object, std::string what);
  void read(const char* name, std::int64_t& target);
  void read(const char* name, double& target);
  void read(const char* name, std::string& target);
  /// Fails with Corrupt.
  Result<void> result() const;

 private:
  const nlohmann::json* find(const char* name);
  void fail(const char* name, const char* why);

  const nlohmann::json& object_;
  std::string what_;
  std::string problem_;
};

/// As the store writes them (core/store/SCHEMA.md). Reading fails with Corrupt.
nlohmann::json clocksToJson(const Timestamp& at);
Result<Timestamp> clocksFromJson(const nlohmann::json& object);
nlohmann::json growthToJson(const GrowthState& growth);
Result<GrowthState> growthFromJson(const nlohmann::json& object);

}  // namespace batchwise
