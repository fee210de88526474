// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/demo_corpus.h"

#include <string_view>

#include "core/base/random.h"

namespace batchwise {
namespace {

enum class Count { One, Many };

/// A noun or a verb in the present tense: "the fox runs", "the foxes run".
struct Word {
  std::string_view one, many;
  std::string_view form(Count count) const { return count == Count::One ? one : many; }
};

// Nouns and verbs alternate the form for one and that for many.
constexpr std::string_view kPeople[] = {
    "farmer",   "farmers",   "teacher",   "teachers",   "sailor",   "sailors",   "painter",  "painters",
    "doctor",   "doctors",   "child",     "children",   "baker",    "bakers",    "singer",   "singers",
    "king",     "kings",     "queen",     "queens",     "guard",    "guards",    "miller",   "millers",
    "weaver",   "weavers",   "hunter",    "hunters",    "judge",    "judges",    "pilot",    "pilots",
    "writer",   "writers",   "woman",     "women",      "man",      "men",       "merchant", "merchants",
    "gardener", "gardeners", "neighbour", "neighbours", "stranger", "strangers", "cousin",   "cousins"};
constexpr std::string_view kAnimals[] = {"fox",   "foxes",  "dog",   "dogs",   "cat",    "cats",    "horse",  "horses",
                                         "goose", "geese",  "mouse", "mice",   "wolf",   "wolves",  "bear",   "bears",
                                         "owl",   "owls",   "goat",  "goats",  "hare",   "hares",   "crow",   "crows",
                                         "otter", "otters", "swan",  "swans",  "badger", "badgers", "donkey", "donkeys",
                                         "frog",  "frogs",  "hen",   "hens",   "lamb",   "lambs",   "pony",   "ponies",
                                         "raven", "ravens", "snake", "snakes", "turtle", "turtles", "ox",     "oxen"};
constexpr std::string_view kPersonActs[] = {
    "sings",    "sing",    "works",  "work",  "waits",  "wait",  "reads",   "read",     "laughs",   "laugh",
    "dances",   "dance",   "cooks",  "cook",  "prays",  "pray",  "speaks",  "speak",    "writes",   "write",
    "paints",   "paint",   "smiles", "smile", "argues", "argue", "listens", "listen",   "travels",  "travel",
    "whistles", "whistle", "trades", "trade", "dreams", "dream", "is busy", "are busy", "is happy", "are happy"};
constexpr std::string_view kAnimalActs[] = {
    "sleeps", "sleep", "runs",  "run",   "hides",  "hide",  "eats",    "eat",      "drinks",    "drink",     "rests",
    "rest",   "jumps", "jump",  "plays", "play",   "digs",  "dig",     "wanders",  "wander",    "feeds",     "feed",
    "swims",  "swim",  "hunts", "hunt",  "growls", "growl", "is lost", "are lost", "is hungry", "are hungry"};
constexpr std::string_view kTransitive[] = {
    "sees",   "see",    "follows", "follow", "finds",   "find",   "fears", "fear",    "loves",  "love",      "helps",
    "help",   "chases", "chase",   "hears",  "hear",    "knows",  "know",  "watches", "watch",  "remembers", "remember",
    "trusts", "trust",  "calls",   "call",   "forgets", "forget", "meets", "meet",    "visits", "visit"};
constexpr std::string_view kPlaces[] = {"garden",  "market",  "harbour", "forest", "village", "castle", "meadow",
                                        "kitchen", "tower",   "valley",  "bridge", "river",   "mill",   "orchard",
                                        "stable",  "library", "chapel",  "field",  "cellar",  "island"};
constexpr std::string_view kColors[] = {"red",  "grey",  "white",  "black", "brown", "old",   "young", "small",
                                        "tall", "quiet", "clever", "proud", "tired", "brave", "lazy",  "gentle"};
constexpr std::string_view kAdverbs[] = {"slowly",   "often",           "again",     "alone",        "every day",
                                         "at night", "in silence",      "with joy",  "without fear", "all morning",
                                         "today",    "for a long time", "once more", "in the rain"};
constexpr std::string_view kPrepositions[] = {"in", "near", "behind", "beside"};

/// A noun phrase that may be referred to again.
struct NounPhrase {
  Word noun;
  Count count = Count::One;
  bool person = false;
  std::string_view text() const { return noun.form(count); }
};

/// Writes one paragraph. Each choice uses the next random number of the paragraph's key and is a statement of its own,
/// because the evaluation order of function arguments is unspecified.
class ParagraphWriter {
 public:
  ParagraphWriter(std::uint64_t key, std::string& text) : key_(key), text_(text) {}

