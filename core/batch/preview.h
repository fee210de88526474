// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/batch/plan.h"

namespace batchwise {

// What a run will do, before it starts: as the JSON contract of `preview` and `batches`, and as tables for a terminal.

/// `{"schema": "batchwise.preview/1", "max_duration", "resolved", "totals", "stages", "points", "notes"}`, in full
/// precision; null where a value is not known ahead. `points` are answered in order, also past the end of the run.
/// Fails with Config for a point in sec.
Result<nlohmann::json> previewJson(const Plan& plan, const std::vector<Time>& points);
/// The same as tables: totals, stages, points if there are any, resolved values, notes.
Result<std::string> previewText(const Plan& plan, const std::vector<Time>& points = {});

/// `{"schema": "batchwise.batches/1", "packs", "global_batch_of_pack", "longest", "tokens", "lr_factors", "fill",
/// "skipped"}` of one epoch, whatever max_duration says. Without a token budget each sample is a pack and fill is null.
/// `lengths`: those the plan was made with. global_batch_of_pack counts from 0 within the epoch. `longest` is the
/// length that a padding trainer gives the rows of a pack; with `RowLength::OfGlobalBatch` that of its global batch
/// (required_microbatches_of_same_seqlen). Fails with Config for an epoch that is too far to plan ahead.
enum class RowLength { OfPack, OfGlobalBatch };
Result<nlohmann::json> batchesJson(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength);
/// A table of the first global batches, and what is skipped.
Result<std::string> batchesText(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength);

/// "0ba,5ba,0.5ep": the list of Times of `--at`. Fails with Config, naming the entry.
Result<std::vector<Time>> parseTimeList(const std::string& text);

}  // namespace batchwise
