// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/picture_sizes.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>

namespace batchwise {
namespace {

struct PictureSizes {
  Q_DECLARE_TR_FUNCTIONS(PictureSizes)
};

QDoubleSpinBox* lengthBox(QDialog& dialog, double value) {
  auto* box = new QDoubleSpinBox(&dialog);
  box->setRange(2, 200);
  box->setDecimals(1);
  box->setSingleStep(0.5);
  box->setSuffix(PictureSizes::tr(" cm"));
  box->setValue(value);
  return box;
}

/// Asks for a custom size, starting from the one accepted last.
void askSize(QWidget& parent, const std::function<void(const PictureSize&)>& chosen) {
  static PictureSize last = kPictureSizes[1];
  auto* dialog = new QDialog(&parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("pictureSize"));
  dialog->setWindowTitle(PictureSizes::tr("Size of the picture"));
  auto* width = lengthBox(*dialog, last.widthCm);
  auto* height = lengthBox(*dialog, last.heightCm);
  auto* dots = new QSpinBox(dialog);
  dots->setRange(50, 1200);
  dots->setValue(last.dpi);
  dots->setSuffix(PictureSizes::tr(" dots per inch"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
  buttons->addButton(PictureSizes::tr("Export…"), QDialogButtonBox::AcceptRole);
  for (QAbstractButton* button : buttons->buttons()) button->setIcon({});
  auto* form = new QFormLayout(dialog);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  form->addRow(PictureSizes::tr("Width"), width);
  form->addRow(PictureSizes::tr("Height"), height);
  form->addRow(PictureSizes::tr("For PNG"), dots);
  form->addRow(buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [=] {
    last = {width->value(), height->value(), dots->value()};
    dialog->accept();
    chosen(last);
  });
  dialog->open();
}

}  // namespace

void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize&)>& chosen) {
  for (const PictureSize& size : kPictureSizes)
    QObject::connect(menu.addAction(PictureSizes::tr("%1 × %2 cm…").arg(size.widthCm).arg(size.heightCm)),
                     &QAction::triggered, &parent, [chosen, size] { chosen(size); });
  QObject::connect(menu.addAction(PictureSizes::tr("Own size…")), &QAction::triggered, &parent,
                   [&parent, chosen] { askSize(parent, chosen); });
}

}  // namespace batchwise
