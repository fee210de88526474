// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit_page.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/field_words.h"
#include "ui/models/words.h"
#include "ui/widgets/config_form.h"
#include "ui/widgets/preview_pane.h"
#include "ui/widgets/yaml_editor.h"

namespace batchwise {
namespace {
/// Width in characters from which the preview stands beside the form.
constexpr int kWideCharacters = 118;
}  // namespace

EditPage::EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      theme_(theme),
      form_(new ConfigForm(presenter.draft(), theme, this)),
      yaml_(new YamlEditor(presenter.draft(), theme, this)),
      preview_(new PreviewPane(presenter, theme, this)),
      tabs_(new QTabWidget(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)) {
  auto* formPage = new QWidget(tabs_);
  auto* formLayout = new QVBoxLayout(formPage);
  formLayout->setContentsMargins(0, 8, 0, 0);
  formLayout->setSpacing(8);
  formLayout->addWidget(makeTools());
  formLayout->addWidget(form_, 1);
  auto* yamlPage = new QWidget(tabs_);
  auto* yamlLayout = new QVBoxLayout(yamlPage);
  yamlLayout->setContentsMargins(0, 8, 0, 0);
  yamlLayout->addWidget(yaml_);
  tabs_->setDocumentMode(true);
  tabs_->addTab(formPage, tr("Form"));
  tabs_->addTab(yamlPage, tr("YAML"));
  splitter_->addWidget(tabs_);
  splitter_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(splitter_, 1);
  layout->addWidget(makeFooter());

  connect(&presenter_.draft(), &ConfigDraft::changed, this, &EditPage::tellReadiness);
  connect(&theme, &Theme::changed, this, [this] {
    placePreview();
    tellReadiness();
  });
  placePreview();
  tellReadiness();
}

QWidget* EditPage::makeTools() {
  auto* tools = new QWidget(this);
  search_ = new QLineEdit(tools);
  search_->setPlaceholderText(tr("Find a setting"));
  search_->setAccessibleName(tr("Find a setting"));
  search_->setClearButtonEnabled(true);
  groups_ = new QComboBox(tools);
  groups_->setAccessibleName(tr("Go to a group of settings"));
  groups_->setToolTip(tr("Go to a group of settings"));
  for (const std::string& group : form_->groups()) groups_->addItem(groupTitle(group), toQt(group));
  auto* layout = new QHBoxLayout(tools);
  layout->setContentsMargins(8, 0, 8, 0);
  layout->addWidget(search_, 1);
  layout->addWidget(groups_);
  connect(search_, &QLineEdit::textChanged, form_, &ConfigForm::setFilter);
  connect(groups_, &QComboBox::activated, this, [this] {
    search_->clear();
    form_->showGroup(groups_->currentData().toString().toStdString());
  });
  return tools;
}

QWidget* EditPage::makeFooter() {
  auto* footer = new QWidget(this);
  readiness_ = new QLabel(footer);
  readiness_->setTextFormat(Qt::PlainText);
  readiness_->setWordWrap(true);
  showProblem_ = new QPushButton(tr("Show"), footer);
  showProblem_->setAccessibleName(tr("Show the first problem"));
  launch_ = new QPushButton(tr("Launch"), footer);
  launch_->setObjectName(QStringLiteral("launch"));
  Theme::setPrimary(launch_);
  auto* layout = new QHBoxLayout(footer);
  layout->setContentsMargins(16, 8, 16, 8);
  layout->setSpacing(8);
  layout->addWidget(readiness_, 1);
  layout->addWidget(showProblem_);
  layout->addWidget(launch_);
  connect(launch_, &QPushButton::clicked, this, &EditPage::launchWanted);
  connect(showProblem_, &QPushButton::clicked, this, [this] {
    const auto& issues = presenter_.draft().issues();
    if (issues.empty()) return;
    const bool inText = presenter_.draft().yamlBroken();
    tabs_->setCurrentIndex(inText ? 1 : 0);
    search_->clear();
    if (!inText) form_->showField(issues.front().field);
  });
  return footer;
}

void EditPage::setBlocked(const QString& why) {
  if (blocked_ == why) return;
  blocked_ = why;
  tellReadiness();
}

void EditPage::tellReadiness() {
  const ConfigDraft& draft = presenter_.draft();
  const int problems = static_cast<int>(draft.issues().size());
  launch_->setEnabled(draft.ready() && blocked_.isEmpty());
  const int side = std::max(16, fontMetrics().height() - 2);
  launch_->setIconSize({side, side});
  launch_->setIcon(theme_.icon(QStringLiteral("launch"),
                               launch_->isEnabled() ? theme_.colors().onAccent : theme_.colors().disabled));
  showProblem_->setVisible(problems > 0);
  QString text;
  if (problems > 0)
    text = tr("%n setting(s) to correct before the launch", nullptr, problems);
  else if (!blocked_.isEmpty())
    text = blocked_;
  else
    text = tr("Ready to launch %1").arg(draft.config().name.empty() ? tr("a run") : toQt(draft.config().name));
  readiness_->setText(text);
  Theme::setLook(readiness_, problems > 0 ? TextLook::Bad : TextLook::Muted);
  launch_->setToolTip(launch_->isEnabled() ? tr("Start training (F5)") : text);
}

void EditPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placePreview();
}

void EditPage::placePreview() {
  const bool wide = width() >= kWideCharacters * fontMetrics().horizontalAdvance(QLatin1Char('x'));
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
