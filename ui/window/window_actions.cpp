// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_actions.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QToolBar>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <utility>

#include "ui/bridge/studio_settings.h"
#include "ui/parts/labels.h"
#include "ui/parts/shortcuts.h"
#include "ui/theme/theme.h"
#include "ui/window/preferences_window.h"

namespace batchwise {

WindowActions::WindowActions(const Theme& theme, QMainWindow& window)
    : QObject(&window), theme_(theme), window_(window) {
  trainOnText = make("train_on_text", tr("Train &on my text…"), {}, {},
                     tr("Choose text, see what was found and how long a run takes, and launch it"));
  continueModel = make("continue_model", tr("&Continue a model…"), {}, {},
                       tr("Train a Hugging Face model, or the checkpoint of a run, further on your text"));
  tryDemo = make("try_demo", tr("Tr&y the demo"), {}, {}, tr("Train a tiny model on generated text in about a minute"));
  newDemo = make("new_run", tr("&New run"), QKeySequence(Qt::CTRL | Qt::Key_N), QStringLiteral("new-run"),
                 tr("Configure a run, starting from the demo settings"));
  makeRecipes();
  newFile = make("open_file", tr("New run from a &file…"), QKeySequence(Qt::CTRL | Qt::Key_O), QStringLiteral("file"));
  newFromExternal = make("import_configuration", tr("New run from another &trainer's file…"), {}, {},
                         tr("Convert a configuration of Composer, torchtune or DeepSpeed"));
  newSelected = make("duplicate", tr("&Duplicate the selected run"), QKeySequence(Qt::CTRL | Qt::Key_D), {},
                     tr("Configure a run like the selected one; the form marks what differs"));
  newVariant = make("duplicate_variant", tr("Duplicate as &variant…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
                    {}, tr("Configure a run like the selected one, as another variant of its experiment"));
  saveConfig = make("save_configuration", tr("&Save the configuration…"), QKeySequence(Qt::CTRL | Qt::Key_S), {},
                    tr("Write the configuration in the form to a file, for later or for the command line"));
  importRun = make(
      "import_run", tr("Im&port runs from files…"), {}, {},
      tr("Import archives of runs that were exported here or on another machine, or follow logs of other programs"));
  followRuns =
      make("follow_runs", tr("Follow runs in a fo&lder…"), {}, {},
           tr("Show the runs that logs of TensorBoard, transformers, Lightning, W&B, MLflow, Trackio, CSV or JSON "
              "Lines are of, while they grow"));
  exportRun = make("export_run", tr("E&xport the selected run…"), {}, {},
                   tr("Write the run with its metrics, its log and its newest checkpoint to one file"));
  undo = undoGroup.createUndoAction(&window, tr("&Undo"));
  undo->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Z));
  setCommandName(*undo, "undo");
  redo = undoGroup.createRedoAction(&window, tr("&Redo"));
  redo->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
  setCommandName(*redo, "redo");
  preferences = make("preferences", tr("&Preferences…"), QKeySequence(Qt::CTRL | Qt::Key_Comma), {},
                     tr("Theme, text size, defaults, notifications, folders and shortcuts"));
  openWorkspace = make("open_workspace", tr("Open &workspace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
                       QStringLiteral("folder"));
  quit = make("quit", tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
  launch = make("launch", tr("&Launch"), QKeySequence(Qt::Key_F5), QStringLiteral("launch"));
  enqueue = make("enqueue", tr("Add to the &queue"), QKeySequence(Qt::SHIFT | Qt::Key_F6));
  pause = make("pause", tr("&Pause"), QKeySequence(Qt::Key_F6), QStringLiteral("pause"));
  stopAfterBatch = make("stop_after_batch", tr("Stop after the &global batch"), {});
  stop = make("stop_and_save", tr("&Stop and save"), QKeySequence(Qt::SHIFT | Qt::Key_F5), QStringLiteral("stop-save"));
  abort = make("stop_without_saving", tr("Stop &without saving"), {});
  resume = make("resume", tr("&Resume…"), QKeySequence(Qt::Key_F7), QStringLiteral("resume"));
  judge = make("judge", tr("&Judge…"), {}, {},
               tr("Score runs, checkpoints and Hugging Face folders on labelled text, by a probe or by fine-tuning"));
  study = make("study", tr("&Critical batch…"), {}, {},
               tr("Measure from checkpoints of the selected run how large its batch may be, and when"));
  auto* places = new QActionGroup(this);
  inThisProgram = make("train_here", tr("Train in &this program"), {}, {},
                       tr("Stops when the window closes. One run at a time; other runs get their own processes"));
  inOwnProcess = make("train_in_own_process", tr("Train in its &own process"), {}, {},
                      tr("Continues when the window closes; if the run crashes, the window stays"));
  onSlurm = make(
      "train_on_slurm", tr("Train on the S&lurm cluster"), {}, {},
      tr("Submits a job and follows it. The job continues when the window closes, and the next window follows it"));
  slurmJob = make("slurm_job", tr("Slurm &job…"), {}, {}, tr("Partition, machines, GPUs and time limit of the jobs"));
  for (QAction* place : {inThisProgram, inOwnProcess, onSlurm}) {
    place->setCheckable(true);
    places->addAction(place);
  }
  palette = make("palette", tr("&Find a command…"), QKeySequence(Qt::CTRL | Qt::Key_K), QStringLiteral("search"),
                 tr("Find a command, a run, a setting or a help page"));
  help = make("help", tr("&Help on this page"), QKeySequence(Qt::Key_F1));
  manual = make("manual", tr("&Manual"), {});
  shortcuts = make("shortcuts", tr("&Keyboard shortcuts…"), {});
  resetLayout = make("reset_layout", tr("&Default layout"), {}, {}, tr("Docks and toolbars as at the first start"));
  messages = make("messages", tr("Go to the &messages"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M), {},
                  tr("Move the keyboard focus to the messages; Escape closes them"));
  applicationsMenu =
      make("applications_menu", tr("&Applications menu"), {}, {},
           tr("An entry with its icon in the desktop's menu, and archives of runs open by a double click"));
  applicationsMenu->setCheckable(true);
  about = make("about", tr("&About Batchwise"), {});
  connect(&theme, &Theme::changed, this, &WindowActions::recolor);
}

void WindowActions::showPaused(bool paused) {
  pause->setText(paused ? tr("&Continue") : tr("&Pause"));
  const QString icon = paused ? QStringLiteral("continue") : QStringLiteral("pause");
  if (std::exchange(icons_[pause], icon) != icon) pause->setIcon(theme_.icon(icon));
}

void WindowActions::makeRecipes() {
  const struct {
    const char* name;
    QString text, toolTip;
  } all[] = {
      {"continue", tr("Continue a model on my text"),
       tr("Adapt a trained encoder: a constant rate with 30 % of the tokens masked, then a short decay with 15 %")},
      {"pretrain", tr("Train from nothing"), tr("A small ModernBERT and its vocabulary, from your text alone")},
      {"modernbert", tr("ModernBERT's three phases"),
       tr("Short sequences, then long ones, then a decay, as published and scaled to this machine")},
      {"ramps", tr("Ablation of batch ramps"), tr("Constant batch against ramps of three lengths, two seeds each")}};
  for (const auto& [name, text, toolTip] : all) {
    QAction* action = make((std::string("recipe_") + name).c_str(), text, {}, {}, toolTip);
    action->setData(QString::fromLatin1(name));
    recipes << action;
  }
}

QAction* WindowActions::make(const char* name, const QString& text, const QKeySequence& keys, const QString& icon,
                             const QString& toolTip) {
  auto* made = new QAction(text, &window_);
  setCommandName(*made, name);
  made->setShortcut(keys);
  if (!toolTip.isEmpty()) made->setToolTip(toolTip);
  if (!icon.isEmpty()) icons_[made] = icon;
  return made;
}

void WindowActions::place(const Places& places, Theme& theme, StudioSettings& settings) {
  auto* file = window_.menuBar()->addMenu(tr("&File"));
  file->setToolTipsVisible(true);
  file->addActions({trainOnText, continueModel, tryDemo});
  file->addSeparator();
  file->addAction(newDemo);
  auto* fromRecipe = file->addMenu(tr("New run from a &recipe"));
  fromRecipe->setToolTipsVisible(true);
  fromRecipe->addActions(recipes);
  file->addActions({newFile, newFromExternal, newSelected, newVariant, saveConfig});
  file->addSeparator();
  file->addActions({importRun, followRuns});
  file->addMenu(places.followed);
  file->addAction(exportRun);
  file->addSeparator();
  file->addAction(openWorkspace);
  file->addMenu(places.recentWorkspaces);
  file->addSeparator();
  file->addAction(quit);
  auto* edit = window_.menuBar()->addMenu(tr("&Edit"));
  edit->addActions({undo, redo});
  edit->addSeparator();
  edit->addAction(preferences);
  auto* run = window_.menuBar()->addMenu(tr("&Run"));
  run->setToolTipsVisible(true);
  run->addActions({launch, enqueue, resume, newVariant});
  run->addSeparator();
  run->addActions({pause, stopAfterBatch, stop, abort});
  run->addSeparator();
  run->addActions({judge, study});
  run->addSeparator();
  run->addActions({inThisProgram, inOwnProcess, onSlurm, slurmJob});
  auto* view = window_.menuBar()->addMenu(tr("&View"));
  view->addActions(places.pages);
  view->addSeparator();
  view->addActions(places.docks);
  view->addAction(resetLayout);
  view->addSeparator();
  view->addAction(messages);
  addAppearanceMenu(*view, theme, settings);
  auto* helpMenu = window_.menuBar()->addMenu(tr("&Help"));
  helpMenu->addActions({help, manual, palette, shortcuts});
  helpMenu->addSeparator();
  helpMenu->addActions({applicationsMenu, about});
  placeInToolBar(places);
  recolor();
}

void WindowActions::placeInToolBar(const Places& places) {
  tools_ = window_.addToolBar(tr("Tools"));
  tools_->setObjectName(QStringLiteral("tools"));
  tools_->setMovable(false);
  setUpExtension(*tools_, theme_);
  tools_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tools_->addActions({newDemo, launch, pause, stop, resume});
  auto* space = new QWidget(tools_);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  tools_->addWidget(space);
  tools_->addAction(palette);
  // Its text is in the menu; the pages need the space.
  if (auto* button = qobject_cast<QToolButton*>(tools_->widgetForAction(palette)))
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  tools_->addActions(places.pages);
  tools_->setContextMenuPolicy(Qt::PreventContextMenu);
}

void WindowActions::recolor() {
  for (const auto& [action, icon] : icons_) action->setIcon(theme_.icon(icon));
  const int side = std::max(16, window_.fontMetrics().height());
  tools_->setIconSize({side, side});
}

}  // namespace batchwise
