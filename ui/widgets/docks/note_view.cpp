// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/note_view.h"

#include <QtCore/QEvent>
#include <QtGui/QDesktopServices>
#include <QtGui/QImage>
#include <QtGui/QTextDocument>

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

/// Without a picture of its own a document would look for the file itself.
QVariant NoteView::loadResource(int type, const QUrl& /*name*/) {
  if (type != QTextDocument::ImageResource) return {};
  QImage place(16, 16, QImage::Format_ARGB32_Premultiplied);
  place.fill(palette().color(QPalette::Mid));
  return place;
}

/// The title of a link would be shown as rich text.
bool NoteView::event(QEvent* event) {
  return event->type() == QEvent::ToolTip || QTextBrowser::event(event);
}

bool NoteView::viewportEvent(QEvent* event) {
  return event->type() == QEvent::ToolTip || QTextBrowser::viewportEvent(event);
}

void NoteView::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
  Q_EMIT writingWanted();
}

}  // namespace batchwise
