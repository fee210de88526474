// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace_pages.h"

#include <QtCore/QDir>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollBar>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/window/window_actions.h"

namespace batchwise {

WorkspacePages::WorkspacePages(const Theme& theme, QWidget* parent)
    : QStackedWidget(parent), theme_(theme), group_(new QActionGroup(this)) {
  connect(&theme, &Theme::changed, this, &WorkspacePages::recolor);
}

void WorkspacePages::addPage(QWidget* page, const PageTitle& title) {
  addWidget(page);
  const auto keys = QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + actions_.size()));
  auto* action = new QAction(title.text, this);
  action->setShortcut(keys);
  setCommandName(*action, (QByteArray("page_") + title.name).constData());
  action->setCheckable(true);
  action->setData(QVariant::fromValue(page));
  group_->addAction(action);
  connect(action, &QAction::triggered, this, [this, page] { open(page); });
  actions_.push_back(action);
  titles_.push_back(title);
  action->setIcon(theme_.icon(title.icon));
  updateToolTips();
  if (open_ == nullptr) open(page);
}

void WorkspacePages::updateToolTips() {
  for (qsizetype i = 0; i < actions_.size(); ++i)
    actions_[i]->setToolTip(withShortcut(titles_[i].toolTip, *actions_[i]));
}

void WorkspacePages::setPlaceholder(QWidget* page, QWidget* placeholder) {
  addWidget(placeholder);
  replaced_ = page;
  placeholder_ = placeholder;
  showOpen();
}

void WorkspacePages::setWorkspaceEmpty(bool empty) {
  empty_ = empty;
  showOpen();
}

void WorkspacePages::open(QWidget* page) {
  if (open_ == page) return;
  open_ = page;
  showOpen();
  for (QAction* action : actions_) action->setChecked(action->data().value<QWidget*>() == page);
  Q_EMIT opened();
}

void WorkspacePages::showOpen() {
  setCurrentWidget(empty_ && open_ == replaced_ && placeholder_ != nullptr ? placeholder_ : open_);
  updateGeometry();
}

QSize WorkspacePages::minimumSizeHint() const {
  const QWidget* page = currentWidget();
  return page == nullptr ? QSize() : page->minimumSizeHint().expandedTo(page->minimumSize());
}

namespace {

constexpr qsizetype kRecent = 5;
constexpr int kRecentCharacters = 36;

QPushButton* linkButton(QWidget* parent, const QString& text, const char* name) {
  auto* button = named(new QPushButton(text, parent), name);
  button->setFlat(true);
  return button;
}

}  // namespace

WelcomePage::WelcomePage(const WindowActions& actions, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), theme_(theme) {
  auto* page = new QWidget(this);
  middle_ = new QWidget(page);
  auto* heading = textLabel(middle_, TextLook::Heading, tr("Train a BERT and watch it learn"));
  auto* ways = new QGridLayout;
  ways->setHorizontalSpacing(16);
  ways->setVerticalSpacing(12);
  ways->setColumnStretch(1, 1);
  text_ = addWay(*ways, "trainOnText", tr("Train on my text"),
                 tr("Choose files or a folder, see what was found and how long a run takes, and launch it."));
  model_ = addWay(*ways, "continueModel", tr("Continue a model"),
                  tr("Train a Hugging Face model, or the checkpoint of a run, further on your text."));
  demo_ = addWay(*ways, "tryDemo", tr("Try the demo"), tr("Train a tiny model on generated text in about a minute."));
  runs_ = addWay(
      *ways, "bringRuns", tr("Bring my runs"),
      tr("Show the runs that TensorBoard, W&B, MLflow and others log while they grow, or import archives of runs."));
  ramps_ = addWay(*ways, "compareRamps", tr("Compare batch ramps"),
                  tr("An ablation on your text: a constant batch against ramps of three lengths, two seeds each."));
  Theme::setPrimary(text_);
  text_->setDefault(true);
  recipes_ = linkButton(middle_, tr("New run from a recipe"), "welcomeRecipes");
  auto* file = linkButton(middle_, tr("New run from a file…"), "welcomeFile");
  auto* workspace = linkButton(middle_, tr("Open workspace…"), "welcomeWorkspace");
  auto* links = new QWidget(middle_);
  auto* flow = new FlowLayout(links);
  for (QPushButton* link : {recipes_, file, workspace}) flow->addWidget(link);
  recent_ = column(nullptr, {}, {{0, 0, 0, 0}, 0});
  column(middle_, {heading, ways, links, recent_}, {{16, 16, 16, 16}, 16});
  column(page, {stretch(2), row(nullptr, {stretch(1), {middle_, 50}, stretch(1)}), stretch(3)}, {{0, 0, 0, 0}, 0});
  fillScrollArea(*this, page);
  setFocusPolicy(Qt::NoFocus);
  connect(&theme, &Theme::changed, this, [this] {
    updateIcons();
    updateSizes();
  });
  updateIcons();
  updateSizes();
  const std::pair<QPushButton*, QAction*> presses[] = {
      {text_, actions.trainOnText},     {model_, actions.continueModel}, {demo_, actions.tryDemo},
      {ramps_, actions.recipes.back()}, {file, actions.newFile},         {workspace, actions.openWorkspace}};
  for (const auto& [button, action] : presses) connect(button, &QPushButton::clicked, action, &QAction::trigger);
  for (QPushButton* button : {runs_, recipes_}) button->setMenu(new QMenu(button));
  runs_->menu()->addActions({actions.followRuns, actions.importRun});
  recipes_->menu()->addActions(actions.recipes);
  recipes_->menu()->setToolTipsVisible(true);
}

