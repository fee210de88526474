// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/welcome/bring_runs_dialog.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QDropEvent>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>

#include "ui/bridge/studio_settings.h"
#include "ui/models/display_text.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"

namespace batchwise {

BringRunsDialog::BringRunsDialog(ArchiveJobs& jobs, std::shared_ptr<Workspace> workspace, StudioSettings& settings,
                                 QWidget* parent)
    : QDialog(parent), jobs_(jobs), workspace_(std::move(workspace)), settings_(settings) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAcceptDrops(true);
  setObjectName(QStringLiteral("bringRunsDialog"));
  setWindowTitle(tr("Bring my runs"));
  auto* ways = new QGridLayout;
  ways->setColumnStretch(1, 1);
  addWay(*ways, "bringArchives", tr("Archives of runs…"),
         tr("Runs that were exported here or on another machine, with their values and checkpoints."),
         [this] { askArchives(); });
  addWay(*ways, "bringConfiguration", tr("Another trainer's configuration…"),
         tr("A file of Composer, torchtune or DeepSpeed becomes the configuration of the next run."), [this] {
           accept();
           Q_EMIT configurationRequested();
         });
  addWay(*ways, "bringWorkspace", tr("Another workspace…"),
         tr("Opens a folder with all its runs and closes this workspace."), [this] {
           accept();
           Q_EMIT workspaceRequested();
         });
  progress_ = named(new QProgressBar(this), "bringProgress", tr("Importing runs"));
  result_ = named(textLabel(this), "bringResult");
  result_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* buttons = new QDialogButtonBox(this);
  close_ = named(buttons->addButton(QString(), QDialogButtonBox::RejectRole), "bringClose");
  column(this, {ways, progress_, {result_, 1}, buttons});
  connect(buttons, &QDialogButtonBox::rejected, this, &BringRunsDialog::reject);
  connect(&jobs_, &ArchiveJobs::imported, this, [this] { ++imported_; });
  connect(&jobs_, &ArchiveJobs::importFailed, this, [this](const QString& archive, const QString& why) {
    problems_ << tr("%1 cannot be used: %2", "a file and a reason").arg(archive, why);
  });
  connect(&jobs_, &FileJobs::progressChanged, this, &BringRunsDialog::showProgress);
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 18});
  showProgress();
}

void BringRunsDialog::addWay(QGridLayout& ways, const char* name, const QString& title, const QString& description,
                             const std::function<void()>& chosen) {
  const int line = ways.rowCount();
  auto* button = named(new QPushButton(title, this), name);
  button->setAccessibleDescription(description);
  button->setAutoDefault(false);
  ways.addWidget(button, line, 0);
  ways.addWidget(textLabel(this, TextLook::Muted, description), line, 1);
  connect(button, &QPushButton::clicked, this, chosen);
}

void BringRunsDialog::askArchives() {
  const QStringList files =
      QFileDialog::getOpenFileNames(this, tr("Archives of runs"), settings_.folder(QStringLiteral("archive")),
                                    tr("Runs (*.batchwise *.bwrun);;All files (*)"));
  if (files.isEmpty()) return;
  settings_.setFolder(QStringLiteral("archive"), QFileInfo(files.front()).absolutePath());
  importArchives(files);
}

void BringRunsDialog::importArchives(const QStringList& files) {
  if (!jobs_.busy()) {
    asked_ = imported_ = 0;
    problems_.clear();
  }
  asked_ += static_cast<int>(files.size());
  for (const QString& file : files) jobs_.importRun(workspace_, file);
}

void BringRunsDialog::reject() {
  if (!jobs_.busy()) return QDialog::reject();
  while (jobs_.busy()) jobs_.cancel();
}

void BringRunsDialog::showProgress() {
  const bool busy = jobs_.busy();
  progress_->setVisible(busy);
  close_->setText(busy ? jobs_.cancelText() : tr("Close"));
  progress_->setValue(jobs_.percent());
  if (busy) return result_->setText(jobs_.description());
  if (asked_ == 0) return result_->setText(tr("Archives can also be dropped here."));
  const QString folder = QDir::toNativeSeparators(QString::fromStdString(workspace_->folder().string()));
  QStringList lines{plural(imported_, tr("%n run imported into %1"), tr("%n runs imported into %1")).arg(folder)};
  if (const int canceled = asked_ - imported_ - static_cast<int>(problems_.size()); canceled > 0)
    lines << plural(canceled, tr("%n archive not imported: canceled"), tr("%n archives not imported: canceled"));
  result_->setText((lines + problems_).join(QLatin1Char('\n')));
}

void BringRunsDialog::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void BringRunsDialog::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  importArchives(files);
}

}  // namespace batchwise
