// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/checkpoints/try_panel.h"

#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>

#include "ui/models/words.h"
#include "ui/theme/theme.h"

namespace batchwise {

TryPanel::TryPanel(CheckpointsPresenter& presenter, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      text_(new QLineEdit(this)),
      fill_(new QPushButton(tr("Fill"), this)),
      state_(new QLabel(this)),
      answers_(new QTreeWidget(this)) {
  auto* heading = new QLabel(tr("Try it"), this);
  Theme::setLook(heading, TextLook::Heading);
  text_->setObjectName(QStringLiteral("tryText"));
  text_->setAccessibleName(tr("Sentence with [MASK]"));
  text_->setPlaceholderText(
      tr("A sentence with [MASK] in place of words, for example: the old dog [MASK] in the garden"));
  fill_->setObjectName(QStringLiteral("tryFill"));
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  Theme::setLook(state_, TextLook::Muted);
  answers_->setObjectName(QStringLiteral("tryAnswers"));
  answers_->setAccessibleName(tr("Words for each [MASK]"));
  answers_->setRootIsDecorated(false);
  answers_->setColumnCount(3);
  answers_->setHeaderLabels({tr("[MASK]"), tr("Word"), tr("Probability")});
  answers_->setUniformRowHeights(true);
  answers_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  answers_->header()->setStretchLastSection(false);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(heading, 0, 0, 1, 2);
  layout->addWidget(text_, 1, 0);
  layout->addWidget(fill_, 1, 1);
  layout->addWidget(state_, 2, 0, 1, 2);
  layout->addWidget(answers_, 3, 0, 1, 2);
  layout->setRowStretch(3, 1);
  connect(text_, &QLineEdit::textChanged, this, &TryPanel::updateButton);
  connect(text_, &QLineEdit::returnPressed, fill_, &QPushButton::click);
  connect(fill_, &QPushButton::clicked, this, &TryPanel::fill);
  connect(&presenter, &CheckpointsPresenter::filled, this, &TryPanel::show);
  connect(&presenter, &CheckpointsPresenter::fillFailed, this, [this](const QString& why) {
    busy_ = false;
    state_->setText(sentenceCase(why));
    updateButton();
  });
  updateButton();
}

void TryPanel::setCheckpoint(const QString& checkpoint) {
  if (checkpoint_ != checkpoint) {
    answers_->clear();
    state_->clear();
  }
  checkpoint_ = checkpoint;
  updateButton();
}

void TryPanel::fill() {
  busy_ = true;
  state_->setText(tr("Reading the checkpoint…"));
  updateButton();
  presenter_.fill(checkpoint_, text_->text());
}

void TryPanel::show(const FilledMasks& filled) {
  busy_ = false;
  state_->clear();
  answers_->clear();
  for (std::size_t mask = 0; mask < filled.masks.size(); ++mask)
    for (const MaskCandidate& candidate : filled.masks[mask]) {
      auto* item =
          new QTreeWidgetItem(answers_, {QString::number(mask + 1), toQt(candidate.token),
                                         tr("%1 %").arg(valueText(100 * candidate.probability, ValueFormat::Plain))});
      item->setTextAlignment(2, Qt::AlignRight);
      item->setToolTip(2, QString::number(candidate.probability, 'g', 17));
    }
  updateButton();
}

void TryPanel::updateButton() {
  QString why;
  if (checkpoint_.isEmpty())
    why = tr("Select a checkpoint");
  else if (busy_)
    why = tr("The answer is being worked out");
  else if (!text_->text().contains(QStringLiteral("[MASK]")))
    why = tr("The sentence needs [MASK] somewhere");
  fill_->setEnabled(why.isEmpty());
  fill_->setToolTip(why.isEmpty() ? tr("Ask the model of this checkpoint") : why);
}

}  // namespace batchwise
