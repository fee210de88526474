// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/study_window.h"

#include <QtCore/QRegularExpression>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTreeView>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/slurm/slurm_submission.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kStudyDelayMs = 400, kStudyPollMs = 4000;

QString countOf(double count) {
  return toQt(formatCount(std::round(count)));
}

QString factorOf(double factor) {
  return QStringLiteral("× %1").arg(toQt(formatValue(factor)));
}

QString rangeOf(const std::pair<double, double>& range, const auto& format) {
  return StudyWindow::tr("%1 to %2", "two numbers").arg(format(range.first), format(range.second));
}

QString decisionText(const FactorDecision& row, int replicates) {
  switch (row.state) {
    case FactorState::Baseline: return StudyWindow::tr("baseline");
    case FactorState::Passed:
      return row.bound ? StudyWindow::tr("✓ passed: %1, at most %2")
                             .arg(toQt(formatDifference(*row.meanDifference)), toQt(formatDifference(*row.bound)))
                       : StudyWindow::tr("✓ passed");
    case FactorState::Failed:
      if (row.isStoppedEarly) return StudyWindow::tr("✗ failed: far behind");
      if (!row.meanDifference) return StudyWindow::tr("✗ failed: diverged");
      return row.bound ? StudyWindow::tr("✗ failed: %1, up to %2")
                             .arg(toQt(formatDifference(*row.meanDifference)), toQt(formatDifference(*row.bound)))
                       : StudyWindow::tr("✗ failed: %1").arg(toQt(formatDifference(*row.meanDifference)));
    case FactorState::Undecided:
      return StudyWindow::tr("… %1 of %2", "branches that have ended").arg(row.count).arg(replicates);
    case FactorState::NotNeeded: break;
  }
  return StudyWindow::tr("not needed");
}

QString decisionToolTip(const FactorDecision& row) {
  QStringList lines;
  if (row.meanLoss) lines << StudyWindow::tr("Mean loss %1").arg(toQt(formatValue(*row.meanLoss)));
  if (row.meanDifference)
    lines << StudyWindow::tr("Difference to the smallest batch %1, over %2 pairs")
                 .arg(toQt(formatDifference(*row.meanDifference)), integerText(row.count));
  if (row.deviation) lines << StudyWindow::tr("Deviation of the differences %1").arg(toQt(formatValue(*row.deviation)));
  if (row.bound) lines << StudyWindow::tr("95 % upper bound %1").arg(toQt(formatDifference(*row.bound)));
  if (row.neededReplicates)
    lines << StudyWindow::tr("The noise is too large for the tolerance: %1 replicates would tell")
                 .arg(*row.neededReplicates);
  return lines.join(u'\n');
}

/// The ramp of the study, and the steps that it saves.
QString rampText(const Study& study) {
  QStringList sizes;
  for (const RampLevelConfig& stage : study.ramp->stages) sizes << integerText(stage.globalTrainBatchSize);
  return StudyWindow::tr("Ramp %1: %2 optimizer steps in place of %3 with the batch of the run, %4.")
      .arg(sizes.join(QStringLiteral(" → ")), countOf(study.ramp->steps), countOf(study.ramp->constantSteps),
           toQt(formatPercent(-study.ramp->savedShare())));
}

ChartLine lineOf(const QString& name, LineKind kind, int color, const std::vector<QPointF>& points) {
  ChartLine line;
  line.name = name;
  line.kind = kind;
  line.color = color;
  line.points = LongSeries(points);
  return line;
}

void setExtent(ChartContent& content, double low, double high, XAxis xAxis) {
  content.xLow = low;
  content.xHigh = content.dataEnd = high;
  content.xAxis = xAxis;
}

}  // namespace

