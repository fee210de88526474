// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/resume_commands.h"

#include <QtGui/QAction>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>

#include "ui/checkpoints/checkpoints_page.h"
#include "ui/edit/field_values.h"
#include "ui/list/record_models.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/run_commands.h"
#include "ui/window/window_actions.h"

namespace batchwise {
namespace {

QString checkpointText(const CheckpointRecord& record) {
  QString words =
      ResumeDialog::tr("global batch %1, %2").arg(integerText(record.at.batch), localTimeText(record.createdMs));
  words += QStringLiteral(", ") + reasonText(record);
  if (record.pinned) words += QStringLiteral(", ") + ResumeDialog::tr("pinned");
  return words;
}

}  // namespace

ResumeDialog::ResumeDialog(ResumableRun which, std::filesystem::path workspace, const QString& checkpoint,
                           QWidget* parent)
    : QDialog(parent), which_(std::move(which)), workspace_(std::move(workspace)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Resume %1").arg(toQt(which_.run.summary.name)));
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  auto* page = new QWidget(area);
  area->setWidget(page);
  auto* form = new QFormLayout(page);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  makeChoices(checkpoint);
  form->addRow(tr("From"), checkpoints_);
  form->addRow(tr("Until"), duration_);
  form->addRow(QString(), stretch_);
  form->addRow(tr("New values"), changes_);
  makeForkName();
  form->addRow(tr("Name of the fork"), forkName_);
  exactness_ = textLabel(page);
  overlap_ = textLabel(page);
  changed_ = textLabel(page);
  problems_ = textLabel(page, TextLook::Bad);
  form->addRow(tr("Restored"), exactness_);
  form->addRow(tr("Repeated steps"), overlap_);
  form->addRow(tr("Changes"), changed_);
  form->addRow(tr("Not possible"), problems_);
  column(this, {{area, 1}});
  makeButtons();
  const int unit = fontMetrics().horizontalAdvance(QLatin1Char('x'));
  resizeWithinScreen(*this, {90 * unit, 30 * fontMetrics().height()});
  describe();
}

void ResumeDialog::makeChoices(const QString& checkpoint) {
  checkpoints_ = named(new QComboBox(this), "resumeCheckpoint", tr("Checkpoint to resume from"));
  checkpoints_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const CheckpointRecord& record : which_.checkpoints)
    checkpoints_->addItem(checkpointText(record), toQt(record.id));
  checkpoints_->setCurrentIndex(std::max(0, checkpoints_->findData(checkpoint)));
  duration_ = named(new QLineEdit(this), "resumeDuration", tr("Length of the run"),
                    tr("A greater length extends the run, for example 4ep or 20000ba"));
  const LoadedConfig before = parseConfig(which_.run.resolvedYaml, "run", {});
  duration_->setPlaceholderText(tr("%1, as before").arg(toQt(before.config.maxDuration.text())));
  stretch_ = new QCheckBox(tr("Recompute the schedule for this length"), this);
  stretch_->setToolTip(tr("Otherwise the learning rate keeps its schedule and holds its last value"));
  changes_ = named(new FieldValues(before.config, this), "resumeChanges", tr("Changes to the configuration"));
  connect(checkpoints_, &QComboBox::currentIndexChanged, this, &ResumeDialog::describe);
  connect(duration_, &QLineEdit::textChanged, this, &ResumeDialog::describe);
  connect(stretch_, &QCheckBox::toggled, this, &ResumeDialog::describe);
  connect(changes_, &FieldValues::changed, this, &ResumeDialog::describe);
}

void ResumeDialog::makeForkName() {
  forkName_ = named(new QLineEdit(forkName(which_), this), "resumeForkName", tr("Name of the fork"),
                    tr("Name of the new run if you fork. A resumed run keeps its name"));
  forkName_->setPlaceholderText(tr("%1 with a number appended").arg(toQt(which_.run.summary.name)));
  connect(forkName_, &QLineEdit::textChanged, this, &ResumeDialog::describe);
}

void ResumeDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  fork_ = buttons->addButton(tr("Fork as a new run"), QDialogButtonBox::ActionRole);
  fork_->setObjectName(QStringLiteral("resumeFork"));
  resume_ = addMainButton(*this, *buttons, QDialogButtonBox::AcceptRole, tr("Resume"), "resumeNow");
  layout()->addWidget(buttons);
  connect(resume_, &QPushButton::clicked, this, [this] { submit(Action::Resume); });
  connect(fork_, &QPushButton::clicked, this, [this] { submit(Action::Fork); });
}

ResumeChoice ResumeDialog::choice(Action action) const {
  return {checkpoints_->currentData().toString(),
          duration_->text(),
          changes_->assignments(),
          stretch_->isChecked(),
          action == Action::Fork,
          forkName_->text()};
}

void ResumeDialog::describe() {
  const ResumePreview preview = previewResume(which_, choice(Action::Resume), workspace_);
  const QString whyNoFork =
      preview.possible() || preview.possibleAsFork
          ? previewResume(which_, choice(Action::Fork), workspace_).problems.join(QLatin1Char('\n'))
          : preview.problems.join(QLatin1Char('\n'));
  exactness_->setText(preview.exactness);
  overlap_->setText(preview.overlap);
  changed_->setText(preview.changed.isEmpty() && preview.possible() ? tr("None: the run continues unchanged")
                                                                    : preview.changed.join(QLatin1Char('\n')));
  QStringList problems = preview.problems;
  if (preview.possible() && !whyNoFork.isEmpty()) problems << tr("Fork: %1").arg(whyNoFork);
  problems_->setText(problems.join(QLatin1Char('\n')));
  auto* form = static_cast<QFormLayout*>(problems_->parentWidget()->layout());
  for (QLabel* label : {exactness_, overlap_, changed_, problems_})
    form->setRowVisible(label, !label->text().isEmpty());
  resume_->setEnabled(preview.possible());
  resume_->setText(
      which_.checkpoints.empty()
          ? tr("Resume")
          : tr("Resume from %1")
                .arg(integerText(which_.checkpoints[static_cast<std::size_t>(checkpoints_->currentIndex())].at.batch)));
  resume_->setToolTip(plainToolTip(preview.problems.join(QLatin1Char('\n'))));
  fork_->setEnabled(whyNoFork.isEmpty());
  fork_->setToolTip(whyNoFork.isEmpty() ? tr("Start a new run from the checkpoint; this run does not change")
                                        : plainToolTip(whyNoFork));
}

void ResumeDialog::submit(Action action) {
  const ResumePreview preview = previewResume(which_, choice(action), workspace_);
  if (!preview.possible()) return;
  Q_EMIT launchRequested(preview.request);
  accept();
}

namespace {

enum class OfferAction { Resume, Choose, StartQueue, Duplicate, KeepStopped };

std::vector<OfferAction> actionsFor(const ResumeOffer& offer, bool isQueued) {
  if (offer.resumable.checkpoints.empty())
    return {isQueued ? OfferAction::StartQueue : OfferAction::Duplicate, OfferAction::KeepStopped};
  return {OfferAction::Resume, OfferAction::Choose, OfferAction::KeepStopped};
}

QString buttonText(OfferAction action, const ResumeOffer& offer) {
  switch (action) {
    case OfferAction::Choose: return ResumeCommands::tr("Choose checkpoint");
    case OfferAction::StartQueue: return ResumeCommands::tr("Start the queue");
    case OfferAction::Duplicate: return ResumeCommands::tr("Duplicate the run");
    case OfferAction::KeepStopped: return ResumeCommands::tr("Keep stopped");
    case OfferAction::Resume: break;
  }
  return ResumeCommands::tr("Resume from %1").arg(integerText(offer.resumable.checkpoints.front().at.batch));
}

/// Says what is left of the run.
QString restText(const ResumeOffer& offer, bool isQueued) {
  const auto& left = offer.resumable.checkpoints;
  if (!left.empty())
    return ResumeCommands::tr("Last good checkpoint: global batch %1, verified just now.")
        .arg(integerText(left.front().at.batch));
  if (isQueued) return ResumeCommands::tr("It waits in the queue, which trains it from its start.");
  return offer.skipped.isEmpty()
             ? ResumeCommands::tr("It had not yet saved a checkpoint. Duplicate it to train it from the start.")
             : ResumeCommands::tr("None of its checkpoints can be used. Duplicate it to train it from the start.");
}

QString titleOf(const RunSummary& run) {
  const QString what =
      ResumeCommands::tr("Run %1 was interrupted at global batch %2").arg(toQt(run.name), integerText(run.at.batch));
  return run.reason.empty() ? what : ResumeCommands::tr("%1: %2").arg(what, toQt(run.reason));
}

}  // namespace

