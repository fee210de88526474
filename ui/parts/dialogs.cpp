// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/dialogs.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtGui/QActionGroup>
#include <QtGui/QShortcut>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>

#include "ui/bridge/studio_settings.h"
#include "ui/parts/layouts.h"
#include "ui/theme/theme.h"

namespace batchwise {
std::optional<QString> askText(QWidget& parent, const TextQuestion& question) {
  QInputDialog dialog(&parent);
  dialog.setWindowTitle(question.title);
  dialog.setLabelText(question.label);
  dialog.setOption(QInputDialog::UsePlainTextEditForTextInput, question.severalLines);
  dialog.setTextValue(question.text);
  dialog.setOkButtonText(question.accept);
  if (auto* label = dialog.findChild<QLabel*>()) label->setWordWrap(true);  // else it widens the dialog
  // Names of runs are long.
  if (auto* line = dialog.findChild<QLineEdit*>()) line->setMinimumWidth(48 * line->fontMetrics().averageCharWidth());
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
  auto* cancel = box.addButton(QObject::tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == accept;
}

QPushButton* addMainButton(QDialog& dialog, QDialogButtonBox& buttons, QDialogButtonBox::ButtonRole role,
                           const QString& text, const char* name) {
  auto* button = named(buttons.addButton(text, role), name);
  Theme::setPrimary(button);
  button->setDefault(true);
  QObject::connect(&buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  return button;
}

QString askForFileToWrite(QWidget& parent, const FileQuestion& question) {
  QString chosen;
  const QString file = QFileDialog::getSaveFileName(&parent, question.title, question.name, question.filters, &chosen);
  if (file.isEmpty() || QFileInfo(file).fileName().contains(QLatin1Char('.'))) return file;
  static const QRegularExpression firstEnding(QStringLiteral("\\*(\\.\\w+)"));
  const QString whole = file + firstEnding.match(chosen).captured(1);
  if (whole == file || !QFileInfo::exists(whole)) return whole;
  // The dialog has only asked about the name without the ending.
  const Confirmation replace = {QObject::tr("Replace the file?"),
                                QObject::tr("%1 already exists.").arg(QDir::toNativeSeparators(whole)),
                                {},
                                QObject::tr("Replace")};
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

QString askForFolder(QWidget& parent, StudioSettings& settings, const QString& purpose, const QString& title) {
  const QString folder = QFileDialog::getExistingDirectory(&parent, title, settings.folder(purpose));
  if (!folder.isEmpty()) settings.setFolder(purpose, folder);
  return folder;
}

namespace {

QDoubleSpinBox* lengthBox(QDialog& dialog, double value) {
  auto* box = new QDoubleSpinBox(&dialog);
  box->setRange(2, 200);
  box->setDecimals(1);
  box->setSingleStep(0.5);
  box->setSuffix(QObject::tr(" cm"));
  box->setValue(value);
  return box;
}

}  // namespace

PictureDialog::PictureDialog(QWidget& parent) : QDialog(&parent), form_(new QFormLayout) {
  static PictureSize last = kPictureSizes[1];
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName(QStringLiteral("pictureSize"));
  setWindowTitle(QObject::tr("Picture size"));
  width_ = lengthBox(*this, last.widthCm);
  height_ = lengthBox(*this, last.heightCm);
  dots_ = new QSpinBox(this);
  dots_->setRange(50, 1200);
  dots_->setValue(last.dpi);
  dots_->setSuffix(QObject::tr(" dpi"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(QObject::tr("Export…"), QDialogButtonBox::AcceptRole);
  for (QAbstractButton* button : buttons->buttons()) button->setIcon({});
  form_->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  form_->addRow(QObject::tr("Width"), width_);
  form_->addRow(QObject::tr("Height"), height_);
  form_->addRow(QObject::tr("PNG resolution"), dots_);
  column(this, {form_, buttons});
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    last = pictureSize();
    accept();
  });
}

PictureSize PictureDialog::pictureSize() const {
  return {width_->value(), height_->value(), dots_->value()};
}

void addChoices(QMenu& menu, const std::vector<MenuChoice>& choices) {
  auto* group = new QActionGroup(&menu);
  for (const MenuChoice& choice : choices) {
    auto* action = group->addAction(menu.addAction(choice.text));
    action->setCheckable(true);
    action->setChecked(choice.checked);
    QObject::connect(action, &QAction::triggered, &menu, choice.choose);
  }
}

void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize& size)>& chosen) {
  for (const PictureSize& size : kPictureSizes)
    QObject::connect(menu.addAction(QObject::tr("%1 × %2 cm…").arg(size.widthCm).arg(size.heightCm)),
                     &QAction::triggered, &parent, [chosen, size] { chosen(size); });
}

}  // namespace batchwise
