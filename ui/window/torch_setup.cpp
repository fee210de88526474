// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/torch_setup.h"

#include <QtCore/QFile>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QLocale>
#include <QtCore/QTimer>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/folder.h"
#include "core/run/own_program.h"
#include "core/run/torch_library.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/theme/theme.h"

namespace batchwise {
namespace {

constexpr const char* kPython = "BATCHWISE_PYTHON";  // set by the commands that pip installs
constexpr int kStopMs = 2000;

/// What the installer would do; nothing if `line` does not tell.
std::optional<QJsonObject> planIn(const QString& line) {
  const QJsonObject plan = QJsonDocument::fromJson(line.toUtf8()).object();
  const QJsonValue bytes = plan.value(QLatin1String("bytes"));
  const bool isWhole = plan.value(QLatin1String("requirement")).isString() &&
                       plan.value(QLatin1String("cuda")).isBool() && (bytes.isDouble() || bytes.isNull()) &&
                       plan.value(QLatin1String("folder")).isString() && plan.value(QLatin1String("free")).isDouble();
  return isWhole ? std::optional(plan) : std::nullopt;
}

/// The last line of what a program wrote; a line that it wrote over itself counts as several.
QString lastLine(const QByteArray& output) {
  const QString text = QString::fromUtf8(output).trimmed();
  return text.mid(std::max(text.lastIndexOf(QLatin1Char('\n')), text.lastIndexOf(QLatin1Char('\r'))) + 1);
}

}  // namespace

bool lacksTorch() {
  const std::filesystem::path program = trainingProgram();
  if (qEnvironmentVariableIsEmpty(kPython) || !comesWithoutTorch(program)) return false;
  if (!qEnvironmentVariableIsEmpty("BATCHWISE_TORCH")) return false;  // a wrong one is an error of the run
  const auto found = findTorch(processEnvironment(), program, defaultWorkspacePath());
  return !found.ok() || !found->has_value();
}

TorchSetup::TorchSetup(QWidget& parent, std::function<void()> installed)
    : QDialog(&parent),
      installed_(std::move(installed)),
      text_(textLabel(this)),
      line_(textLabel(this)),
      cpu_(new QRadioButton(tr("&Without CUDA: this machine trains on its processor"), this)),
      cuda_(new QRadioButton(tr("With &CUDA, for NVIDIA GPUs"), this)),
      progress_(new QProgressBar(this)) {
  setWindowTitle(tr("Install LibTorch?"));
  line_->setMinimumHeight(2 * line_->fontMetrics().lineSpacing());
  progress_->setRange(0, 0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  install_ = buttons->addButton(tr("Install"), QDialogButtonBox::AcceptRole);
  Theme::setPrimary(install_);
  column(this, {text_, cpu_, cuda_, progress_, line_, buttons});
  setMinimumWidth(60 * fontMetrics().averageCharWidth());
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(install_, &QPushButton::clicked, this, &TorchSetup::install);
  for (QRadioButton* kind : {cpu_, cuda_})
    connect(kind, &QRadioButton::clicked, this, [this, kind] { ask(kind == cuda_); });
  connect(&process_, &QProcess::readyReadStandardOutput, this,
          [this] { showLine(output_, process_.readAllStandardOutput()); });
  connect(&process_, &QProcess::readyReadStandardError, this,
          [this] { showLine(errors_, process_.readAllStandardError()); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) fail(process_.errorString());
  });
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    if (code == 0 && status == QProcess::NormalExit) return (this->*next_)();
    fail(lastLine(errors_.isEmpty() ? output_ : errors_));
  });
  start({QStringLiteral("--tell")}, &TorchSetup::showPlan);
}

TorchSetup::~TorchSetup() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.terminate();
  if (!process_.waitForFinished(kStopMs)) process_.kill();
}

