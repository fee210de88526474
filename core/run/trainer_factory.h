// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

class Trainer;

/// Raised whenever Trainer, or a type in its signatures, changes its layout: program and trainer library must agree.
constexpr int kTrainerInterface = 8;

/// The two symbols that libbatchwise_trainer.so exports.
constexpr const char* kTrainerInterfaceSymbol = "batchwiseTrainerInterface";
constexpr const char* kMakeTrainerSymbol = "batchwiseMakeTrainer";
using TrainerInterfaceFunction = int (*)();
using MakeTrainerFunction = Trainer* (*)();  ///< the caller owns the result

}  // namespace batchwise
