// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/welcome_page.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace batchwise {
namespace {

QLabel* paragraph(QWidget* parent, const QString& text, TextLook look) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignHCenter);
  Theme::setLook(label, look);
  return label;
}

}  // namespace

WelcomePage::WelcomePage(const Theme& theme, QWidget* parent) : QWidget(parent) {
  auto* column = new QWidget(this);
  auto* inner = new QVBoxLayout(column);
  inner->setSpacing(8);
  inner->addWidget(paragraph(column, tr("Train a BERT and watch it learn"), TextLook::Heading));
  inner->addWidget(
      paragraph(column,
                tr("Runs will be listed on the left, with their loss, learning rate, batch size and memory "
                   "here. The demo trains a tiny model on text it makes itself, in about a minute."),
                TextLook::Muted));
  inner->addSpacing(8);
  demo_ = new QPushButton(tr("Try the demo"), column);
  demo_->setObjectName(QStringLiteral("tryDemo"));
  demo_->setDefault(true);
  Theme::setPrimary(demo_);
  auto* file = new QPushButton(tr("New run from a file…"), column);
  auto* workspace = new QPushButton(tr("Open workspace…"), column);
  for (QPushButton* button : {demo_, file, workspace}) inner->addWidget(button, 0, Qt::AlignHCenter);
  auto* outer = new QVBoxLayout(this);
  auto* middle = new QHBoxLayout;
  middle->addStretch(1);
  middle->addWidget(column);
  middle->addStretch(1);
  outer->addStretch(2);
  outer->addLayout(middle);
  outer->addStretch(3);

  const auto size = [this, column, file, workspace] {
    column->setFixedWidth(fontMetrics().horizontalAdvance(QLatin1Char('x')) * 60);
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

}  // namespace batchwise
