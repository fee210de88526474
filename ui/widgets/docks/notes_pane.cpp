// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/notes_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/display_text.h"
#include "ui/models/run_list_model.h"
#include "ui/widgets/docks/note_view.h"
#include "ui/widgets/parts/text_label.h"

namespace batchwise {
namespace {
constexpr int kPauseMs = 800;
}  // namespace

NotesPane::NotesPane(const RunListModel& runs, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      title_(textLabel(this, TextLook::Small)),
      text_(new QPlainTextEdit(this)),
      view_(new NoteView(this)),
      pages_(new QStackedLayout),
      write_(new QToolButton(this)) {
  text_->setObjectName(QStringLiteral("note"));
  text_->setAccessibleName(tr("Note on the selected run"));
  text_->setPlaceholderText(tr("What was tried, and what came of it (Markdown)"));
  text_->setTabChangesFocus(true);
  text_->setMinimumHeight(1);
  view_->setObjectName(QStringLiteral("noteView"));
  view_->setAccessibleName(text_->accessibleName());
  view_->setMinimumHeight(1);
  write_->setObjectName(QStringLiteral("writeNote"));
  write_->setText(tr("Write"));
  write_->setToolTip(tr("Change the note; it is Markdown. Off: read it"));
  write_->setCheckable(true);
  write_->setFocusPolicy(Qt::TabFocus);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(write_);
  pages_->addWidget(view_);
  pages_->addWidget(text_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  layout->addLayout(head);
  layout->addLayout(pages_, 1);
  connect(write_, &QToolButton::toggled, this, &NotesPane::choosePage);
  connect(view_, &NoteView::editRequested, this, [this] { setWriting(true); });
  delay_.setSingleShot(true);
  delay_.setInterval(kPauseMs);
  connect(text_, &QPlainTextEdit::textChanged, &delay_, qOverload<>(&QTimer::start));
  connect(&delay_, &QTimer::timeout, this, &NotesPane::save);
  setRun({});
}

void NotesPane::saveNow() {
  if (delay_.isActive()) save();
}

void NotesPane::setRun(const QString& run) {
  saveNow();
  run_ = run;
  emitted_.clear();
  text_->setEnabled(!run.isEmpty());
  write_->setEnabled(!run.isEmpty());
  readNote();
  write_->setChecked(false);
  choosePage();
}

void NotesPane::setWriting(bool on) {
  write_->setChecked(on);
  if (on) text_->setFocus();
}

/// An empty note is shown in edit mode.
void NotesPane::choosePage() {
  const QString note = text_->toPlainText();
  const bool writes = write_->isChecked() || (note.isEmpty() && !run_.isEmpty());
  if (!writes) view_->setNote(note);
  pages_->setCurrentWidget(writes ? static_cast<QWidget*>(text_) : view_);
}

void NotesPane::readNote() {
  const RunSummary* run = runs_.find(run_);
  title_->setText(run == nullptr ? tr("Select a run to write down what you found.")
                                 : tr("On run %1", "title of a note").arg(toQt(run->name)));
  if (delay_.isActive()) return;
  const QString note = run == nullptr ? QString() : toQt(run->note);
  if (!emitted_.isNull() && note != emitted_) return;  // the last change is not stored yet
  emitted_ = QString();
  if (text_->toPlainText() == note) return;
  const QSignalBlocker quiet(text_);
  text_->setPlainText(note);
  if (!text_->hasFocus()) choosePage();
}

void NotesPane::save() {
  delay_.stop();
  if (run_.isEmpty()) return;
  emitted_ = text_->toPlainText();
  if (emitted_.isNull()) emitted_ = QStringLiteral("");
  Q_EMIT noteChanged(run_, emitted_);
  if (!text_->hasFocus()) choosePage();
}

}  // namespace batchwise
