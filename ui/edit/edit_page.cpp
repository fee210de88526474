// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/edit_page.h"

#include <QtCore/QPointer>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTabWidget>
#include <algorithm>
#include <tuple>

#include "ui/edit/config_form.h"
#include "ui/edit/preview_pane.h"
#include "ui/edit/sweep_window.h"
#include "ui/edit/yaml_editor.h"
#include "ui/list/run_list.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kYamlTab = 1;
/// Smallest width, in characters, that shows the preview beside the form.
constexpr int kMinWideChars = 118;
constexpr qsizetype kMaxChangesNamed = 4;

/// Leaves out the middle of a long name of a run, which stands in the form.
QString shortName(const QFontMetrics& metrics, const QString& name) {
  constexpr int kChars = 32;
  return metrics.elidedText(name, Qt::ElideMiddle, kChars * metrics.averageCharWidth());
}

/// "2 values of Random seed × 3 of Variant and Peak learning rate together": the factors of the number of runs.
QString factorsText(const ConfigDraft& draft) {
  const std::vector<std::string>& zip = draft.config().zip;
  QStringList factors, together;
  std::size_t common = 0;
  for (const SweepAxis& axis : draft.axes()) {
    const QString label = fieldLabel(axis.field);
    if (std::ranges::find(zip, axis.field) == zip.end()) {
      factors << plural(axis.values.size(), EditPage::tr("%n value of %1"), EditPage::tr("%n values of %1")).arg(label);
      continue;
    }
    together << label;
    common = axis.values.size();
  }
  if (!together.isEmpty())
    factors << plural(common, EditPage::tr("%n value of %1, which advance together"),
                      EditPage::tr("%n values of %1, which advance together"))
                   .arg(together.join(QStringLiteral(", ")));
  return factors.join(QStringLiteral(" × "));
}

}  // namespace

EditPage::EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent)
    : QWidget(parent), presenter_(presenter), theme_(theme) {}

/// Puts each widget into its parent before it gets children, since with a style sheet reparenting visits all of them.
/// The place of the preview depends on the width.
void EditPage::make() {
  if (form_ != nullptr) return;
  splitter_ = new QSplitter(Qt::Horizontal, this);
  auto* layout = column(this, {{splitter_, 1}}, {{0, 0, 0, 0}, 0});
  tabs_ = named(new QTabWidget(splitter_), "editTabs", tr("Configuration as a form or as YAML"));
  tabs_->setDocumentMode(true);
  splitter_->setChildrenCollapsible(false);
  makeFormTab();
  makeYamlTab();
  connect(form_, &ConfigForm::sweepRequested, this, &EditPage::editSweep);
  preview_ = new PreviewPane(presenter_, theme_, this);
  connect(preview_, &PreviewPane::fieldChosen, this, &EditPage::showSetting);
  auto* footer = makeFooter();  // last, as in the order of Tab
  layout->addWidget(footer);

  connect(&presenter_.draft(), &ConfigDraft::changed, this, &EditPage::updateReadiness);
  connect(&presenter_, &EditPresenter::findingsChanged, this, &EditPage::updateReadiness);
  const auto readPlan = [this] {
    form_->setPlanWarnings(presenter_.preview().warnings);
    form_->setFamily(presenter_.preview().family);
  };
  connect(&presenter_, &EditPresenter::previewChanged, this, readPlan);
  readPlan();
  const auto fit = [this] {
    placePreview();
    helpArea_->setFixedHeight(3 * QFontMetrics(theme_.smallFont()).lineSpacing());  // it scrolls
    updateReadiness();
  };
  connect(&theme_, &Theme::changed, this, fit);
  fit();
  // In a show event Qt no longer shows children that are added.
  for (QWidget* part : {static_cast<QWidget*>(splitter_), footer}) part->show();
  layout->activate();
}

