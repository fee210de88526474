// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "core/store/records.h"
#include "ui/list/run_facts.h"

namespace batchwise {

/// A column of the runs table: what a run has in it, and how that is shown.
struct RunColumn {
  enum class Values { Words, Setting, Decimal, Count, Tokens, Bytes, Share, Duration, Date };
  enum class Needs { Summary, Config, Figures };  ///< what is read of a run
  using Number = std::function<std::optional<double>(const RunSummary&)>;
  using Text = std::function<QString(const RunSummary&)>;

  QString key;           ///< stable: "eval_loss", "score:eval.accuracy", "setting:optimizer.lr"
  QString title;         ///< with the unit: "Speed (tok/s)"
  QString heading = {};  ///< a shorter title of the column; empty: the title
  QString about = {};    ///< tool tip of the title
  Values values = Values::Words;
  Number number = {};     ///< sorts; none: the column has texts only
  Text text = {};         ///< of words and settings, and where there is no number
  Text toolTip = {};      ///< none: the exact number, or the text
  bool isFigure = false;  ///< a result: of a group the runs have it that count as repetitions
  bool isLoss = false;
  bool isEvaluated = false;  ///< it depends on what evaluations measure, see RunSummary::evaluationSet
  int digits = 6;            ///< width of the values
  Needs needs = Needs::Summary;

  bool isNumeric() const { return values != Values::Words && values != Values::Setting; }
};

/// The columns that every table has, by RunsTable::Column. `facts` must outlive them.
std::vector<RunColumn> standardColumns(RunFacts& facts);
/// Any other column by its key; none if the key has no meaning.
std::optional<RunColumn> furtherColumn(const QString& key, RunFacts& facts);
/// Keys of the other columns there are, with those of the scores among `series`.
QStringList furtherColumns(const QStringList& series);
QString settingKey(const std::string& path);

}  // namespace batchwise
