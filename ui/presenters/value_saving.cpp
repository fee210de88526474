// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/value_saving.h"

#include <QtCore/QSaveFile>

#include "ui/models/chart_rows.h"

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // some 10 ms

}  // namespace

struct ValueSaving::Work {
  Work(const ChartContent& content, std::optional<AxisRange> part, const QString& name)
      : rows(content, part), file(name) {}

  /// False: it cannot be written, and `file` says why.
  bool writeBlock() {
    if (!file.isOpen() && !file.open(QIODevice::WriteOnly)) return false;
    const TextTable block = rows.next(kRowsPerBlock);
    const std::string text = isFirst ? tableText(block, TableForm::Csv) : csvRows(block);
    isFirst = false;
    return file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size()) &&
           (!rows.atEnd() || file.commit());
  }

  ChartRows rows;
  QSaveFile file;
  bool isFirst = true;
};

ValueSaving::ValueSaving(TaskQueue& tasks, const ChartContent& content, std::optional<AxisRange> part,
                         const QString& file, QObject* parent)
    : QObject(parent), tasks_(tasks), work_(std::make_shared<Work>(content, part, file)) {}

ValueSaving::~ValueSaving() = default;

void ValueSaving::start() {
  writeNext();
}

void ValueSaving::writeNext() {
  struct Block {
    QString problem;
    double progress;
    bool last;
  };
  tasks_.post(
      this,
      [work = work_] {
        const QString problem =
            work->writeBlock() ? QString() : tr("%1: %2").arg(work->file.fileName(), work->file.errorString());
        return Block{problem, work->rows.progress(), work->rows.atEnd()};
      },
      [this](const Block& block) {
        Q_EMIT progressed(static_cast<int>(100 * block.progress));
        if (block.last || !block.problem.isEmpty()) {
          Q_EMIT finished(block.problem);
        } else {
          writeNext();
        }
      });
}

}  // namespace batchwise