  void write() {
    const NounPhrase topic = nounPhrase();
    const std::string_view color = pick(kColors);
    const std::string_view place = pick(kPlaces);
    appendText("this is the story of the ", color, " ", topic.text(), " in the ", place, ".");
    const std::uint64_t middle = 1 + draw(3);
    for (std::uint64_t i = 0; i < middle; ++i) middleSentence();
    const std::string_view adverb = pick(kAdverbs);
    const std::string_view verb = act(topic);
    appendText(" so the ", color, " ", topic.text(), " ", verb, " ", adverb, " in the ", place, ".\n\n");
  }

 private:
  std::uint64_t draw(std::uint64_t bound) { return boundedRandom(randomBits(key_, drawn_++), bound); }

  template <std::size_t N>
  std::string_view pick(const std::string_view (&choices)[N]) {
    return choices[draw(N)];
  }
  template <std::size_t N>
  Word pickWord(const std::string_view (&forms)[N]) {
    const std::uint64_t place = 2 * draw(N / 2);
    return {forms[place], forms[place + 1]};
  }

  NounPhrase nounPhrase() {
    const bool person = draw(2) == 0;
    const Count count = draw(2) == 0 ? Count::One : Count::Many;
    return {person ? pickWord(kPeople) : pickWord(kAnimals), count, person};
  }

  std::string_view act(const NounPhrase& who) {
    return (who.person ? pickWord(kPersonActs) : pickWord(kAnimalActs)).form(who.count);
  }

  template <typename... Parts>
  void appendText(const Parts&... parts) {
    (text_.append(parts), ...);
  }

  /// Puts a relative clause with another noun between subject and verb; the verb agrees with the subject.
  void middleSentence() {
    const NounPhrase subject = nounPhrase();
    const NounPhrase other = nounPhrase();
    const std::string_view subjectNoun = subject.text();
    const std::string_view otherNoun = other.text();
    switch (draw(3)) {
      case 0:  // object relative clause
        appendText(" the ", subjectNoun, " that the ", otherNoun, " ", pickWord(kTransitive).form(other.count), " ");
        break;
      case 1:  // subject relative clause
        appendText(" the ", subjectNoun, " that ", pickWord(kTransitive).form(subject.count), " the ", otherNoun, " ");
        break;
      default: {
        const std::string_view preposition = pick(kPrepositions);
        const std::string_view color = pick(kColors);
        appendText(" the ", color, " ", subjectNoun, " ", preposition, " the ", otherNoun, " ");
      }
    }
    const std::string_view place = pick(kPlaces);
    const std::string_view preposition = pick(kPrepositions);
    const std::string_view adverb = pick(kAdverbs);
    const std::string_view verb = act(subject);
    appendText(verb, " ", adverb, " ", preposition, " the ", place, ".");
  }

  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
  std::string& text_;
};

}  // namespace

std::string demoCorpus(const DemoCorpusSpec& spec) {
  std::string text;
  text.reserve(static_cast<std::size_t>(spec.paragraphs) * 256);
  for (std::int64_t i = 0; i < spec.paragraphs; ++i)
    ParagraphWriter(subKey(spec.seed, static_cast<std::uint64_t>(i)), text).write();
  return text;
}

}  // namespace batchwise