StudyWindow::StudyWindow(WorkspacePresenter& workspace, const QString& run, const QString& name, const Theme& theme,
                         QWidget* parent)
    : QDialog(parent),
      workspace_(workspace),
      run_(run),
      checkpoints_(named(new QListWidget(this), "studyCheckpoints", tr("Checkpoints"),
                         tr("Branches start at the ticked ones. Spread them evenly over powers of two of tokens"))),
      factors_(named(new QLineEdit(this), "studyFactors", tr("Factors"),
                     tr("Batch sizes over that of the run, ascending; all are compared with the smallest"))),
      tokens_(named(new QLineEdit(this), "studyTokens", tr("Tokens per branch"),
                    tr("Empty: 50 steps of the largest batch, or more for a second moment that remembers longer"))),
      replicates_(named(
          new QSpinBox(this), "studyReplicates", tr("Replicates"),
          tr("Branches of each batch, which read the epoch in other orders, with other masks; they show the noise"))),
      tolerance_(named(new QDoubleSpinBox(this), "studyTolerance", tr("Tolerance"),
                       tr("A batch passes if it is not worse by this much, at 95 % confidence"))),
      unit_(named(new QComboBox(this), "studyToleranceUnit", tr("Unit of the tolerance"))),
      cooldown_(named(new QComboBox(this), "studyCooldown", tr("Cool-down"),
                      tr("A rate that has not decayed flatters large batches"))),
      column_(named(new QComboBox(this), "studyLoss", tr("Loss that is shown"))),
      place_(named(new QComboBox(this), "studyPlace", tr("Checkpoint that is shown"))),
      plan_(textLabel(this)),
      problem_(textLabel(this, TextLook::Bad)),
      law_(textLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Critical batch of %1", "%1: a run").arg(name));
  auto* parts = new QSplitter(Qt::Horizontal, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(makeForm());
  parts->addWidget(makeResults(theme));
  parts->setStretchFactor(1, 1);
  auto* about = textLabel(
      this, TextLook::Muted,
      tr("The critical batch is here the largest one whose branch from a checkpoint, after the same tokens, has an "
         "evaluation loss that is not worse by the tolerance (Merrill et al. 2025, with a test). It belongs to this "
         "run, its optimizer and its data; the rate follows the square root of the batch and was not tuned."));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  use_ = named(buttons->addButton(tr("Use this ramp"), QDialogButtonBox::ActionRole), "useStudyRamp", {},
               tr("Put the ramp into the configuration of the run, on the page Edit"));
  start_ = named(buttons->addButton(tr("Add to the queue"), QDialogButtonBox::ActionRole), "startStudy");
  Theme::setPrimary(start_);
  column(this, {{parts, 1}, about, buttons}, {{16, 16, 16, 16}, 8});
  resizeWithinScreen(*this, {150 * fontMetrics().averageCharWidth(), 44 * fontMetrics().height()});
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(start_, &QPushButton::clicked, this, &StudyWindow::start);
  connect(use_, &QPushButton::clicked, this, [this] {
    if (!study_ || !study_->ramp) return;
    Q_EMIT rampRequested(withStudyRamp(*study_), rampText(*study_));
    accept();  // it would cover the plan
  });
  delay_.setSingleShot(true);
  delay_.setInterval(kStudyDelayMs);
  connect(&delay_, &QTimer::timeout, this, [this] { read(Source::Form); });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &StudyWindow::refresh);
  connect(&workspace_, &WorkspacePresenter::closing, this, [this] { QDialog::done(Rejected); });
  showProblem(tr("Reading the run…"));
  read(Source::Stored);
}

