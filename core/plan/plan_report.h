// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/plan/run_plan.h"

namespace batchwise {

// Preview of a run before it starts: as JSON for `preview` and `batches`, and as tables for a terminal.

/// Returns `{"schema": "batchwise.preview/1", "max_duration", "resolved", "totals", "stages", "points", "notes"}` in
/// full precision, with null for values unknown before the run. `points` are in the order given and may be past the
/// end. Of a run with `stages`, "resolved" and "notes" name the stage ("stages[1]."), "stages" are those of all,
/// and "run_stages" has one entry per stage: `{"until", "changes", "from", "max_duration", "totals", "fill"}`, "from"
/// being the clocks at its begin. Fails with Config for a point in sec.
Result<nlohmann::json> previewJson(const RunPlan& run, const std::vector<Time>& points);
/// Returns the same as tables: totals, stages, points if any, resolved values, notes.
Result<std::string> previewText(const RunPlan& run, const std::vector<Time>& points = {});

/// Returns `{"schema": "batchwise.batches/1", "packs", "global_batch_of_pack", "longest", "tokens", "lr_factors",
/// "fill", "skipped"}` of one epoch, regardless of max_duration. Without a token budget each sample is a pack and fill
/// is null. `lengths`: those of the plan. global_batch_of_pack counts from 0 within the epoch. `longest` is the row
/// length of a pack in a trainer that pads; with `RowLength::OfGlobalBatch` that of its global batch
/// (required_microbatches_of_same_seqlen). Fails with Config for an epoch that is too far to plan ahead.
enum class RowLength { OfPack, OfGlobalBatch };
Result<nlohmann::json> batchesJson(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength);
/// Returns a table of the first global batches, and the skipped samples.
Result<std::string> batchesText(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength);

/// Parses the list of Times of `--at`: "0ba,5ba,0.5ep". Fails with Config, naming the entry.
Result<std::vector<Time>> parseTimeList(const std::string& text);

}  // namespace batchwise
