// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/about_window.h"

#include <QtCore/QFile>
#include <QtCore/QSysInfo>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>
#include <array>

#include "ui/widgets/parts/text_label.h"

namespace batchwise {
namespace {

struct Part {
  const char* name;
  const char* license;
};
/// Third-party parts that the window and the trainer link or load.
constexpr std::array kParts = {
    Part{"Qt 6, Qt Charts", "GPL-3.0"},
    Part{"LibTorch (PyTorch)", "BSD-3-Clause"},
    Part{"CUDA, cuDNN, NCCL", "NVIDIA licenses; NCCL BSD-3-Clause"},
    Part{"oneMKL", "Intel Simplified Software License"},
    Part{"Open MPI", "BSD-3-Clause"},
    Part{"SQLite", "public domain"},
    Part{"SQLiteCpp", "MIT"},
    Part{"yaml-cpp", "MIT"},
    Part{"JSON for Modern C++", "MIT"},
    Part{"CLI11", "BSD-3-Clause"},
    Part{"muParser", "BSD-2-Clause"},
    Part{"SentencePiece", "Apache-2.0"},
    Part{"ICU", "Unicode License"},
    Part{"xxHash", "BSD-2-Clause"},
    Part{"Zstandard", "BSD-3-Clause"},
    Part{"zlib", "Zlib"},
};

QWidget* partList(QWidget* parent) {
  auto* list = new QTreeWidget(parent);
  list->setColumnCount(2);
  list->setHeaderLabels({AboutWindow::tr("Part"), AboutWindow::tr("License")});
  list->setRootIsDecorated(false);
  list->setAccessibleName(AboutWindow::tr("What the program is made of"));
  for (const Part& part : kParts)
    new QTreeWidgetItem(list, {QString::fromLatin1(part.name), QString::fromLatin1(part.license)});
  list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return list;
}

QWidget* licenseText(QWidget* parent) {
  auto* text = new QPlainTextEdit(parent);
  text->setReadOnly(true);
  text->setAccessibleName(AboutWindow::tr("Text of the license"));
  QFile file(QStringLiteral(":/license/LICENSE"));
  if (file.open(QIODevice::ReadOnly)) text->setPlainText(QString::fromUtf8(file.readAll()));
  return text;
}

}  // namespace

QString AboutWindow::versionText() {
  return QStringLiteral("Batchwise %1\nQt %2\n%3, %4")
      .arg(QGuiApplication::applicationVersion(), QString::fromLatin1(qVersion()), QSysInfo::prettyProductName(),
           QSysInfo::currentCpuArchitecture());
}

AboutWindow::AboutWindow(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("About Batchwise"));
  auto* title = textLabel(this, TextLook::Heading);
  title->setText(tr("Batchwise %1").arg(QGuiApplication::applicationVersion()));
  auto* words = textLabel(this);
  words->setText(
      tr("Trains BERT with batch size as a schedule. Free software under the GNU General Public License, version 3 or "
         "later, with the permission to link CUDA, cuDNN, NCCL and MKL."));
  auto* versions = textLabel(this, TextLook::Muted);
  versions->setText(versionText());
  auto* tabs = new QTabWidget(this);
  tabs->addTab(partList(tabs), tr("Made of"));
  tabs->addTab(licenseText(tabs), tr("License"));
  auto* copy = new QPushButton(tr("Copy the versions"), this);
  auto* close = new QPushButton(tr("Close"), this);
  auto* row = new QHBoxLayout;
  row->addWidget(copy);
  row->addStretch(1);
  row->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  for (QWidget* widget : {static_cast<QWidget*>(title), static_cast<QWidget*>(words), static_cast<QWidget*>(versions)})
    layout->addWidget(widget);
  layout->addWidget(tabs, 1);
  layout->addLayout(row);
  connect(copy, &QPushButton::clicked, this, [] { QGuiApplication::clipboard()->setText(versionText()); });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  close->setDefault(true);
  resize(fontMetrics().horizontalAdvance(QLatin1Char('x')) * 80, fontMetrics().height() * 28);
}

}  // namespace batchwise
