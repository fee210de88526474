// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/compare_presenter.h"

#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/models/labels.h"

namespace batchwise {
namespace {

constexpr const char* kViewsSetting = "compare_views";

std::vector<std::string> idsOf(const QStringList& runs) {
  std::vector<std::string> ids;
  for (const QString& run : runs) ids.push_back(run.toStdString());
  return ids;
}

QString word(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonObject toJson(const CompareView& view) {
  const ComparisonOptions& options = view.options;
  return {{QStringLiteral("runs"), QJsonArray::fromStringList(view.runs)},
          {QStringLiteral("metric"), toQt(options.metric)},
          {QStringLiteral("axis"), word(choiceName(options.axis))},
          {QStringLiteral("smoothing"), options.smoothing},
          {QStringLiteral("group"), toQt(options.groupBy)},
          {QStringLiteral("centre"), word(choiceName(options.center))},
          {QStringLiteral("band"), word(choiceName(options.band))},
          {QStringLiteral("logY"), view.logY}};
}

/// Values that cannot be read keep their defaults.
CompareView fromJson(const QJsonObject& json) {
  CompareView view;
  const auto text = [&](const char* key) { return json.value(QLatin1String(key)).toString().toStdString(); };
  for (const QJsonValue& run : json.value(QLatin1String("runs")).toArray()) view.runs << run.toString();
  if (!text("metric").empty()) view.options.metric = text("metric");
  view.options.axis = choiceFromName<Axis>(text("axis")).value_or(view.options.axis);
  view.options.smoothing = std::clamp(json.value(QLatin1String("smoothing")).toDouble(), 0.0, 0.99);
  view.options.groupBy = text("group");
  view.options.center = choiceFromName<Center>(text("centre")).value_or(view.options.center);
  view.options.band = choiceFromName<Band>(text("band")).value_or(view.options.band);
  view.logY = json.value(QLatin1String("logY")).toBool();
  return view;
}

}  // namespace

struct ComparePresenter::Computed {
  std::shared_ptr<const RunComparison> comparison;
  QStringList series;
  RunStyles styles;
  QString problem;

  static Computed of(const std::shared_ptr<Workspace>& workspace, const CompareView& view) {
    Computed computed;
    const std::vector<std::string> ids = idsOf(view.runs);
    computed.styles = RunStyles::read(*workspace);
    if (computed.styles.assign(ids)) {
      if (auto stored = computed.styles.write(*workspace); !stored.ok())
        computed.problem = coreText(stored.error().full());
    }
    if (ids.empty()) return computed;
    auto comparison = compareRuns(*workspace, ids, view.options);
    if (!comparison.ok()) {
      computed.problem = coreText(comparison.error().full());
      return computed;
    }
    computed.comparison = std::make_shared<const RunComparison>(std::move(*comparison));
    if (const auto names = comparableSeries(*workspace, ids); names.ok())
      for (const std::string& name : *names) computed.series << toQt(name);
    return computed;
  }
};

ComparePresenter::ComparePresenter(WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    view_ = {};
    removedRuns_.clear();
    comparison_.reset();
    configs_.clear();
    readSavedViews();
    compute();
    Q_EMIT chosenChanged();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &ComparePresenter::refreshed);
}

void ComparePresenter::setView(const CompareView& view) {
  if (view == view_) return;
  const bool chosen = view.runs != view_.runs;
  const bool computed = chosen || !(view.options == view_.options);
  view_ = view;
  if (chosen) Q_EMIT chosenChanged();
  if (computed)
    compute();
  else
    Q_EMIT changed();
}

void ComparePresenter::setOptions(const ComparisonOptions& options) {
  CompareView view = view_;
  view.options = options;
  setView(view);
}

void ComparePresenter::setLogY(bool on) {
  CompareView view = view_;
  view.logY = on;
  setView(view);
}

void ComparePresenter::toggle(const QString& run) {
  if (run.isEmpty()) return;
  CompareView view = view_;
  if (!view.runs.removeOne(run)) view.runs << run;
  setView(view);
}

void ComparePresenter::setBaseline(const QString& run) {
  if (run.isEmpty()) return;
  CompareView view = view_;
  view.runs.removeOne(run);
  view.runs.prepend(run);
  setView(view);
}

void ComparePresenter::clear() {
  CompareView view = view_;
  view.runs.clear();
  removedRuns_.clear();
  setView(view);
}

int ComparePresenter::styleOf(const QString& run) const {
  return styles_.of(run.toStdString());
}

Figure ComparePresenter::figure() const {
  if (!comparison_) return {};
  return figureOf(*comparison_, view_.logY ? Scale::Logarithmic : Scale::Linear, windowTexts());
}

void ComparePresenter::compute() {
  if (!workspace_.workspace()) return;
  if (computing_) {
    inputsChanged_ = true;
    return;
  }
  computing_ = true;
  readBatches_.clear();
  for (const QString& run : view_.runs)
    if (const RunSummary* summary = workspace_.runs().find(run)) readBatches_[run] = summary->at.batch;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace(), view = view_] { return Computed::of(workspace, view); },
      [this, of = workspace_.workspace()](Computed computed) {
        computing_ = false;
        if (std::exchange(inputsChanged_, false) || of != workspace_.workspace()) {
          compute();
          if (!computed.comparison) return;
        }
        if (of == workspace_.workspace()) take(std::move(computed));
      });
}

