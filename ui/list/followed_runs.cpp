// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/followed_runs.h"

#include <QtCore/QElapsedTimer>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr const char* kFollowedKey = "import.followed";
constexpr int kPauseMs = 700;
constexpr int kPausePerReading = 5;  // reading many folders uses a sixth of a core

Result<std::vector<SeriesAlias>> aliasesIn(const QString& lines) {
  std::vector<SeriesAlias> table;
  for (const QString& line : lines.split(QLatin1Char('\n'))) {
    if (line.trimmed().isEmpty()) continue;
    ASSIGN_OR_RETURN(const auto alias, parseSeriesAlias(line.toStdString()));
    if (!alias.name.empty()) table.push_back(alias);
  }
  return table;
}

}  // namespace

struct FollowedRuns::Importers {
  std::shared_ptr<Workspace> workspace;
  std::map<QString, RunImporter> by;
  std::stop_source stopping = {};
};

struct FollowedRuns::Reading {
  QString path;
  Result<ImportReport> report;
};

FollowedRuns::FollowedRuns(WorkspacePresenter& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &FollowedRuns::readAll);
  connect(&workspace_, &WorkspacePresenter::opened, this, &FollowedRuns::load);
}

FollowedRuns::~FollowedRuns() = default;

void FollowedRuns::load() {
  if (importers_) importers_->stopping.request_stop();
  told_.clear();
  importers_ = std::make_shared<Importers>();
  importers_->workspace = workspace_.workspace();
  paths_.clear();
  unread_.clear();
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kFollowedKey); },
      [this, of = importers_](const Result<std::optional<std::string>>& stored) {
        if (of != importers_) return;
        const nlohmann::json list = stored.ok() && *stored ? parseJsonOrDiscarded(**stored) : nlohmann::json();
        if (!list.is_array()) return readAll();
        const bool isLate = !paths_.isEmpty();  // more is followed since, and was stored without these
        for (const nlohmann::json& path : list)
          if (path.is_string() && !paths_.contains(toQt(path.get<std::string>())))
            paths_ << toQt(path.get<std::string>());
        if (isLate) save();
        readAll();
      });
}

void FollowedRuns::save() {
  nlohmann::json list = nlohmann::json::array();
  for (const QString& path : paths_) list.push_back(path.toStdString());
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), text = jsonText(list)] {
        return workspace->saveSetting(kFollowedKey, text);
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(tr("The list of followed folders"), toQt(saved.error().text()));
      },
      TaskQueue::AtEnd::Run);
}

void FollowedRuns::follow(const QStringList& paths) {
  if (!importers_) return;
  for (const QString& path : paths) {
    if (!paths_.contains(path)) paths_ << path;
    if (!unread_.contains(path)) unread_ << path;
  }
  save();
  readAll();
}

void FollowedRuns::stop(const QString& path) {
  unread_.removeAll(path);
  if (paths_.removeAll(path) > 0) save();
}

void FollowedRuns::setSteps(const QString& path, const std::vector<std::string>& columns, const QString& step) {
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), columns, name = step.toStdString()] {
        return rememberStepColumn(*workspace, columns, name);
      },
      [this, path, of = importers_](const Result<void>& saved) {
        if (of != importers_) return;  // another workspace is open
        if (saved.ok())
          follow({path});
        else
          Q_EMIT failed(path, toQt(saved.error().text()));
      });
}

void FollowedRuns::editNames(EditLines edit) {
  if (!importers_) return;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->seriesAliases(); },
      [this, edit = std::move(edit), of = importers_](const Result<std::vector<SeriesAlias>>& stored) {
        if (!stored.ok()) return failed(tr("The table of names"), toQt(stored.error().text()));
        QString lines, problem;
        for (const SeriesAlias& alias : *stored) lines += toQt(alias.logged + " = " + alias.name + "\n");
        Result<std::vector<SeriesAlias>> table = stored;
        do {
          const std::optional<QString> changed = edit(lines, problem);
          if (!changed || of != importers_) return;
          lines = *changed;
          table = aliasesIn(lines);
          problem = table.ok() ? QString() : toQt(table.error().text());
        } while (!table.ok());
        storeNames(*table);
      });
}

void FollowedRuns::storeNames(const std::vector<SeriesAlias>& table) {
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace(), table] { return workspace->setSeriesAliases(table); },
      [this](const Result<void>& stored) {
        if (!stored.ok()) return failed(tr("The table of names"), toQt(stored.error().text()));
        workspace_.refresh();
      },
      TaskQueue::AtEnd::Run);
}

void FollowedRuns::readAll() {
  if (reading_ || !importers_) return;
  reading_ = true;
  tasks_.post(
      this,
      [importers = importers_, paths = paths_, asked = unread_](const std::stop_token& stop) {
        QElapsedTimer time;
        time.start();
        const std::stop_callback closing(stop, [&importers] { importers->stopping.request_stop(); });
        std::vector<Reading> readings;
        for (const QString& path :
             paths + QStringList{toQt((importers->workspace->folder() / kLoggedFolder).native())}) {
          auto found = importers->by.find(path);
          if (found == importers->by.end())
            found =
                importers->by.try_emplace(path, *importers->workspace, path.toStdString(), asked.contains(path)).first;
          readings.push_back({path, found->second.update({}, importers->stopping.get_token())});
        }
        return std::pair(std::move(readings), static_cast<int>(time.elapsed()));
      },
      [this, of = importers_](const std::pair<std::vector<Reading>, int>& done) {
        reading_ = false;
        if (of == importers_) receive(done.first);
        const bool isBehind = of != importers_ || !unread_.isEmpty();
        timer_.start(isBehind ? 0 : std::max(kPauseMs, kPausePerReading * done.second));
      });
}

void FollowedRuns::receive(const std::vector<Reading>& readings) {
  bool anyNew = false;
  for (const auto& [path, report] : readings) {
    const bool isFirst = unread_.removeAll(path) > 0;
    if (!report.ok()) {
      if (report.error().code == ErrorCode::Stopped) continue;
      if (isFirst) {
        stop(path);
        Q_EMIT failed(path, toQt(report.error().text()));
      }
      continue;  // a folder that is gone for a while, as one of a network, is followed again when it is back
    }
    anyNew = anyNew || report->newRuns > 0;
    for (const UnknownSteps& table : report->unknownSteps) {
      stop(path);
      Q_EMIT stepsRequested(path, table.columns);
    }
    if (isFirst && report->unknownSteps.empty())
      Q_EMIT read(path, *report);
    else if (!report->problems.empty() && report->problems != told_[path])
      Q_EMIT failed(path, toQt(report->problems.front()));
    told_[path] = report->problems;
  }
  if (anyNew) workspace_.refresh();
}

}  // namespace batchwise