QWidget* StudyWindow::makeForm() {
  auto* part = new QWidget(this);
  unit_->addItems({tr("nats"), tr("% of the tokens")});
  cooldown_->addItems({tr("Where the rate is above half its peak"), tr("Always"), tr("Never")});
  replicates_->setRange(2, 100);
  tolerance_->setDecimals(4);
  tolerance_->setRange(0.0001, 100);
  tolerance_->setSingleStep(0.005);
  checkpoints_->setMinimumHeight(5 * rowHeight(fontMetrics()));
  auto* form = new QFormLayout;
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  form->addRow(tr("Checkpoints"), checkpoints_);
  form->addRow(tr("Factors"), factors_);
  form->addRow(tr("Tokens per branch"), tokens_);
  form->addRow(tr("Replicates"), replicates_);
  form->addRow(tr("Tolerance"), row(nullptr, {{tolerance_, 1}, unit_}, {{0, 0, 0, 0}, 8}));
  form->addRow(tr("Cool-down"), cooldown_);
  column(part, {{form, 1}, plan_, problem_}, {{0, 0, 0, 0}, 8});
  const auto edited = [this] {
    if (filling_) return;
    begun_.reset();
    ++generation_;  // an answer under way is to an earlier question
    start_->setEnabled(false);
    delay_.start();
  };
  for (QLineEdit* each : {factors_, tokens_}) connect(each, &QLineEdit::textChanged, this, edited);
  for (QComboBox* each : {unit_, cooldown_}) connect(each, &QComboBox::currentIndexChanged, this, edited);
  connect(replicates_, &QSpinBox::valueChanged, this, edited);
  connect(tolerance_, &QDoubleSpinBox::valueChanged, this, edited);
  connect(checkpoints_, &QListWidget::itemChanged, this, edited);
  return part;
}

QWidget* StudyWindow::makeResults(const Theme& theme) {
  auto* part = new QWidget(this);
  auto* table = new QTreeView(part);
  table->setModel(&model_);
  setUpTable(*table, "studyTable", tr("Which batches passed at each checkpoint"));
  losses_ = new SeriesChart(
      {.title = tr("Loss by samples per step"), .unit = tr("nats"), .emptyText = tr("No branch has ended yet")}, theme,
      part);
  critical_ = new SeriesChart({.title = tr("Critical batch over tokens"),
                               .unit = tr("samples per step"),
                               .format = ValueFormat::Count,
                               .emptyText = tr("No checkpoint is decided yet")},
                              theme, part);
  critical_->setLogarithmic(true);
  column_->addItems({tr("Loss that decides"), tr("At the rate of the schedule")});
  connect(column_, &QComboBox::currentIndexChanged, this, [this] {
    showTable();
    showLosses();
  });
  connect(place_, &QComboBox::currentIndexChanged, this, &StudyWindow::showLosses);
  column(part,
         {row(nullptr, {column_, place_, stretch(1)}, {{0, 0, 0, 0}, 8}),
          {table, 2},
          row(nullptr, {{losses_, 1}, {critical_, 1}}, {{0, 0, 0, 0}, 8}),
          law_},
         {{0, 0, 0, 0}, 8})
      ->setStretch(2, 3);
  return part;
}

std::optional<StudyRequest> StudyWindow::request(QString& problem) const {
  static const QRegularExpression separator(QStringLiteral("[,;\\s]+"));
  StudyRequest request;
  StudyOptions& options = request.options;
  options.factors.clear();
  for (const QString& text : factors_->text().split(separator, Qt::SkipEmptyParts)) {
    bool isNumber = false;
    options.factors.push_back(text.toDouble(&isNumber));
    if (!isNumber) problem = tr("%1 is no number. Factors are such as 1 2 4 8.").arg(text);
  }
  if (const QString text = tokens_->text().remove(u',').trimmed(); !text.isEmpty()) {
    bool isNumber = false;
    const double tokens = text.toDouble(&isNumber);
    if (!isNumber || !(tokens >= 1) || tokens > 1e18)
      problem = tr("%1 is no number of tokens. Write it such as 2000000 or 2e6.").arg(text);
    else
      options.deltaTokens = std::llround(tokens);
  }
  options.replicates = replicates_->value();
  if (unit_->currentIndex() == 0) {
    options.toleranceNats = tolerance_->value();
  } else {
    options.toleranceUnit = ToleranceUnit::Tokens;
    options.toleranceTokens = tolerance_->value() / 100;
  }
  if (cooldown_->currentIndex() > 0) request.coolsDown = cooldown_->currentIndex() == 1;
  for (int i = 0; i < checkpoints_->count(); ++i)
    if (const QListWidgetItem& item = *checkpoints_->item(i); item.checkState() == Qt::Checked)
      request.positions.push_back(item.data(Qt::UserRole).toLongLong());
  if (checkpoints_->count() > 0 && request.positions.empty()) problem = tr("Tick a checkpoint.");
  return problem.isEmpty() ? std::optional(request) : std::nullopt;
}

