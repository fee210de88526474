// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/analysis/probe_result.h"
#include "core/base/result.h"
#include "core/model/encoder_model.h"
#include "core/text/task_data.h"

namespace batchwise {

/// Called with the number of texts that are done, and their total.
using ProbeProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A row of outputs: the example that it belongs to, and its label.
struct LabelledRow {
  std::int64_t number = 0;
  double label = 0;
};

/// Returns the rows of a part: its examples, or the words that are left of them.
std::vector<LabelledRow> labelledRows(const TaskPart& part, const std::vector<EncodedText>& texts, bool words);

/// Returns the score of outputs, [rows, classes] or [rows, 1], fp64, on the host.
PartScore scoredPart(const TaskData& data, const TaskPart& part, const std::vector<LabelledRow>& rows,
                     const at::Tensor& outputs);

/// Scores the frozen encoder of a model on a task by a linear model of its features, or for retrieval by the cosine of
/// the pooled texts. Changes no weights and draws no random numbers. Not thread-safe.
class TaskProbe {
 public:
  /// Texts are cut to `maxTokens`, at most the positions of the models.
  TaskProbe(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, std::int64_t maxTokens,
            Pooling pooling = Pooling::Mean);

  const TaskData& data() const { return *data_; }
  const std::vector<std::string>& notes() const { return encoded_.notes; }

  /// Returns the scores. Fails with NonFinite if the model gives no numbers, with OutOfMemory, or Stopped. Throws
  /// c10::Error.
  Result<ProbeResult> run(EncoderModel& model, const ProbeProgress& progress, const std::stop_token& stop);

  /// Writes the features of each part as PART.npy, [rows, width], fp32, little-endian, after run(). Fails with Io.
  Result<void> writeFeatures(const std::filesystem::path& folder) const;

 private:
  Result<at::Tensor> featuresOf(EncoderModel& model, const std::vector<EncodedText>& texts,
                                const std::function<bool(std::size_t)>& report);
  at::Tensor pooled(EncoderModel& model, std::span<const EncodedText> texts) const;
  Result<ProbeResult> learned(const std::stop_token& stop) const;
  ProbeResult retrieved() const;

  const std::shared_ptr<const TaskData> data_;
  const EncodedTask encoded_;
  const Pooling pooling_;
  std::int64_t tokensPerPass_ = 0;    // set once the device is known, halved where memory is short
  std::vector<at::Tensor> features_;  // of the parts: [texts, or words, width], fp32, on the host
};

}  // namespace batchwise
