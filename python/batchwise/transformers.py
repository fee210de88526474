# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback for the Trainer of transformers."""
import re

import transformers

from . import recording


class TrainerCallback(transformers.TrainerCallback):
    """Logs what a Trainer logs, its arguments and its model's configuration, by the names that TensorBoard gets.

    The run is the open one, or a new one by `arguments` of batchwise.init(), which ends with the training.
    """

    def __init__(self, **arguments):
        self._arguments, self._run, self._is_ours = arguments, None, False

    def on_train_begin(self, args, state, control, model=None, **others):
        if state.is_world_process_zero:
            self._is_ours = not recording._open
            self._run = recording.init(**{"name": args.run_name, "reinit": "return_previous", **self._arguments})
            self._run.step = state.global_step  # from a checkpoint, steps come again; the later ones count
            of_model = getattr(getattr(model, "config", None), "to_dict", dict)
            self._run.config.update({**of_model(), **args.to_sanitized_dict()})

    def on_log(self, args, state, control, logs=None, **others):
        if self._run:
            renamed = {re.sub(r"^(eval|test)_", r"\1/", name): value for name, value in logs.items()}
            self._run.log({name if "/" in name else f"train/{name}": value for name, value in renamed.items()},
                          step=state.global_step)

    def on_train_end(self, args, state, control, **others):
        if self._run and self._is_ours:
            self._run.finish()
        self._run = None
