// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is worth on a text: any checkpoint or folder.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/model/device_error.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/text/text_files.h"
#include "core/text/text_survey.h"
#include "core/train/devices.h"
#include "core/train/evaluation.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kFolderSeqLen = 512;  // unless the model takes less, or the request says
constexpr std::int64_t kPseudoSamples = 50;  // each takes a pass per token

struct TokenizedText {
  TokenDataset data;
  std::string hash;  // of the documents
};

/// Tokenizes the documents into a file in `folder`.
Result<TokenizedText> tokenized(const EvaluationRequest& request, const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                const fs::path& folder, const EvaluationProgress& report) {
  TextFormat format = request.format.value_or(TextFormat::Text);
  std::string field = request.textField.empty() ? "text" : request.textField;
  if (!request.format || (namesTextField(format) && request.textField.empty())) {
    ASSIGN_OR_RETURN(const auto survey, surveyText({request.text, request.format, request.textField}, {}, {}));
    format = survey.format;
    field = survey.textField;
  }
  ASSIGN_OR_RETURN(const auto files, findTextFiles(request.text, {}, format));
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  const TokenFileSpec spec{
      folder / "text.tokens", {}, vocabulary.special(), vocabulary.size(), static_cast<std::int32_t>(maxSeqLen)};
  ASSIGN_OR_RETURN(auto writer, TokenFileWriter::open(spec));
  Tokenizer::Encoder encoder(tokenizer);
  Hasher hasher;
  const std::int64_t total = sizeOnDisk(files);
  std::int64_t left = request.documents.value_or(std::numeric_limits<std::int64_t>::max()), before = 0;
  std::string document;
  std::vector<std::int32_t> ids;
  for (const fs::path& file : files) {
    ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file, format, field));
    for (; left > 0; --left) {
      ASSIGN_OR_RETURN(const auto more, reader.next(document));
      if (!more) break;
      hasher.update(formatText("{} ", document.size()));
      hasher.update(document);
      ids.clear();
      encoder.append(document, ids);
      RETURN_IF_ERROR(writer.add(ids, {1, std::ssize(document), 0, 0}));
      report(before + reader.fileBytesRead(), total);
    }
    before += sizeOnDisk(file);
  }
  RETURN_IF_ERROR(writer.finish());
  ASSIGN_OR_RETURN(auto data, TokenDataset::open(spec.path));
  if (data.size() == 0) return Error::config("the text has no document with a token; name other files");
  return TokenizedText{std::move(data), hasher.digest().hex()};
}

/// Writes one JSON line per sample and draw: {"draw", "sample", "input_ids", "labels"}, with -100 where nothing is
/// predicted, as transformers takes it.
Result<void> writeMasks(const EvaluationRequest& request, const TrainingData& data, std::int64_t draws) {
  return writeOutput(request.masksFile, request.masksReplace, [&](const FileSink& sink) -> Result<void> {
    for (std::int64_t draw = 0; draw < draws; ++draw)
      for (std::int64_t sample = 0; sample < data.samples.size(); ++sample) {
        std::vector<std::int32_t> ids = data.samples.tokens(sample), positions, predicted;
        maskSequence(ids, sample, {data.seed, draw}, data.masks, positions, predicted);
        std::vector<std::int32_t> labels(ids.size(), -100);
        for (std::size_t i = 0; i < positions.size(); ++i)
          labels[static_cast<std::size_t>(positions[i])] = predicted[i];
        const nlohmann::ordered_json line = {
            {"draw", draw}, {"sample", sample}, {"input_ids", ids}, {"labels", labels}};
        const std::string text = line.dump() + "\n";
        RETURN_IF_ERROR(sink(std::as_bytes(std::span(text))));
      }
    return data.samples.intact();
  });
}

}  // namespace

Result<EvaluatedModel> evaluateModel(const EvaluationRequest& request, EventSink& events, const Clock& clock) try {
  DevicesConfig config;
  config.use = request.device;
  ASSIGN_OR_RETURN(const auto devices, useNotedDevices(config, events));
  setMatmulPrecision(Precision::Fp32);
  events.publish(PhaseProgress{"building the model", 0, 0, {}});
  ASSIGN_OR_RETURN(auto source, loadModel(request, devices.devices.front(), clock));
  if (!source.missing.empty())
    return Error::config(
        formatText("'{}' has no head that predicts masked tokens ({} is missing): name the folder of a "
                   "model for masked language modeling",
                   source.name, source.missing.front()));
  EvaluatedModel found;
  found.draws = request.draws.value_or(source.config.eval.draws);
  found.seed = request.seed.value_or(source.config.eval.seed);
  found.mlmProbability = request.mlmProbability.value_or(source.config.eval.mlmProbability);
  found.maxSeqLen = request.maxSeqLen.value_or(
      request.run.empty() ? std::min(kFolderSeqLen, source.model.shape().maxPositions) : source.config.data.maxSeqLen);
  if (found.maxSeqLen > source.model.shape().maxPositions)
    return Error::config(formatText("this model takes sequences of at most {} tokens; lower --max-seq-len from {}",
                                    source.model.shape().maxPositions, found.maxSeqLen));
  const auto progress = [&](const char* phase, const char* unit) {
    return publishedProgress([&events](const RunEvent& event) { events.publish(event); }, clock, phase, unit);
  };
  ASSIGN_OR_RETURN(const auto folder, StagedFolder::make(fs::temp_directory_path(), ".batchwise-eval-"));
  ASSIGN_OR_RETURN(const auto text, tokenized(request, source.tokenizer, found.maxSeqLen, folder.path(),
                                              progress("tokenizing", "bytes")));
  TrainingData data{text.data, MaskSpec::of(source.tokenizer.vocabulary(), found.mlmProbability),
                    static_cast<std::uint64_t>(found.seed)};
  data.bytes = std::make_shared<const TextBytes>(source.tokenizer, text.data);
  if (!request.masksFile.empty()) RETURN_IF_ERROR(writeMasks(request, data, found.draws));
  SingleCommunicator alone;
  const double began = clock.monotonicSec();
  Evaluation evaluation(data, std::nullopt, found.draws);
  ASSIGN_OR_RETURN(found.result, evaluation.run(source.model, alone, progress("evaluating", "samples")));
  found.result.seconds = clock.monotonicSec() - began;
  if (!std::isfinite(found.result.loss))
    return Error::config(
        "the model predicts no numbers (NaN): its weights are not finite, or so large that they overflow; evaluate an "
        "earlier checkpoint");
  if (request.pseudoPerplexity) {
    const WordTable words = WordTable::of(source.tokenizer.vocabulary());
    ASSIGN_OR_RETURN(const auto pseudo, pseudoPerplexity(source.model, data, words, kPseudoSamples,
                                                         progress("pseudo-perplexity", "samples")));
    found.pseudoPerplexity = pseudo.value;
    found.pseudoWords = pseudo.words;
    found.pseudoSamples = pseudo.samples;
  }
  found.checkpoint = source.used;
  found.model = source.name;
  found.documents = text.data.statistics().text.documents;
  found.textBytes = text.data.statistics().text.textBytes;
  found.measured = hash128(formatText("{} {} {} {} {}", text.hash, found.maxSeqLen, found.seed, found.draws,
                                      formatExact(found.mlmProbability)))
                       .hex();
  found.tokenizer = source.tokenizer.identity().hex();
  return found;
} catch (const std::exception&) {
  return caughtError("eval");
}

}  // namespace batchwise
