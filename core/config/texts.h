// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kDeepspeedPrecisionIsOff = "is off and changes nothing";
inline constexpr const char* kDeviceNameInvalid =
    "is not a device; use auto, cpu, cpu:4 (four devices on the processor), cuda (all GPUs), or cuda:0,1 (GPUs by "
    "number)";
inline constexpr const char* kImportChangesNothingLearned = "what is learned does not depend on it";
inline constexpr const char* kImportCommandDecides = "the command decides what is done: train, eval, preview";
inline constexpr const char* kImportResumeIsACommand = "the command resume continues a run";
inline constexpr const char* kImportAlwaysRecorded =
    "learning rate, throughput, memory and gradient norm are always recorded";
inline constexpr const char* kImportNothingToCompile = "there is nothing to compile";
inline constexpr const char* kImportTextFromFiles = "the text is read from files named in data.train";
inline constexpr const char* kImportSetByLauncher = "set by the launcher";
inline constexpr const char* kImportEvaluationText = "evaluation text is named in data.eval, or held out of data.train";
inline constexpr const char* kImportWholeModelPerDevice = "each device holds the whole model";
inline constexpr const char* kImportEvaluationBatchIsFree =
    "evaluation gives the same figures for every batch size; see eval.microbatch_size";
inline constexpr const char* kImportMetricsInWorkspace =
    "metrics go to the workspace; export writes them to other formats";
inline constexpr const char* kImportNoSuchOptimizerSetting =
    "the optimizers here, adamw and stable_adamw, have no such setting";
inline constexpr const char* kImportTerminalShowsProgress = "the terminal shows progress by itself";
inline constexpr const char* kImportTextPreparedIntoCache =
    "the text is read from files named in data.train and prepared into a cache";
inline constexpr const char* kImportDecoderModel =
    "it predicts the next token; the models here are encoders that predict masked tokens";
inline constexpr const char* kImportSeePrecision = "see precision";
inline std::string importDefaultOfText(const auto& name) {
  return formatText("the default of {}", name);
}
inline constexpr const char* kImportDevicesOfLauncher =
    "the number of devices that sizes per device are multiplied by, unless another number is given (--devices)";
inline std::string importDevicesUnknownText(const auto& counted) {
  return formatText("{}; give the number (--devices) if there were more", counted);
}
inline constexpr const char* kImportHubTokenizerNotFetched =
    "nothing is fetched from a hub; put its tokenizer.json (or vocab.txt) into a folder and name that in "
    "tokenizer.path";
inline constexpr const char* kImportKeepsBestCheckpoint = "see checkpoint.keep_best and checkpoint.best_metric";
inline constexpr const char* kImportModelUnknown =
    "no family or preset is known by this name; name its sizes in the section model, or its folder in model.init_from";
inline constexpr const char* kImportOptimizerNotAdamw = "the optimizers here are adamw and stable_adamw";
inline constexpr const char* kImportReadsAhead = "text is read ahead without being configured";
inline constexpr const char* kImportSamplesInRandomOrder =
    "samples are drawn in a random order of the epoch; see data.shuffle";
inline constexpr const char* kImportScheduleToBeChosen = "until you choose a schedule";
inline constexpr const char* kImportSoInAnyCase = "so it is here in any case";
inline constexpr const char* kImportTextFormatUnknown =
    "text is read from text files, one document per line or JSON objects; convert it and name it in data.train or "
    "data.eval";
inline constexpr const char* kImportRunsInWorkspace = "runs are kept in the workspace (--workspace)";
inline constexpr const char* kImportSpeedAndMemoryRecorded = "speed and memory are always recorded";
inline constexpr const char* kImportNameTokenizer =
    "name a folder with a tokenizer.json or vocab.txt in tokenizer.path, or train one with tokenizer.train";
inline constexpr const char* kImportWeightsNotRead =
    "checkpoints of other trainers are not read; name a folder with config.json and model.safetensors in "
    "model.init_from, or fork an own run (resume --fork)";
inline constexpr const char* kStateStaysFp32 = "weights and optimizer state stay in fp32";

}  // namespace batchwise
