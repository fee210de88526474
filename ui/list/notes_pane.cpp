// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/notes_pane.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtGui/QDesktopServices>
#include <QtGui/QImage>
#include <QtGui/QTextDocument>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "ui/list/run_list.h"
#include "ui/list/selection.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {

NoteView::NoteView(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  connect(this, &QTextBrowser::anchorClicked, this, [](const QUrl& link) {
    if (link.scheme() == QLatin1String("https") || link.scheme() == QLatin1String("http"))
      QDesktopServices::openUrl(link);
  });
}

void NoteView::setNote(const QString& markdown) {
  document()->setMarkdown(
      markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub | QTextDocument::MarkdownNoHTML));
}

/// Returns a placeholder for images; the document would otherwise load the file.
QVariant NoteView::loadResource(int type, const QUrl& /*name*/) {
  if (type != QTextDocument::ImageResource) return {};
  QImage place(16, 16, QImage::Format_ARGB32_Premultiplied);
  place.fill(palette().color(QPalette::Mid));
  return place;
}

/// Suppresses tooltips: the title of a link would be shown as rich text.
bool NoteView::event(QEvent* event) {
  return event->type() == QEvent::ToolTip || QTextBrowser::event(event);
}

bool NoteView::viewportEvent(QEvent* event) {
  return event->type() == QEvent::ToolTip || QTextBrowser::viewportEvent(event);
}

namespace {
constexpr int kSavePauseMs = 800;
}  // namespace

NotesPane::NotesPane(const RunList& runs, const Selection& selection, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      selection_(selection),
      title_(new ElidedLabel(this)),
      text_(new QPlainTextEdit(this)),
      view_(new NoteView(this)),
      pages_(new QStackedLayout),
      write_(new QToolButton(this)) {
  Theme::setLook(title_, TextLook::Small);
  named(text_, "note", tr("Note on the selected run"));
  text_->setPlaceholderText(tr("What you tried and what you found (Markdown)"));
  text_->setTabChangesFocus(true);
  text_->setMinimumHeight(1);
  named(view_, "noteView", text_->accessibleName());
  view_->setMinimumHeight(1);
  named(write_, "writeNote", {}, tr("Edit the note as Markdown; off shows it formatted"));
  write_->setText(tr("Edit"));
  write_->setCheckable(true);
  write_->setFocusPolicy(Qt::TabFocus);
  pages_->addWidget(view_);
  pages_->addWidget(text_);
  column(this, {row(nullptr, {{title_, 1}, write_}), {pages_, 1}}, {{8, 4, 8, 4}, 4});
  connect(write_, &QToolButton::toggled, this, &NotesPane::choosePage);
  connect(view_, &NoteView::editRequested, this, [this] {
    write_->setChecked(true);
    text_->setFocus();
  });
  delay_.setSingleShot(true);
  delay_.setInterval(kSavePauseMs);
  connect(text_, &QPlainTextEdit::textChanged, &delay_, qOverload<>(&QTimer::start));
  connect(&delay_, &QTimer::timeout, this, [this] { save(selection_.run()); });
  connect(&selection_, &Selection::runChanged, this, &NotesPane::showRun);
  showRun({});
}

void NotesPane::saveNow() {
  const QHash<QString, Emitted> before = emitted_;
  for (auto one = before.begin(); one != before.end(); ++one)
    if (!one->stored) Q_EMIT noteChanged(one.key(), one->note);
  if (delay_.isActive()) save(selection_.run());
}

bool NotesPane::hasUnstored() const {
  return std::ranges::any_of(emitted_, [](const Emitted& one) { return !one.stored; });
}

void NotesPane::setStored(const QString& run, const QString& markdown) {
  if (const auto one = emitted_.find(run); one != emitted_.end() && one->note == markdown) one->stored = true;
}

void NotesPane::showRun(const QString& before) {
  if (delay_.isActive()) save(before);
  showNote();
  write_->setChecked(false);
  choosePage();
}

/// An empty note is shown in edit mode.
void NotesPane::choosePage() {
  const QString note = text_->toPlainText();
  const bool writes = write_->isChecked() || (note.isEmpty() && !selection_.run().isEmpty());
  if (!writes) view_->setNote(note);
  pages_->setCurrentWidget(writes ? static_cast<QWidget*>(text_) : view_);
}

void NotesPane::readNote() {
  emitted_.removeIf([this](const auto& one) { return one->stored || runs_.find(one.key()) == nullptr; });
  showNote();
}

void NotesPane::showNote() {
  const RunSummary* run = runs_.find(selection_.run());
  title_->setText(run == nullptr ? tr("Select a run to take notes on it.")
                                 : tr("Note on %1", "%1: name of a run").arg(toQt(run->name)));
  text_->setEnabled(run != nullptr);  // the note of a run that is not listed is not known
  write_->setEnabled(run != nullptr);
  if (delay_.isActive()) return;
  QString note = run == nullptr ? QString() : toQt(run->note);
  if (const auto emitted = emitted_.constFind(selection_.run()); emitted != emitted_.cend()) note = emitted->note;
  if (text_->toPlainText() == note) return;
  const QSignalBlocker quiet(text_);
  text_->setPlainText(note);
  if (!text_->hasFocus()) choosePage();
}

void NotesPane::save(const QString& run) {
  delay_.stop();
  if (run.isEmpty()) return;
  const QString note = text_->toPlainText();
  emitted_.insert(run, {note});
  Q_EMIT noteChanged(run, note);
  if (!text_->hasFocus()) choosePage();
}

}  // namespace batchwise
