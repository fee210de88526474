// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/run_rows.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxScoreNameBytes = 200;
constexpr std::size_t kMaxModelBytes = 4096;  // of a path
constexpr std::size_t kMaxPredictionBytes = 64 << 10;

constexpr const char* kScoreKey =
    " run IS ? AND model=? AND task=? AND task_hash=? AND method=? AND metric=? AND split=? AND seed=? AND rate=?";
constexpr const char* kScoreColumns =
    "score.id, run, model, task, task_hash, method, metric, split, seed, rate, value, examples, at_ms";

using RunNumber = std::optional<std::int64_t>;

Result<RunNumber> scoredRun(SQLite::Database& database, const Score& score) {
  if (score.run.empty()) return RunNumber{};
  ASSIGN_OR_RETURN(const auto number, runNumber(database, score.run));
  return RunNumber{number};
}

Result<void> checkScore(const Score& score) {
  for (const auto& [what, text] :
       {std::pair("model", &score.model), std::pair("task", &score.task), std::pair("task hash", &score.taskHash),
        std::pair("method", &score.method), std::pair("metric", &score.metric), std::pair("split", &score.split)}) {
    const std::string problem = plainLineProblem(*text, text == &score.model ? kMaxModelBytes : kMaxScoreNameBytes);
    if (!problem.empty()) return Error::config(formatText("the {} of a score {}", what, problem));
  }
  return score.examples < 0 ? Result<void>(Error::config("the number of examples of a score is negative"))
                            : Result<void>();
}

}  // namespace

void deleteScores(SQLite::Database& database, std::int64_t run, std::string_view model) {
  execute(database, "DELETE FROM score WHERE run=? AND model=?", run, model);
}

Result<void> insertScore(SQLite::Database& database, std::optional<std::int64_t> run, const Score& score) {
  RETURN_IF_ERROR(checkScore(score));
  if (run && !hasRow(database, "SELECT 1 FROM checkpoint WHERE run=? AND file=?", *run, score.model))
    return Error::notFound(formatText("the checkpoint '{}' is no longer in the workspace", score.model));
  execute(database, formatText("DELETE FROM score WHERE{}", kScoreKey), run, score.model, score.task, score.taskHash,
          score.method, score.metric, score.split, score.seed, score.rate);
  execute(database,
          "INSERT INTO score(run, model, task, task_hash, method, metric, split, seed, rate, value, examples, at_ms) "
          "VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
          run, score.model, score.task, score.taskHash, score.method, score.metric, score.split, score.seed, score.rate,
          score.value, score.examples, score.atMs);
  const std::int64_t id = database.getLastInsertRowid();
  SQLite::Statement insert(database, "INSERT INTO score_example VALUES(?,?,?,?,?)");
  for (const ExampleScore& one : score.predictions)
    execute(insert, id, one.example, withoutControlCharacters(one.label, kMaxPredictionBytes),
            withoutControlCharacters(one.prediction, kMaxPredictionBytes), one.score);
  return {};
}

Result<void> Workspace::addScores(const std::vector<Score>& scores) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    for (const Score& score : scores) {
      ASSIGN_OR_RETURN(const RunNumber run, scoredRun(database, score));
      RETURN_IF_ERROR(insertScore(database, run, score));
    }
    return {};
  });
}

Result<std::vector<Score>> Workspace::scores(const ScoreQuery& asked) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<Score>> {
    RunNumber run;
    if (asked.run && !asked.run->empty()) {
      ASSIGN_OR_RETURN(run, runNumber(database, *asked.run));
    }
    SQLite::Statement query =
        prepare(database,
                formatText("SELECT {}, run.id FROM score LEFT JOIN run ON run.number = score.run "
                           "WHERE {} AND (?2 IS NULL OR model = ?2) AND (?3 IS NULL OR task = ?3) "
                           "ORDER BY at_ms, score.id",
                           kScoreColumns, asked.run ? "score.run IS ?1" : "?1 IS NULL"),
                run, asked.model, asked.task);
    std::vector<Score> scores;
    while (query.executeStep()) {
      Score score;
      std::int64_t id = 0, runInRow = 0;
      std::optional<double> rate, value;
      readRow(query, id, runInRow, score.model, score.task, score.taskHash, score.method, score.metric, score.split,
              score.seed, rate, value, score.examples, score.atMs, score.run);
      score.rate = rate.value_or(0.0);
      score.value = value.value_or(0.0);
      scores.push_back(std::move(score));
    }
    return scores;
  });
}

Result<void> Workspace::deleteFolderScores(const std::string& folder) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    execute(database, "DELETE FROM score WHERE run IS NULL AND model=?", folder);
    return {};
  });
}

Result<std::vector<ExampleScore>> Workspace::predictions(const Score& score) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<ExampleScore>> {
    ASSIGN_OR_RETURN(const RunNumber run, scoredRun(database, score));
    const auto id =
        queryInteger(database, formatText("SELECT id FROM score WHERE{}", kScoreKey), run, score.model, score.task,
                     score.taskHash, score.method, score.metric, score.split, score.seed, score.rate);
    if (!id)
      return Error::notFound(
          formatText("there is no score of '{}' on task '{}' with seed {}", score.model, score.task, score.seed));
    std::vector<ExampleScore> predictions;
    SQLite::Statement query = prepare(
        database, "SELECT example, label, prediction, value FROM score_example WHERE score=? ORDER BY example", *id);
    while (query.executeStep()) {
      ExampleScore one;
      std::optional<double> value;
      readRow(query, one.example, one.label, one.prediction, value);
      one.score = value.value_or(0.0);
      predictions.push_back(std::move(one));
    }
    return predictions;
  });
}

}  // namespace batchwise
