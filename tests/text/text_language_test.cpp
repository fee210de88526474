// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/text/general_text.h"

namespace batchwise {
namespace {

std::string guessed(const std::string& sentence, int times = 10) {
  LanguageGuess guess;
  for (int i = 0; i < times; ++i) guess.add(sentence);
  return guess.code().value_or("none");
}

TEST(LanguageGuessTest, KnowsLanguagesByTheirFunctionWords) {
  EXPECT_EQ(guessed("The cat sat on the mat, and it was not in the house with the dog. "), "en");
  EXPECT_EQ(guessed("Der Hund ist nicht in dem Haus, und die Katze liegt auf der Matte bei einer Frau. "), "de");
  EXPECT_EQ(guessed("Le chat est dans la maison, et il ne sort pas avec les autres, mais par une fenêtre. "), "fr");
  EXPECT_EQ(guessed("Он не знал, что это было так, и как он был у них в доме. "), "ru");
}

TEST(LanguageGuessTest, KnowsLanguagesWithAScriptOfTheirOwn) {
  EXPECT_EQ(guessed("Η γάτα κάθεται στο χαλί. "), "el");
  EXPECT_EQ(guessed("猫坐在垫子上看着窗外的雨。"), "zh");
  EXPECT_EQ(guessed("猫はマットの上にすわっています。"), "ja");
  EXPECT_EQ(guessed("고양이가 매트 위에 앉아 있다. "), "ko");
}

TEST(LanguageGuessTest, IsNotSureOfMadeUpMixedOrShortText) {
  EXPECT_EQ(guessed("xqr brzt vlkp mntz grwk plok fdsa qwer tzui opas "), "none");
  EXPECT_EQ(guessed("The cat is in the house. ", 1), "none");
  EXPECT_EQ(guessed("Кот спит. A cat sleeps. Η γάτα. "), "none");
  EXPECT_EQ(LanguageGuess().code(), std::nullopt);
}

}  // namespace
}  // namespace batchwise
