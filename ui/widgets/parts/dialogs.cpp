// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/dialogs.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtGui/QActionGroup>
#include <QtGui/QShortcut>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>

#include "ui/bridge/studio_settings.h"

namespace batchwise {
namespace {

struct Dialogs {
  Q_DECLARE_TR_FUNCTIONS(Dialogs)
};

}  // namespace

std::optional<QString> askText(QWidget& parent, const TextQuestion& question) {
  QInputDialog dialog(&parent);
  dialog.setWindowTitle(question.title);
  dialog.setLabelText(question.label);
  dialog.setOption(QInputDialog::UsePlainTextEditForTextInput, question.severalLines);
  dialog.setTextValue(question.text);
  dialog.setOkButtonText(question.accept);
  const auto* done = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), &dialog);
  QObject::connect(done, &QShortcut::activated, &dialog, &QDialog::accept);
  return dialog.exec() == QDialog::Accepted ? std::optional(dialog.textValue()) : std::nullopt;
}

void setTexts(QMessageBox& box, const QString& title, const QString& text, const QString& details) {
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(title);
  box.setTextFormat(Qt::PlainText);
  box.setText(text);
  box.setInformativeText(details);
}

bool confirm(QWidget& parent, const Confirmation& question) {
  QMessageBox box(&parent);
  setTexts(box, question.title, question.text, question.details);
  const auto* accept = box.addButton(question.accept, QMessageBox::AcceptRole);
  auto* cancel = box.addButton(Dialogs::tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == accept;
}

QString askForFileToWrite(QWidget& parent, const FileQuestion& question) {
  QString chosen;
  const QString file = QFileDialog::getSaveFileName(&parent, question.title, question.name, question.filters, &chosen);
  if (file.isEmpty() || QFileInfo(file).fileName().contains(QLatin1Char('.'))) return file;
  static const QRegularExpression firstEnding(QStringLiteral("\\*(\\.\\w+)"));
  const QString whole = file + firstEnding.match(chosen).captured(1);
  if (whole == file || !QFileInfo::exists(whole)) return whole;
  // The dialog has only asked about the name without the ending.
  const Confirmation replace = {Dialogs::tr("Replace the file?"),
                                Dialogs::tr("%1 already exists.").arg(QDir::toNativeSeparators(whole)),
                                {},
                                Dialogs::tr("Replace")};
  return confirm(parent, replace) ? whole : QString();
}

QString askForFileToWrite(QWidget& parent, StudioSettings& settings, const QString& purpose,
                          const FileQuestion& question) {
  const QString name = settings.folder(purpose) + QLatin1Char('/') + question.name;
  const QString file = askForFileToWrite(parent, {question.title, name, question.filters});
  if (!file.isEmpty()) settings.setFolder(purpose, QFileInfo(file).absolutePath());
  return file;
}

QString askForFileToRead(QWidget& parent, StudioSettings& settings, const QString& purpose,
                         const FileQuestion& question) {
  const QString file =
      QFileDialog::getOpenFileName(&parent, question.title, settings.folder(purpose), question.filters);
  if (!file.isEmpty()) settings.setFolder(purpose, QFileInfo(file).absolutePath());
  return file;
}

namespace {

QDoubleSpinBox* lengthBox(QDialog& dialog, double value) {
  auto* box = new QDoubleSpinBox(&dialog);
  box->setRange(2, 200);
  box->setDecimals(1);
  box->setSingleStep(0.5);
  box->setSuffix(Dialogs::tr(" cm"));
  box->setValue(value);
  return box;
}

/// Asks for a custom size, starting from the one accepted last.
void askSize(QWidget& parent, const std::function<void(const PictureSize&)>& chosen, const PictureRows& rows) {
  static PictureSize last = kPictureSizes[1];
  auto* dialog = new QDialog(&parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("pictureSize"));
  dialog->setWindowTitle(Dialogs::tr("Picture size"));
  auto* width = lengthBox(*dialog, last.widthCm);
  auto* height = lengthBox(*dialog, last.heightCm);
  auto* dots = new QSpinBox(dialog);
  dots->setRange(50, 1200);
  dots->setValue(last.dpi);
  dots->setSuffix(Dialogs::tr(" dpi"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
  buttons->addButton(Dialogs::tr("Export…"), QDialogButtonBox::AcceptRole);
  for (QAbstractButton* button : buttons->buttons()) button->setIcon({});
  auto* form = new QFormLayout(dialog);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  form->addRow(Dialogs::tr("Width"), width);
  form->addRow(Dialogs::tr("Height"), height);
  form->addRow(Dialogs::tr("PNG resolution"), dots);
  if (rows.add) rows.add(*form);
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

void addChoices(QMenu& menu, const std::vector<MenuChoice>& choices) {
  auto* group = new QActionGroup(&menu);
  for (const MenuChoice& choice : choices) {
    auto* action = group->addAction(menu.addAction(choice.text));
    action->setCheckable(true);
    action->setChecked(choice.checked);
    QObject::connect(action, &QAction::triggered, &menu, choice.choose);
  }
}

void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize&)>& chosen,
                     const PictureRows& rows) {
  for (const PictureSize& size : kPictureSizes)
    QObject::connect(menu.addAction(Dialogs::tr("%1 × %2 cm…").arg(size.widthCm).arg(size.heightCm)),
                     &QAction::triggered, &parent, [chosen, size] { chosen(size); });
  QObject::connect(menu.addAction(rows.add ? rows.text : Dialogs::tr("Custom size…")), &QAction::triggered, &parent,
                   [&parent, chosen, rows] { askSize(parent, chosen, rows); });
}

}  // namespace batchwise