ResumeCommands::ResumeCommands(StudioParts& parts, const WindowViews& views, RunCommands& runs, NewRunCommands& newRun)
    : QObject(&views.window), parts_(parts), views_(views), runs_(runs), newRun_(newRun) {
  connect(views.actions.resume, &QAction::triggered, this, [this] { openDialog(parts_.selection.run()); });
  connect(&views.checkpoints, &CheckpointsPage::resumeRequested, this, &ResumeCommands::openDialog);
  connect(&parts.resume, &ResumePresenter::offered, this, &ResumeCommands::showOffer);
  connect(&parts.resume, &ResumePresenter::ready, this, &ResumeCommands::showDialog);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { requestedRun_.clear(); });
  connect(&parts.checkpoints, &CheckpointsPresenter::removed, this,
          [this] { outdatedOffers_.insert(parts_.checkpoints.run()); });
  connect(&parts.workspace, &WorkspacePresenter::opened, this, [this] {  // the run is in the previous one
    requestedRun_.clear();
    qDeleteAll(views_.window.findChildren<ResumeDialog*>());
  });
}

void ResumeCommands::openDialog(const QString& run, const QString& checkpoint) {
  if (run.isEmpty()) return;
  requestedRun_ = run;
  requestedCheckpoint_ = checkpoint;
  parts_.resume.load(run, parts_.checkpoints.removing());
}

void ResumeCommands::showOffer(const ResumeOffer& offer) {
  const RunSummary& run = offer.resumable.run.summary;
  outdatedOffers_.remove(toQt(run.id));
  const bool isQueued = parts_.queue.waits(toQt(run.id));
  QStringList actions;
  for (const OfferAction action : actionsFor(offer, isQueued)) actions << buttonText(action, offer);
  views_.message.add({NoteLevel::Warning, titleOf(run),
                      (offer.skipped + QStringList{restText(offer, isQueued)}).join(QLatin1Char('\n')), toQt(run.id),
                      actions, [this, offer, isQueued](int action) { answer(offer, isQueued, action); }});
}

void ResumeCommands::answer(const ResumeOffer& offer, bool isQueued, int action) {
  const QString run = toQt(offer.resumable.run.summary.id);
  views_.message.withdraw(run);
  switch (actionsFor(offer, isQueued)[static_cast<std::size_t>(action)]) {
    case OfferAction::Resume: {
      const ResumePreview preview = previewResume(offer.resumable, {}, parts_.workspace.workspace()->folder());
      if (preview.possible() && !outdatedOffers_.contains(run))
        runs_.start(preview.request);
      else
        openDialog(run);
      break;
    }
    case OfferAction::Choose: openDialog(run); break;
    case OfferAction::StartQueue:
      if (parts_.queue.waits(run)) return parts_.queue.start();
      newRun_.duplicate(offer.resumable.run);  // it was taken out of the queue
      break;
    case OfferAction::Duplicate: newRun_.duplicate(offer.resumable.run); break;
    case OfferAction::KeepStopped: parts_.resume.dismiss(offer); break;
  }
}

void ResumeCommands::showDialog(const ResumableRun& which) {
  if (toQt(which.run.summary.id) != requestedRun_) return;
  requestedRun_.clear();
  qDeleteAll(views_.window.findChildren<ResumeDialog*>());  // one at a time: two could start the same run
  auto* card = new ResumeDialog(which, parts_.workspace.workspace()->folder(), requestedCheckpoint_, &views_.window);
  connect(card, &ResumeDialog::launchRequested, &runs_, &RunCommands::start);
  card->show();
}

}  // namespace batchwise