void ComparePresenter::take(Computed computed) {
  styles_ = computed.styles;
  comparison_ = std::move(computed.comparison);
  series_ = computed.series;
  if (!computed.problem.isEmpty()) Q_EMIT failed(computed.problem);
  Q_EMIT changed();
}

/// Drops chosen runs that are gone and restores them when they reappear (archiving can be undone). Recomputes if a run
/// has progressed.
void ComparePresenter::refreshed() {
  CompareView view = view_;
  bool progressed = false;
  for (const QString& run : view_.runs) {
    const RunSummary* summary = workspace_.runs().find(run);
    if (summary == nullptr) {
      removedRuns_.push_back({run, view.runs.indexOf(run)});
      view.runs.removeOne(run);
    } else {
      progressed = progressed || summary->at.batch != readBatches_[run];
    }
  }
  // In reverse order of removal, so that each run returns to its position.
  for (auto back = removedRuns_.rbegin(); back != removedRuns_.rend(); ++back)
    if (workspace_.runs().find(back->run) != nullptr && !view.runs.contains(back->run))
      view.runs.insert(std::min(back->place, view.runs.size()), back->run);
  std::erase_if(removedRuns_, [this](const RemovedRun& left) { return workspace_.runs().find(left.run) != nullptr; });
  if (view.runs != view_.runs)
    setView(view);
  else if (progressed && !computing_)
    compute();
}

QStringList ComparePresenter::savedViews() const {
  QStringList names;
  for (const auto& [name, view] : saved_) names << name;
  return names;
}

void ComparePresenter::readSavedViews() {
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kViewsSetting); },
      [this](const Result<std::optional<std::string>>& stored) {
        saved_.clear();
        if (stored.ok() && *stored) {
          const QJsonObject all = QJsonDocument::fromJson(QByteArray::fromStdString(**stored)).object();
          for (auto one = all.begin(); one != all.end(); ++one) saved_[one.key()] = fromJson(one.value().toObject());
        }
        Q_EMIT savedViewsChanged();
      });
}

void ComparePresenter::storeViews() {
  QJsonObject all;
  for (const auto& [name, view] : saved_) all.insert(name, toJson(view));
  const std::string text = QJsonDocument(all).toJson(QJsonDocument::Compact).toStdString();
  change([text](Workspace& workspace) { return workspace.saveSetting(kViewsSetting, text); });
  Q_EMIT savedViewsChanged();
}

void ComparePresenter::saveView(const QString& name) {
  if (name.trimmed().isEmpty()) return;
  saved_[name.trimmed()] = view_;
  storeViews();
}

void ComparePresenter::openView(const QString& name) {
  const auto found = saved_.find(name);
  if (found == saved_.end()) return;
  removedRuns_.clear();
  CompareView view = found->second;
  view.runs.erase(std::remove_if(view.runs.begin(), view.runs.end(),
                                 [this](const QString& run) { return workspace_.runs().find(run) == nullptr; }),
                  view.runs.end());
  setView(view);
}

void ComparePresenter::deleteView(const QString& name) {
  if (saved_.erase(name) > 0) storeViews();
}

void ComparePresenter::change(std::function<Result<void>(Workspace&)> work) {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace(), work = std::move(work)] { return work(*workspace); },
      [this](const Result<void>& done) {
        if (!done.ok()) Q_EMIT failed(coreText(done.error().full()));
        workspace_.refresh();
      });
}

void ComparePresenter::setName(const QString& run, const QString& name) {
  change(
      [id = run.toStdString(), to = name.toStdString()](Workspace& workspace) { return workspace.renameRun(id, to); });
}

void ComparePresenter::setTags(const QString& run, const QStringList& tags) {
  change([id = run.toStdString(), list = idsOf(tags)](Workspace& workspace) { return workspace.setTags(id, list); });
}

void ComparePresenter::setNote(const QString& run, const QString& markdown) {
  change([id = run.toStdString(), text = markdown.toStdString()](Workspace& workspace) {
    return workspace.setNote(id, text);
  });
}

void ComparePresenter::setArchived(const QString& run, bool archived) {
  change([id = run.toStdString(), archived](Workspace& workspace) { return workspace.setArchived(id, archived); });
}

const ConfigValues* ComparePresenter::config(const QString& run) {
  const auto found = configs_.find(run);
  if (found != configs_.end()) return &found->second;
  if (pendingConfigs_.isEmpty()) QMetaObject::invokeMethod(this, &ComparePresenter::readConfigs, Qt::QueuedConnection);
  pendingConfigs_ << run;
  return nullptr;
}

void ComparePresenter::readConfigs() {
  const QStringList wanted = std::exchange(pendingConfigs_, {});
  if (!workspace_.workspace() || wanted.isEmpty()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), wanted] {
        std::map<QString, ConfigValues> read;
        for (const QString& run : wanted) {
          ConfigValues& values = read[run];  // empty if it cannot be read
          const auto detail = workspace->findRun(run.toStdString());
          if (!detail.ok()) continue;
          if (auto own = configValuesOf(detail->resolvedYaml, detail->summary.name); own.ok()) values = std::move(*own);
        }
        return read;
      },
      [this](std::map<QString, ConfigValues> read) {
        configs_.merge(read);
        Q_EMIT configsRead();
      });
}

}  // namespace batchwise