void EditPage::makeFormTab() {
  auto* page = new QWidget(tabs_);
  tabs_->addTab(page, tr("Form"));
  auto* tools = makeTools(page);  // before the form: tab order is the order of creation
  unreadText_ =
      named(textLabel(page, TextLook::Bad,
                      tr("The YAML text has errors. To edit here, correct them under YAML, or undo the last edits.")),
            "unreadText");
  unreadText_->setContentsMargins(8, 0, 8, 0);
  form_ = new ConfigForm(presenter_.draft(), theme_, page);
  column(page, {tools, unreadText_, {form_, 1}, makeHelp(page)}, {{0, 8, 0, 0}, 8});
  connect(form_, &ConfigForm::clearRequested, this, [this] {
    search_->clear();
    search_->setFocus(Qt::OtherFocusReason);
  });
}

/// The help of the field in use stands at one place, so that no field moves.
QWidget* EditPage::makeHelp(QWidget* parent) {
  helpArea_ = new QScrollArea(parent);
  help_ =
      named(textLabel(helpArea_, TextLook::Small, tr("The help of a setting appears here while you edit it.")), "help");
  help_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  help_->setContentsMargins(8, 0, 8, 0);
  fillScrollArea(*helpArea_, help_);
  helpArea_->setFocusPolicy(Qt::NoFocus);
  helpArea_->setAccessibleName(tr("Help of the setting"));
  connect(form_, &ConfigForm::described, this, [this](const QString& help) {
    help_->setText(help.isEmpty() ? tr("The help of a setting appears here while you edit it.") : help);
    helpArea_->ensureVisible(0, 0);
  });
  return helpArea_;
}

/// The editor itself is made when its tab is first opened.
void EditPage::makeYamlTab() {
  auto* page = new QWidget(tabs_);
  tabs_->insertTab(kYamlTab, page, tr("YAML"));
  connect(tabs_, &QTabWidget::currentChanged, this, [this, page](int current) {
    if (current == kYamlTab && yaml_ == nullptr) makeYamlEditor(*page);
  });
}

void EditPage::makeYamlEditor(QWidget& page) {
  yaml_ = new YamlEditor(presenter_.draft(), theme_, &page);
  column(&page, {yaml_}, {{0, 8, 0, 0}});
  yaml_->show();
  connect(&presenter_, &EditPresenter::findingsChanged, this, [this] { yaml_->setFindings(presenter_.findings()); });
  yaml_->setFindings(presenter_.findings());
}

void EditPage::showEvent(QShowEvent* event) {
  make();
  updateName();
  QWidget::showEvent(event);
}

QWidget* EditPage::makeTools(QWidget* parent) {
  auto* tools = new QWidget(parent);
  search_ = searchLine(tools, "settingSearch", tr("Find a setting"));
  groups_ = new QComboBox(tools);
  groups_->setAccessibleName(tr("Go to a group of settings"));
  groups_->setToolTip(tr("Go to a group of settings"));
  for (const std::string& group : ConfigForm::groups()) groups_->addItem(toQt(groupTitle(group)), toQt(group));
  sweep_ = named(new QPushButton(tr("Several runs…"), tools), "sweep", {},
                 tr("Set lists or ranges of values for fields, and name the experiment"));
  connect(sweep_, &QPushButton::clicked, this, [this] { editSweep({}); });
  row(tools, {{search_, 1}, groups_, sweep_}, {{8, 0, 8, 0}});
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) { form_->setFilter(text); });
  connect(&presenter_.draft(), &ConfigDraft::edited, search_, [this](const DraftState&, const std::string& path) {
    if (path.empty()) search_->clear();  // another configuration
  });
  connect(groups_, &QComboBox::activated, this, [this] {
    search_->clear();
    form_->showGroup(groups_->currentData().toString().toStdString());
  });
  return tools;
}

