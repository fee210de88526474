// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/import_window.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTreeWidget>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr std::array kFormats = {
    std::pair(ExternalFormat::Composer, "Composer"), std::pair(ExternalFormat::Torchtune, "torchtune"),
    std::pair(ExternalFormat::DeepSpeed, "DeepSpeed"), std::pair(ExternalFormat::Transformers, "transformers"),
    std::pair(ExternalFormat::Xlm, "XLM")};

QString formatName(ExternalFormat format) {
  for (const auto& [known, word] : kFormats)
    if (known == format) return QString::fromLatin1(word);
  return {};
}

QTreeWidgetItem* section(QTreeWidget* report, const QString& title, std::size_t count) {
  auto* item = new QTreeWidgetItem(report, {title.arg(count)});
  item->setFirstColumnSpanned(true);
  item->setExpanded(true);
  return item;
}

/// Adds a row whose cells have their full text as tooltip.
void addRow(QTreeWidgetItem* section, const QStringList& texts) {
  auto* item = new QTreeWidgetItem(section, texts);
  for (int column = 0; column < texts.size(); ++column) item->setToolTip(column, plainToolTip(texts[column]));
}

}  // namespace

ImportWindow::ImportWindow(const QString& name, std::string text, const Theme& theme, QWidget* parent)
    : QDialog(parent), name_(name), text_(std::move(text)) {
  setWindowTitle(tr("New run from another trainer's file"));
  summary_ = textLabel(this);
  report_ = named(new QTreeWidget(this), "importAccount", tr("How each setting is imported"));
  report_->setHeaderLabels({tr("In the file"), tr("Here"), tr("Remarks")});
  report_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  report_->header()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 60);
  report_->setUniformRowHeights(true);
  report_->setItemDelegate(new IconDelegate(theme, report_));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  use_ = buttons->addButton(tr("Edit as the next run"), QDialogButtonBox::AcceptRole);
  use_->setObjectName(QStringLiteral("importUse"));
  Theme::setPrimary(use_);
  use_->setAutoDefault(false);  // Enter in a field completes the input and imports again
  column(this, {summary_, makeChoices(), {report_, 1}, buttons});
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 34});
  read();
}

QWidget* ImportWindow::makeChoices() {
  auto* row = new QWidget(this);
  format_ = named(new QComboBox(row), "importFormat");
  format_->addItem(tr("detect automatically"));
  for (const auto& [format, word] : kFormats) format_->addItem(QString::fromLatin1(word), static_cast<int>(format));
  devices_ = named(new QSpinBox(row), "importDevices", {},
                   tr("Sizes that the file gives per device are multiplied by this number"));
  devices_->setRange(0, 1 << 20);
  devices_->setKeyboardTracking(false);
  devices_->setSpecialValueText(tr("unknown"));
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  for (const auto& [words, field] : {std::pair<QString, QWidget*>(tr("&Trainer"), format_),
                                     std::pair<QString, QWidget*>(tr("&Devices"), devices_)}) {
    auto* label = new QLabel(words, row);
    label->setBuddy(field);
    layout->addWidget(label);
    layout->addWidget(field);
  }
  partly_ = named(new QCheckBox(tr("Import &partly"), row), "importPartly", {},
                  tr("Import what can be imported, although the result would train another model"));
  layout->addWidget(partly_);
  layout->addStretch();
  connect(partly_, &QCheckBox::toggled, this, &ImportWindow::read);
  connect(format_, &QComboBox::currentIndexChanged, this, &ImportWindow::read);
  connect(devices_, &QSpinBox::valueChanged, this, &ImportWindow::read);
  return row;
}

void ImportWindow::read() {
  ImportOptions options;
  if (const QVariant chosen = format_->currentData(); chosen.isValid())
    options.format = static_cast<ExternalFormat>(chosen.toInt());
  if (devices_->value() > 0) options.devices = devices_->value();
  options.partly = partly_->isChecked();
  Result<ConfigImport> import = importConfig(text_, name_.toStdString(), options);
  report_->clear();
  use_->setEnabled(import.ok());
  import_.reset();
  if (!import.ok()) {
    summary_->setText(sentenceCase(toQt(import.error().text())));
    return;
  }
  import_ = std::move(*import);
  describe(*import_);
}

void ImportWindow::describeNotTaken(const ConfigImport& import, ImportEffect effect, const QString& title) {
  const auto has = [effect](const SettingNotTaken& setting) { return setting.effect == effect; };
  const auto count = std::ranges::count_if(import.notTaken, has);
  if (count == 0) return;
  auto* rows = section(report_, title, static_cast<std::size_t>(count));
  for (const SettingNotTaken& setting : import.notTaken)
    if (has(setting))
      addRow(rows, {toQt(setting.value.empty() ? setting.key : setting.key + " = " + setting.value), tr("–"),
                    sentenceCase(toQt(setting.why))});
}

void ImportWindow::describe(const ConfigImport& import) {
  const QString result =
      tr("%1 is a configuration of %2. Settings that are not imported can be set by hand before the launch.")
          .arg(name_, formatName(import.format));
  summary_->setText(
      import.isPartial() ? tr("The result trains another model than %1: see what is not theirs.").arg(name_) : result);
  describeNotTaken(import, ImportEffect::Differs, tr("Not theirs: %1"));
  describeNotTaken(import, ImportEffect::ToBeGiven, tr("To be named by you: %1"));
  describeNotTaken(import, ImportEffect::None, tr("Not imported: %1"));
  auto* rows = section(report_, tr("Imported: %1"), import.taken.size());
  for (const TakenSetting& setting : import.taken)
    addRow(rows,
           {toQt(setting.from), tr("%1: %2", "a field and its value").arg(fieldLabel(setting.to), toQt(setting.value)),
            sentenceCase(toQt(setting.note))});
  if (import.notes.empty()) return;
  auto* notes = section(report_, tr("Notes: %1"), import.notes.size());
  for (const std::string& note : import.notes) addRow(notes, {sentenceCase(toQt(note))});
  for (int row = 0; row < notes->childCount(); ++row) notes->child(row)->setFirstColumnSpanned(true);
}

}  // namespace batchwise
