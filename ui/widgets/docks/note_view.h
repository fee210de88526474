// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QTextBrowser>

namespace batchwise {

/// Shows rendered Markdown. Loads nothing: images appear as placeholders, HTML as text. A clicked http or https link
/// opens in the desktop's browser.
class NoteView final : public QTextBrowser {
  Q_OBJECT

 public:
  explicit NoteView(QWidget* parent = nullptr);

  void setNote(const QString& markdown);

 Q_SIGNALS:
  /// A double click: the user wants to edit.
  void editRequested();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  QVariant loadResource(int type, const QUrl& name) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
};

}  // namespace batchwise