QWidget* EditPage::makeFooter() {
  auto* footer = new QWidget(this);
  readiness_ = named(plainLabel(footer), "readiness");
  readiness_->setWordWrap(true);
  changes_ = named(textLabel(footer, TextLook::Small), "changes");
  queue_ = named(new QPushButton(tr("Add to the queue"), footer), "enqueue");
  showProblem_ = new QPushButton(tr("Show"), footer);
  showProblem_->setAccessibleName(tr("Show the first problem"));
  launch_ = named(new QPushButton(tr("Launch"), footer), "launch");
  Theme::setPrimary(launch_);
  auto* texts = column(nullptr, {readiness_, changes_}, {.spacing = 0});
  row(footer, {{texts, 1}, showProblem_, queue_, launch_}, {{16, 8, 16, 8}, 8});
  connect(launch_, &QPushButton::clicked, this, &EditPage::launchRequested);
  connect(queue_, &QPushButton::clicked, this, &EditPage::enqueueRequested);
  connect(showProblem_, &QPushButton::clicked, this, &EditPage::showProblem);
  return footer;
}

void EditPage::showProblem() {
  const ConfigDraft& draft = presenter_.draft();
  std::string field;
  if (!draft.issues().empty())
    field = draft.issues().front().field;
  else if (finding() != nullptr)
    field = finding()->field;
  if (draft.yamlBroken()) {
    tabs_->setCurrentIndex(kYamlTab);
    yaml_->showNextProblem();
  } else {
    showSetting(field.substr(0, field.find('[')));
  }
}

void EditPage::showSetting(const std::string& path) {
  make();
  tabs_->setCurrentIndex(0);
  search_->clear();
  window()->activateWindow();  // the field was asked for in another window, such as the palette
  form_->showField(path);
}

void EditPage::editSweep(const std::string& path) {
  make();
  if (presenter_.draft().hasUnreadText()) return showProblem();
  (new SweepWindow(presenter_.draft(), path, this))->open();
}

void EditPage::setLaunch(RunLocation place, const QString& blocked, const QString& queueBlocked) {
  if (std::tie(place, blocked, queueBlocked) == std::tie(place_, blocked_, queueBlocked_)) return;
  std::tie(place_, blocked_, queueBlocked_) = std::tie(place, blocked, queueBlocked);
  if (form_ != nullptr) updateReadiness();
}

/// A cell or a text is committed when it loses the keyboard focus.
void EditPage::commitEdit() {
  const QPointer<QWidget> edited = QApplication::focusWidget();
  if (!edited || !isAncestorOf(edited)) return;
  edited->clearFocus();
  if (edited && edited->isVisible()) edited->setFocus(Qt::OtherFocusReason);
}

/// Returns the first finding that holds where the run is launched, or null: the machines of a cluster may have what
/// this one lacks.
const PreflightFinding* EditPage::finding() const {
  const std::vector<PreflightFinding>& findings = presenter_.findings();
  const auto first = std::ranges::find_if(
      findings, [this](const PreflightFinding& each) { return !each.fatal || !onCluster(place_); });
  return first == findings.end() ? nullptr : &*first;
}

QString EditPage::problemText() const {
  const ConfigDraft& draft = presenter_.draft();
  if (!draft.issues().empty())
    return plural(draft.issues().size(), tr("%n setting to correct before the launch"),
                  tr("%n settings to correct before the launch"));
  const QString lacking = onCluster(place_) ? QString() : presenter_.blockingProblem();
  return lacking.isEmpty() ? blocked_ : lacking;
}

QString EditPage::readyText() const {
  const ConfigDraft& draft = presenter_.draft();
  if (const PreflightFinding* warning = finding())
    return tr("Ready, with a warning: %1. Remedy: %2.", "a warning and its remedy")
        .arg(formText(warning->what), formText(warning->remedy));
  if (draft.runs() > 1)
    return plural(draft.runs(), tr("Ready to launch %n run: %1", "%1: 3 values of Random seed, …"),
                  tr("Ready to launch %n runs: %1", "%1: 3 values of Random seed, …"))
        .arg(factorsText(draft));
  const QString run = name_.isEmpty() ? tr("a run") : shortName(fontMetrics(), name_);
  const bool isDemo = draft.config().data.format == TextFormat::Demo;
  return isDemo ? tr("Ready to launch %1 on the generated text of the demo").arg(run)
                : tr("Ready to launch %1").arg(run);
}

