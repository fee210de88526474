// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/task_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/task_config.h"
#include "core/text/task_table.h"
#include "core/text/text_check.h"

namespace batchwise {
namespace {

constexpr std::int64_t kFewestExamples = 10;  // of the training part
constexpr std::uint64_t kHeldOutOf = 10;      // one of so many is held out
constexpr std::size_t kLongestLabel = 1000;
constexpr double kManyUnknown = 0.05;
// English by its own vocabularies has 4 bytes per piece, by a small one 2.5; Cyrillic by an English one has 1.9.
constexpr double kFewBytesPerPiece = 2.2;

Result<void> checkText(const TableCell& cell, const std::string& column, bool words) {
  if (cell.isList != words)
    return Error::config(
        words ? formatText("'{}' is no list of words, which kind token_labels needs", column)
              : formatText("'{}' is a list, where a text is needed; for words use kind token_labels", column));
  if (cell.values.empty() || (!words && isBlank(cell.values.front())))
    return Error::config(formatText("the text in '{}' is empty; fill it in or remove the row", column));
  if (std::ranges::any_of(cell.values, [](const std::string& text) { return isBlank(text); }))
    return Error::config(formatText("a word in '{}' is empty; remove it and its label", column));
  return {};
}

Result<void> checkLabels(const TableCell& cell, const std::string& column, bool words, std::size_t texts) {
  if (cell.isList != words)
    return Error::config(words ? formatText("'{}' is no list of labels, one for each word", column)
                               : formatText("'{}' is a list, where one label is needed", column));
  if (words && cell.values.size() != texts)
    return Error::config(formatText("there are {} words, but {} labels", texts, cell.values.size()));
  for (const std::string& label : cell.values) {
    if (isBlank(label))
      return Error::config(formatText("there is no label in '{}'; fill it in or remove the row", column));
    if (const std::string problem = plainLineProblem(label, kLongestLabel); !problem.empty())
      return Error::config(formatText("the label in '{}' {}", column, problem));
  }
  return {};
}

/// Takes the texts of a row, whose labels are checked.
Result<TaskExample> takeTexts(const TaskConfig& task, TaskTable& table, std::size_t row) {
  const bool words = task.kind == TaskKind::TokenLabels;
  TaskExample example;
  for (std::size_t i = 0; i < task.text.size(); ++i) {
    TableCell& cell = table.columns[i][row];
    RETURN_IF_ERROR(checkText(cell, task.text[i], words));
    std::ranges::move(cell.values, std::back_inserter(example.texts));
  }
  RETURN_IF_ERROR(checkLabels(table.columns.back()[row], task.label, words, example.texts.size()));
  return example;
}

/// Returns the classes of the training part, sorted.
Result<std::vector<std::string>> classesOf(const TaskConfig& task, const TaskTable& train) {
  std::set<std::string> found;
  std::int64_t labels = 0;
  for (const TableCell& cell : train.columns.back()) {
    found.insert(cell.values.begin(), cell.values.end());
    labels += std::ssize(cell.values);
  }
  if (found.size() == 1)
    return Error::config(
               formatText("all labels in '{}' are '{}'; a task needs two classes or more", task.label, *found.begin()))
        .within(task.train);
  if (std::ssize(found) * 2 > labels)
    return Error::config(formatText("'{}' has {} different labels in {}; numbers are of kind regression", task.label,
                                    found.size(), countText(labels, "example")))
        .within(task.train);
  return std::vector<std::string>(found.begin(), found.end());
}

/// Returns a label as a place in `classes`, or as a number if there are none.
Result<double> labelOf(const TaskConfig& task, const std::vector<std::string>& classes, const std::string& label) {
  if (classes.empty()) {
    const auto number = numberFrom<double>(label);
    if (number && std::isfinite(*number)) return *number;
    return Error::config(
        formatText("the label '{}' in '{}' is no number, which the metric {} needs; classes are of kind classification",
                   label, task.label, std::string(choiceName(metricOf(task)))));
  }
  const auto found = std::ranges::lower_bound(classes, label);
  if (found != classes.end() && *found == label) return static_cast<double>(found - classes.begin());
  return Error::config(formatText("the label '{}' in '{}' does not occur in the training part, which has {}", label,
                                  task.label,
                                  joined(std::span(classes).first(std::min<std::size_t>(classes.size(), 20)))));
}

/// Reads a part and appends it. The first one, of training, gives the classes.
Result<void> readPart(const std::string& name, const std::string& file, TaskData& data) {
  const TaskConfig& task = data.task;
  std::vector<WantedColumn> wanted;
  for (const std::string& column : task.text) wanted.push_back({{column}});
  wanted.push_back({{task.label}});
  ASSIGN_OR_RETURN(auto table, readTaskTable(file, wanted));
  TaskPart part{name, {}};
  for (std::int64_t row = 0; row < table.rows; ++row) {
    auto example = takeTexts(task, table, static_cast<std::size_t>(row));
    if (!example.ok()) return example.error().within(table.where(row));
    example->number = task.kind == TaskKind::TokenLabels ? firstWordOf(row) : row;
    part.examples.push_back(*std::move(example));
  }
  if (data.parts.empty()) {
    if (table.rows < kFewestExamples)
      return Error::config(formatText("the training part has {}; a task needs {} or more",
                                      countText(table.rows, "example"), kFewestExamples))
          .within(file);
    if (!isRegression(task)) {
      ASSIGN_OR_RETURN(data.classes, classesOf(task, table));
    }
  }
  for (std::int64_t row = 0; row < table.rows; ++row)
    for (const std::string& text : table.columns.back()[static_cast<std::size_t>(row)].values) {
      const auto label = labelOf(task, data.classes, text);
      if (!label.ok()) return label.error().within(table.where(row));
      part.examples[static_cast<std::size_t>(row)].labels.push_back(*label);
    }
  data.parts.push_back(std::move(part));
  return {};
}

/// Moves a share of the training part into a part of its own, by the hash of the texts: equal texts stay together.
/// Rows of a class that nothing else has stay.
Result<void> holdOut(TaskData& data) {
  std::vector<TaskExample>& train = data.parts.front().examples;
  const auto isDrawn = [](const TaskExample& example) {
    return hash128(joined(example.texts, "\n")).low % kHeldOutOf == 0;
  };
  std::set<double> left;
  for (const TaskExample& example : train)
    if (!isDrawn(example)) left.insert(example.labels.begin(), example.labels.end());
  const auto held = std::stable_partition(train.begin(), train.end(), [&](const TaskExample& example) {
    return !isDrawn(example) || (!data.classes.empty() && !std::ranges::all_of(example.labels, [&](double label) {
      return left.contains(label);
    }));
  });
  data.notes.push_back(
      formatText("there is no validation part: {} of {} training examples are held out by the hash of their text",
                 train.end() - held, train.size()));
  if (held == train.begin() || held == train.end())
    return Error::config("there are too few examples to hold some out; name a validation part").within(data.task.train);
  TaskPart part{"validation", {std::make_move_iterator(held), std::make_move_iterator(train.end())}};
  train.erase(held, train.end());
  data.parts.push_back(std::move(part));
  return {};
}

void noteKnownTexts(const TaskPart& train, const TaskPart& part, std::vector<std::string>& notes) {
  std::set<std::vector<std::string>> known;
  for (const TaskExample& example : train.examples) known.insert(example.texts);
  const auto count =
      std::ranges::count_if(part.examples, [&](const TaskExample& example) { return known.contains(example.texts); });
  if (count > 0)
    notes.push_back(formatText("{} of {} texts of the {} part are in the training part, too: its score is too good",
                               count, part.examples.size(), part.name));
}

Result<TaskData> readLabelled(const TaskConfig& task) {
  TaskData data;
  data.task = task;
  RETURN_IF_ERROR(readPart("train", task.train, data));
  RETURN_IF_ERROR(task.validation.empty() ? holdOut(data) : readPart("validation", task.validation, data));
  if (!task.test.empty()) RETURN_IF_ERROR(readPart("test", task.test, data));
  const std::vector<TaskExample>& learned = data.parts.front().examples;
  for (std::size_t i = 1; i < data.parts.size(); ++i) noteKnownTexts(data.parts.front(), data.parts[i], data.notes);
  if (isRegression(task) && std::ranges::all_of(learned, [&](const TaskExample& example) {
        return example.labels == learned.front().labels;
      }))
    return Error::config(formatText("all labels in '{}' are the same number", task.label)).within(task.train);
  return data;
}

using Places = std::map<std::string, std::int64_t>;

/// Reads queries or documents, which have an id and a text, and adds their places by id.
Result<TaskPart> readTexts(const TaskConfig& task, const std::string& name, const std::string& file, Places& places) {
  const std::string column = task.text.empty() ? "text" : task.text.front();
  ASSIGN_OR_RETURN(auto table, readTaskTable(file, {{{"id", "_id"}}, {{column}}, {{"title"}, true}}));
  TaskPart part{name, {}};
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::string where = table.where(row);
    TableCell& text = table.columns[1][at];
    // As BEIR's models read them: the title, if there is one, before the text.
    if (const std::string title = joined(table.columns[2][at].values); !isBlank(title) && !text.values.empty())
      text.values.front() = title + " " + text.values.front();
    if (auto good = checkText(text, column, /*words=*/false); !good.ok()) return good.error().within(where);
    const std::string id = joined(table.columns[0][at].values);
    if (!places.emplace(id, row).second)
      return Error::config(formatText("the id '{}' is given twice", id)).within(where);
    part.examples.push_back({row, {std::move(text.values.front())}, {}});
  }
  return part;
}

Result<TaskData> readRetrieval(const TaskConfig& task) {
  TaskData data;
  data.task = task;
  Places queries, documents;
  ASSIGN_OR_RETURN(auto asked, readTexts(task, "queries", task.queries, queries));
  ASSIGN_OR_RETURN(auto answers, readTexts(task, "documents", task.documents, documents));
  ASSIGN_OR_RETURN(const auto table, readTaskTable(task.pairs, {{{"query", "query-id", "query_id"}},
                                                                {{"document", "corpus-id", "document_id"}},
                                                                {{"score", "gain"}, true}}));
  std::set<std::int64_t> judged;
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const auto textAt = [&](std::size_t column) { return joined(table.columns[column][at].values); };
    const auto query = queries.find(textAt(0));
    const auto document = documents.find(textAt(1));
    if (query == queries.end() || document == documents.end())
      return Error::config(query == queries.end()
                               ? formatText("there is no query '{}' in '{}'", textAt(0), task.queries)
                               : formatText("there is no document '{}' in '{}'", textAt(1), task.documents))
          .within(table.where(row));
    if (!known.emplace(query->second, document->second).second)
      return Error::config(formatText("the pair of '{}' and '{}' is given twice", textAt(0), textAt(1)))
          .within(table.where(row));
    const auto gain = table.columns[2][at].values.empty() ? std::optional(1.0) : numberFrom<double>(textAt(2));
    if (!gain || !std::isfinite(*gain))
      return Error::config(formatText("the score '{}' is no number", textAt(2))).within(table.where(row));
    if (*gain <= 0) continue;
    data.pairs.push_back({query->second, document->second, *gain});
    judged.insert(query->second);
  }
  if (judged.empty()) return Error::config("no query has a document that answers it").within(task.pairs);
  if (judged.size() < queries.size())
    data.notes.push_back(formatText("{} of {} queries have no document that answers them and are left out",
                                    queries.size() - judged.size(), queries.size()));
  data.parts = {std::move(asked), std::move(answers)};
  return data;
}

