// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/preferences_window.h"

#include <QtCore/QDir>
#include <QtCore/QSignalBlocker>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDesktopServices>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QStackedWidget>
#include <cmath>
#include <memory>
#include <set>

#include "core/store/workspace_folder.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/parts/table_views.h"
#include "ui/window/studio_parts.h"
#include "ui/window/window_actions.h"

namespace batchwise {
namespace {

std::vector<MenuChoice> appearanceChoices(Theme& theme, StudioSettings& settings) {
  const auto choice = [&](const QString& text, const QString& name, Appearance appearance) {
    return MenuChoice{text, theme.appearance() == appearance, [name, appearance, &theme, &settings] {
                        settings.setAppearance(name);
                        theme.setAppearance(appearance);
                      }};
  };
  return {choice(PreferencesWindow::tr("System"), QStringLiteral("system"), Appearance::System),
          choice(PreferencesWindow::tr("Light"), QStringLiteral("light"), Appearance::Light),
          choice(PreferencesWindow::tr("Dark"), QStringLiteral("dark"), Appearance::Dark)};
}

std::vector<MenuChoice> textSizeChoices(Theme& theme, StudioSettings& settings) {
  std::set<int> percents = {80, 90, 100, 110, 125, 150, 175, 200};
  percents.insert(settings.textPercent());  // may be any number in the settings file
  std::vector<MenuChoice> choices;
  for (const int percent : percents)
    choices.push_back(
        {PreferencesWindow::tr("%1 %").arg(percent), settings.textPercent() == percent, [percent, &theme, &settings] {
           settings.setTextPercent(percent);
           theme.setTextScale(percent / 100.0);
         }});
  return choices;
}

}  // namespace

void addAppearanceMenu(QMenu& menu, Theme& theme, StudioSettings& settings) {
  QMenu* appearance = menu.addMenu(PreferencesWindow::tr("&Appearance"));
  QObject::connect(appearance, &QMenu::aboutToShow, appearance, [appearance, &theme, &settings] {
    appearance->clear();
    addChoices(*appearance, appearanceChoices(theme, settings));
  });
  addChoices(*appearance, appearanceChoices(theme, settings));  // a menu without entries is not opened
}

PreferencesWindow::PreferencesWindow(StudioParts& parts, const WindowActions& actions, ShortcutRegistry& shortcuts,
                                     QWidget* parent)
    : QDialog(parent),
      parts_(parts),
      actions_(actions),
      sections_(new QListWidget(this)),
      pages_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("preferences"));
  setWindowTitle(tr("Preferences"));
  named(sections_, "preferenceSections", tr("Sections of the preferences"));
  makeAppearance();
  makeDefaults();
  makeNotifications();
  makeFolders();
  makeShortcuts(shortcuts);
  auto* close = new QPushButton(tr("Close"), this);
  column(this, {row(nullptr, {sections_, {pages_, 1}}), row(nullptr, {stretch(1), close})});
  connect(sections_, &QListWidget::currentRowChanged, pages_, &QStackedWidget::setCurrentIndex);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  close->setAutoDefault(false);
  sections_->setCurrentRow(0);
  const auto fitSections = [this] {
    sections_->setFixedWidth(20 * fontMetrics().horizontalAdvance(QLatin1Char('x')));
    for (int i = 0; i < sections_->count(); ++i)
      sections_->item(i)->setSizeHint({0, rowHeight(sections_->fontMetrics())});
  };
  connect(&parts.theme, &Theme::changed, this, fitSections);
  fitSections();
  resizeWithinScreen(*this, {120 * fontMetrics().horizontalAdvance(QLatin1Char('x')), 32 * fontMetrics().height()});
}

void PreferencesWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  for (const auto& refresh : refreshers_) refresh();
}

void PreferencesWindow::openAt(const QString& control) {
  show();
  raise();
  activateWindow();
  QWidget* found = control.isEmpty() ? nullptr : findChild<QWidget*>(control);
  if (found == nullptr) return sections_->setFocus();
  for (int i = 0; i < pages_->count(); ++i)
    if (pages_->widget(i)->isAncestorOf(found)) sections_->setCurrentRow(i);
  found->setFocus(Qt::ShortcutFocusReason);
}

QFormLayout* PreferencesWindow::addSection(const QString& title) {
  sections_->addItem(title);
  auto* scroll = new QScrollArea(pages_);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* page = new QWidget(scroll);
  auto* form = new QFormLayout(page);
  form->setContentsMargins(16, 8, 16, 8);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  fillScrollArea(*scroll, page);
  pages_->addWidget(scroll);
  return form;
}

