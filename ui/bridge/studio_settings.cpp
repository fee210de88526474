// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/studio_settings.h"

#include <QtCore/QSettings>
#include <QtCore/QUrl>
#include <algorithm>

namespace batchwise {
namespace {

constexpr int kVersion = 1;
constexpr int kLayoutVersion = 1;
constexpr int kRecent = 8;

QString key(const char* name) {
  return QString::fromLatin1(name);
}

/// A name may hold characters that separate groups in an INI file.
QString namedLayout(const QString& name) {
  return key("layouts/") + QString::fromLatin1(QUrl::toPercentEncoding(name));
}

}  // namespace

StudioSettings::StudioSettings(const QString& file) {
  settings_ = file.isEmpty() ? std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                                           QStringLiteral("batchwise"), QStringLiteral("studio"))
                             : std::make_unique<QSettings>(file, QSettings::IniFormat);
  if (!settings_->contains(key("version"))) settings_->setValue(key("version"), kVersion);
}

StudioSettings::~StudioSettings() = default;

void StudioSettings::reset() {
  settings_->clear();
  settings_->setValue(key("version"), kVersion);
}

QString StudioSettings::fileName() const {
  return settings_->fileName();
}

QString StudioSettings::workspace() const {
  return settings_->value(key("workspace/current")).toString();
}

void StudioSettings::setWorkspace(const QString& folder) {
  settings_->setValue(key("workspace/current"), folder);
  QStringList recent = recentWorkspaces();
  recent.removeAll(folder);
  recent.prepend(folder);
  settings_->setValue(key("workspace/recent"), QStringList(recent.mid(0, kRecent)));
}

QStringList StudioSettings::recentWorkspaces() const {
  return settings_->value(key("workspace/recent")).toStringList();
}

QString StudioSettings::appearance() const {
  return settings_->value(key("view/appearance"), QStringLiteral("system")).toString();
}

void StudioSettings::setAppearance(const QString& name) {
  settings_->setValue(key("view/appearance"), name);
}

int StudioSettings::textPercent() const {
  return settings_->value(key("view/text_percent"), 100).toInt();
}

void StudioSettings::setTextPercent(int percent) {
  settings_->setValue(key("view/text_percent"), percent);
}

QString StudioSettings::language() const {
  return settings_->value(key("view/language"), QStringLiteral("system")).toString();
}

void StudioSettings::setLanguage(const QString& name) {
  settings_->setValue(key("view/language"), name);
}

QString StudioSettings::alertAction(const QString& kind) const {
  return settings_->value(key("alerts/") + kind, QStringLiteral("nothing")).toString();
}

void StudioSettings::setAlertAction(const QString& kind, const QString& action) {
  settings_->setValue(key("alerts/") + kind, action);
}

int StudioSettings::slowPercent() const {
  return std::clamp(settings_->value(key("alerts/slow_percent"), 50).toInt(), 5, 95);
}

void StudioSettings::setSlowPercent(int percent) {
  settings_->setValue(key("alerts/slow_percent"), percent);
}

bool StudioSettings::notifiesDesktop() const {
  return settings_->value(key("alerts/desktop"), true).toBool();
}

void StudioSettings::setNotifiesDesktop(bool on) {
  settings_->setValue(key("alerts/desktop"), on);
}

std::optional<QString> StudioSettings::shortcut(const QString& command) const {
  const QVariant kept = settings_->value(key("shortcuts/") + command);
  return kept.isValid() ? std::optional(kept.toString()) : std::nullopt;
}

void StudioSettings::setShortcut(const QString& command, const QString& keys) {
  settings_->setValue(key("shortcuts/") + command, keys);
}

void StudioSettings::removeShortcut(const QString& command) {
  settings_->remove(key("shortcuts/") + command);
}

QString StudioSettings::launchTarget() const {
  return settings_->value(key("run/place"), QStringLiteral("program")).toString();
}

void StudioSettings::setLaunchTarget(const QString& place) {
  settings_->setValue(key("run/place"), place);
}

