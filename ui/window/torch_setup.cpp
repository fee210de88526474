// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/torch_setup.h"

#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QLocale>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QVBoxLayout>
#include <algorithm>

#include "core/base/folder.h"
#include "core/run/own_program.h"
#include "core/run/torch_library.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr const char* kPython = "BATCHWISE_PYTHON";  // set by the commands that pip installs
constexpr int kStopMs = 2000;

/// The last line of what a program wrote; a line that it wrote over itself counts as several.
QString lastLine(const QByteArray& output) {
  const QString text = QString::fromUtf8(output).trimmed();
  return text.mid(std::max(text.lastIndexOf(QLatin1Char('\n')), text.lastIndexOf(QLatin1Char('\r'))) + 1);
}

}  // namespace

bool lacksTorch() {
  if (qEnvironmentVariableIsEmpty(kPython) || !qEnvironmentVariableIsEmpty("BATCHWISE_TORCH")) return false;
  if (!comesWithoutTorch(ownProgram())) return false;
  const auto found = findTorch(processEnvironment(), ownProgram(), defaultWorkspacePath());
  return !found.ok() || !found->has_value();
}

TorchSetup::TorchSetup(QWidget& parent, std::function<void()> installed)
    : QDialog(&parent),
      installed_(std::move(installed)),
      text_(new QLabel(this)),
      line_(new QLabel(this)),
      cpu_(new QRadioButton(tr("&Without CUDA: this machine trains on its processor"), this)),
      cuda_(new QRadioButton(tr("With &CUDA, for NVIDIA GPUs"), this)),
      progress_(new QProgressBar(this)) {
  setWindowTitle(tr("Install LibTorch?"));
  setAttribute(Qt::WA_DeleteOnClose);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  line_->setWordWrap(true);
  line_->setTextFormat(Qt::PlainText);
  line_->setMinimumHeight(2 * line_->fontMetrics().lineSpacing());
  progress_->setRange(0, 0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  install_ = buttons->addButton(tr("Install"), QDialogButtonBox::AcceptRole);
  auto* layout = new QVBoxLayout(this);
  for (QWidget* part : std::initializer_list<QWidget*>{text_, cpu_, cuda_, progress_, line_, buttons})
    layout->addWidget(part);
  setMinimumWidth(60 * fontMetrics().averageCharWidth());
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(install_, &QPushButton::clicked, this, &TorchSetup::install);
  for (QRadioButton* kind : {cpu_, cuda_})
    connect(kind, &QRadioButton::clicked, this, [this, kind] { ask(kind == cuda_); });
  process_.setProcessChannelMode(QProcess::MergedChannels);
  connect(&process_, &QProcess::readyRead, this, &TorchSetup::showLine);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) fail(process_.errorString());
  });
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    showLine();
    if (code == 0 && status == QProcess::NormalExit) return (this->*done_)();
    fail(lastLine(output_));
  });
  start({QStringLiteral("--tell")}, &TorchSetup::showPlan);
}

TorchSetup::~TorchSetup() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.terminate();
  if (!process_.waitForFinished(kStopMs)) process_.kill();
}

void TorchSetup::ask(bool cuda) {
  start({QStringLiteral("--tell"), cuda ? QStringLiteral("--cuda") : QStringLiteral("--cpu")}, &TorchSetup::showPlan);
}

void TorchSetup::start(const QStringList& arguments, void (TorchSetup::*afterwards)()) {
  done_ = afterwards;
  output_.clear();
  line_->clear();
  text_->setText(tr("Training needs LibTorch %1, which is not installed. Asking the package server for its size…")
                     .arg(QLatin1String(kTorchVersion)));
  progress_->show();
  for (QWidget* part : std::initializer_list<QWidget*>{cpu_, cuda_, install_}) part->setEnabled(false);
  process_.start(
      qEnvironmentVariable(kPython),
      QStringList{QStringLiteral("-u"), QStringLiteral("-m"), QStringLiteral("batchwise.setup")} + arguments);
}

void TorchSetup::showPlan() {
  const QJsonObject plan = QJsonDocument::fromJson(lastLine(output_).toUtf8()).object();
  const bool cuda = plan.value(QLatin1String("cuda")).toBool();
  (cuda ? cuda_ : cpu_)->setChecked(true);
  const QJsonValue bytes = plan.value(QLatin1String("bytes"));
  const QLocale locale;
  const QString size = bytes.isDouble() ? locale.formattedDataSize(bytes.toInteger(), 1, QLocale::DataSizeSIFormat)
                                        : tr("a size that the server does not tell");
  text_->setText(
      tr("Training needs LibTorch %1, which is not installed. To load: %2, into %3, which has %4 free. "
         "Everything else works without it.")
          .arg(QLatin1String(kTorchVersion), size, plan.value(QLatin1String("folder")).toString(),
               locale.formattedDataSize(plan.value(QLatin1String("free")).toInteger(), 1, QLocale::DataSizeSIFormat)));
  line_->clear();
  progress_->hide();
  for (QWidget* part : std::initializer_list<QWidget*>{cpu_, cuda_, install_}) part->setEnabled(true);
  install_->setFocus();
}

void TorchSetup::install() {
  start({QStringLiteral("--yes"), cuda_->isChecked() ? QStringLiteral("--cuda") : QStringLiteral("--cpu")},
        &TorchSetup::showInstalled);
  text_->setText(
      tr("Loading and installing LibTorch. Cancel ends it; what has been loaded is kept for the next time."));
}

void TorchSetup::showLine() {
  output_ += process_.readAll();
  line_->setText(lastLine(output_).left(200));
}

void TorchSetup::showInstalled() {
  const std::function<void()> installed = std::move(installed_);
  accept();
  if (installed) installed();
}

void TorchSetup::fail(const QString& what) {
  progress_->hide();
  text_->setText(tr("LibTorch was not installed. Training needs it; everything else works without it."));
  line_->setText(what);
  for (QWidget* part : std::initializer_list<QWidget*>{cpu_, cuda_}) part->setEnabled(true);
}

}  // namespace batchwise