void TorchSetup::offer(QWidget& parent, std::function<void()> installed) {
  TorchSetup* dialog = nullptr;
  for (auto* open : parent.findChildren<TorchSetup*>(Qt::FindDirectChildrenOnly))
    if (open->isVisible()) dialog = open;
  if (dialog == nullptr)
    dialog = new TorchSetup(parent, std::move(installed));
  else
    dialog->installed_ = std::move(installed);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
}

/// Lives on, unseen, until its process has ended.
void TorchSetup::done(int result) {
  QDialog::done(result);
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return deleteLater();
  connect(&process_, &QProcess::finished, this, &QObject::deleteLater);
  process_.terminate();
  QTimer::singleShot(kStopMs, &process_, &QProcess::kill);
}

void TorchSetup::ask(bool cuda) {
  start({QStringLiteral("--tell"), cuda ? QStringLiteral("--cuda") : QStringLiteral("--cpu")}, &TorchSetup::showPlan);
}

void TorchSetup::start(const QStringList& arguments, void (TorchSetup::*afterwards)()) {
  next_ = afterwards;
  output_.clear();
  errors_.clear();
  line_->clear();
  text_->setText(tr("Training needs LibTorch %1, which is not installed. Asking the package server for its size…")
                     .arg(QLatin1String(kTorchVersion)));
  progress_->show();
  for (QWidget* part : std::initializer_list<QWidget*>{cpu_, cuda_, install_}) part->setEnabled(false);
  // By its path: with -m, Python would first look for it in the current folder.
  const std::filesystem::path installer = trainingProgram().parent_path().parent_path() / "setup.py";
  process_.start(qEnvironmentVariable(kPython),
                 QStringList{QStringLiteral("-u"), QFile::decodeName(installer.c_str())} + arguments);
}

void TorchSetup::showPlan() {
  const auto told = planIn(lastLine(output_));
  if (!told) return fail(lastLine(errors_.isEmpty() ? output_ : errors_));
  const QJsonObject& plan = *told;
  const bool cuda = plan.value(QLatin1String("cuda")).toBool();
  (cuda ? cuda_ : cpu_)->setChecked(true);
  const QJsonValue bytes = plan.value(QLatin1String("bytes"));
  folder_ = plan.value(QLatin1String("folder")).toString();
  if (bytes.isDouble() && bytes.toInteger() == 0) return showInstalled();
  const QLocale locale;
  const QString size = bytes.isDouble() ? locale.formattedDataSize(bytes.toInteger(), 1, QLocale::DataSizeSIFormat)
                                        : tr("a size that the server does not tell");
  text_->setText(
      tr("Training needs LibTorch %1, which is not installed. To load: %2, into %3, which has %4 free. "
         "Everything else works without it.")
          .arg(QLatin1String(kTorchVersion), size, folder_,
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

void TorchSetup::showLine(QByteArray& all, const QByteArray& more) {
  all += more;
  line_->setText(lastLine(all).left(200));
}

void TorchSetup::showInstalled() {
  if (lacksTorch()) return reportUseless();
  const std::function<void()> installed = std::move(installed_);
  accept();
  if (installed) installed();
}

void TorchSetup::fail(const QString& what) {
  stop(tr("LibTorch was not installed. Training needs it; everything else works without it."), what);
}

/// Another installation would not help either.
void TorchSetup::reportUseless() {
  stop(tr("Python has LibTorch %1, but this program does not find it. Training needs it; everything else works "
          "without it.")
           .arg(QLatin1String(kTorchVersion)),
       tr("It should be in %1. Name the folder with libtorch.so in the variable BATCHWISE_TORCH, and start the program "
          "again.")
           .arg(folder_));
}

void TorchSetup::stop(const QString& what, const QString& why) {
  progress_->hide();
  text_->setText(what);
  line_->setText(why);
  for (QWidget* part : std::initializer_list<QWidget*>{cpu_, cuda_}) part->setEnabled(true);
}

}  // namespace batchwise
