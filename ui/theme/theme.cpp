// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QtCore/QFile>
#include <QtCore/QVariant>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#include <QtDBus/QDBusPendingCallWatcher>
#include <QtDBus/QDBusPendingReply>
#include <QtDBus/QDBusVariant>
#include <QtGui/QFontMetrics>
#include <QtGui/QPainter>
#include <QtSvg/QSvgRenderer>
#include <QtWidgets/QApplication>
#include <QtWidgets/QProxyStyle>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>
#include <algorithm>
#include <array>
#include <cmath>

namespace batchwise {

/// Fusion with check boxes and icons that grow with the text.
class ScaledStyle final : public QProxyStyle {
 public:
  ScaledStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
  /// For widgets that are polished from now on.
  void setTextScale(double scale) { scale_ = std::max(1.0, scale); }
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    const int pixels = QProxyStyle::pixelMetric(metric, option, widget);
    constexpr std::array kScaled = {PM_IndicatorWidth,           PM_IndicatorHeight, PM_ExclusiveIndicatorWidth,
                                    PM_ExclusiveIndicatorHeight, PM_SmallIconSize,   PM_ButtonIconSize};
    return std::ranges::find(kScaled, metric) == kScaled.end() ? pixels
                                                               : static_cast<int>(std::lround(pixels * scale_));
  }

 private:
  double scale_ = 1.0;
};

namespace {

struct SeriesColors {
  QRgb onLight, onDark;
};
constexpr std::array kSeries = {SeriesColors{0xff1a225a, 0xffb69efc}, SeriesColors{0xffdd7a1b, 0xfff6a500},
                                SeriesColors{0xff186666, 0xff75a589}, SeriesColors{0xffad1900, 0xffdd0b26},
                                SeriesColors{0xff6899c4, 0xffb3fcff}, SeriesColors{0xff500f1d, 0xfffaf1c4},
                                SeriesColors{0xff7000eb, 0xff9344e0}, SeriesColors{0xff9b938a, 0xff696f7a}};

double linearChannel(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF()) +
         0.0722 * linearChannel(color.blueF());
}

}  // namespace

const ThemeColors& themeColors(ColorScheme colorScheme) {
  static const ThemeColors light = {.window = 0xF5F6F8,
                                    .base = 0xFFFFFF,
                                    .raised = 0xFFFFFF,
                                    .line = 0xDADDE3,
                                    .text = 0x1A1D23,
                                    .muted = 0x5B6472,
                                    .disabled = 0x9AA2AE,
                                    .accent = 0x1F5FBF,
                                    .onAccent = 0xFFFFFF,
                                    .good = 0x1B7F4B,
                                    .warning = 0x9A6200,
                                    .bad = 0xB3261E};
  static const ThemeColors dark = {.window = 0x1B1D22,
                                   .base = 0x22252B,
                                   .raised = 0x2A2E35,
                                   .line = 0x3A3F48,
                                   .text = 0xE7E9ED,
                                   .muted = 0xA3ABB8,
                                   .disabled = 0x6C7480,
                                   .accent = 0x6EA8FE,
                                   .onAccent = 0x14171C,
                                   .good = 0x5CC58F,
                                   .warning = 0xE0A93B,
                                   .bad = 0xFF8A80};
  return colorScheme == ColorScheme::Light ? light : dark;
}

QColor seriesColor(int index, const QColor& ground) {
  const SeriesColors& colors = kSeries[static_cast<std::size_t>(index) % kSeries.size()];
  return QColor(ground.lightness() < 128 ? colors.onDark : colors.onLight);
}

Qt::PenStyle seriesPenStyle(int index) {
  return index < static_cast<int>(kSeries.size()) ? Qt::SolidLine : Qt::DashLine;
}

