// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <functional>
#include <optional>
#include <vector>

#include "ui/theme/picture.h"

class QDoubleSpinBox;
class QFormLayout;
class QMenu;
class QMessageBox;
class QPushButton;
class QSpinBox;
class QWidget;

namespace batchwise {

class StudioSettings;

/// Texts and options of the dialog that askText() shows.
struct TextQuestion {
  QString title;
  QString label;
  QString accept;  ///< text of the accept button, for example "Rename"
  QString text;    ///< initial text
  bool severalLines = false;
};

/// Shows a modal dialog and returns the entered text, or nothing if the user cancels. Ctrl+Return accepts, also where
/// the text has several lines.
std::optional<QString> askText(QWidget& parent, const TextQuestion& question);

/// Texts of a question that is answered by its button or by Cancel, the default.
struct Confirmation {
  QString title, text, details;
  QString accept;  ///< text of the button, for example "Save without comments"
};

/// Shows a modal dialog and returns whether the user accepts.
bool confirm(QWidget& parent, const Confirmation& question);

/// Sets title, plain text and details of a message box without an icon.
void setTexts(QMessageBox& box, const QString& title, const QString& text, const QString& details);

/// Adds the default button of a dialog, which closes by Escape and Cancel. `name`: object name.
QPushButton* addMainButton(QDialog& dialog, QDialogButtonBox& buttons, QDialogButtonBox::ButtonRole role,
                           const QString& text, const char* name);

/// Texts of a file dialog.
struct FileQuestion {
  QString title;
  QString name;     ///< proposed
  QString filters;  ///< for example "Drawing (*.svg);;Configurations (*.yaml *.yml);;All files (*)"
};

/// Asks for a file to write, and before an existing one is replaced. A name without an ending gets the first one of the
/// chosen filter, none with "All files". Returns an empty text if the user cancels. With `settings`, the dialog starts
/// in the folder last used for `purpose`.
QString askForFileToWrite(QWidget& parent, const FileQuestion& question);
QString askForFileToWrite(QWidget& parent, StudioSettings& settings, const QString& purpose,
                          const FileQuestion& question);

/// Asks for a file to read, from the folder last used for `purpose`. Returns an empty text if the user cancels.
QString askForFileToRead(QWidget& parent, StudioSettings& settings, const QString& purpose,
                         const FileQuestion& question);

/// The same for a folder.
QString askForFolder(QWidget& parent, StudioSettings& settings, const QString& purpose, const QString& title);

/// One of several mutually exclusive choices of a menu.
struct MenuChoice {
  QString text;
  bool checked = false;
  std::function<void()> choose;
};

/// Appends the choices to `menu`; at most one of them is checked.
void addChoices(QMenu& menu, const std::vector<MenuChoice>& choices);

/// Adds an entry to `menu` for each preset picture size; `chosen` gets the size. `parent` receives the choices.
void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize& size)>& chosen);

/// Asks for the size of a picture, starting from the one accepted last. Deletes itself when closed.
class PictureDialog final : public QDialog {
 public:
  explicit PictureDialog(QWidget& parent);

  PictureSize pictureSize() const;
  /// For further rows.
  QFormLayout& form() { return *form_; }

 private:
  QFormLayout* form_;
  QDoubleSpinBox *width_, *height_;
  QSpinBox* dots_;
};

}  // namespace batchwise
