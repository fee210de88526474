// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/queue_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QAction>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QTreeWidget>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/parts/table_views.h"

namespace batchwise {

QueuePane::QueuePane(QueuePresenter& queue, ModelJobs& jobs, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      queue_(queue),
      jobs_(jobs),
      view_(tableView(this, queue.model(), theme, "queue", tr("Queue of runs"))),
      state_(textLabel(this, TextLook::Small)),
      startOrHold_(new QPushButton(this)),
      onError_(new QCheckBox(tr("Continue after a failure"), this)) {
  view_->header()->setSectionResizeMode(QueueModel::NameColumn, QHeaderView::Stretch);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  startOrHold_->setObjectName(QStringLiteral("queueGo"));
  onError_->setToolTip(tr("After a run fails, the queue starts the next one"));
  makeActions();

  auto* tools = new QWidget(this);
  auto* row = new FlowLayout(tools);
  row->addWidget(startOrHold_);
  for (QAction* action : {earlier_, later_, remove_, clear_}) {
    auto* button = new QToolButton(tools);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
    entryWidgets_ << button;
  }
  entryWidgets_ << view_;
  state_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  row->addWidget(onError_);
  // The view takes all space while there are entries.
  column(this, {tools, {state_, 1}, {view_, 100}, {makeJobs(theme), 50}}, {{8, 4, 8, 4}, 4});

  connect(startOrHold_, &QPushButton::clicked, this, [this] { queue_.isStarted() ? queue_.pause() : queue_.start(); });
  connect(onError_, &QCheckBox::toggled, &queue_, &QueuePresenter::setContinueOnError);
  connect(&queue_, &QueuePresenter::changed, this, &QueuePane::update);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &QueuePane::update);
  // Moving an entry resets the model: keep the same one selected.
  connect(&queue_.model(), &QAbstractItemModel::modelAboutToBeReset, this, [this] { chosen_ = selected(); });
  connect(&queue_.model(), &QAbstractItemModel::modelReset, this,
          [this] { view_->setCurrentIndex(queue_.model().index(queue_.model().rowOf(chosen_), 0)); });
  connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    if (const QueueEntry* run = queue_.model().at(index.row()); run->hasBegun) Q_EMIT runChosen(toQt(run->id));
  });
  update();
  showJobs();
}

void QueuePane::makeActions() {
  earlier_ = addListAction(*view_, "queue_earlier", tr("Move up"), Qt::ALT | Qt::Key_Up);
  later_ = addListAction(*view_, "queue_later", tr("Move down"), Qt::ALT | Qt::Key_Down);
  remove_ = addListAction(*view_, "queue_remove", tr("Remove"), Qt::Key_Delete);
  clear_ = addListAction(*view_, "queue_remove_ended", tr("Remove ended"), {});
  clear_->setToolTip(tr("Remove ended entries from the queue; their runs are not deleted"));
  connect(earlier_, &QAction::triggered, this, [this] { queue_.move(selected(), -1); });
  connect(later_, &QAction::triggered, this, [this] { queue_.move(selected(), 1); });
  connect(remove_, &QAction::triggered, this, [this] { queue_.remove(selected()); });
  connect(clear_, &QAction::triggered, &queue_, &QueuePresenter::removeEnded);
}

QWidget* QueuePane::makeJobs(const Theme& theme) {
  jobsPart_ = new QWidget(this);
  jobsView_ = new QTreeWidget(jobsPart_);
  setUpTable(*jobsView_, "modelJobs", tr("Models to evaluate and judge"));
  jobsView_->setHeaderLabels({tr("Model"), tr("State")});
  jobsView_->setItemDelegate(new IconDelegate(theme, jobsView_));
  jobsView_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  startJob_ = named(new QPushButton(tr("Start now"), jobsPart_), "startModelJob", {},
                    tr("Start the first one though a run trains; both become slower"));
  cancelJob_ = named(new QPushButton(tr("Cancel"), jobsPart_), "cancelModelJob", {},
                     tr("Remove the selected one; scores that it has computed are kept"));
  column(jobsPart_, {row(nullptr, {startJob_, cancelJob_, stretch(1)}, {{0, 0, 0, 0}, 8}), {jobsView_, 1}},
         {{0, 0, 0, 0}, 4});
  connect(startJob_, &QPushButton::clicked, &jobs_, &ModelJobs::startNow);
  connect(cancelJob_, &QPushButton::clicked, this,
          [this] { jobs_.cancel(std::max(0, jobsView_->indexOfTopLevelItem(jobsView_->currentItem()))); });
  connect(&jobs_, &ModelJobs::changed, this, &QueuePane::showJobs);
  return jobsPart_;
}

void QueuePane::showJobs() {
  const auto count = static_cast<int>(jobs_.all().size());
  jobsPart_->setVisible(count > 0);
  startJob_->setVisible(jobs_.waitsForRun());
  while (jobsView_->topLevelItemCount() > count) delete jobsView_->takeTopLevelItem(count);
  for (int i = 0; i < count; ++i) {
    QTreeWidgetItem* item = jobsView_->topLevelItem(i);
    if (item == nullptr) item = new QTreeWidgetItem(jobsView_);
    item->setText(0, jobs_.all()[static_cast<std::size_t>(i)].title);
    item->setText(1, jobs_.stateOf(i));
  }
}

QString QueuePane::selected() const {
  return view_->currentIndex().data(QueueModel::IdRole).toString();
}

void QueuePane::update() {
  const int rows = queue_.model().rowCount();
  for (QWidget* each : entryWidgets_) each->setVisible(rows > 0);
  const auto waiting = static_cast<int>(queue_.waiting());
  const QueueEntry* current = queue_.model().at(view_->currentIndex().row());
  const bool waits = current != nullptr && current->waits();
  earlier_->setEnabled(waits);
  later_->setEnabled(waits);
  remove_->setEnabled(current != nullptr && current->status != RunStatus::Running);
  bool anyEnded = false, anyExperiment = false;
  for (int row = 0; row < rows; ++row) {
    const QueueEntry& entry = *queue_.model().at(row);
    anyEnded = anyEnded || entry.ended();
    anyExperiment = anyExperiment || !entry.experiment.empty();
  }
  clear_->setEnabled(anyEnded);
  view_->setColumnHidden(QueueModel::ExperimentColumn, !anyExperiment);
  startOrHold_->setText(queue_.isStarted() ? tr("Hold the queue") : tr("Start the queue"));
  startOrHold_->setEnabled(queue_.isStarted() || waiting > 0);
  {
    const QSignalBlocker quiet(onError_);
    onError_->setChecked(queue_.continuesOnError());
  }
  if (rows == 0)
    state_->setText(
        tr("Runs that are added under Edit are trained on this machine one after the other, also after a restart."));
  else if (!queue_.pauseReason().isEmpty())
    state_->setText(tr("Held: %1", "%1: a sentence of the program").arg(queue_.pauseReason()));
  else if (waiting == 0)
    state_->setText(tr("No runs waiting"));
  else if (queue_.isStarted())
    state_->setText(plural(waiting, tr("%n run waiting; it starts when no other one trains on this machine"),
                           tr("%n runs waiting; each starts when no other one trains on this machine")));
  else
    state_->setText(plural(waiting, tr("%n run waiting, not started"), tr("%n runs waiting, not started")));
}

}  // namespace batchwise
