// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QSettings>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtCore/QVariant>
#include <cstdint>
#include <optional>

#include "core/base/machine.h"
#include "core/run/slurm/slurm_client.h"

namespace batchwise {

/// Persistent settings of the window, an INI file in the user's configuration folder. The only place that names the
/// keys. Unknown keys of another version are preserved. GUI thread.
class StudioSettings {
 public:
  /// If `file` is empty, opens $XDG_CONFIG_HOME/batchwise/studio.ini.
  /// `gpus`: of this machine.
  explicit StudioSettings(const QString& file = {}, std::int64_t gpus = machineInfo().gpus);

  void reset() { settings_.clear(); }
  QString fileName() const { return settings_.fileName(); }

  QString workspace() const { return text(QStringLiteral("workspace/current")); }  ///< empty: default workspace
  void setWorkspace(const QString& folder);
  QStringList recentWorkspaces() const {
    return value(QStringLiteral("workspace/recent")).toStringList();
  }  ///< newest first, at most 8
  QString appearance() const {
    return text(QStringLiteral("view/appearance"), "system");
  }  ///< "system", "light", "dark"
  void setAppearance(const QString& name) { set(QStringLiteral("view/appearance"), name); }
  int textPercent() const {
    return value(QStringLiteral("view/text_percent"), 100).toInt();
  }  ///< 100: system font size
  void setTextPercent(int percent) { set(QStringLiteral("view/text_percent"), percent); }
  /// "program", "process" or "slurm". Where there is a GPU, a run has a process of its own unless the user decides
  /// otherwise: after an error of the GPU a process cannot use it again.
  QString launchTarget() const { return text(QStringLiteral("run/place"), gpus_ > 0 ? "process" : "program"); }
  void setLaunchTarget(const QString& place) { set(QStringLiteral("run/place"), place); }
  SlurmOptions slurm() const;
  void setSlurm(const SlurmOptions& options);
  /// Action on an alert of `kind`: "nothing", "pause", "checkpoint", "stop".
  QString alertAction(const QString& kind) const { return text(QStringLiteral("alerts/") + kind, "nothing"); }
  void setAlertAction(const QString& kind, const QString& action) { set(QStringLiteral("alerts/") + kind, action); }
  /// What the desktop can be notified of: runs that end, runs that fail, and other alerts.
  enum class DesktopNotice { End, Failure, Alert };
  bool notifiesOf(DesktopNotice notice) const;
  void setNotifiesOf(DesktopNotice notice, bool on);
  /// Devices of new runs, as `devices.use` of a configuration; empty: those of the preset.
  QString newRunDevices() const { return text(QStringLiteral("new_run/devices")); }
  void setNewRunDevices(const QString& devices) { set(QStringLiteral("new_run/devices"), devices); }
  /// Key sequence the user assigned to `command`, in QKeySequence::PortableText; none: the default applies.
  std::optional<QString> shortcut(const QString& command) const;
  void setShortcut(const QString& command, const QString& keys) { set(QStringLiteral("shortcuts/") + command, keys); }
  void removeShortcut(const QString& command) { settings_.remove(QStringLiteral("shortcuts/") + command); }

  /// State of the splitter between charts and values, see QSplitter::saveState().
  QByteArray runsSplit() const { return value(QStringLiteral("runs/split")).toByteArray(); }
  void setRunsSplit(const QByteArray& state) { set(QStringLiteral("runs/split"), state); }
  /// Whether the table of values is shown below the charts while runs are compared.
  bool showsValues() const { return value(QStringLiteral("runs/values"), true).toBool(); }
  void setShowsValues(bool on) { set(QStringLiteral("runs/values"), on); }
  /// Columns of the runs table.
  struct RunColumns {
    QStringList keys;   ///< of all columns, those that are not shown included, from left to right
    QList<int> widths;  ///< of `keys`; 0: not shown
    QString sorted;     ///< key
    bool descending = true;
    int fontHeight = 0;         ///< that the widths are for
    int fittedNames = 0;        ///< width of the names as the program has set it
    QStringList shown, hidden;  ///< by the user; of the others those are shown that the program chooses
  };
  RunColumns runColumns() const;
  void setRunColumns(const RunColumns& columns);
  /// Folder in which the file dialog for `purpose` starts: exportFolder(), else the one last used for it, by any
  /// dialog, or documentsFolder(), whichever exists first.
  QString folder(const QString& purpose) const;
  /// Remembers where the dialog for `purpose` was used last.
  void setFolder(const QString& purpose, const QString& folder);
  /// The user's documents if that folder exists, else the home folder.
  static QString documentsFolder();
  /// Folder in which all exports start; empty: each starts in the one last used.
  QString exportFolder() const { return text(QStringLiteral("folders/export_always")); }
  void setExportFolder(const QString& folder) { set(QStringLiteral("folders/export_always"), folder); }
  /// Folder in which workspaces are opened and created; empty: that of the present workspace.
  QString workspacesFolder() const { return text(QStringLiteral("folders/workspaces")); }
  void setWorkspacesFolder(const QString& folder) { set(QStringLiteral("folders/workspaces"), folder); }

  struct Layout {
    QByteArray geometry;
    QByteArray state;
  };
  /// Returns none if no layout was saved or it has another layout version.
  std::optional<Layout> layout() const;
  void setLayout(const Layout& layout);

 private:
  QVariant value(const QString& key, const QVariant& otherwise = {}) const { return settings_.value(key, otherwise); }
  QString text(const QString& key, const char* otherwise = "") const {
    return value(key, QString::fromLatin1(otherwise)).toString();
  }
  void set(const QString& key, const QVariant& value) { settings_.setValue(key, value); }

  const std::int64_t gpus_;
  QSettings settings_;
};

}  // namespace batchwise
