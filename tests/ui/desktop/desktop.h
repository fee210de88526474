// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QRect>
#include <cstdint>
#include <optional>
#include <vector>

namespace batchwise::test {

/// A control that the program shows, as a screen reader knows it; its place on the screen.
struct Control {
  QString role, name, value, object;
  QRect place;
  bool enabled = false, checked = false;
};

/// An X server of its own with batchwise-studio on it, and a mouse and a keyboard (xdotool). Tells where controls are
/// by the plugin in controls_plugin.cpp; everything else is done and seen from outside. BATCHWISE_TESTED_PROGRAMS names
/// the folder of the programs; without it, the ones beside the test.
class Desktop {
 public:
  /// What is missing for a desktop; empty: nothing.
  static QString missing();

  /// `folder`: for the workspace, the settings of the program, and what it needs.
  explicit Desktop(const QString& folder);
  ~Desktop();
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  /// Starts the X server. False if it does not start.
  bool open();
  /// Starts the window's program in `workingFolder` on the workspace, until it shows its window.
  bool startProgram(const QString& workingFolder);
  std::int64_t processId() const { return program_.processId(); }
  /// kill -9.
  bool killProgram();
  /// As at the end of a session.
  bool endProgram();

  std::vector<Control> controls() const;
  /// Waits until a control whose object name or accessible name is `what`, or begins with it where it ends with a "*",
  /// is shown, enabled, and stays where it is.
  std::optional<Control> await(const QString& what, int limitMs = kLimitMs) const;
  bool awaitText(const QString& part, int limitMs = kLimitMs) const;
  /// Whether some shown text has `part` in it now.
  bool shows(const QString& part) const;
  bool click(const QString& what);
  /// A click into the field, and its text replaced.
  bool enter(const QString& field, const QString& text);
  bool key(const QString& keys);
  bool type(const QString& text);
  bool mouse(const QStringList& arguments);
  /// A file is dragged from another program's window and dropped on the middle of this one's.
  bool drop(const QString& file);
  /// The whole screen, for people.
  void takePicture(const QString& name) const;

  /// What the command line says, as JSON.
  QJsonObject ask(const QStringList& arguments) const;
  /// Runs, newest first; each as `runs list --json` has it.
  std::vector<QJsonObject> runs() const;
  QString workspace() const { return folder_ + QStringLiteral("/workspace"); }

  static constexpr int kLimitMs = 60'000;

 private:
  bool dropOnce(const QString& file);
  QProcessEnvironment environment() const;
  bool run(const QString& program, const QStringList& arguments) const;

  const QString folder_;
  QProcess server_, program_;
  QString display_;
};

}  // namespace batchwise::test