void StudyWindow::read(Source source) {
  const auto workspace = workspace_.workspace();
  if (!workspace) return;
  std::optional<StudyRequest> asked;
  if (source == Source::Form) {
    QString problem;
    asked = request(problem);
    if (!asked) return showProblem(problem);
  }
  reading_ = true;
  sinceRead_.start();
  workspace_.tasks().post(
      this,
      [workspace, run = run_.toStdString(), asked]() -> Answer {
        Answer answer{Error::internal({}), {}};
        if (const auto records = workspace->checkpoints(run); records.ok())
          for (const CheckpointRecord& record : *records)
            if (record.at.stepInBatch == 0) answer.positions.push_back(record.at.token);
        std::ranges::sort(answer.positions);
        if (asked) {
          answer.study = planStudy(workspace, run, *asked);
        } else {
          auto stored = readStudy(workspace, run);
          answer.isStored = stored.ok() && stored->has_value();
          answer.study = answer.isStored ? Result<Study>(**std::move(stored)) : planStudy(workspace, run, {});
        }
        if (answer.study.ok()) return answer;
        StudyRequest chosen = asked.value_or(StudyRequest());
        chosen.options.deltaTokens = 0;
        if (const auto length = lengthOfBranches(workspace, run, chosen); length.ok()) answer.branchTokens = *length;
        return answer;
      },
      [this, generation = generation_](Answer answer) {
        reading_ = false;
        if (generation == generation_) receive(std::move(answer));
      });
}

void StudyWindow::receive(Answer answer) {
  if (!answer.study.ok()) {
    if (checkpoints_->count() == 0) fillForm({}, answer.positions);
    if (answer.branchTokens > 0) tokens_->setPlaceholderText(integerText(answer.branchTokens));
    return showProblem(sentenceCase(toQt(answer.study.error().text())));
  }
  study_ = *std::move(answer.study);
  if (checkpoints_->count() == 0) fillForm(*study_, answer.positions);
  if (answer.isStored) begun_ = study_->asked;
  problem_->hide();
  showPlan();
  showTable();
  showLosses();
  showLaw();
}

void StudyWindow::fillForm(const Study& study, const std::vector<std::int64_t>& positions) {
  filling_ = true;
  QStringList factors;
  for (const double factor : study.asked.options.factors) factors << QString::number(factor, 'g', 6);
  factors_->setText(factors.join(u' '));
  if (study.asked.options.deltaTokens > 0) tokens_->setText(QString::number(study.asked.options.deltaTokens));
  replicates_->setValue(study.asked.options.replicates);
  const bool byTokens = study.asked.options.toleranceUnit == ToleranceUnit::Tokens;
  unit_->setCurrentIndex(byTokens ? 1 : 0);
  tolerance_->setValue(byTokens ? 100 * study.asked.options.toleranceTokens : study.asked.options.toleranceNats);
  cooldown_->setCurrentIndex(!study.asked.coolsDown ? 0 : *study.asked.coolsDown ? 1 : 2);
  for (const std::int64_t position : positions) {
    auto* item = new QListWidgetItem(tr("%1 tokens").arg(integerText(position)), checkpoints_);
    item->setData(Qt::UserRole, static_cast<qlonglong>(position));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    const bool isChosen =
        std::ranges::find(study.checkpoints, position, &StudyCheckpoint::position) != study.checkpoints.end();
    item->setCheckState(isChosen ? Qt::Checked : Qt::Unchecked);
  }
  filling_ = false;
}

