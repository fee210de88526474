// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/text/tokenizer.h"

namespace batchwise {

/// A word of token labels is an example of its own: returns the number of the first word of a row of the data (from 0);
/// the other words of the row follow it.
constexpr std::int64_t firstWordOf(std::int64_t row) {
  return (row + 1) << 32;
}
/// Returns the row that an example of this number is, or that the word is of.
constexpr std::int64_t rowOfExample(std::int64_t number) {
  return number < firstWordOf(0) ? number : (number >> 32) - 1;
}

struct TaskExample {
  std::int64_t number = 0;         ///< row of its file from 0, or of token labels firstWordOf() it
  std::vector<std::string> texts;  ///< one, two of a pair; of token labels the words
  std::vector<double> labels;      ///< one, of token labels one per word: places in TaskData::classes, or numbers
};

struct TaskPart {
  std::string name;  ///< "train", "validation", "test"; of retrieval "queries", "documents"
  std::vector<TaskExample> examples;
};

/// That a document answers a query, as places in their parts.
struct RelevantPair {
  std::int64_t query = 0, document = 0;
  double gain = 1;
};

/// The rows of a task.
struct TaskData {
  TaskConfig task;
  std::vector<std::string> classes;  ///< labels of the training part, sorted; empty: labels are numbers
  std::vector<TaskPart> parts;       ///< first train, or queries and documents
  std::vector<RelevantPair> pairs;
  std::vector<std::string> notes;
  std::string hash;  ///< of kind, metric and rows: scores of unequal hashes are not comparable
};

/// Reads a task as of resolvedTask(). Without a validation part, a tenth of the training part is held out by the hash
/// of its texts. Fails with NotFound, Io, Corrupt, or Config, naming file and line: a missing column, an empty text, a
/// label that is none or not in the training part, a single class.
Result<TaskData> readTask(const TaskConfig& task);

/// Returns the metric that scores of the task are stored under: its own, but of F1 over words "f1_micro", and over more
/// than two classes "f1_macro".
std::string scoreMetric(const TaskData& data);

struct EncodedText {
  std::vector<std::int32_t> ids;    ///< with [CLS] and [SEP]
  std::vector<std::int32_t> words;  ///< of token labels: the first piece of each word in `ids`; -1: it has none
};

/// The texts of a task for one tokenizer.
struct EncodedTask {
  std::vector<std::vector<EncodedText>> parts;  ///< as TaskData::parts, but of a pair two per example
  std::vector<std::string> notes;               ///< texts that were cut; whether the tokenizer knows the language
};

/// Encodes the texts, cut to `maxTokens` >= 3.
EncodedTask encodeTask(const TaskData& data, const Tokenizer& tokenizer, std::int64_t maxTokens);

}  // namespace batchwise