std::string hashOf(const TaskData& data) {
  Hasher hasher;
  const auto add = [&hasher](std::string_view text) {
    hasher.update(std::to_string(text.size()) + ":");
    hasher.update(text);
  };
  add(choiceName(data.task.kind));
  add(choiceName(metricOf(data.task)));
  for (const std::string& name : data.classes) add(name);
  for (const TaskPart& part : data.parts) {
    add(part.name);
    for (const TaskExample& example : part.examples) {
      for (const std::string& text : example.texts) add(text);
      for (const double label : example.labels) add(formatExact(label));
    }
  }
  for (const RelevantPair& pair : data.pairs)
    add(formatText("{} {} {}", pair.query, pair.document, formatExact(pair.gain)));
  return hasher.digest().hex();
}

/// What encoding shows of the texts.
struct EncodingCounts {
  std::int64_t texts = 0, cut = 0, longest = 0, lostWords = 0;
  std::int64_t bytes = 0, pieces = 0, unknown = 0;
};

EncodedText encoded(const std::vector<std::string>& texts, bool words, const Vocabulary& vocabulary,
                    std::int64_t maxTokens, Tokenizer::Encoder& encoder, EncodingCounts& counts) {
  const SpecialIds& special = vocabulary.special();
  EncodedText out;
  out.ids.push_back(special.cls);
  for (const std::string& text : texts) {
    const std::size_t before = out.ids.size();
    // Byte-level pieces of a word begin with its space; transformers takes words only with add_prefix_space there.
    encoder.append(words ? " " + text : text, out.ids);
    if (words) out.words.push_back(out.ids.size() > before ? static_cast<std::int32_t>(before) : -1);
    counts.bytes += std::ssize(text);
  }
  counts.pieces += std::ssize(out.ids) - 1;
  if (special.unknown >= 0) counts.unknown += std::ranges::count(out.ids, special.unknown);
  ++counts.texts;
  const std::int64_t length = std::ssize(out.ids) + 1;
  counts.longest = std::max(counts.longest, length);
  if (length > maxTokens) {
    ++counts.cut;
    out.ids.resize(static_cast<std::size_t>(maxTokens - 1));
  }
  for (std::int32_t& word : out.words) {
    if (word >= std::ssize(out.ids)) word = -1;
    counts.lostWords += word < 0 ? 1 : 0;
  }
  out.ids.push_back(special.sep);
  return out;
}

}  // namespace