void PreferencesWindow::addEntry(const QString& title, QWidget* control, const char* name) {
  named(control, name, title, control->toolTip());
  entries_.push_back({title, sections_->item(sections_->count() - 1)->text(), control->objectName()});
}

void PreferencesWindow::addRow(QFormLayout& form, const QString& label, QWidget* control, const char* name,
                               const QString& help) {
  addEntry(label, control, name);
  form.addRow(label, control);
  if (help.isEmpty()) return;
  control->setAccessibleDescription(help);
  form.addRow(QString(), textLabel(form.parentWidget(), TextLook::Small, help));
}

QComboBox* PreferencesWindow::addChoice(QFormLayout& form, const QString& label, const char* name,
                                        std::function<std::vector<MenuChoice>()> choices, const QString& help) {
  auto* box = new QComboBox(form.parentWidget());
  // As the box shows them: the next call may return others, without one that is no longer chosen.
  const auto shown = std::make_shared<std::vector<MenuChoice>>();
  refreshers_.emplace_back([box, choices, shown] {
    const QSignalBlocker quiet(box);
    box->clear();
    *shown = choices();
    for (const MenuChoice& choice : *shown) {
      box->addItem(choice.text);
      if (choice.checked) box->setCurrentIndex(box->count() - 1);
    }
  });
  refreshers_.back()();
  connect(box, &QComboBox::currentIndexChanged, this, [shown](int index) {
    if (index >= 0) (*shown)[static_cast<std::size_t>(index)].choose();
  });
  addRow(form, label, box, name, help);
  return box;
}

void PreferencesWindow::makeAppearance() {
  QFormLayout& form = *addSection(tr("Appearance"));
  StudioSettings& settings = parts_.settings;
  addChoice(form, tr("Theme"), "preferenceTheme",
            [this, &settings] { return appearanceChoices(parts_.theme, settings); });
  addChoice(form, tr("Text size"), "preferenceTextSize",
            [this, &settings] { return textSizeChoices(parts_.theme, settings); });
}

std::vector<MenuChoice> PreferencesWindow::placeChoices() const {
  std::vector<MenuChoice> choices;
  for (QAction* place : {actions_.inThisProgram, actions_.inOwnProcess, actions_.onSlurm})
    if (place->isVisible()) choices.push_back({commandText(*place), place->isChecked(), [place] { place->trigger(); }});
  return choices;
}

std::vector<MenuChoice> PreferencesWindow::deviceChoices() const {
  StudioSettings& settings = parts_.settings;
  QStringList devices{QString(), QStringLiteral("cpu"), QStringLiteral("cuda")};
  if (!devices.contains(settings.newRunDevices())) devices << settings.newRunDevices();  // of the settings file
  std::vector<MenuChoice> choices;
  for (const QString& device : devices) {
    const QString text = device.isEmpty()       ? tr("Automatic: all GPUs, or else the processor")
                         : device == devices[1] ? tr("Processor (cpu)")
                         : device == devices[2] ? tr("All GPUs (cuda)")
                                                : device;
    choices.push_back(
        {text, device == settings.newRunDevices(), [&settings, device] { settings.setNewRunDevices(device); }});
  }
  return choices;
}

void PreferencesWindow::makeDefaults() {
  QFormLayout& form = *addSection(tr("Defaults"));
  addChoice(
      form, tr("Devices of new runs"), "preferenceDevices", [this] { return deviceChoices(); },
      tr("For configurations that start from the demo settings."));
  addChoice(form, tr("Training location"), "preferencePlace", [this] { return placeChoices(); });
  auto* smoothing = new QSpinBox(form.parentWidget());
  smoothing->setRange(0, 99);
  smoothing->setSuffix(tr(" %"));
  refreshers_.emplace_back([this, smoothing] {
    const QSignalBlocker quiet(smoothing);
    smoothing->setValue(static_cast<int>(std::lround(parts_.runs.layout().smoothing * 100)));
  });
  connect(smoothing, &QSpinBox::valueChanged, this, [this](int percent) {
    ChartLayout layout = parts_.runs.layout();
    layout.smoothing = percent / 100.0;
    parts_.runs.setLayout(layout);
  });
  addRow(form, tr("Smoothing of charts"), smoothing, "preferenceSmoothing",
         tr("Weight of the moving average: of the values before while a run trains, of those on both sides once it has "
            "ended. 0 % shows the values as they are."));
}

