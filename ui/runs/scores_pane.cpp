// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/scores_pane.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTableView>
#include <algorithm>
#include <tuple>

#include "core/base/format.h"
#include "core/text/task_data.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

/// What makes scores comparable.
auto keyOf(const LineScore& score) {
  return std::tie(score.task, score.taskHash, score.method, score.metric, score.split);
}

}  // namespace

ExamplesWindow::ExamplesWindow(ComparePresenter& presenter, StudioSettings& settings, const LineScore& model,
                               const LineScore& other, QWidget* parent)
    : QDialog(parent),
      presenter_(presenter),
      names_{toQt(model.label), toQt(other.label)},
      scores_(model.scores),
      otherScores_(other.scores),
      filter_(searchLine(this, "examplesFilter", tr("Filter by text"))),
      oneIsRight_(named(new QCheckBox(tr("Only where one is right"), this), "examplesOneIsRight")),
      file_(named(new QPushButton(tr("Choose the task file…"), this), "examplesTaskFile", {},
                  tr("The file that describes the task, for the texts of its examples"))),
      state_(textLabel(this, TextLook::Muted)),
      table_(textTableView(this, sorted_, "examples", tr("Examples, those first on which the models differ most"))),
      text_(named(new QPlainTextEdit(this), "exampleText", tr("The selected example"))) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("%1: %2 and %3", "%1: a task, %2 and %3: models").arg(toQt(model.task), names_[0], names_[1]));
  oneIsRight_->hide();
  file_->hide();
  text_->setReadOnly(true);
  text_->setTabChangesFocus(true);
  table_->setMinimumHeight(1);
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(TextTableModel::SortRole);
  sorted_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  sorted_.setFilterKeyColumn(-1);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(table_);
  parts->addWidget(text_);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 1);
  column(this, {row(nullptr, {{filter_, 1}, oneIsRight_, file_}, {{0, 0, 0, 0}, 8}), state_, {parts, 1}},
         {{16, 16, 16, 16}, 8});
  resizeWithinScreen(*this, {110 * fontMetrics().averageCharWidth(), 36 * fontMetrics().height()});
  connect(filter_, &QLineEdit::textChanged, &sorted_, &QSortFilterProxyModel::setFilterFixedString);
  connect(oneIsRight_, &QCheckBox::toggled, this, &ExamplesWindow::fill);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ExamplesWindow::showSelected);
  connect(file_, &QPushButton::clicked, this, [this, &settings] {
    const QString file = askForFileToRead(*this, settings, QStringLiteral("task"),
                                          {tr("Task file"), {}, tr("Tasks (*.yaml *.yml);;All files (*)")});
    if (!file.isEmpty()) read(file);
  });
  read({});
}

void ExamplesWindow::read(const QString& taskFile) {
  state_->setText(tr("Reading the examples…"));
  presenter_.scoreQueue().post(
      this,
      [workspace = presenter_.workspace(), own = scores_, other = otherScores_, file = taskFile.toStdString()] {
        return compareExamples(*workspace, own, other, file);
      },
      [this](const Result<TaskExamples>& found) { showExamples(found); });
}

void ExamplesWindow::showExamples(const Result<TaskExamples>& found) {
  if (!found.ok()) return state_->setText(sentenceCase(toQt(found.error().text())));
  found_ = *found;
  oneIsRight_->setVisible(found_.areRightOrWrong);
  file_->setVisible(!found_.note.empty());
  fill();
}

void ExamplesWindow::fill() {
  constexpr std::size_t kShown = 200;  // bytes of a text in the table
  TextTable table;
  std::vector<std::vector<std::string>> toolTips;
  for (const QString& title : {tr("Example"), tr("Text"), tr("Right"), names_[0], names_[1]})
    table.columns.push_back({title.toStdString(), false});
  table.columns.front().numeric = true;
  for (const QString& title : {tr("Score of %1").arg(names_[0]), tr("Score of %1").arg(names_[1]), tr("Difference")})
    table.columns.push_back({title.toStdString(), true});
  shown_.clear();
  for (std::size_t i = 0; i < found_.examples.size(); ++i) {
    const ComparedExample& one = found_.examples[i];
    if (oneIsRight_->isChecked() && (one.scores[0] > 0.5) == (one.scores[1] > 0.5)) continue;
    const auto rowWith = [&one](const QString& text, const auto& format) {
      const auto& [mine, beside] = one.scores;
      return std::vector<std::string>{std::to_string(rowOfExample(one.example)),
                                      text.toStdString(),
                                      one.label,
                                      one.predictions[0],
                                      one.predictions[1],
                                      format(mine),
                                      format(beside),
                                      format(mine - beside)};
    };
    shown_.push_back(i);
    table.rows.push_back(rowWith(toQt(one.text.substr(0, kShown)).simplified(), formatValue));
    toolTips.push_back(rowWith(toQt(one.text), formatExact));
  }
  const QString count = plural(std::ssize(table.rows), tr("%n example"), tr("%n examples"));
  state_->setText(found_.note.empty()
                      ? count
                      : tr("%1. %2.", "%1: a number, %2: a sentence").arg(count, sentenceCase(toQt(found_.note))));
  model_.setTable(std::move(table), std::move(toolTips));
  const int unit = fontMetrics().averageCharWidth();
  table_->setColumnWidth(1, 40 * unit);
  table_->selectRow(0);
  showSelected();
}