SlurmOptions StudioSettings::slurm() const {
  SlurmOptions options;
  const auto text = [this](const char* name) { return settings_->value(key(name)).toString().toStdString(); };
  const auto number = [this](const char* name, std::int64_t& into) {
    into = settings_->value(key(name), static_cast<qlonglong>(into)).toLongLong();
  };
  options.partition = text("slurm/partition");
  options.account = text("slurm/account");
  options.memory = text("slurm/memory");
  number("slurm/nodes", options.nodes);
  number("slurm/ranks_per_node", options.ranksPerNode);
  number("slurm/gpus_per_node", options.gpusPerNode);
  number("slurm/cores_per_rank", options.coresPerRank);
  number("slurm/minutes", options.limitMinutes);
  return options;
}

void StudioSettings::setSlurm(const SlurmOptions& options) {
  const auto text = [this](const char* name, const std::string& value) {
    settings_->setValue(key(name), QString::fromStdString(value));
  };
  const auto number = [this](const char* name, std::int64_t value) {
    settings_->setValue(key(name), static_cast<qlonglong>(value));
  };
  text("slurm/partition", options.partition);
  text("slurm/account", options.account);
  text("slurm/memory", options.memory);
  number("slurm/nodes", options.nodes);
  number("slurm/ranks_per_node", options.ranksPerNode);
  number("slurm/gpus_per_node", options.gpusPerNode);
  number("slurm/cores_per_rank", options.coresPerRank);
  number("slurm/minutes", options.limitMinutes);
}

StudioSettings::WatchOptions StudioSettings::watch() const {
  WatchOptions watch;
  watch.smoothing = std::clamp(settings_->value(key("watch/smoothing"), watch.smoothing).toDouble(), 0.0, 0.99);
  watch.wholeRun = settings_->value(key("watch/whole_run"), watch.wholeRun).toBool();
  watch.clock = settings_->value(key("watch/clock"), watch.clock).toInt();
  watch.logarithmic = settings_->value(key("watch/logarithmic"), watch.logarithmic).toBool();
  watch.clipSpikes = settings_->value(key("watch/clip_spikes"), watch.clipSpikes).toBool();
  return watch;
}

void StudioSettings::setWatch(const WatchOptions& watch) {
  settings_->setValue(key("watch/smoothing"), watch.smoothing);
  settings_->setValue(key("watch/whole_run"), watch.wholeRun);
  settings_->setValue(key("watch/clock"), watch.clock);
  settings_->setValue(key("watch/logarithmic"), watch.logarithmic);
  settings_->setValue(key("watch/clip_spikes"), watch.clipSpikes);
}

QString StudioSettings::folder(const QString& purpose) const {
  return settings_->value(key("folders/") + purpose).toString();
}

void StudioSettings::setFolder(const QString& purpose, const QString& folder) {
  settings_->setValue(key("folders/") + purpose, folder);
}

std::optional<StudioSettings::Layout> StudioSettings::layoutAt(const QString& place) const {
  if (settings_->value(place + key("/version")).toInt() != kLayoutVersion) return std::nullopt;
  return Layout{settings_->value(place + key("/geometry")).toByteArray(),
                settings_->value(place + key("/state")).toByteArray()};
}

void StudioSettings::setLayoutAt(const QString& place, const Layout& layout) {
  settings_->setValue(place + key("/version"), kLayoutVersion);
  settings_->setValue(place + key("/geometry"), layout.geometry);
  settings_->setValue(place + key("/state"), layout.state);
}

std::optional<StudioSettings::Layout> StudioSettings::layout() const {
  return layoutAt(key("layout"));
}

void StudioSettings::setLayout(const Layout& layout) {
  setLayoutAt(key("layout"), layout);
}

QStringList StudioSettings::layoutNames() const {
  settings_->beginGroup(key("layouts"));
  QStringList names;
  for (const QString& place : settings_->childGroups()) names << QUrl::fromPercentEncoding(place.toLatin1());
  settings_->endGroup();
  names.sort(Qt::CaseInsensitive);
  return names;
}

std::optional<StudioSettings::Layout> StudioSettings::savedLayout(const QString& name) const {
  return layoutAt(namedLayout(name));
}

void StudioSettings::saveLayout(const QString& name, const Layout& layout) {
  setLayoutAt(namedLayout(name), layout);
}

void StudioSettings::removeLayout(const QString& name) {
  settings_->remove(namedLayout(name));
}

}  // namespace batchwise