void StudyWindow::showProblem(const QString& problem) {
  study_.reset();
  problem_->setText(problem);
  problem_->show();
  plan_->clear();
  showTable();
  showLosses();
  showLaw();
  start_->setEnabled(false);
}

/// Branches that are needed now and that no program has; those too that have ended early.
qint64 StudyWindow::missing() const {
  return std::ranges::count_if(study_->next, [&](const Branch& branch) {
    const StudyBranch* there = study_->find(branch);
    return there == nullptr || there->endedEarly();
  });
}

void StudyWindow::showPlan() {
  const Study& study = *study_;
  tokens_->setPlaceholderText(integerText(study.options.deltaTokens));
  QStringList lines;
  const StudyCost left = costLeft(study);
  const QString branches = left.branches < study.cost.branches
                               ? plural(left.branches, tr("%n branch is left"), tr("%n branches are left"))
                               : plural(left.branches, tr("%n branch"), tr("%n branches"));
  if (left.branches > 0)
    lines << tr("At most %1 with %2 tokens in all").arg(branches, countOf(left.tokens)) +
                 (left.hours ? tr(", about %1").arg(toQt(formatDuration(*left.hours * 3600)).replace(u' ', QChar::Nbsp))
                             : QString()) +
                 u'.';
  if (study.resolvable) {
    const double tolerance = study.decisions.empty() ? study.options.toleranceNats : study.decisions.front().tolerance;
    lines << tr("By the noise that is known (%1), %2 replicates tell a difference of %3 nats.")
                 .arg(toQt(study.deviationSource), integerText(study.options.replicates),
                      toQt(formatValue(*study.resolvable)));
    if (const auto needed = neededReplicates(*study.deviation, tolerance); *study.resolvable > tolerance)
      lines << (needed ? tr("That is above the tolerance; %1 replicates would do.").arg(*needed)
                       : tr("That is above the tolerance, and no number of replicates up to 100 would do."));
  } else {
    lines << tr("The noise is not known before two replicates of a batch have ended.");
  }
  for (const std::string& warning : study.warnings) lines << sentenceCase(tr("note: %1.").arg(toQt(warning)));
  const qint64 add = missing();
  const auto countOfNeeded = [&study](const auto& is) {
    return std::ranges::count_if(study.next, [&](const Branch& branch) { return is(study.find(branch)); });
  };
  const auto unevaluated =
      countOfNeeded([](const StudyBranch* there) { return there != nullptr && there->status == RunStatus::Finished; });
  const auto underWay = std::ssize(study.next) - add - unevaluated;
  if (study.next.empty() && std::ranges::all_of(study.decisions, [](const CheckpointDecision& decision) {
        return decision.deciding().isDecided;
      }))
    lines << tr("All checkpoints are decided.");
  else if (begun_ && add == 0 && underWay > 0)
    lines << tr("The branches that are needed wait or train; the next ones follow from what they show.");
  else if (underWay > 0)
    lines << plural(underWay, tr("%n more waits already."), tr("%n more wait already."));
  const auto early = countOfNeeded([](const StudyBranch* there) { return there != nullptr && there->endedEarly(); });
  if (early > 0)
    lines << plural(early, tr("%n needed branch has failed or was stopped; adding it again lets it go on."),
                    tr("%n needed branches have failed or were stopped; adding them again lets them go on."));
  if (unevaluated > 0)
    lines << plural(unevaluated, tr("%n needed branch has ended without a loss; the run has no evaluation data."),
                    tr("%n needed branches have ended without a loss; the run has no evaluation data."));
  if (closesOnceStarted_)
    lines = {
        tr("The window closes once the branches are in the queue. Close it again to leave at once; then they may not "
           "be added.")};
  plan_->setText(lines.join(u'\n'));
  start_->setText(add > 0 ? plural(add, tr("Add %n branch to the queue"), tr("Add %n branches to the queue"))
                          : tr("Add to the queue"));
  start_->setEnabled(add > 0 && !starting_);
}

