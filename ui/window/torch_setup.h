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
/// it in a process, and the dialog shows what that says. Closed early, it ends the process; the next one goes on with
/// what has been loaded. Deletes itself when closed. GUI thread.
class TorchSetup final : public QDialog {
  Q_OBJECT

 public:
  /// `installed` is called once LibTorch is there.
  TorchSetup(QWidget& parent, std::function<void()> installed);
  ~TorchSetup() override;

 private:
  void ask(bool cuda);
  void showPlan();
  void install();
  void showLine();
  void showInstalled();
  void fail(const QString& what);
  void start(const QStringList& arguments, void (TorchSetup::*afterwards)());

  std::function<void()> installed_;
  QLabel *text_, *line_;
  QRadioButton *cpu_, *cuda_;
  QProgressBar* progress_;
  QPushButton* install_;
  QProcess process_;
  void (TorchSetup::*done_)() = nullptr;
  QByteArray output_;
};

}  // namespace batchwise
