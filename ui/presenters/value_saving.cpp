// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/value_saving.h"

#include <QtCore/QFileInfo>
#include <atomic>
#include <optional>

#include "ui/models/words.h"
#include "ui/presenters/output_writing.h"

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // some 10 ms

}  // namespace

struct ValueSaving::Work {
  Work(std::unique_ptr<RowSource> source, const QString& fileName) : name(fileName), rows(std::move(source)) {}

  /// GUI thread. False: too late, it is being put into its place.
  bool giveUp() {
    Stage writing = Stage::Writing;
    return stage.compare_exchange_strong(writing, Stage::GivenUp);
  }

  /// One that was given up leaves nothing behind.
  Result<void> writeBlock() {
    const bool isFirst = !file;
    if (isFirst) {
      auto opened = OutputFile::open(name.toStdString(), kChosenFile);
      if (!opened.ok()) return opened.error();
      file.emplace(std::move(*opened));
    }
    const TextTable block = rows->next(kRowsPerBlock);
    const std::string text = isFirst ? tableText(block, TableForm::Csv) : csvRows(block);
    const auto written = file->write(std::as_bytes(std::span(text)));
    return written.ok() && rows->atEnd() ? putInPlace() : written;
  }

  Result<void> putInPlace() {
    Stage writing = Stage::Writing;
    return stage.compare_exchange_strong(writing, Stage::PutInPlace) ? file->commit() : Result<void>{};
  }

  const QString name;
  std::unique_ptr<RowSource> rows;
  std::optional<OutputFile> file;  // once it is open
  enum class Stage { Writing, PutInPlace, GivenUp };
  std::atomic<Stage> stage = Stage::Writing;  // both threads want to leave Writing; one of them does
};

ValueSaving::ValueSaving(TaskQueue& tasks, QObject* parent) : FileWork(parent), tasks_(tasks) {}
ValueSaving::~ValueSaving() {
  if (busy()) waiting_.front()->giveUp();
}

void ValueSaving::save(std::unique_ptr<RowSource> rows, const QString& file) {
  waiting_.push_back(std::make_shared<Work>(std::move(rows), file));
  if (waiting_.size() == 1) writeNext();
  Q_EMIT progressed();
}

QString ValueSaving::file() const {
  return busy() ? waiting_.front()->name : QString();
}

QString ValueSaving::sentence() const {
  return busy() ? tr("Saving %1…").arg(QFileInfo(file()).fileName()) : QString();
}

void ValueSaving::giveUp() {
  if (busy() && waiting_.front()->giveUp()) beginNext();
}

void ValueSaving::beginNext() {
  waiting_.pop_front();
  percent_ = 0;
  if (busy()) writeNext();
  Q_EMIT progressed();
}

void ValueSaving::writeNext() {
  struct Block {
    QString problem;
    double progress;
    bool last;
  };
  tasks_.post(
      this,
      [work = waiting_.front()] {
        const auto written = work->writeBlock();
        const QString problem = written.ok() ? QString() : coreText(written.error().text());
        return Block{problem, work->rows->progress(), work->rows->atEnd()};
      },
      [this, of = waiting_.front()](const Block& block) {
        if (!busy() || waiting_.front() != of) return;  // given up
        if (!block.last && block.problem.isEmpty()) {
          percent_ = static_cast<int>(100 * block.progress);
          writeNext();
          Q_EMIT progressed();
          return;
        }
        Q_EMIT finished(of->name, block.problem);
        if (!block.problem.isEmpty()) Q_EMIT troubled();
        beginNext();
      });
}

}  // namespace batchwise