const StudyColumn& StudyWindow::columnOf(const CheckpointDecision& decision) const {
  return column_->currentIndex() == 1 ? decision.atRate : decision.deciding();
}

void StudyWindow::showTable() {
  TextTable table;
  std::vector<std::vector<std::string>> toolTips;
  const QString shown = place_->currentText();
  QStringList places;
  if (study_ && !study_->decisions.empty()) {
    std::vector<double> factors;  // with those in between, of any checkpoint
    for (const CheckpointDecision& decision : study_->decisions)
      for (const FactorDecision& each : columnOf(decision).factors)
        if (std::ranges::none_of(factors, [&](double one) { return isSameBranch({0, one, 0}, {0, each.factor, 0}); }))
          factors.push_back(each.factor);
    std::ranges::sort(factors);
    table.columns.push_back({tr("Batch of the run").toStdString(), false, {}});
    for (const CheckpointDecision& decision : study_->decisions) {
      places << tr("At %1 tokens").arg(countOf(static_cast<double>(decision.checkpoint.position)));
      table.columns.push_back({places.back().toStdString(), false, {}});
    }
    for (const double factor : factors) {
      std::vector<std::string> cells{factorOf(factor).toStdString()}, tips{{}};
      for (const CheckpointDecision& decision : study_->decisions) {
        const auto& rows = columnOf(decision).factors;
        const auto found = std::ranges::find_if(rows, [&](const FactorDecision& each) {
          return isSameBranch({0, factor, 0}, {0, each.factor, 0});
        });
        const bool isThere = found != rows.end();
        cells.push_back(isThere ? decisionText(*found, study_->options.replicates).toStdString() : std::string());
        tips.push_back(isThere ? decisionToolTip(*found).toStdString() : std::string());
      }
      table.rows.push_back(std::move(cells));
      toolTips.push_back(std::move(tips));
    }
    std::vector<std::string> found{tr("Critical batch").toStdString()}, tips{{}};
    for (const CheckpointDecision& decision : study_->decisions) {
      const StudyColumn& column = columnOf(decision);
      const QString low = column.low ? countOf(decision.checkpoint.samplesOf(*column.low)) : QString();
      const QString high = column.high ? countOf(decision.checkpoint.samplesOf(*column.high)) : QString();
      found.push_back((low.isEmpty() && high.isEmpty() ? tr("undecided yet")
                       : low.isEmpty()                 ? tr("below %1 samples").arg(high)
                       : high.isEmpty()                ? tr("%1 samples or more").arg(low)
                                                       : tr("%1 to %2 samples").arg(low, high))
                          .toStdString());
      tips.push_back(tr("Tolerance %1 nats").arg(toQt(formatValue(decision.tolerance))).toStdString() +
                     (decision.toleranceAsTokens ? tr(", as much as %1 % of the tokens")
                                                       .arg(toQt(formatValue(100 * *decision.toleranceAsTokens)))
                                                       .toStdString()
                                                 : std::string()));
    }
    table.rows.push_back(std::move(found));
    toolTips.push_back(std::move(tips));
  }
  model_.setTable(std::move(table), std::move(toolTips));
  const QSignalBlocker blocker(place_);
  place_->clear();
  place_->addItems(places);
  place_->setCurrentIndex(std::max(0, static_cast<int>(places.indexOf(shown))));
  place_->setVisible(!places.isEmpty());
}

