// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/workspace_pages.h"

#include <QtCore/QEvent>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QCursor>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/shortcuts.h"

namespace batchwise {
namespace {

QLabel* paragraph(QWidget* parent, const QString& text, TextLook look) {
  auto* label = plainLabel(parent, look, text);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignHCenter);
  return label;
}

}  // namespace

WelcomePage::WelcomePage(const Theme& theme, QWidget* parent) : QWidget(parent) {
  auto* middle = new QWidget(this);
  auto* heading = paragraph(middle, tr("Train a BERT and watch it learn"), TextLook::Heading);
  auto* text = paragraph(middle,
                         tr("Runs will be listed on the left, with their loss, learning rate, batch size and memory "
                            "here. The demo trains a tiny model on text it makes itself, in about a minute."),
                         TextLook::Muted);
  auto* inner = column(middle, {heading, text}, {.spacing = 8});
  inner->addSpacing(8);
  demo_ = named(new QPushButton(tr("Try the demo"), middle), "tryDemo");
  demo_->setDefault(true);
  Theme::setPrimary(demo_);
  auto* file = new QPushButton(tr("New run from a file…"), middle);
  auto* workspace = new QPushButton(tr("Open workspace…"), middle);
  for (QPushButton* button : {demo_, file, workspace}) inner->addWidget(button, 0, Qt::AlignHCenter);
  column(this, {Cell(2), row(nullptr, {Cell(1), middle, Cell(1)}), Cell(3)});

  const auto size = [this, middle, file, workspace] {
    middle->setFixedWidth(fontMetrics().horizontalAdvance(QLatin1Char('x')) * 60);
    const int widest = std::max({demo_->sizeHint().width(), file->sizeHint().width(), workspace->sizeHint().width()});
    for (QPushButton* button : {demo_, file, workspace}) button->setMinimumWidth(widest + 16);
  };
  const auto icons = [this, file, workspace, &theme] {
    const int side = std::max(16, fontMetrics().height() - 2);
    for (QPushButton* button : {demo_, file, workspace}) button->setIconSize({side, side});
    demo_->setIcon(theme.icon(QStringLiteral("launch"), theme.colors().onAccent));
    file->setIcon(theme.icon(QStringLiteral("file")));
    workspace->setIcon(theme.icon(QStringLiteral("folder")));
  };
  connect(&theme, &Theme::changed, this, [size, icons] {
    icons();
    size();
  });
  icons();
  size();
  connect(demo_, &QPushButton::clicked, this, &WelcomePage::demoRequested);
  connect(file, &QPushButton::clicked, this, &WelcomePage::fileRequested);
  connect(workspace, &QPushButton::clicked, this, &WelcomePage::workspaceRequested);
}

void WelcomePage::setDemoEnabled(bool enabled) {
  demo_->setEnabled(enabled);
}

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
  names_.push_back(QString::fromLatin1(title.name));
  toolTips_.push_back(title.toolTip);
  action->setCheckable(true);
  action->setData(QVariant::fromValue(page));
  group_->addAction(action);
  connect(action, &QAction::triggered, this, [this, page] { open(page); });
  actions_.push_back(action);
  icons_.push_back(title.icon);
  action->setIcon(theme_.icon(title.icon));
  updateToolTips();
  if (open_ == nullptr) open(page);
}

void WorkspacePages::updateToolTips() {
  for (qsizetype i = 0; i < actions_.size(); ++i) actions_[i]->setToolTip(withShortcut(toolTips_[i], *actions_[i]));
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

QString WorkspacePages::openName() const {
  return names_[indexOf(open_)];
}

void WorkspacePages::openNamed(const QString& name) {
  if (const qsizetype index = names_.indexOf(name); index >= 0) open(widget(static_cast<int>(index)));
}

void WorkspacePages::showOpen() {
  setCurrentWidget(empty_ && open_ == replaced_ && placeholder_ != nullptr ? placeholder_ : open_);
  updateGeometry();
}

QSize WorkspacePages::minimumSizeHint() const {
  return currentWidget() == nullptr ? QSize() : currentWidget()->minimumSizeHint();
}

void WorkspacePages::recolor() {
  for (qsizetype i = 0; i < actions_.size(); ++i) actions_[i]->setIcon(theme_.icon(icons_[i]));
}

PageArea::PageArea(QWidget& pages, QWidget& message, QWidget* parent)
    : QWidget(parent), pages_(pages), message_(message), reserved_(new QWidget(this)), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(&pages_, 1);
  layout_->addWidget(reserved_);
  message_.setParent(this);
  message_.raise();
  pages_.installEventFilter(this);
  message_.installEventFilter(this);
  reserveSpace();
}

bool PageArea::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (watched == &message_) {
    if (type == QEvent::Show) chooseEdge();
    if (type == QEvent::Show || type == QEvent::Hide || type == QEvent::LayoutRequest) messageChanged();
  } else if (type == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Tab || key == Qt::Key_Backtab) reserveSpace();
  } else if (watched == &pages_ && type == QEvent::Leave) {
    reserveSpace();
  }
  return QWidget::eventFilter(watched, event);
}

void PageArea::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  messageChanged();
}

int PageArea::messageHeight() const {
  if (message_.isHidden()) return 0;
  const int wanted = message_.hasHeightForWidth() ? message_.heightForWidth(width()) : message_.sizeHint().height();
  return std::min(wanted, height());
}

/// Chooses the edge for a message that appears.
void PageArea::chooseEdge() {
  const int fromBelow = height() - mapFromGlobal(QCursor::pos()).y();
  above_ = pages_.underMouse() && fromBelow <= messageHeight();
}

void PageArea::messageChanged() {
  placeMessage();
  if (!pages_.underMouse()) return reserveSpace();
  // On the application: key events go to the focused widget.
  if (reserved_->height() != messageHeight()) qApp->installEventFilter(this);
}

void PageArea::reserveSpace() {
  qApp->removeEventFilter(this);
  layout_->setDirection(above_ ? QBoxLayout::BottomToTop : QBoxLayout::TopToBottom);
  reserved_->setFixedHeight(messageHeight());
  reserved_->setMinimumWidth(message_.isHidden() ? 0 : message_.minimumSizeHint().width());
  placeMessage();
}

void PageArea::placeMessage() {
  const int high = messageHeight();
  message_.setGeometry(0, above_ ? 0 : height() - high, width(), high);
}

}  // namespace batchwise
