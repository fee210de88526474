// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_help.h"

#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtCore/QSysInfo>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QTextBlock>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QTreeWidget>
#include <array>

#include "core/config/schema.h"
#include "ui/bridge/applications_menu.h"
#include "ui/edit/edit_page.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/parts/search_words.h"
#include "ui/parts/shortcuts.h"
#include "ui/window/command_palette.h"
#include "ui/window/preferences_window.h"
#include "ui/window/window_actions.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

/// Returns the Markdown of a page such as "runs.md"; empty if there is no such page.
QString helpText(const QString& page) {
  QFile file(QStringLiteral(":/help/en/") + page);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Returns the headings of a level, joined by commas.
QString headings(const QString& markdown, int level) {
  const QString mark = QString(level, QLatin1Char('#')) + QLatin1Char(' ');
  QStringList found;
  for (const QString& line : markdown.split(QLatin1Char('\n')))
    if (line.startsWith(mark)) found << line.mid(mark.size()).trimmed();
  return found.join(QStringLiteral(", "));
}

/// Shows Markdown; links between pages are file names such as "runs.md".
class HelpBrowser final : public QTextBrowser {
 public:
  explicit HelpBrowser(QWidget* parent) : QTextBrowser(parent) { setOpenExternalLinks(false); }

 protected:
  QVariant loadResource(int type, const QUrl& name) override {
    const QString page = name.path().section(QLatin1Char('/'), -1);
    if (type != QTextDocument::MarkdownResource && type != QTextDocument::HtmlResource)
      return QTextBrowser::loadResource(type, name);
    return helpText(page);
  }
};

/// Adds space above headings, which Qt omits after a block of code.
void addSpaceAboveHeadings(const QTextDocument& text, int pixels) {
  for (QTextBlock block = text.begin().next(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    if (format.headingLevel() == 0) continue;
    format.setTopMargin(pixels);
    QTextCursor(block).setBlockFormat(format);
  }
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), text_(new HelpBrowser(this)) {
  setWindowTitle(tr("Help"));
  named(text_, "help", tr("Help page"));
  auto* back = new QPushButton(tr("Back"), this);
  back->setEnabled(false);
  back->setAutoDefault(false);
  auto* contents = named(new QPushButton(tr("Contents"), this), "helpContents");
  contents->setAutoDefault(false);
  auto* close = new QPushButton(tr("Close"), this);
  column(this, {{text_, 1}, row(nullptr, {back, contents, stretch(1), close})});
  connect(back, &QPushButton::clicked, text_, &QTextBrowser::backward);
  connect(text_, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
  connect(text_, &QTextBrowser::sourceChanged, this,
          [this] { addSpaceAboveHeadings(*text_->document(), fontMetrics().height()); });
  connect(contents, &QPushButton::clicked, this, [this] { showPage(HelpWindow::contents()); });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  resizeWithinScreen(*this, {fontMetrics().horizontalAdvance(QLatin1Char('x')) * 120, fontMetrics().height() * 36});
}

void HelpWindow::showPage(const QString& name) {
  text_->setSource(QUrl(QStringLiteral("help:/%1.md").arg(name)), QTextDocument::MarkdownResource);
  show();
  raise();
  activateWindow();
}

std::vector<HelpWindow::Page> HelpWindow::pages() {
  static const QRegularExpression link(QStringLiteral("\\]\\(([a-z-]+)\\.md\\)"));
  const QString index = helpText(contents() + QStringLiteral(".md"));
  std::vector<Page> pages;
  for (const QRegularExpressionMatch& match : link.globalMatch(index)) {
    const QString markdown = helpText(match.captured(1) + QStringLiteral(".md"));
    if (!markdown.isEmpty()) pages.push_back({match.captured(1), headings(markdown, 1), headings(markdown, 2)});
  }
  return pages;
}

QString HelpWindow::text() const {
  return text_->toPlainText();
}

namespace {

struct Part {
  const char* name;
  const char* license;
};
/// Third-party parts that the window and the trainer link, load or write into reports.
constexpr std::array kParts = {
    Part{"Qt 6, Qt Charts", "GPL-3.0"},
    Part{"QScintilla", "GPL-3.0"},
    Part{"LibTorch (PyTorch)", "BSD-3-Clause"},
    Part{"CUDA, cuDNN, NCCL", "NVIDIA licenses; NCCL BSD-3-Clause"},
    Part{"oneMKL", "Intel Simplified Software License"},
    Part{"Open MPI", "BSD-3-Clause"},
    Part{"dygraphs", "MIT"},
    Part{"SQLite", "public domain"},
    Part{"SQLiteCpp", "MIT"},
    Part{"yaml-cpp", "MIT"},
    Part{"JSON for Modern C++", "MIT"},
    Part{"CLI11", "BSD-3-Clause"},
    Part{"muParser", "BSD-2-Clause"},
    Part{"SentencePiece", "Apache-2.0"},
    Part{"ICU", "Unicode License"},
    Part{"xxHash", "BSD-2-Clause"},
    Part{"Zstandard", "BSD-3-Clause"},
    Part{"zlib", "Zlib"},
};

QWidget* partList(QWidget* parent) {
  auto* list = new QTreeWidget(parent);
  list->setColumnCount(2);
  list->setHeaderLabels({WindowHelp::tr("Part"), WindowHelp::tr("License")});
  list->setRootIsDecorated(false);
  list->setAccessibleName(WindowHelp::tr("Third-party parts"));
  for (const Part& part : kParts)
    new QTreeWidgetItem(list, {QString::fromLatin1(part.name), QString::fromLatin1(part.license)});
  list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return list;
}

QString versionText() {
  return QStringLiteral("Batchwise %1\nQt %2\n%3, %4")
      .arg(QGuiApplication::applicationVersion(), QString::fromLatin1(qVersion()), QSysInfo::prettyProductName(),
           QSysInfo::currentCpuArchitecture());
}

QWidget* licenseText(QWidget* parent) {
  auto* text = new QPlainTextEdit(parent);
  text->setReadOnly(true);
  text->setAccessibleName(WindowHelp::tr("Text of the license"));
  QFile file(QStringLiteral(":/license/LICENSE"));
  if (file.open(QIODevice::ReadOnly)) text->setPlainText(QString::fromUtf8(file.readAll()));
  return text;
}

using PaletteEntries = std::vector<PaletteEntry>;

/// Disabled commands are listed, too: choosing one shows why it cannot be used.
void addCommands(const ShortcutRegistry& registry, const QAction& itself, MessageBar& message,
                 PaletteEntries& entries) {
  for (QAction* action : registry.actions()) {
    if (action == &itself || !action->isVisible()) continue;
    const bool usable = action->isEnabled();
    const QString why = action->toolTip();
    entries.push_back({commandText(*action), usable ? WindowHelp::tr("Command") : WindowHelp::tr("Command, disabled"),
                       action->shortcut().toString(QKeySequence::NativeText),
                       [action, usable, why, &message] {
                         if (usable) return action->trigger();
                         message.showMessage(NoteLevel::Info,
                                             WindowHelp::tr("“%1” cannot be used now").arg(commandText(*action)), why);
                       },
                       searchWords(action->objectName())});
  }
}

void addRuns(const RunList& runs, const std::function<void(const QString&)>& show, PaletteEntries& entries) {
  for (const RunSummary& run : runs.all())
    entries.push_back(
        {toQt(run.name), WindowHelp::tr("Run, %1", "%1: its state").arg(stateText(run)), {}, [show, id = toQt(run.id)] {
           show(id);
         }});
}

void addFields(const std::function<void(const QString&)>& show, PaletteEntries& entries) {
  for (const Field& field : configSchema())
    entries.push_back({fieldLabel(field.path),
                       WindowHelp::tr("Field %1", "%1: its name in the file").arg(toQt(field.path)),
                       {},
                       [show, path = toQt(field.path)] { show(path); },
                       toQt(groupTitle(field.group)) + QLatin1Char(' ') + searchWords(toQt(field.path))});
}

void addPreferences(PreferencesWindow& window, PaletteEntries& entries) {
  for (const PreferencesWindow::Entry& entry : window.entries())
    entries.push_back({entry.title,
                       WindowHelp::tr("Preference, %1", "%1: a section").arg(entry.section),
                       {},
                       [&window, control = entry.control] { window.openAt(control); },
                       searchWords(entry.control)});
}

void addHelpPages(const std::function<void(const QString&)>& show, PaletteEntries& entries) {
  for (const HelpWindow::Page& page : HelpWindow::pages())
    entries.push_back(
        {page.title, WindowHelp::tr("Help page"), {}, [show, name = page.name] { show(name); }, page.sections});
}

}  // namespace

WindowHelp::WindowHelp(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window),
      parts_(parts),
      views_(views),
      shortcuts_(new ShortcutRegistry(views.window, parts.settings)) {
  const WindowActions& actions = views.actions;
  connect(actions.palette, &QAction::triggered, this, &WindowHelp::openPalette);
  connect(actions.help, &QAction::triggered, this, [this] { openHelp(views_.pages.openName()); });
  connect(actions.manual, &QAction::triggered, this, [this] { openHelp(HelpWindow::contents()); });
  actions.applicationsMenu->setChecked(isInApplicationsMenu(userDataFolder()));
  connect(actions.applicationsMenu, &QAction::triggered, this, &WindowHelp::changeApplicationsMenu);
  connect(actions.about, &QAction::triggered, this, &WindowHelp::openAbout);
  connect(actions.preferences, &QAction::triggered, this, [this] { openPreferences(); });
  connect(actions.shortcuts, &QAction::triggered, this, [this] { openPreferences(QStringLiteral("shortcutSearch")); });
  connect(actions.messages, &QAction::triggered, &views_.message, &MessageBar::focusMessages);
}

void WindowHelp::changeApplicationsMenu(bool wanted) {
  const QString data = userDataFolder();
  const QString problem = wanted ? addToApplicationsMenu(data, windowCommand()) : removeFromApplicationsMenu(data);
  views_.actions.applicationsMenu->setChecked(isInApplicationsMenu(data));
  if (!problem.isEmpty()) views_.message.showError(problem);
}

PreferencesWindow& WindowHelp::preferences() {
  if (preferences_ == nullptr)
    preferences_ = new PreferencesWindow(parts_, views_.actions, *shortcuts_, &views_.window);
  return *preferences_;
}

void WindowHelp::openPreferences(const QString& control) {
  preferences().openAt(control);
}

void WindowHelp::openPalette() {
  if (palette_ == nullptr) palette_ = new CommandPalette(parts_.theme, &views_.window);
  PaletteEntries entries;
  addCommands(*shortcuts_, *views_.actions.palette, views_.message, entries);
  const auto editSweep = [this] {
    views_.pages.open(&views_.edit);
    views_.edit.editSweep({});
  };
  entries.push_back({tr("Several runs…"), tr("Command"), {}, editSweep, searchWords(QStringLiteral("several_runs"))});
  addPreferences(preferences(), entries);
  addRuns(
      parts_.workspace.runs(), [this](const QString& run) { Q_EMIT runRequested(run); }, entries);
  const auto showField = [this](const QString& path) {
    views_.pages.open(&views_.edit);
    views_.edit.showSetting(path.toStdString());
  };
  addFields(showField, entries);
  addHelpPages([this](const QString& page) { openHelp(page); }, entries);
  palette_->openWith(std::move(entries));
}

void WindowHelp::openHelp(const QString& name) {
  if (help_ == nullptr) help_ = new HelpWindow(&views_.window);
  help_->showPage(name);
}

void WindowHelp::openAbout() {
  auto* about = new QDialog(&views_.window);
  about->setAttribute(Qt::WA_DeleteOnClose);
  about->setWindowTitle(tr("About Batchwise"));
  auto* title = textLabel(about, TextLook::Heading, tr("Batchwise %1").arg(QGuiApplication::applicationVersion()));
  auto* words = textLabel(
      about, TextLook::Body,
      tr("Trains BERT with batch size as a schedule. Free software under the GNU General Public License, version 3 or "
         "later, with the permission to link CUDA, cuDNN, NCCL and MKL."));
  auto* versions = textLabel(about, TextLook::Muted, versionText());
  auto* tabs = new QTabWidget(about);
  tabs->addTab(partList(tabs), tr("Third-party parts"));
  tabs->addTab(licenseText(tabs), tr("License"));
  auto* copy = new QPushButton(tr("Copy the versions"), about);
  auto* close = new QPushButton(tr("Close"), about);
  column(about, {title, words, versions, {tabs, 1}, row(nullptr, {copy, stretch(1), close})});
  connect(copy, &QPushButton::clicked, about, [] { QGuiApplication::clipboard()->setText(versionText()); });
  connect(close, &QPushButton::clicked, about, &QDialog::close);
  close->setDefault(true);
  const QFontMetrics metrics = about->fontMetrics();
  resizeWithinScreen(*about, {metrics.horizontalAdvance(QLatin1Char('x')) * 80, metrics.height() * 28});
  about->open();
}

}  // namespace batchwise
