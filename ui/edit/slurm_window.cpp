// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/slurm_window.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>

#include "core/run/slurm/slurm_submission.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/theme/theme.h"

namespace batchwise {
namespace {

constexpr int kMost = 1'000'000;

QSpinBox* numberBox(QWidget* parent, const char* name, std::int64_t value, int least) {
  auto* box = named(new QSpinBox(parent), name);
  box->setRange(least, kMost);
  box->setValue(static_cast<int>(value));
  return box;
}

QString timeText(std::int64_t minutes) {
  return minutes == 0 ? QString()
                      : QStringLiteral("%1:%2:00").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace

SlurmWindow::SlurmWindow(const SlurmOptions& options, QWidget* parent) : QDialog(parent), before_(options) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Slurm jobs"));
  makeFields();
  placeFields();
  askCluster();
  check();
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 80, sizeHint().height()});
}

void SlurmWindow::makeFields() {
  partition_ = named(new QComboBox(this), "slurmPartition");
  partition_->setEditable(true);
  partition_->setEditText(toQt(before_.partition));
  partition_->lineEdit()->setPlaceholderText(tr("the default of the cluster"));
  nodes_ = numberBox(this, "slurmNodes", before_.nodes, 1);
  gpus_ = numberBox(this, "slurmGpus", before_.gpusPerNode, 0);
  gpus_->setSpecialValueText(tr("none, train on processors"));
  ranks_ = numberBox(this, "slurmRanks", before_.ranksPerNode, 1);
  ranks_->setToolTip(tr("Processes on each machine, one device each. With GPUs: one process per GPU"));
  cores_ = numberBox(this, "slurmCores", before_.coresPerRank, 0);
  cores_->setSpecialValueText(tr("set by the cluster"));
  time_ = named(new QLineEdit(timeText(before_.limitMinutes), this), "slurmTime");
  time_->setPlaceholderText(tr("the limit of the partition"));
  time_->setToolTip(
      tr("Minutes, h:mm:ss or d-hh:mm:ss. Shortly before the limit the run saves a checkpoint, and another job resumes "
         "it"));
  memory_ = named(new QLineEdit(toQt(before_.memory), this), "slurmMemory");
  memory_->setPlaceholderText(tr("set by the cluster; for example 64G"));
  account_ = named(new QLineEdit(toQt(before_.account), this), "slurmAccount");
  cluster_ = textLabel(this, TextLook::Muted);
  cluster_->setMinimumHeight(2 * fontMetrics().lineSpacing());  // the cluster answers later
  cluster_->setAlignment(Qt::AlignTop);
  problem_ = named(textLabel(this, TextLook::Bad), "slurmProblem");
}

void SlurmWindow::placeFields() {
  auto* layout = new QFormLayout(this);
  layout->addRow(tr("&Partition"), partition_);
  layout->addRow(tr("&Machines"), nodes_);
  layout->addRow(tr("&GPUs on each"), gpus_);
  layout->addRow(tr("P&rocesses on each"), ranks_);
  layout->addRow(tr("&Cores of each process"), cores_);
  layout->addRow(tr("&Time limit of a job"), time_);
  layout->addRow(tr("M&emory on each machine"), memory_);
  layout->addRow(tr("&Account"), account_);
  layout->addRow(cluster_);
  layout->addRow(problem_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = addMainButton(*this, *buttons, QDialogButtonBox::AcceptRole, tr("Use for launches"), "slurmAccept");
  layout->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    Q_EMIT chosen(options());
    accept();
  });
  connect(partition_, &QComboBox::editTextChanged, this, &SlurmWindow::check);
  for (QSpinBox* box : {nodes_, gpus_, ranks_, cores_})
    connect(box, &QSpinBox::valueChanged, this, &SlurmWindow::check);
  for (QLineEdit* box : {time_, memory_, account_}) connect(box, &QLineEdit::textChanged, this, &SlurmWindow::check);
}

void SlurmWindow::askCluster() {
  cluster_->setText(tr("Loading the partitions of the cluster…"));
  tasks_.post(
      this, [](std::stop_token stop) { return SlurmClient(std::move(stop)).partitions(); },
      [this](const Result<std::vector<SlurmPartition>>& partitions) { showPartitions(partitions); });
}

void SlurmWindow::showPartitions(const Result<std::vector<SlurmPartition>>& partitions) {
  if (!partitions.ok()) return cluster_->setText(sentenceCase(toQt(partitions.error().text())));
  partitions_ = *partitions;
  const QString typed = partition_->currentText();
  for (const SlurmPartition& one : partitions_) partition_->addItem(toQt(one.name));
  partition_->setEditText(typed);
  check();
}

SlurmOptions SlurmWindow::options() const {
  SlurmOptions options = before_;
  options.partition = partition_->currentText().trimmed().toStdString();
  options.nodes = nodes_->value();
  options.gpusPerNode = gpus_->value();
  options.ranksPerNode = gpus_->value() > 0 ? gpus_->value() : ranks_->value();
  options.coresPerRank = cores_->value();
  options.limitMinutes = slurmMinutes(time_->text().trimmed().toStdString()).value_or(0);
  options.memory = memory_->text().trimmed().toStdString();
  options.account = account_->text().trimmed().toStdString();
  return options;
}

QString SlurmWindow::problem() const {
  const QString time = time_->text().trimmed();
  if (!time.isEmpty() && slurmMinutes(time.toStdString()).value_or(0) < 1)
    return tr("The time limit '%1' is invalid; use minutes, h:mm:ss or d-hh:mm:ss").arg(time);
  const Result<void> meant = checkSlurmOptions(options());
  if (!meant.ok()) return sentenceCase(toQt(meant.error().text()));
  if (partitions_.empty()) return {};
  const auto fits = choosePartition(options(), partitions_);
  return fits.ok() ? QString() : sentenceCase(toQt(fits.error().text()));
}

void SlurmWindow::check() {
  ranks_->setEnabled(gpus_->value() == 0);
  const QString why = problem();
  problem_->setText(why);
  problem_->setVisible(!why.isEmpty());
  accept_->setEnabled(why.isEmpty());
  if (partitions_.empty()) return;
  const auto fits = choosePartition(options(), partitions_);
  cluster_->setVisible(fits.ok());
  if (!fits.ok()) return;
  const QString limit = fits->limitMinutes ? timeText(*fits->limitMinutes) : tr("unlimited");
  cluster_->setText(
      plural(fits->nodes, tr("Partition %1: %n machine, time limit %2"), tr("Partition %1: %n machines, time limit %2"))
          .arg(toQt(fits->name), limit));
}

}  // namespace batchwise
