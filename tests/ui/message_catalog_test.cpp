// SPDX-License-Identifier: GPL-3.0-or-later
// The catalog of core's messages against its sources and the words of the window.
#include <gtest/gtest.h>

#include <QtCore/QFile>
#include <QtCore/QXmlStreamReader>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/file.h"
#include "core/base/message.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

struct Entry {
  const char* name;
  const char* id;
  const char* text;
};

#undef BATCHWISE_MESSAGE
#define BATCHWISE_MESSAGE(name, id, text) Entry{#name, id, text},
constexpr Entry kCatalog[] = {
#include "core/analysis/messages.def"
#include "core/base/messages.def"
#include "core/batch/messages.def"
#include "core/checkpoint/messages.def"
#include "core/config/messages.def"
#include "core/data/messages.def"
#include "core/dist/messages.def"
#include "core/events/messages.def"
#include "core/exchange/messages.def"
#include "core/guard/messages.def"
#include "core/kernels/messages.def"
#include "core/model/messages.def"
#include "core/optim/messages.def"
#include "core/run/messages.def"
#include "core/schedule/messages.def"
#include "core/store/messages.def"
#include "core/time/messages.def"
#include "core/train/messages.def"
};

/// The window's own wording of entries, by id.
std::map<std::string, std::string> windowTexts() {
  QFile file(QString::fromStdString((test::sourceRoot() / "resources/i18n").string() + "/batchwise_messages_en.ts"));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  std::map<std::string, std::string> texts;
  QXmlStreamReader xml(&file);
  std::string id;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("source")) id = xml.readElementText().toStdString();
    if (xml.name() == QLatin1String("translation")) texts[id] = xml.readElementText().toStdString();
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return texts;
}

std::set<std::string> placesOf(const std::string& text) {
  const std::vector<std::string> names = messagePlaces(text);
  return {names.begin(), names.end()};
}

TEST(MessageCatalogTest, HoldsEveryFileOfTheCatalog) {
  std::size_t lines = 0;
  for (const auto& folder : fs::directory_iterator(test::sourceRoot() / "core")) {
    const auto text = readFile(folder.path() / "messages.def");
    if (!text.ok()) continue;
    for (std::size_t at = text->find("\nBATCHWISE_MESSAGE("); at != std::string::npos;
         at = text->find("\nBATCHWISE_MESSAGE(", at + 1))
      ++lines;
  }
  EXPECT_EQ(lines, std::size(kCatalog));
}

TEST(MessageCatalogTest, IdsAreUniqueAndEveryEntryIsUsed) {
  std::string sources;
  for (const char* folder : {"core", "app", "ui"})
    for (const auto& entry : fs::recursive_directory_iterator(test::sourceRoot() / folder))
      if (const auto extension = entry.path().extension();
          extension == ".cpp" || extension == ".h" || extension == ".cu" || extension == ".cuh")
        sources += readFile(entry.path()).value();
  std::set<std::string> ids;
  std::string unused;
  for (const Entry& entry : kCatalog) {
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " stands twice";
    const std::string call = std::string("messages::") + entry.name;
    std::size_t at = sources.find(call);
    const auto goesOn = [&] {
      return std::isalnum(static_cast<unsigned char>(sources[at + call.size()])) != 0 ||
             sources[at + call.size()] == '_';
    };
    while (at != std::string::npos && goesOn()) at = sources.find(call, at + 1);
    if (at == std::string::npos) unused += std::string("\n") + entry.id;
  }
  EXPECT_TRUE(unused.empty()) << "never used:" << unused;
}

/// The template with its places without names, so that two that differ in these alone are the same.
std::string withoutNames(std::string_view text) {
  std::string bare;
  bool inName = false;
  for (const char character : text) {
    if (inName && (character == '?' || character == ':' || character == '}')) inName = false;
    if (!inName) bare += character;
    if (character == '{') inName = true;
  }
  return bare;
}

TEST(MessageCatalogTest, NoTextStandsTwice) {
  std::map<std::string, std::string> seen;
  for (const Entry& entry : kCatalog) {
    const std::string bare = withoutNames(entry.text);
    if (bare == "{} {}") continue;  // the languages order these parts each in their way
    const auto [earlier, isNew] = seen.emplace(bare, entry.id);
    EXPECT_TRUE(isNew) << entry.id << " says the same as " << earlier->second << ": call that one";
  }
}

TEST(MessageCatalogTest, TheWordsOfTheWindowKeepTheEntriesAndTheirPlaces) {
  const auto texts = windowTexts();
  EXPECT_GT(texts.size(), 5u);
  for (const auto& [id, text] : texts) {
    const auto* found = std::ranges::find(kCatalog, id, &Entry::id);
    ASSERT_NE(found, std::end(kCatalog)) << id;
    const std::set<std::string> places = placesOf(found->text);
    for (const std::string& place : placesOf(text)) EXPECT_TRUE(places.contains(place)) << id << ": " << place;
  }
}

}  // namespace
}  // namespace batchwise
