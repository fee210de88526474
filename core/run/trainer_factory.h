// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

class Trainer;

/// Incremented whenever the layout of Trainer, or of a type in its signatures, changes: program and library must match.
constexpr int kTrainerInterface = 8;

/// The two symbols that libbatchwise_trainer.so exports.
constexpr const char* kTrainerInterfaceSymbol = "batchwiseTrainerInterface";
constexpr const char* kMakeTrainerSymbol = "batchwiseMakeTrainer";
using TrainerInterfaceFunction = int (*)();
using MakeTrainerFunction = Trainer* (*)();  ///< the caller owns the result

}  // namespace batchwise