std::string scoreMetric(const TaskData& data) {
  const TaskMetric metric = metricOf(data.task);
  if (metric == TaskMetric::F1 && data.task.kind == TaskKind::TokenLabels) return "f1_micro";
  if (metric == TaskMetric::F1 && data.classes.size() > 2) return "f1_macro";
  return std::string(choiceName(metric));
}

Result<TaskData> readTask(const TaskConfig& task) {
  auto data = task.kind == TaskKind::Retrieval ? readRetrieval(task) : readLabelled(task);
  if (!data.ok()) return data.error().within(formatText("task {}", task.name));
  data->hash = hashOf(*data);
  return data;
}

EncodedTask encodeTask(const TaskData& data, const Tokenizer& tokenizer, std::int64_t maxTokens) {
  const bool words = data.task.kind == TaskKind::TokenLabels;
  EncodedTask all;
  EncodingCounts counts;
  Tokenizer::Encoder encoder(tokenizer);
  for (const TaskPart& part : data.parts) {
    std::vector<EncodedText>& texts = all.parts.emplace_back();
    for (const TaskExample& example : part.examples) {
      if (words) {
        texts.push_back(encoded(example.texts, true, tokenizer.vocabulary(), maxTokens, encoder, counts));
      } else {
        for (const std::string& text : example.texts)
          texts.push_back(encoded({text}, false, tokenizer.vocabulary(), maxTokens, encoder, counts));
      }
    }
  }
  if (counts.cut > 0)
    all.notes.push_back(
        formatText("{} of {} are longer than the {} tokens that the model takes (the longest has {}) and "
                   "are cut",
                   counts.cut, countText(counts.texts, "text"), maxTokens, counts.longest));
  if (counts.lostWords > 0)
    all.notes.push_back(formatText("{} without pieces, or behind the cut, {} left out",
                                   countText(counts.lostWords, "word"), counts.lostWords == 1 ? "is" : "are"));
  const auto pieces = static_cast<double>(std::max<std::int64_t>(1, counts.pieces));
  const double unknown = static_cast<double>(counts.unknown) / pieces;
  const double bytesPerPiece = static_cast<double>(counts.bytes) / pieces;
  if (unknown > kManyUnknown)
    all.notes.push_back(
        formatText("{} % of the pieces are unknown to the tokenizer: is the task in the language and the "
                   "script of the model?",
                   formatDecimals(100 * unknown, 0)));
  else if (bytesPerPiece < kFewBytesPerPiece)
    all.notes.push_back(
        formatText("a piece has {} bytes on average, as with a tokenizer of another language: is the "
                   "task in the language and the script of the model?",
                   formatDecimals(bytesPerPiece, 1)));
  return all;
}

}  // namespace batchwise