QPushButton* WelcomePage::addWay(QGridLayout& ways, const char* name, const QString& title,
                                 const QString& description) {
  auto* button = named(new QPushButton(title, middle_), name);
  button->setAccessibleDescription(description);
  const int line = ways.rowCount();
  ways.addWidget(button, line, 0, Qt::AlignVCenter);
  ways.addWidget(textLabel(middle_, TextLook::Muted, description), line, 1, Qt::AlignVCenter);
  return button;
}

void WelcomePage::setLaunchEnabled(bool enabled) {
  for (QPushButton* button : {text_, model_, demo_, runs_, ramps_, recipes_}) button->setEnabled(enabled);
}

void WelcomePage::setRecent(const QStringList& folders) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (folders.isEmpty()) return;
  recent_->addWidget(plainLabel(middle_, TextLook::Small, tr("Recent workspaces")));
  for (const QString& folder : folders.mid(0, kRecent)) {
    const QString path = QDir::toNativeSeparators(folder);
    const int width = fontMetrics().averageCharWidth() * kRecentCharacters;
    auto* button =
        linkButton(middle_, escapeMnemonic(fontMetrics().elidedText(path, Qt::ElideMiddle, width)), "recentWorkspace");
    button->setAccessibleName(path);
    button->setToolTip(plainToolTip(path));
    recent_->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, [this, folder] { Q_EMIT recentRequested(folder); });
  }
}

/// All ways have buttons of the same width.
void WelcomePage::updateSizes() {
  constexpr int kPadding = 16;
  middle_->setMaximumWidth(fontMetrics().averageCharWidth() * 100);
  int widest = 0;
  for (QPushButton* button : {text_, model_, demo_, runs_, ramps_})
    widest = std::max(widest, button->sizeHint().width());
  for (QPushButton* button : {text_, model_, demo_, runs_, ramps_}) button->setMinimumWidth(widest + kPadding);
  setMinimumWidth(widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width());
}

void WelcomePage::updateIcons() {
  const int side = std::max(16, fontMetrics().height() - 2);
  for (QPushButton* button : {text_, model_, demo_, runs_, ramps_}) button->setIconSize({side, side});
  text_->setIcon(theme_.icon(QStringLiteral("file"), theme_.colors().onAccent));
  model_->setIcon(theme_.icon(QStringLiteral("resume")));
  demo_->setIcon(theme_.icon(QStringLiteral("launch")));
  runs_->setIcon(theme_.icon(QStringLiteral("folder")));
  ramps_->setIcon(theme_.icon(QStringLiteral("compare")));
}

}  // namespace batchwise
