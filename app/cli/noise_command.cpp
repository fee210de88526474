// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

constexpr const char* kNotAdvice =
    "A batch of this size has as much noise as signal in its gradient. It shows a trend and compares checkpoints; it "
    "is no advice for a batch size: measured critical batch sizes differ from it by orders of magnitude.";

struct NoiseArguments {
  std::string run;
  NoiseRequest request;
};

Json scaleJson(const std::optional<NoiseScale>& scale) {
  if (!scale) return nullptr;
  return {{"samples", scale->samples}, {"low", scale->low}, {"high", scale->high}, {"tokens", scale->tokens}};
}

Json noiseJson(const NoiseRequest& request, const MeasuredNoise& found) {
  return {{"schema", "batchwise.noise/1"},
          {"run", request.run},
          {"checkpoint", found.checkpoint.id},
          {"step", found.at.step},
          {"tok", found.at.token},
          {"noise_scale", scaleJson(found.scale)},
          {"noise_scale_of_norm_layers", scaleJson(found.ofNorms)},
          {"trace", jsonNumber(found.trace)},
          {"gradient_squared", jsonNumber(found.gradientSquared)},
          {"batches", request.batches},
          {"batch_size", request.batchSamples},
          {"samples", found.samples},
          {"tokens", found.tokens},
          {"seen_before", found.seenBefore},
          {"seconds", found.seconds},
          {"notes", found.checkpoint.notes}};
}

std::string scaleText(const std::optional<NoiseScale>& scale) {
  if (!scale) return "not measurable yet: the gradient is not told from noise; give more --batches or --batch-size";
  return formatText("{} samples ({} to {}), {} tokens", formatValue(scale->samples), formatValue(scale->low),
                    formatValue(scale->high), formatCount(static_cast<std::int64_t>(scale->tokens)));
}

void printNoise(const NoiseRequest& request, const MeasuredNoise& found) {
  std::cout << "checkpoint " << found.checkpoint.id << ": " << formatInteger(request.batches) << " batches"
            << " of " << countText(request.batchSamples, "sample") << ", a backward pass for each\n";
  using enum Table::Align;
  Table table({{"noise scale", Left}, {"with its 95 % interval", Left}});
  table.add({"all weights", scaleText(found.scale)});
  table.add({"norm layers", scaleText(found.ofNorms)});
  table.print(std::cout);
  if (found.scale || found.ofNorms) std::cout << kNotAdvice << "\n";
}

Result<int> noise(const Globals& globals, const NoiseArguments& arguments) {
  NoiseRequest request = arguments.request;
  request.workspace = globals.workspace;
  {
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    ASSIGN_OR_RETURN(const auto run, workspace->findRun(arguments.run));
    request.run = run.summary.id;
  }
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ProgressDisplay display(globals.json, STDERR_FILENO);
  ASSIGN_OR_RETURN(auto found, trainer->measureNoise(request, display));
  display.close();
  if (found.seenBefore)
    found.checkpoint.notes.push_back(
        "the run ends before that many samples: those from its beginning were read, which the model has learned");
  std::vector<std::string>& notes = found.checkpoint.notes;
  showNotes(notes);
  notes.insert(notes.begin(), display.notes().begin(), display.notes().end());  // which the display has shown
  if (globals.json) return printJson(noiseJson(request, found));
  printNoise(request, found);
  return kDone;
}

}  // namespace

void addNoiseCommand(Commands& commands) {
  const auto arguments = std::make_shared<NoiseArguments>();
  NoiseRequest& request = arguments->request;
  CLI::App* command = commands.add(nullptr, "noise", "Measure the noise scale of the gradient at a checkpoint",
                                   "batchwise noise latest --batches 32",
                                   [&commands, arguments] { return noise(commands.globals(), *arguments); });
  command->add_option("run", arguments->run, "Run, whose next samples are read")
      ->required()
      ->transform(nonEmptyName("a run"));
  command->add_option("--checkpoint", request.checkpoint, "Checkpoint id (default: the newest good one)")
      ->check(nonEmptyName("a checkpoint"));
  command->add_option("--batches", request.batches, "Batches, whose spread gives the interval")
      ->check(CLI::Range(4, 100'000))
      ->capture_default_str();
  command->add_option("--batch-size", request.batchSamples, "Samples of a batch, each a backward pass")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  command->add_option("--device", request.device, "Device, as devices.use: auto, cpu, cuda:0")->capture_default_str();
}

}  // namespace batchwise::cli
