// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/preview_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTreeView>
#include <limits>

#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kMaxStageRows = 8;

ChartContent oneLine(const std::vector<QPointF>& points, std::optional<std::int64_t> batches, bool steps) {
  ChartContent content;
  content.xHigh = batches ? static_cast<double>(std::max<std::int64_t>(1, *batches)) : 1.0;
  if (points.empty()) return content;
  ChartLine line;
  line.steps = steps;
  line.points = LongSeries(points);
  content.lines.push_back(std::move(line));
  return content;
}

}  // namespace

PreviewPane::PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), presenter_(presenter) {
  auto* content = new QWidget(this);
  const QString none = tr("No plan yet");
  rate_ = new SeriesChart({tr("Learning rate"), tr("planned, over global batches"), ValueFormat::Rate, true, none},
                          theme, content);
  step_ = new SeriesChart({tr("Batch size"), tr("samples per step, planned"), ValueFormat::Count, true, none}, theme,
                          content);
  error_ = textLabel(content, TextLook::Bad);
  facts_ = named(new QWidget(content), "planFacts");
  factGrid_ = new QGridLayout(facts_);
  factGrid_->setContentsMargins(8, 0, 0, 0);
  factGrid_->setHorizontalSpacing(16);
  factGrid_->setVerticalSpacing(4);
  factGrid_->setColumnStretch(1, 1);
  notes_ = textLabel(content, TextLook::Warning);
  previewedRun_ = named(textLabel(content, TextLook::Muted), "previewedRun");
  headline_ = named(textLabel(content), "planHeadline");
  headline_->setContentsMargins(8, 4, 0, 0);
  outdated_ = named(
      textLabel(content, TextLook::Warning, tr("There are settings to correct. Shown is what the last valid ones do.")),
      "outdatedPreview");
  auto* assumption = makeAssumption(content);
  makeStages(content);
  column(content,
         {outdated_, previewedRun_, error_, headline_, {rate_, 1}, {step_, 1}, facts_, assumption, stages_, notes_},
         {{0, 0, 8, 8}, 8});
  fillScrollArea(*this, content);
  stages_->setItemDelegate(new IconDelegate(theme, -1, stages_));
  connect(&presenter_, &EditPresenter::previewChanged, this, &PreviewPane::readPreview);
  connect(&theme, &Theme::changed, this, &PreviewPane::sizeStages);
  readPreview();
}

QWidget* PreviewPane::makeAssumption(QWidget* parent) {
  auto* line = new QWidget(parent);
  auto* word = new QLabel(tr("Samples per epoch"), line);
  samples_ = new QSpinBox(line);
  samples_->setRange(0, std::numeric_limits<int>::max());
  samples_->setGroupSeparatorShown(true);
  samples_->setSpecialValueText(tr("estimate"));
  samples_->setKeyboardTracking(false);
  named(samples_, "", word->text(), tr("What the preview takes an epoch to have until the text has been read"));
  word->setBuddy(samples_);
  assumed_ = plainLabel(line, TextLook::Small);
  assumed_->setWordWrap(true);
  row(line, {word, samples_, {assumed_, 1}}, {{0, 0, 0, 0}});
  connect(samples_, &QSpinBox::valueChanged, this, [this](int value) {
    presenter_.assumeSamples(value > 0 ? std::optional<std::int64_t>(value) : std::nullopt);
  });
  return line;
}

void PreviewPane::makeStages(QWidget* parent) {
  stages_ = new QTreeView(parent);
  stages_->setModel(&presenter_.stages());
  stages_->setAccessibleName(tr("Stages of the plan"));
  stages_->setRootIsDecorated(false);
  stages_->setSelectionMode(QAbstractItemView::NoSelection);
  stages_->setFocusPolicy(Qt::TabFocus);
  stages_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  stages_->header()->setStretchLastSection(false);
  stages_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
}

void PreviewPane::sizeStages() {
  const int rows = std::clamp(presenter_.stages().rowCount(), 1, kMaxStageRows);
  const int line = rowHeight(stages_->fontMetrics());
  stages_->setFixedHeight(stages_->header()->sizeHint().height() + rows * line + line / 2 + 4);
}

void PreviewPane::showFacts() {
  const auto facts = planFacts(presenter_.preview().plan, presenter_.preview().estimates);
  while (factLabels_.size() < facts.size()) {
    const int row = static_cast<int>(factLabels_.size());
    auto* name = plainLabel(facts_, TextLook::Muted);
    auto* value = textLabel(facts_, TextLook::Body);
    factGrid_->addWidget(name, row, 0, Qt::AlignLeft | Qt::AlignTop);
    factGrid_->addWidget(value, row, 1);
    factLabels_.emplace_back(name, value);
  }
  for (std::size_t i = 0; i < factLabels_.size(); ++i) {
    const PlanFact fact = i < facts.size() ? facts[i] : PlanFact();
    for (QLabel* label : {factLabels_[i].first, factLabels_[i].second}) {
      label->setToolTip(fact.toolTip);
      label->setVisible(i < facts.size());
    }
    factLabels_[i].first->setText(fact.name);
    factLabels_[i].second->setText(fact.value);
  }
  facts_->setVisible(!facts.empty());
  headline_->setText(headline(facts));
  headline_->setVisible(!headline_->text().isEmpty());
}

void PreviewPane::showPreviewedRun() {
  const ConfigDraft& draft = presenter_.draft();
  QStringList values;
  for (const SweepAxis& axis : draft.axes())
    values << tr("%1 %2", "a field and its value").arg(fieldLabel(axis.field), toQt(axis.values.front()));
  previewedRun_->setText(tr("Shown is the first of %n run(s): %1", nullptr, static_cast<int>(draft.runs()))
                             .arg(values.join(QStringLiteral(", "))));
  previewedRun_->setVisible(draft.runs() > 1);
}

void PreviewPane::readPreview() {
  const EditPresenter::Preview& preview = presenter_.preview();
  showPreviewedRun();
  error_->setText(coreText(preview.error));
  error_->setVisible(!preview.error.empty());
  outdated_->setVisible(preview.error.empty() && !presenter_.draft().ready());
  rate_->setContent(oneLine(preview.plan.rate, preview.plan.totals.batches, false));
  step_->setContent(oneLine(preview.plan.stepSize, preview.plan.totals.batches, true));
  showFacts();
  {
    const QSignalBlocker quiet(samples_);
    const bool typed = preview.sampleCountSource == EditPresenter::SampleCountSource::User;
    samples_->setValue(
        typed ? static_cast<int>(std::min<std::int64_t>(preview.samplesPerEpoch, std::numeric_limits<int>::max())) : 0);
  }
  if (preview.samplesPerEpoch <= 0)
    assumed_->setText(tr("not known until the text is read"));
  else if (preview.sampleCountSource == EditPresenter::SampleCountSource::Data)
    assumed_->setText(tr("%1, as the text was read before").arg(integerText(preview.samplesPerEpoch)));
  else if (preview.sampleCountSource == EditPresenter::SampleCountSource::FileSizes)
    assumed_->setText(tr("about %1, from the size of the text").arg(integerText(preview.samplesPerEpoch)));
  else
    assumed_->clear();
  stages_->setVisible(presenter_.stages().rowCount() > 0);
  QStringList notes;
  for (const Message& note : preview.plan.notes) notes << tr("Note: %1").arg(coreText(note));
  notes_->setText(notes.join(QLatin1Char('\n')));
  notes_->setVisible(!notes.isEmpty());
  sizeStages();
}

}  // namespace batchwise