void PreferencesWindow::makeNotifications() {
  QFormLayout& form = *addSection(tr("Notifications"));
  form.addRow(textLabel(form.parentWidget(), TextLook::Body, tr("Notify on the desktop when")));
  using Notice = StudioSettings::DesktopNotice;
  struct Choice {
    Notice notice;
    QString text;
    const char* name;
  };
  const Choice choices[] = {{Notice::End, tr("a run ends"), "notifyEnd"},
                            {Notice::Failure, tr("a run fails"), "notifyFailure"},
                            {Notice::Alert, tr("there is another alert"), "notifyAlert"}};
  for (const Choice& choice : choices) {
    auto* box = new QCheckBox(choice.text, form.parentWidget());
    box->setChecked(parts_.settings.notifiesOf(choice.notice));
    connect(box, &QCheckBox::toggled, this,
            [this, notice = choice.notice](bool on) { parts_.settings.setNotifiesOf(notice, on); });
    addEntry(tr("Notify when %1", "%1: a run ends").arg(choice.text), box, choice.name);
    form.addRow(box);
  }
}

void PreferencesWindow::addFolder(QFormLayout& form, const QString& label, const char* name, const QString& none,
                                  std::function<QString()> get, std::function<void(const QString&)> set) {
  auto* both = new QWidget(form.parentWidget());
  auto* path = new QLineEdit(both);
  path->setReadOnly(true);
  path->setPlaceholderText(none);
  auto* choose = new QPushButton(tr("Choose…"), both);
  auto* clear = new QPushButton(tr("Clear"), both);
  choose->setAccessibleName(tr("Choose: %1", "%1: a folder").arg(label));
  clear->setAccessibleName(tr("Clear: %1", "%1: a folder").arg(label));
  row(both, {{path, 1}, choose, clear}, {{0, 0, 0, 0}, 8});
  addEntry(label, path, name);
  form.addRow(label, both);
  const auto update = [path, clear, get] {
    path->setText(QDir::toNativeSeparators(get()));
    path->setToolTip(plainToolTip(path->text().isEmpty() ? path->placeholderText() : path->text()));
    clear->setEnabled(!get().isEmpty());
  };
  update();
  connect(choose, &QPushButton::clicked, this, [this, label, get, set, update] {
    const QString start = get().isEmpty() ? parts_.settings.folder(QStringLiteral("preferences")) : get();
    const QString folder = QFileDialog::getExistingDirectory(this, label, start);
    if (!folder.isEmpty()) set(folder);
    update();
  });
  connect(clear, &QPushButton::clicked, this, [set, update] {
    set({});
    update();
  });
}

void PreferencesWindow::addPath(QFormLayout& form, const QString& label, const char* name,
                                std::function<QString()> path) {
  auto* both = new QWidget(form.parentWidget());
  auto* text = new QLineEdit(both);
  text->setReadOnly(true);
  auto* open = new QPushButton(tr("Open"), both);
  open->setAccessibleName(tr("Open: %1", "%1: a folder").arg(label));
  row(both, {{text, 1}, open}, {{0, 0, 0, 0}, 8});
  addEntry(label, text, name);
  form.addRow(label, both);
  refreshers_.emplace_back([text, open, path] {
    text->setText(QDir::toNativeSeparators(path()));
    text->setToolTip(plainToolTip(text->text()));
    open->setEnabled(!path().isEmpty());
  });
  connect(open, &QPushButton::clicked, this, [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(path())); });
}

void PreferencesWindow::makeFolders() {
  QFormLayout& form = *addSection(tr("Folders"));
  StudioSettings& settings = parts_.settings;
  const auto workspace = [this] { return parts_.workspace.workspace() ? parts_.workspace.folder() : QString(); };
  addPath(form, tr("Workspace"), "preferenceWorkspace", workspace);
  addPath(form, tr("Cache of tokenized text"), "preferenceCache", [workspace] {
    return workspace().isEmpty() ? QString() : QDir(workspace()).filePath(QString::fromLatin1(kCacheFolder));
  });
  addFolder(
      form, tr("New workspaces"), "preferenceWorkspaces", tr("Next to the current workspace"),
      [&settings] { return settings.workspacesFolder(); },
      [&settings](const QString& folder) { settings.setWorkspacesFolder(folder); });
  addFolder(
      form, tr("Exports"), "preferenceExports", tr("The last folder used"),
      [&settings] { return settings.exportFolder(); },
      [&settings](const QString& folder) { settings.setExportFolder(folder); });
}

void PreferencesWindow::makeShortcuts(ShortcutRegistry& shortcuts) {
  sections_->addItem(tr("Shortcuts"));
  auto* editor = new ShortcutEditor(shortcuts, pages_);
  pages_->addWidget(editor);
  entries_.push_back({tr("Keyboard shortcuts"), tr("Shortcuts"), QStringLiteral("shortcutSearch")});
}

}  // namespace batchwise