double contrastRatio(const QColor& first, const QColor& second) {
  const double a = luminance(first);
  const double b = luminance(second);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QPalette widgetPalette(const ThemeColors& c) {
  QPalette palette(c.text, c.window, c.raised, c.line, c.muted, c.text, c.base);
  const std::initializer_list<std::pair<QPalette::ColorRole, QColor>> roles = {{QPalette::Window, c.window},
                                                                               {QPalette::WindowText, c.text},
                                                                               {QPalette::Base, c.base},
                                                                               {QPalette::AlternateBase, c.window},
                                                                               {QPalette::Text, c.text},
                                                                               {QPalette::Button, c.raised},
                                                                               {QPalette::ButtonText, c.text},
                                                                               {QPalette::BrightText, c.bad},
                                                                               {QPalette::ToolTipBase, c.raised},
                                                                               {QPalette::ToolTipText, c.text},
                                                                               {QPalette::PlaceholderText, c.muted},
                                                                               {QPalette::Highlight, c.accent},
                                                                               {QPalette::HighlightedText, c.onAccent},
                                                                               {QPalette::Link, c.accent},
                                                                               {QPalette::LinkVisited, c.accent}};
  for (const auto& [role, color] : roles) palette.setColor(role, color);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
    palette.setColor(QPalette::Disabled, role, c.disabled);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
  return palette;
}

QByteArray iconSource(const QString& name, const QColor& color) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return file.readAll().replace("currentColor", color.name().toLatin1());
}

QPixmap iconPixmap(const QString& name, const QColor& color, QSize pixels) {
  QPixmap pixmap(pixels);
  pixmap.fill(Qt::transparent);
  QSvgRenderer renderer(iconSource(name, color));
  if (!renderer.isValid()) return pixmap;
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

QIcon makeIcon(const QString& name, const QColor& color, const QColor& disabled) {
  QIcon icon;
  for (const int size : {16, 20, 24, 32, 48, 64}) {
    icon.addPixmap(iconPixmap(name, color, {size, size}));
    icon.addPixmap(iconPixmap(name, disabled, {size, size}), QIcon::Disabled);
  }
  return icon;
}

namespace {

constexpr double kSmall = 0.87;
constexpr double kHeading = 1.15;

/// Decodes the portal's color-scheme (org.freedesktop.appearance): 1 is dark, 0 and 2 are light.
ColorScheme schemeOf(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value.toUInt() == 1 ? ColorScheme::Dark : ColorScheme::Light;
}

/// In the style sheet, by TextLook.
constexpr std::array kLooks = {"body", "heading", "title", "muted", "small", "warning", "bad"};

/// Linear interpolation; `share` in [0, 1].
QColor mixColors(const QColor& from, const QColor& to, double share) {
  const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + share * (b - a))); };
  return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

const char* const kPortalService = "org.freedesktop.portal.Desktop";
const char* const kPortalPath = "/org/freedesktop/portal/desktop";
const char* const kPortalSettings = "org.freedesktop.portal.Settings";
const char* const kAppearanceSpace = "org.freedesktop.appearance";

}  // namespace

Theme::Theme(Appearance appearance) : appearance_(appearance), systemFont_(QApplication::font()) {
  if (systemFont_.pointSizeF() <= 0) systemFont_.setPointSizeF(10);
}

Theme::Theme(QObject* parent) : Theme(Appearance::System) {
  setParent(parent);
  const QPalette palette = QApplication::palette();
  const bool dark = palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
  systemScheme_ = dark ? ColorScheme::Dark : ColorScheme::Light;
  watchDesktop();
}

void Theme::watchDesktop() {
  auto bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(QLatin1String(kPortalService), QLatin1String(kPortalPath), QLatin1String(kPortalSettings),
              QStringLiteral("SettingChanged"), this, SLOT(onPortalSetting(QString, QString, QDBusVariant)));
  auto call = QDBusMessage::createMethodCall(QLatin1String(kPortalService), QLatin1String(kPortalPath),
                                             QLatin1String(kPortalSettings), QStringLiteral("Read"));
  call << QString::fromLatin1(kAppearanceSpace) << QStringLiteral("color-scheme");
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call, 2000), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<QDBusVariant> reply = *watcher;
    if (!reply.isError()) setSystemScheme(schemeOf(reply.value().variant()));
    watcher->deleteLater();
  });
}

