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

void NoteView::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
  Q_EMIT editRequested();
}

}  // namespace batchwise
