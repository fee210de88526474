// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QTextBrowser>

namespace batchwise {

/// Markdown as a person reads it. Nothing is fetched: images show their place only, HTML stays text, and a link opens,
/// in the desktop's browser, when it is clicked, if it leads to the web.
class NoteView final : public QTextBrowser {
  Q_OBJECT

 public:
  explicit NoteView(QWidget* parent = nullptr);

  void setNote(const QString& markdown);

 Q_SIGNALS:
  /// A double click: the person wants to write.
  void writingWanted();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  QVariant loadResource(int type, const QUrl& name) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
};

}  // namespace batchwise
