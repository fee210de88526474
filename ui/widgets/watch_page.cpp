// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/watch_page.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSlider>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QVBoxLayout>

#include "core/base/format.h"
#include "ui/models/words.h"
#include "ui/widgets/chart_grid.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/series_chart.h"

namespace batchwise {
namespace {

QLabel* plainLabel(QWidget* parent, TextLook look, const QString& text = {}) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  Theme::setLook(label, look);
  return label;
}

QString stateSentence(const RunSummary& run) {
  QStringList parts{statusWord(run.status)};
  if (run.plannedBatches > 0)
    parts << WatchPage::tr("batch %1 of %2").arg(integerText(run.at.batch), integerText(run.plannedBatches));
  if (run.at.token > 0) parts << WatchPage::tr("%1 tokens").arg(toQt(formatCount(static_cast<double>(run.at.token))));
  if (run.loss) parts << WatchPage::tr("loss %1").arg(valueText(*run.loss, ValueFormat::Plain));
  if (run.evalLoss) parts << WatchPage::tr("evaluation %1").arg(valueText(*run.evalLoss, ValueFormat::Plain));
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

WatchPage::WatchPage(WatchPresenter& presenter, RunListModel& runs, const Theme& theme, QWidget* parent)
    : QWidget(parent), presenter_(presenter), runs_(runs), theme_(theme), pages_(new QStackedLayout(this)) {
  runPage_ = new QWidget(this);
  makeCharts();
  auto* layout = new QVBoxLayout(runPage_);
  layout->setContentsMargins(0, 8, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(makeHeader());
  layout->addWidget(grid_, 1);
  emptyPage_ = makeEmptyPage();
  startPage_ = makeStartPage();
  for (QWidget* page : {emptyPage_, startPage_, runPage_}) pages_->addWidget(page);

  connect(&presenter_, &WatchPresenter::selectionChanged, this, [this] {
    showHeader();
    choosePage();
  });
  connect(&runs_, &QAbstractItemModel::dataChanged, this, &WatchPage::showHeader);
  choosePage();
}

void WatchPage::makeCharts() {
  const QString none = tr("Values appear after the first global batch");
  loss_ = new SeriesChart(
      {tr("Loss"), tr("nats per masked token, over global batches"), ValueFormat::Plain, false, none}, theme_);
  rate_ = new SeriesChart({tr("Learning rate"), tr("per step"), ValueFormat::Rate, true, none}, theme_);
  batch_ = new SeriesChart({tr("Batch size"), tr("samples per step"), ValueFormat::Count, true, none}, theme_);
  memory_ = new SeriesChart({tr("Memory"), tr("GiB per device"), ValueFormat::Gibibytes, true, none}, theme_);
  grid_ = new ChartGrid(runPage_);
  for (SeriesChart* chart : {loss_, rate_, batch_, memory_}) grid_->addChart(chart);
}

QWidget* WatchPage::makeHeader() {
  auto* header = new QWidget(runPage_);
  name_ = plainLabel(header, TextLook::Heading);
  state_ = new ElidedLabel(header);
  Theme::setLook(state_, TextLook::Muted);
  wholeRun_ = new QCheckBox(tr("Whole run"), header);
  wholeRun_->setToolTip(tr("The axes reach to the planned end of the run"));
  wholeRun_->setChecked(presenter_.options().wholeRun);
  auto* word = new QLabel(tr("Smoothing"), header);
  smoothing_ = new QSlider(Qt::Horizontal, header);
  smoothing_->setRange(0, 99);
  smoothing_->setValue(static_cast<int>(presenter_.options().smoothing * 100));
  smoothing_->setFixedWidth(96);
  smoothing_->setAccessibleName(tr("Smoothing of the loss"));
  smoothing_->setToolTip(tr("Weight of the values before in the thick line; the thin one shows every value"));
  word->setBuddy(smoothing_);
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(16, 0, 16, 0);
  layout->setSpacing(8);
  layout->addWidget(name_);
  layout->addWidget(state_, 1);
  layout->addWidget(wholeRun_);
  layout->addSpacing(8);
  layout->addWidget(word);
  layout->addWidget(smoothing_);
  const auto changed = [this] { presenter_.setOptions({smoothing_->value() / 100.0, wholeRun_->isChecked()}); };
  connect(wholeRun_, &QCheckBox::toggled, this, changed);
  connect(smoothing_, &QSlider::valueChanged, this, changed);
  return header;
}

QWidget* WatchPage::makeEmptyPage() {
  auto* page = new QWidget(this);
  auto* label =
      plainLabel(page, TextLook::Muted, tr("The charts of a run will be here. Choose one on the left, or make one."));
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignCenter);
  auto* button = new QPushButton(tr("New run"), page);
  Theme::setPrimary(button);
  auto* layout = new QVBoxLayout(page);
  layout->addStretch();
  layout->addWidget(label);
  layout->addWidget(button, 0, Qt::AlignHCenter);
  layout->addStretch();
  connect(button, &QPushButton::clicked, this, &WatchPage::newRunWanted);
  return page;
}

QWidget* WatchPage::makeStartPage() {
  auto* page = new QWidget(this);
  startPhase_ = plainLabel(page, TextLook::Heading);
  startDetail_ = plainLabel(page, TextLook::Muted);
  for (QLabel* label : {startPhase_, startDetail_}) label->setAlignment(Qt::AlignHCenter);
  startBar_ = new QProgressBar(page);
  startBar_->setTextVisible(false);
  startBar_->setFixedWidth(320);
  startBar_->setAccessibleName(tr("Progress of the preparation"));
  auto* layout = new QVBoxLayout(page);
  layout->addStretch();
  layout->addWidget(startPhase_);
  layout->addWidget(startBar_, 0, Qt::AlignHCenter);
  layout->addWidget(startDetail_);
  layout->addStretch();
  return page;
}

void WatchPage::showProgress(const TrainingState& progress) {
  starting_ = progress.phase != RunPhase::Idle && progress.run.isEmpty();
  if (starting_) {
    startPhase_->setText(progress.activity);
    const bool known = progress.activityTotal > 0;
    startBar_->setRange(0, known ? 1000 : 0);
    startBar_->setValue(known ? static_cast<int>(1000 * progress.activityDone / progress.activityTotal) : 0);
    startDetail_->setText(tr("Preparing %1. The charts appear with the first global batch.").arg(progress.name));
  }
  choosePage();
}

void WatchPage::choosePage() {
  QWidget* page = runPage_;
  if (starting_ && presenter_.selected().isEmpty())
    page = startPage_;
  else if (presenter_.selected().isEmpty())
    page = emptyPage_;
  if (pages_->currentWidget() != page) pages_->setCurrentWidget(page);
}

void WatchPage::showHeader() {
  const RunSummary* run = runs_.find(presenter_.selected());
  if (run == nullptr) return;
  name_->setText(toQt(run->name));
  state_->setText(stateSentence(*run));
  state_->setToolTip(run->reason.empty() ? state_->text() : sentenceCase(reasonText(run->reason)));
}

void WatchPage::repaintCharts() {
  if (!isVisible() || !presenter_.takeDirty()) return;
  const RunView& view = presenter_.view();
  const ChartOptions& options = presenter_.options();
  loss_->setContent(batchwise::lossChart(view, options));
  rate_->setContent(rateChart(view, options));
  batch_->setContent(batchChart(view, options));
  memory_->setContent(memoryChart(view, options));
}

}  // namespace batchwise