/// Loss at the end of the branches over their batch, up to the upper bound that decides, with the limit for it.
void StudyWindow::showLosses() {
  ChartContent content;
  const auto at = static_cast<std::size_t>(std::max(0, place_->currentIndex()));
  if (study_ && at < study_->decisions.size()) {
    const CheckpointDecision& decision = study_->decisions[at];
    const StudyColumn& column = columnOf(decision);
    const auto samplesOf = [&](double factor) { return decision.checkpoint.samplesOf(factor); };
    const std::optional<double>& smallest = column.factors.front().meanLoss;
    std::vector<QPointF> all, passed, failed;
    std::vector<ChartLine> bars;
    for (const FactorDecision& row : column.factors) {
      if (!row.meanLoss || !std::isfinite(*row.meanLoss)) continue;
      const bool hasPairs = smallest && row.meanDifference;  // only these are compared
      all.emplace_back(samplesOf(row.factor), hasPairs ? *smallest + *row.meanDifference : *row.meanLoss);
      if (row.state == FactorState::Passed) passed.push_back(all.back());
      if (row.state == FactorState::Failed) failed.push_back(all.back());
      if (!hasPairs || !row.bound || row.state == FactorState::NotNeeded) continue;
      bars.push_back(lineOf(bars.empty() ? tr("Up to the 95 % upper bound") : QString(), LineKind::Points,
                            row.state == FactorState::Passed   ? 2
                            : row.state == FactorState::Failed ? 1
                                                               : 0,
                            {all.back(), {all.back().x(), *smallest + *row.bound}}));
    }
    setExtent(content, 0, samplesOf(column.factors.back().factor), XAxis::Samples);
    if (!all.empty()) {
      content.lines.push_back(lineOf(tr("Mean of the replicates"), LineKind::Thin, 0, all));
      content.lines.push_back(lineOf(tr("Passed"), LineKind::Dots, 2, passed));
      content.lines.push_back(lineOf(tr("Failed"), LineKind::Dots, 1, failed));
      std::ranges::move(bars, std::back_inserter(content.lines));
      if (smallest) {
        const double limit = *smallest + decision.tolerance;
        content.lines.push_back(lineOf(tr("Limit for the upper bound"), LineKind::Reference, 0,
                                       {{content.xLow, limit}, {content.xHigh, limit}}));
      }
      const auto [least, largest] = std::ranges::minmax(all, {}, &QPointF::y);
      if (column.isDecided && column.low && column.high) {
        const double low = samplesOf(*column.low), high = samplesOf(*column.high);
        content.bands.push_back(
            {2, LongSeries{{low, least.y()}, {high, least.y()}}, LongSeries{{low, largest.y()}, {high, largest.y()}}});
      }
    }
  }
  losses_->setContent(std::move(content));
}

