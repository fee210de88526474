// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QProcess>
#include <QtWidgets/QDialog>
#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;
class QRadioButton;

namespace batchwise {

/// Returns whether pip installed this program, and LibTorch is in none of the places where the trainer looks for it.
bool lacksTorch();

/// Asks whether LibTorch is to be loaded, and which: size and place are said before. The package's own installer does
/// it in a process, and the dialog shows what that says; the window can be used meanwhile. Closed early, it ends the
/// process; the next one goes on with what has been loaded. Deletes itself when closed. GUI thread.
class TorchSetup final : public QDialog {
  Q_OBJECT

 public:
  /// `installed` is called once LibTorch is there.
  TorchSetup(QWidget& parent, std::function<void()> installed);
  ~TorchSetup() override;

  /// Shows one of `parent`; the dialog that is open already calls `installed` in place of what it was to call.
  static void offer(QWidget& parent, std::function<void()> installed);
  void done(int result) override;

 private:
  void ask(bool cuda);
  void showPlan();
  void install();
  void showLine(QByteArray& all, const QByteArray& more);
  void showInstalled();
  void fail(const QString& what);
  void reportUseless();
  void stop(const QString& what, const QString& why);
  void start(const QStringList& arguments, void (TorchSetup::*afterwards)());

  std::function<void()> installed_;
  QLabel *text_, *line_;
  QRadioButton *cpu_, *cuda_;
  QProgressBar* progress_;
  QPushButton* install_;
  QProcess process_;
  void (TorchSetup::*next_)() = nullptr;
  QByteArray output_, errors_;
  QString folder_;  // where the installer puts it
};

}  // namespace batchwise
