// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/help_window.h"

#include <QtCore/QFile>
#include <QtGui/QTextBlock>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

namespace batchwise {
namespace {

/// Shows Markdown; links between pages are file names such as "watch.md".
class HelpBrowser final : public QTextBrowser {
 public:
  explicit HelpBrowser(QWidget* parent) : QTextBrowser(parent) { setOpenExternalLinks(false); }

 protected:
  QVariant loadResource(int type, const QUrl& name) override {
    const QString page = name.path().section(QLatin1Char('/'), -1);
    if (type != QTextDocument::MarkdownResource && type != QTextDocument::HtmlResource)
      return QTextBrowser::loadResource(type, name);
    //: The folder with the help in the language of the translation: en or de.
    QFile file(QStringLiteral(":/help/%1/%2").arg(HelpWindow::tr("en", "folder of the help pages"), page));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
};

/// Adds space above headings, which Qt omits after a block of code.
void addSpaceAboveHeadings(const QTextDocument& text, int pixels) {
  for (QTextBlock block = text.begin().next(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    if (format.headingLevel() == 0) continue;
    format.setTopMargin(pixels);
    QTextCursor(block).setBlockFormat(format);
  }
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), text_(new HelpBrowser(this)) {
  setWindowTitle(tr("Help"));
  text_->setAccessibleName(tr("Page of help"));
  text_->setObjectName(QStringLiteral("help"));
  auto* back = new QPushButton(tr("Back"), this);
  back->setEnabled(false);
  back->setAutoDefault(false);
  auto* contents = new QPushButton(tr("Contents"), this);
  contents->setAutoDefault(false);
  contents->setObjectName(QStringLiteral("helpContents"));
  auto* close = new QPushButton(tr("Close"), this);
  auto* row = new QHBoxLayout;
  row->addWidget(back);
  row->addWidget(contents);
  row->addStretch(1);
  row->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_, 1);
  layout->addLayout(row);
  connect(back, &QPushButton::clicked, text_, &QTextBrowser::backward);
  connect(text_, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
  connect(text_, &QTextBrowser::sourceChanged, this,
          [this] { addSpaceAboveHeadings(*text_->document(), fontMetrics().height()); });
  connect(contents, &QPushButton::clicked, this, [this] { showPage(HelpWindow::contents()); });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  resize(fontMetrics().horizontalAdvance(QLatin1Char('x')) * 120, fontMetrics().height() * 36);
}

void HelpWindow::showPage(const QString& name) {
  text_->setSource(QUrl(QStringLiteral("help:/%1.md").arg(name)), QTextDocument::MarkdownResource);
  show();
  raise();
  activateWindow();
}

QString HelpWindow::text() const {
  return text_->toPlainText();
}

}  // namespace batchwise