void Theme::onPortalSetting(const QString& space, const QString& key, const QDBusVariant& value) {
  if (space == QLatin1String(kAppearanceSpace) && key == QLatin1String("color-scheme"))
    setSystemScheme(schemeOf(value.variant()));
}

void Theme::setSystemScheme(ColorScheme colorScheme) {
  if (colorScheme == systemScheme_) return;
  systemScheme_ = colorScheme;
  if (appearance_ == Appearance::System) apply();
}

ColorScheme Theme::colorScheme() const {
  if (appearance_ == Appearance::System) return systemScheme_;
  return appearance_ == Appearance::Dark ? ColorScheme::Dark : ColorScheme::Light;
}

void Theme::setAppearance(Appearance appearance) {
  if (appearance == appearance_) return;
  appearance_ = appearance;
  apply();
}

void Theme::setTextScale(double scale) {
  scale = std::clamp(scale, 0.5, 3.0);
  if (scale == textScale_) return;
  textScale_ = scale;
  apply();
}

void Theme::apply() {
  icons_.clear();
  const bool isInstalled = !style_.isNull();
  if (!isInstalled) style_ = new ScaledStyle;
  style_->setTextScale(textScale_);
  if (!isInstalled) QApplication::setStyle(style_);  // once: it polishes every widget, as the style sheet does below
  const QPalette palette = widgetPalette(colors());
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
  QApplication::setFont(bodyFont());
  qApp->setStyleSheet(styleSheet());
  Q_EMIT changed();
}

QFont Theme::bodyFont() const {
  QFont font = systemFont_;
  font.setPointSizeF(systemFont_.pointSizeF() * textScale_);
  return font;
}

QFont Theme::smallFont() const {
  QFont font = bodyFont();
  font.setPointSizeF(font.pointSizeF() * kSmall);
  return font;
}

QIcon Theme::icon(const QString& name, const QColor& color) const {
  QIcon& icon = icons_[name + color.name()];
  if (icon.isNull()) icon = makeIcon(name, color, colors().disabled);
  return icon;
}

namespace {

/// Sets a property of the style sheet, which evaluates it only when a widget is polished.
void setStyleProperty(QWidget& widget, const char* name, const QVariant& value) {
  if (widget.property(name) == value) return;
  widget.setProperty(name, value);
  if (!widget.testAttribute(Qt::WA_WState_Polished)) return;
  widget.style()->unpolish(&widget);
  widget.style()->polish(&widget);
  QEvent changed(QEvent::StyleChange);  // else a button keeps its size
  QApplication::sendEvent(&widget, &changed);
}

}  // namespace

void Theme::setLook(QWidget* widget, TextLook look) {
  setStyleProperty(*widget, "look", QLatin1String(kLooks[static_cast<std::size_t>(look)]));
}

void Theme::setPrimary(QWidget* button) {
  setStyleProperty(*button, "primary", true);
}

void Theme::setMarked(QWidget* label, bool on) {
  if (on || label->property("marked").isValid()) setStyleProperty(*label, "marked", on);
}

void Theme::setCard(QWidget* panel) {
  panel->setProperty("card", true);
}