void ExamplesWindow::showSelected() {
  const QModelIndex row = sorted_.mapToSource(table_->currentIndex());
  if (!row.isValid() || row.row() >= std::ssize(shown_)) return text_->clear();
  const ComparedExample& one = found_.examples[shown_[static_cast<std::size_t>(row.row())]];
  text_->setPlainText(tr("Right: %1\n%2: %3\n%4: %5\n\n%6", "%2 and %4: models, %6: the text of an example")
                          .arg(toQt(one.label), names_[0], toQt(one.predictions[0]), names_[1],
                               toQt(one.predictions[1]), toQt(one.text)));
}

ScoresPane::ScoresPane(ComparePresenter& presenter, StudioSettings& settings, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      settings_(settings),
      about_(textLabel(this, TextLook::Muted)),
      examples_(named(new QPushButton(tr("Examples…"), this), "scoreExamples")),
      table_(textTableView(this, model_, "scores", tr("Scores of the runs on tasks, next to those of the baseline"))) {
  table_->setMinimumHeight(1);
  auto* judge = named(new QPushButton(tr("Judge…"), this), "judgeCompared", {},
                      tr("Score the ticked runs, or other models, on labelled text"));
  column(this, {row(nullptr, {{about_, 1}, examples_, judge}, {{8, 4, 8, 0}, 8}), {table_, 1}}, {{0, 0, 0, 0}, 4});
  connect(judge, &QPushButton::clicked, this, &ScoresPane::judgeRequested);
  connect(examples_, &QPushButton::clicked, this, &ScoresPane::openExamples);
  connect(table_, &QTableView::activated, this, &ScoresPane::openExamples);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ScoresPane::updateButtons);
  connect(&presenter_, &ComparePresenter::scoresChanged, this, &ScoresPane::showScores);
  showScores();
}

void ScoresPane::showScores() {
  const auto& scores = presenter_.scores();
  const bool any = scores && !scores->rows.empty();
  about_->setText(
      any ? tr("Each by the last checkpoint of a run that was scored on the task; ± is the spread of seeds, "
               "that of a difference its interval (at least 95 %).")
          : tr("Scores of the ticked runs on tasks and texts appear here, once models were judged."));
  if (scores) {
    TextTable table = scoreTable(*scores->comparison, scores->rows);
    for (TextTable::Column& each : table.columns) each.title = sentenceCase(toQt(each.title)).toStdString();
    model_.setTable(std::move(table));
  }
  table_->setVisible(any);
  table_->verticalHeader()->setDefaultSectionSize(rowHeight(fontMetrics()));
  table_->horizontalHeader()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 48);
  table_->resizeColumnsToContents();
  updateButtons();
}

const LineScore* ScoresPane::counterpart() const {
  const auto& scores = presenter_.scores();
  const auto selected = static_cast<std::size_t>(table_->currentIndex().row());
  if (!scores || selected >= scores->rows.size()) return nullptr;
  const LineScore& own = scores->rows[selected];
  const auto other = std::ranges::find_if(
      scores->rows, [&](const LineScore& each) { return keyOf(each) == keyOf(own) && each.line != own.line; });
  return other == scores->rows.end() ? nullptr : &*other;
}

void ScoresPane::updateButtons() {
  examples_->setEnabled(counterpart() != nullptr);
  examples_->setToolTip(examples_->isEnabled()
                            ? tr("The examples on which the selected model and the baseline differ most")
                            : tr("Select a score that another run has, too"));
}

void ScoresPane::openExamples() {
  const LineScore* other = counterpart();
  if (other == nullptr) return;
  const LineScore& own = presenter_.scores()->rows[static_cast<std::size_t>(table_->currentIndex().row())];
  auto* window = new ExamplesWindow(presenter_, settings_, own, *other, this);
  window->show();
}

}  // namespace batchwise