/// The intervals as bars, the law with its band, the batch of the run and the ramp that follows.
void StudyWindow::showLaw() {
  constexpr int kPoints = 120;
  constexpr double kRoom = 10;  // around the sizes that were tried: a band without an end would flatten all else
  ChartContent content;
  law_->clear();
  use_->setEnabled(study_ && study_->ramp);
  if (!study_) return critical_->setContent(std::move(content));
  const Study& study = *study_;
  setExtent(content, 0, study.totalTokens, XAxis::Tokens);
  QString name = tr("Measured interval");
  for (const LawPoint& point : lawPoints(study.decisions)) {
    std::vector<QPointF> bar;
    for (const auto& end : {point.low, point.high})
      if (end) bar.emplace_back(point.position, *end);
    content.lines.push_back(lineOf(std::exchange(name, QString()), LineKind::Points, 1, bar));
  }
  std::vector<QPointF> own;
  for (const StudyCheckpoint& checkpoint : study.checkpoints)
    own.emplace_back(static_cast<double>(checkpoint.position), checkpoint.batchSamples);
  if (!own.empty() && !content.lines.empty()) {
    own.emplace_back(study.totalTokens, own.back().y());
    content.lines.push_back(lineOf(tr("Batch of the run"), LineKind::Planned, 7, own));
    content.lines.back().steps = true;
  }
  QStringList lines;
  if (study.law) {
    const CriticalBatchLaw& law = *study.law;
    std::vector<QPointF> curve, low, high;
    const double first = static_cast<double>(study.checkpoints.front().position) / 2;
    const double least = study.checkpoints.front().batchSamples * study.options.factors.front() / kRoom;
    const double most = study.checkpoints.back().batchSamples * study.options.factors.back() * kRoom;
    for (int i = 0; i <= kPoints; ++i) {
      const double tokens = std::lerp(first, study.totalTokens, static_cast<double>(i) / kPoints);
      const double size = law.curve.at(tokens);
      if (size >= least && size <= most) curve.emplace_back(tokens, size);
      low.emplace_back(tokens, std::clamp(law.band(tokens).first, least, most));
      high.emplace_back(tokens, std::clamp(law.band(tokens).second, least, most));
    }
    content.lines.push_back(lineOf(tr("Law"), LineKind::Main, 0, curve));
    content.bands.push_back({0, LongSeries(low), LongSeries(high)});
    const auto number = [](double value) { return toQt(formatValue(value)); };
    lines << tr("Law: the critical batch grows as tokens to the power of %1 (95 %: %2)%3.")
                 .arg(number(law.curve.exponent), rangeOf(law.exponentBand(), number),
                      law.curve.ceiling ? tr(", up to %1 samples").arg(countOf(std::exp(*law.curve.ceiling)))
                                        : QString());
    lines << tr("The constant batch nearest to it: %1 samples (%2).")
                 .arg(countOf(law.curve.meanUntil(study.totalTokens)),
                      rangeOf(law.meanBand(study.totalTokens), countOf));
  } else if (!study.whyNoLaw.empty()) {
    lines << tr("No law yet: %1.").arg(toQt(study.whyNoLaw));
  }
  if (study.ramp) {
    std::vector<QPointF> stages;
    for (const RampLevelConfig& stage : study.ramp->stages)
      stages.emplace_back(stage.at.number(), static_cast<double>(stage.globalTrainBatchSize));
    stages.emplace_back(study.totalTokens, stages.back().y());
    content.lines.push_back(lineOf(tr("Ramp"), LineKind::Main, 2, stages));
    content.lines.back().steps = true;
    lines << rampText(study);
  } else if (study.law) {
    lines << tr("No ramp follows: %1.").arg(toQt(study.whyNoRamp));
  }
  law_->setText(lines.join(u'\n'));
  critical_->setContent(std::move(content));
}

/// Reads the study again while branches train.
void StudyWindow::refresh() {
  if (!study_ || !begun_ || reading_ || delay_.isActive() || sinceRead_.elapsed() < kStudyPollMs) return;
  if (!study_->next.empty() || std::ranges::any_of(study_->branches, &StudyBranch::isTraining)) read(Source::Form);
}

void StudyWindow::done(int result) {
  if (!starting_ || closesOnceStarted_) return QDialog::done(result);
  closesOnceStarted_ = true;
  if (study_) showPlan();
}

void StudyWindow::start() {
  starting_ = true;  // also if the study is read again meanwhile, without the branches that are being added
  start_->setEnabled(false);
  clusterTasks_.post(
      this,
      [workspace = workspace_.workspace(), study = *study_](const std::stop_token& stop) -> Result<std::int64_t> {
        for (const Branch& branch : study.next) {
          const StudyBranch* there = study.find(branch);
          if (there == nullptr || !there->endedEarly()) continue;
          ASSIGN_OR_RETURN(const auto run, workspace->findRun(there->run));
          RETURN_IF_ERROR(checkNotOnSlurm(workspace->folder(), run.summary, SlurmClient(stop)));
        }
        RETURN_IF_ERROR(rememberStudy(*workspace, study));
        return queueBranches(workspace, study, EndedEarly::GoOn);
      },
      [this, asked = study_->asked, generation = generation_](const Result<std::int64_t>& added) {
        starting_ = false;
        const bool closes = std::exchange(closesOnceStarted_, false);
        if (!added.ok()) return showProblem(sentenceCase(toQt(added.error().text())));
        if (generation == generation_) begun_ = asked;  // else the form asks for another study by now
        workspace_.refresh();
        Q_EMIT queued(*added);
        closes ? reject() : read(Source::Form);
      },
      TaskQueue::AtEnd::Run);
}

}  // namespace batchwise