QString Theme::styleSheet() const {
  const ThemeColors& c = colors();
  const auto points = [this](double factor) { return QString::number(bodyFont().pointSizeF() * factor, 'f', 2); };
  QString sheet = QStringLiteral(
      "QLabel[look=\"heading\"] { font-size: %1pt; font-weight: bold; }"
      "QLabel[look=\"title\"] { font-size: %2pt; font-weight: bold; }"
      "QLabel[look=\"muted\"] { color: %3; }"
      "QLabel[look=\"small\"] { color: %3; font-size: %2pt; }"
      "QLabel[look=\"warning\"] { color: %4; font-size: %2pt; }"
      "QLabel[look=\"bad\"] { color: %5; font-size: %2pt; }"
      "QLabel[marked=\"true\"] { color: %6; background: %7; }");
  sheet = sheet.arg(points(kHeading), points(kSmall), c.muted.name(), c.warning.name(), c.bad.name(), c.onAccent.name(),
                    c.accent.name());
  // Same size when disabled, otherwise the text would be clipped once the button is enabled.
  sheet += QStringLiteral(
               "QPushButton[primary=\"true\"]:disabled, QToolButton[primary=\"true\"]:disabled {"
               " background: %1; color: %2; border: 1px solid %3; border-radius: 3px; padding: 4px 12px; }")
               .arg(c.raised.name(), c.disabled.name(), c.line.name());
  sheet += QStringLiteral(
               "QPushButton[primary=\"true\"]:enabled, QToolButton[primary=\"true\"]:enabled {"
               " background: %1; color: %2; border: 1px solid %1; border-radius: 3px; padding: 4px 12px; }"
               "QPushButton[primary=\"true\"]:hover:enabled, QToolButton[primary=\"true\"]:hover:enabled {"
               " border-color: %3; }"
               "QPushButton[primary=\"true\"]:focus:enabled { border: 2px solid %3; padding: 3px 11px; }")
               .arg(c.accent.name(), c.onAccent.name(), c.text.name());
  sheet += QStringLiteral(
               "*[card=\"true\"] { background: %1; border: 1px solid %2; border-radius: 4px; }"
               "QToolBar { border: none; border-bottom: 1px solid %2; spacing: 4px; padding: 4px; }"
               "QStatusBar { border-top: 1px solid %2; } QStatusBar::item { border: none; }"
               "QToolTip { color: %3; background: %1; border: 1px solid %2; padding: 4px; }"
               "QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }"
               "QMainWindow::separator { background: %2; width: 1px; height: 1px; }")
               .arg(c.raised.name(), c.line.name(), c.text.name());
  // Fusion's frames and pressed buttons have too little contrast on a dark background.
  sheet +=
      QStringLiteral(
          "QLineEdit, QPlainTextEdit { border: 1px solid %1; border-radius: 3px; }"
          "QLineEdit { padding: 2px; }"
          "QLineEdit:focus, QPlainTextEdit:focus { border-color: %2; }"
          "QAbstractSpinBox QLineEdit, QComboBox QLineEdit { border: none; padding: 0px; }"
          "QToolButton:checked { background: %3; border: 1px solid %2; border-radius: 3px; padding: 3px; }"
          "QToolButton:focus { border: 1px solid %2; border-radius: 3px; padding: 3px; }")
          .arg(mixColors(c.line, c.muted, 0.4).name(), c.accent.name(), mixColors(c.window, c.accent, 0.22).name());
  sheet += QStringLiteral(
               "QProgressBar { border: 1px solid %1; border-radius: 3px; background: %2; text-align: center; }"
               "QProgressBar::chunk { background: %3; border-radius: 2px; }")
               .arg(mixColors(c.line, c.muted, 0.6).name(), c.base.name(), mixColors(c.base, c.accent, 0.7).name());
  const int box = std::max(12, QFontMetrics(bodyFont()).height() * 3 / 4);
  sheet += QStringLiteral(
               "QCheckBox::indicator, QListView::indicator { width: %1px; height: %1px; border: 1px solid %2; "
               "border-radius: 3px; background: %3; }"
               "QCheckBox::indicator:checked, QListView::indicator:checked { border-color: %4; background: %4; "
               "image: url(:/icons/%5.svg); }"
               "QCheckBox::indicator:indeterminate { border-color: %4; background: %6; }"
               "QCheckBox::indicator:focus { border: 2px solid %7; }"
               "QCheckBox::indicator:disabled { border-color: %8; background: %3; }")
               .arg(box)
               .arg(mixColors(c.line, c.muted, 0.6).name(), c.base.name(), c.accent.name(),
                    c.onAccent.lightness() > 128 ? QStringLiteral("check-light") : QStringLiteral("check-dark"),
                    mixColors(c.base, c.accent, 0.5).name(), c.text.name(), c.line.name());
  return sheet;
}

}  // namespace batchwise
