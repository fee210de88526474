// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/studio_parts.h"

#include <QtCore/QElapsedTimer>

#include "core/config/schema.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr int kUndoLimit = 200;
constexpr qint64 kTypingPauseMs = 1500;
constexpr int kTyping = 1;  // id of commands that can be merged

/// Returns true if the value is edited as text.
bool isTyped(const std::string& path) {
  if (path == kYamlText) return true;
  const Field* field = findField(path);
  return field != nullptr && field->kind != FieldKind::Boolean && field->kind != FieldKind::Choice;
}

QString nameOf(const std::string& path) {
  if (path.empty()) return DraftHistory::tr("change to another configuration");
  if (path == kSweepEdit) return DraftHistory::tr("change of the sweep");
  if (path == kDrawnEdit) return DraftHistory::tr("change in the chart");
  if (path == kYamlText) return DraftHistory::tr("change of the YAML text");
  const std::string title = groupTitle(path);  // an edit of a whole group
  return DraftHistory::tr("change of “%1”").arg(title.empty() ? fieldLabel(path) : toQt(title));
}

class DraftCommand final : public QUndoCommand {
 public:
  DraftCommand(ConfigDraft& draft, DraftState before, std::string path)
      : draft_(draft), before_(std::move(before)), after_(draft.state()), path_(std::move(path)) {
    setText(nameOf(path_));
    sinceTyped_.start();
  }

  void redo() override {
    if (std::exchange(done_, true)) draft_.restore(after_);  // the first call is by QUndoStack::push()
  }
  void undo() override { draft_.restore(before_); }
  int id() const override { return isTyped(path_) ? kTyping : -1; }
  bool mergeWith(const QUndoCommand* later) override {
    const auto* next = static_cast<const DraftCommand*>(later);
    if (next->path_ != path_ || sinceTyped_.elapsed() > kTypingPauseMs) return false;
    after_ = next->after_;
    sinceTyped_.restart();
    return true;
  }

 private:
  ConfigDraft& draft_;
  DraftState before_, after_;
  std::string path_;
  QElapsedTimer sinceTyped_;
  bool done_ = false;
};

}  // namespace

DraftHistory::DraftHistory(ConfigDraft& draft, QObject* parent) : QObject(parent), draft_(draft) {
  stack_.setUndoLimit(kUndoLimit);
  connect(&draft_, &ConfigDraft::edited, this, &DraftHistory::remember);
}

void DraftHistory::remember(const DraftState& before, const std::string& path) {
  const bool nothingBefore = before.baseSource == ValueSource::Default && !before.modified;
  if (!nothingBefore) stack_.push(new DraftCommand(draft_, before, path));
}

StudioParts::StudioParts(Theme& ofProgram, StudioSettings& kept, ControllerFactory makeController,
                         TrainerSource trainer)
    : theme(ofProgram),
      settings(kept),
      run(std::move(makeController), clock),
      checkpoints(tasks, slow, workspace, selection, trainer),
      firstRun(workspace, std::move(trainer)) {
  saving.setObjectName(QStringLiteral("savingValues"));
  runImports.setObjectName(QStringLiteral("importingRuns"));
  runExports.setObjectName(QStringLiteral("exportingRuns"));
  QObject::connect(&workspace, &WorkspacePresenter::opened, &runListUndo, &QUndoStack::clear);
  QObject::connect(&workspace, &WorkspacePresenter::opened, &edit,
                   [this] { edit.storeDraftIn(workspace.workspace()); });
  QObject::connect(&selection, &Selection::ticksChanged, &edit, [this] { edit.setBaseline(selection.baseline()); });
  QObject::connect(&edit, &EditPresenter::draftRestored, &draftHistory.stack(), &QUndoStack::clear);
}

}  // namespace batchwise
