// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <vector>

#include "core/run/slurm/slurm_client.h"
#include "ui/bridge/thread_bridge.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace batchwise {

/// Dialog for the options of Slurm jobs: partition, machines, GPUs, time limit. Checks them against the partitions of
/// the cluster once these are known. Deletes itself when closed.
class SlurmWindow final : public QDialog {
  Q_OBJECT

 public:
  SlurmWindow(const SlurmOptions& options, QWidget* parent);

  SlurmOptions options() const;

 Q_SIGNALS:
  void chosen(const batchwise::SlurmOptions& options);

 private:
  void makeFields();
  void placeFields();
  void askCluster();
  void showPartitions(const Result<std::vector<SlurmPartition>>& partitions);
  void check();
  QString problem() const;

  const SlurmOptions before_;
  std::vector<SlurmPartition> partitions_;  // empty: not known
  QComboBox* partition_;
  QSpinBox *nodes_, *gpus_, *ranks_, *cores_;
  QLineEdit *time_, *memory_, *account_;
  QLabel *cluster_, *problem_;
  QPushButton* accept_;
  TaskQueue tasks_;  // Slurm may take long to answer
};

}  // namespace batchwise
