// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/store/workspace.h"

// Commands that set the name, the tags and the note of a run.

namespace batchwise::cli {
namespace {

/// Opens the run, applies the change and prints the resulting labels.
Result<int> relabel(const Globals& globals, const std::string& name,
                    const std::function<Result<void>(Workspace&, const RunSummary&)>& apply) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  RETURN_IF_ERROR(apply(*workspace, run.summary));
  ASSIGN_OR_RETURN(const auto now, workspace->findRun(run.summary.id));
  const RunSummary& summary = now.summary;
  if (globals.json)
    return printJson({{"schema", "batchwise.run_labels/1"},
                      {"run", summary.id},
                      {"name", summary.name},
                      {"tags", summary.tags},
                      {"note", summary.note}});
  std::cout << summary.name << " (" << summary.id << ")"
            << (summary.tags.empty() ? "" : ", tags: " + joined(summary.tags))
            << (summary.note.empty() ? "" : ", note: " + summary.note) << "\n";
  return kDone;
}

struct LabelArguments {
  std::string run;
  std::string text;
  std::vector<std::string> tags;
  std::vector<std::string> without;
};

/// Returns the tags of a run with `added` appended and `without` removed.
std::vector<std::string> withTagChanges(std::vector<std::string> tags, const std::vector<std::string>& added,
                                        const std::vector<std::string>& without) {
  tags.insert(tags.end(), added.begin(), added.end());
  std::erase_if(
      tags, [&](const std::string& tag) { return std::find(without.begin(), without.end(), tag) != without.end(); });
  return tags;
}

}  // namespace

void addRunLabelCommands(Commands& commands, CLI::App* runs) {
  const auto arguments = std::make_shared<LabelArguments>();
  const auto named = [arguments](CLI::App* command) {
    addRunArgument(*command, arguments->run);
    return command;
  };
  const auto relabeled = [&commands, arguments](auto apply) {
    return [&commands, arguments, apply] {
      return relabel(commands.globals(), arguments->run,
                     [&](Workspace& workspace, const RunSummary& run) { return apply(workspace, run, *arguments); });
    };
  };
  named(commands.add(runs, "rename", "Rename a run", "batchwise runs rename latest baseline",
                     relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                       return workspace.renameRun(run.id, given.text);
                     })))
      ->add_option("name", arguments->text, "The new name")
      ->required();
  CLI::App* tagging = named(
      commands.add(runs, "tag", "Add tags to a run, or remove some", "batchwise runs tag latest ramp --without draft",
                   relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                     return workspace.setTags(run.id, withTagChanges(run.tags, given.tags, given.without));
                   })));
  tagging->add_option("tags", arguments->tags, "Tags to add");
  tagging->add_option("--without", arguments->without, "Tags to remove");
  named(commands.add(runs, "note", "Write a note on a run, which replaces the last one",
                     "batchwise runs note latest 'wrong corpus'",
                     relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                       return workspace.setNote(run.id, given.text);
                     })))
      ->add_option("text", arguments->text, "Markdown; leave it out to remove the note");
}

}  // namespace batchwise::cli
