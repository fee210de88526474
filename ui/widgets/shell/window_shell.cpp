// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shell/window_shell.h"

namespace batchwise {

WindowShell::WindowShell(const StudioParts& parts, Language& language)
    : parts_(parts), language_(language), retained_(parts) {
  make();
}

WindowShell::~WindowShell() = default;

void WindowShell::make() {
  window_ = std::make_unique<MainWindow>(parts_, retained_);
  // Queued: the sender is a window in the middle of handling a click.
  connect(window_.get(), &MainWindow::languageRequested, this, &WindowShell::setLanguage, Qt::QueuedConnection);
}

void WindowShell::setLanguage(const QString& language) {
  parts_.settings.setLanguage(language);
  const bool visible = window_->isVisible();
  const MainWindow::WindowState state = window_->currentState();
  window_->saveLayout();
  window_.reset();
  language_.setLanguage(language);
  retained_.retranslate();
  parts_.watch.retranslate();
  make();
  window_->continueFrom(state);
  if (visible) window_->show();
}

}  // namespace batchwise
