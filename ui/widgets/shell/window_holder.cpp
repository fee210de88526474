// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shell/window_holder.h"

namespace batchwise {

WindowHolder::WindowHolder(const StudioParts& parts, Language& language)
    : parts_(parts), language_(language), memory_(parts) {
  make();
}

WindowHolder::~WindowHolder() = default;

void WindowHolder::make() {
  window_ = std::make_unique<MainWindow>(parts_, memory_);
  // Later, because the window that asks is in the midst of a click.
  connect(window_.get(), &MainWindow::languageWanted, this, &WindowHolder::speak, Qt::QueuedConnection);
}

void WindowHolder::speak(const QString& language) {
  parts_.settings.setLanguage(language);
  const bool visible = window_->isVisible();
  const MainWindow::Handover state = window_->handover();
  window_->keepLayout();
  window_.reset();
  language_.use(language);
  memory_.retranslate();
  parts_.watch.retranslate();
  make();
  window_->takeUp(state);
  if (visible) window_->show();
}

}  // namespace batchwise
