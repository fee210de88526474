// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/value_saving.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSaveFile>
#include <atomic>

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // some 10 ms

}  // namespace

struct ValueSaving::Work {
  Work(std::unique_ptr<RowSource> source, const QString& fileName)
      : name(fileName), rows(std::move(source)), file(fileName) {}

  /// GUI thread. False: too late, it is being put into its place.
  bool giveUp() {
    Stage writing = Stage::Writing;
    return stage.compare_exchange_strong(writing, Stage::GivenUp);
  }

  /// False: it cannot be written, and `file` says why. One that was given up leaves nothing behind.
  bool writeBlock() {
    if (!file.isOpen() && !file.open(QIODevice::WriteOnly)) return false;
    const TextTable block = rows->next(kRowsPerBlock);
    const std::string text = isFirst ? tableText(block, TableForm::Csv) : csvRows(block);
    isFirst = false;
    return file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size()) &&
           (!rows->atEnd() || putInPlace());
  }

  bool putInPlace() {
    Stage writing = Stage::Writing;
    return !stage.compare_exchange_strong(writing, Stage::PutInPlace) || file.commit();
  }

  const QString name;
  std::unique_ptr<RowSource> rows;
  QSaveFile file;
  bool isFirst = true;
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
        const QString problem = work->writeBlock() ? QString() : tr("%1: %2").arg(work->name, work->file.errorString());
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