void EditPage::setRuns(const RunList& runs) {
  runs_ = &runs;
  connect(&runs, &RunList::updated, this, &EditPage::updateName);
}

QString EditPage::nameInStore() const {
  const std::string wanted = runName(presenter_.draft().config());
  return toQt(wanted.empty() || runs_ == nullptr ? wanted : runs_->freeName(wanted));
}

/// Another run may have taken the name.
void EditPage::updateName() {
  if (form_ != nullptr && nameInStore() != name_) updateReadiness();
}

void EditPage::updateReadiness() {
  const ConfigDraft& draft = presenter_.draft();
  name_ = nameInStore();
  const QString problem = problemText();
  const bool ready = problem.isEmpty() && draft.ready();
  launch_->setEnabled(ready);
  queue_->setEnabled(ready && queueBlocked_.isEmpty());
  launch_->setText(draft.runs() > 1 ? plural(draft.runs(), tr("Launch %n run"), tr("Launch %n runs")) : tr("Launch"));
  const int side = std::max(16, fontMetrics().height() - 2);
  launch_->setIconSize({side, side});
  launch_->setIcon(theme_.icon(QStringLiteral("launch"),
                               launch_->isEnabled() ? theme_.colors().onAccent : theme_.colors().disabled));
  const PreflightFinding* found = finding();
  showProblem_->setVisible(!draft.issues().empty() || (found != nullptr && !found->field.empty()));
  readiness_->setText(ready ? readyText() : problem);
  const bool warns = ready && found != nullptr;
  Theme::setLook(readiness_, warns                           ? TextLook::Warning
                             : !ready && problem != blocked_ ? TextLook::Bad
                                                             : TextLook::Muted);
  launch_->setToolTip(ready ? tr("Start training") : plainToolTip(problem));
  queue_->setToolTip(!queueBlocked_.isEmpty() ? plainToolTip(queueBlocked_)
                     : ready                  ? tr("Train when its turn comes, one run after the other")
                                              : plainToolTip(problem));
  updateChanges();
  unreadText_->setVisible(draft.hasUnreadText());
  sweep_->setEnabled(!draft.hasUnreadText());  // it would replace the text, as the form would
}

void EditPage::updateChanges() {
  const ConfigDraft& draft = presenter_.draft();
  QStringList labels;
  for (const std::string& field : draft.changedFields()) labels << fieldLabel(field);
  const QString parent = shortName(fontMetrics(), draft.parent());
  QString text;
  if (!draft.parent().isEmpty() && labels.isEmpty())
    text = (draft.state().baseSource == ValueSource::Preset ? tr("Same settings as the preset %1")
                                                            : tr("Same settings as %1"))
               .arg(parent);
  else if (!draft.parent().isEmpty())
    text = plural(labels.size(), tr("Differs from %1 in %n setting: %2"), tr("Differs from %1 in %n settings: %2"))
               .arg(parent, labels.mid(0, kMaxChangesNamed).join(QStringLiteral(", ")) +
                                (labels.size() > kMaxChangesNamed ? QStringLiteral(", …") : QString()));
  changes_->setText(text.isEmpty() ? QStringLiteral(" ") : text);  // keeps its line
}

void EditPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (form_ != nullptr) placePreview();
}

void EditPage::placePreview() {
  if (preview_ == nullptr) return;
  const bool wide = width() >= kMinWideChars * fontMetrics().horizontalAdvance(QLatin1Char('x'));
  const int tab = tabs_->indexOf(preview_);
  if (wide && splitter_->indexOf(preview_) < 0) {
    if (tab >= 0) tabs_->removeTab(tab);
    splitter_->addWidget(preview_);
    splitter_->setStretchFactor(0, 5);
    splitter_->setStretchFactor(1, 4);
    splitter_->setSizes({width() * 5 / 9, width() * 4 / 9});
    preview_->show();
  } else if (!wide && tab < 0) {
    tabs_->addTab(preview_, tr("Preview"));
  }
}

}  // namespace batchwise
