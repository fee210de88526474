// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <set>

#include "ui/theme/theme.h"
#include "ui/window/command_palette.h"

namespace batchwise {
namespace {

class PaletteTest : public ::testing::TestWithParam<ColorScheme> {};

TEST_P(PaletteTest, TextHasEnoughContrastOnEveryGround) {
  const ThemeColors& c = themeColors(GetParam());
  for (const QColor& ground : {c.window, c.base, c.raised}) {
    for (const QColor& text : {c.text, c.muted, c.accent, c.good, c.warning, c.bad}) {
      EXPECT_GE(contrastRatio(text, ground), 4.5) << text.name().toStdString() << " on " << ground.name().toStdString();
    }
  }
  EXPECT_GE(contrastRatio(c.onAccent, c.accent), 4.5);
}

TEST_P(PaletteTest, SeriesCanBeSeenOnTheChartsGround) {
  const QColor ground = themeColors(GetParam()).base;
  for (int i = 0; i < 8; ++i) EXPECT_GE(contrastRatio(seriesColor(i, ground), ground), 3.0) << "series " << i;
}

TEST_P(PaletteTest, WidgetTextTakesTheColorsOfTheTheme) {
  const ThemeColors& c = themeColors(GetParam());
  const QPalette palette = widgetPalette(c);
  EXPECT_EQ(palette.color(QPalette::Window), c.window);
  EXPECT_EQ(palette.color(QPalette::Text), c.text);
  EXPECT_EQ(palette.color(QPalette::Disabled, QPalette::Text), c.disabled);
  EXPECT_EQ(palette.color(QPalette::Highlight), c.accent);
}

INSTANTIATE_TEST_SUITE_P(BothGrounds, PaletteTest, ::testing::Values(ColorScheme::Light, ColorScheme::Dark));

TEST(ContrastRatioTest, AgreesWithTheStandard) {
  EXPECT_NEAR(contrastRatio(Qt::white, Qt::black), 21.0, 1e-9);
  EXPECT_NEAR(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.01);
}

TEST(SeriesColorTest, TheFirstEightDifferAndTheNextAreDashed) {
  std::set<QRgb> seen;
  for (int i = 0; i < 8; ++i) seen.insert(seriesColor(i).rgb());
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(seriesColor(8), seriesColor(0));
  EXPECT_EQ(seriesPenStyle(7), Qt::SolidLine);
  EXPECT_EQ(seriesPenStyle(8), Qt::DashLine);
}

TEST(IconTest, EveryIconOfTheWindowIsThereAndTakesItsColor) {
  for (const char* name : {"new-run",        "launch",        "stop-save",     "resume",
                           "folder",         "file",          "demo",          "reset",
                           "copy",           "close",         "state-created", "state-running",
                           "state-finished", "state-stopped", "state-failed",  "state-interrupted",
                           "note-info",      "note-warning",  "note-error",    "checkpoint",
                           "state-paused",   "continue",      "pause"}) {
    const QByteArray source = iconSource(QString::fromLatin1(name), QColor(0x12, 0x34, 0x56));
    EXPECT_TRUE(source.contains("#123456")) << name;
    const QImage image = iconPixmap(QString::fromLatin1(name), Qt::black, {32, 32}).toImage();
    bool drawn = false;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) drawn = drawn || qAlpha(image.pixel(x, y)) > 128;
    EXPECT_TRUE(drawn) << name;
  }
}

PaletteEntry entry(const char* title, const char* detail, const char* words = "") {
  return {QString::fromUtf8(title), QString::fromUtf8(detail), {}, {}, QString::fromUtf8(words)};
}

TEST(PaletteSearchTest, EachWordMustBeInTheEntryAndTitlesThatBeginWithThemComeFirst) {
  PaletteModel model;
  model.setEntries({entry("Edit", "Help page", "How to launch"), entry("Weight decay", "Field optimizer.weight_decay"),
                    entry("Auto-launch", "Preference"), entry("Launch", "Command")});
  const auto found = [&](const char* search) {
    model.setSearch(QString::fromLatin1(search));
    QStringList titles;
    for (int row = 0; row < model.rowCount(); ++row) titles << model.at(row)->title;
    return titles.join(QLatin1Char('|'));
  };
  EXPECT_EQ(found(""), QStringLiteral("Edit|Weight decay|Auto-launch|Launch")) << "without a search all are listed";
  EXPECT_EQ(found("LAU"), QStringLiteral("Launch|Auto-launch|Edit"));
  EXPECT_EQ(found("decay field"), QStringLiteral("Weight decay"));
  EXPECT_EQ(found("launch decay"), QString());
}

}  // namespace
}  // namespace batchwise
