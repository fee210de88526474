// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/window_help.h"

#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>

#include "core/config/schema.h"
#include "ui/models/display_text.h"
#include "ui/models/field_labels.h"
#include "ui/widgets/parts/shortcut_registry.h"
#include "ui/widgets/window/about_window.h"
#include "ui/widgets/window/command_palette.h"
#include "ui/widgets/window/help_window.h"
#include "ui/widgets/window/shortcut_window.h"
#include "ui/widgets/window/window_actions.h"

namespace batchwise {
namespace {

using Entries = std::vector<PaletteEntry>;

void addCommands(const ShortcutRegistry& registry, const QAction& itself, Entries& entries) {
  for (QAction* action : registry.actions()) {
    if (action == &itself || !action->isEnabled() || !action->isVisible()) continue;
    entries.push_back({commandText(*action), WindowHelp::tr("Command"),
                       action->shortcut().toString(QKeySequence::NativeText), [action] { action->trigger(); }});
  }
}

void addRuns(const RunListModel& runs, const std::function<void(const QString&)>& show, Entries& entries) {
  for (int row = 0; row < runs.rowCount(); ++row) {
    const RunSummary& run = *runs.at(row);
    entries.push_back(
        {toQt(run.name), WindowHelp::tr("Run, %1", "%1: its state").arg(stateText(run)), {}, [show, id = toQt(run.id)] {
           show(id);
         }});
  }
}

void addSettings(const std::function<void(const QString&)>& show, Entries& entries) {
  for (const Field& field : configSchema())
    entries.push_back({fieldLabel(field.path),
                       WindowHelp::tr("Setting %1", "%1: its name in the file").arg(toQt(field.path)),
                       {},
                       [show, path = toQt(field.path)] { show(path); }});
}

}  // namespace

WindowHelp::WindowHelp(const StudioParts& parts, const WindowActions& actions, QMainWindow& window)
    : QObject(&window), parts_(parts), window_(window), shortcuts_(new ShortcutRegistry(window, parts.settings)) {
  connect(actions.palette, &QAction::triggered, this, &WindowHelp::openPalette);
  connect(actions.help, &QAction::triggered, this, [this] { openHelp(page()); });
  connect(actions.manual, &QAction::triggered, this, [this] { openHelp(HelpWindow::contents()); });
  connect(actions.about, &QAction::triggered, this, &WindowHelp::openAbout);
  connect(actions.shortcuts, &QAction::triggered, this, [this] {
    auto* list = new ShortcutWindow(*shortcuts_, &window_);
    list->setAttribute(Qt::WA_DeleteOnClose);
    list->open();
  });
}

void WindowHelp::openPalette() {
  if (palette_ == nullptr) palette_ = new CommandPalette(parts_.theme, &window_);
  Entries entries;
  addCommands(*shortcuts_, *qobject_cast<QAction*>(sender()), entries);
  for (QAction* layout : layouts())
    entries.push_back({layout->data().toString(), tr("Layout"), {}, [layout] { layout->trigger(); }});
  addRuns(
      parts_.workspace.runs(), [this](const QString& run) { Q_EMIT runRequested(run); }, entries);
  addSettings([this](const QString& path) { Q_EMIT settingRequested(path); }, entries);
  palette_->openWith(std::move(entries));
}

void WindowHelp::openHelp(const QString& name) {
  if (help_ == nullptr) help_ = new HelpWindow(&window_);
  help_->showPage(name);
}

void WindowHelp::openAbout() {
  auto* about = new AboutWindow(&window_);
  about->setAttribute(Qt::WA_DeleteOnClose);
  about->open();
}

}  // namespace batchwise
