#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/vectors/trackers anew: small logs by the programs whose logs we read, and in expected.json what
TensorBoard's own reader finds in the event files. Needs torch, tensorboard, transformers and lightning:
    python3 tests/trackers/write_vectors.py tests/vectors/trackers
"""
import json
import math
import pathlib
import shutil
import sys
import time

TARGET = pathlib.Path(sys.argv[1])
START = 1764000000.0


def torch_runs():
    from torch.utils.tensorboard import SummaryWriter

    folder = TARGET / "events" / "torch"
    with SummaryWriter(folder / "first", filename_suffix=".train") as writer:
        for step in range(50):
            wall = START + step
            writer.add_scalar("train/loss", 4.0 - 0.05 * step, step, walltime=wall)
            writer.add_scalar("train/learning_rate", 1e-3 * (1 - step / 50), step, walltime=wall)
            if step % 10 == 9:
                writer.add_scalar("eval/loss", 4.1 - 0.05 * step, step, walltime=wall + 0.5)
                writer.add_scalar("eval/accuracy", step / 50, step, walltime=wall + 0.5)
        writer.add_scalar("odd", math.nan, 1, walltime=START + 50)
        writer.add_scalar("odd", math.inf, 2, walltime=START + 51)
        writer.add_scalar("new style", 7.25, 3, new_style=True, walltime=START + 52)
        writer.add_text("notes", "no figure")
        writer.add_histogram("weights", __import__("numpy").arange(10), 3)
        writer.add_hparams({"lr": 1e-3, "optimizer": "adamw", "seed": 7, "nested": True}, {"hparam/best": 1.55})
    # Two files of one run: it was killed at step 30 and started again from its checkpoint at step 20.
    for part, (begin, end, slope) in enumerate([(0, 31, 0.1), (20, 40, 0.2)]):
        with SummaryWriter(folder / "inner" / "restarted", filename_suffix=f".{part}") as writer:
            for step in range(begin, end):
                writer.add_scalar("loss", 5.0 - slope * step, step, walltime=START + 100 * part + step)
        time.sleep(1.1)  # the name of the file begins with the second


def tensor_run():
    """Scalars as tensors, as tf.summary.scalar() writes them."""
    from tensorboard.compat.proto import event_pb2
    from tensorboard.plugins.scalar import summary_v2
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(TARGET / "events" / "tensors"))
    for step in range(20):
        summary = summary_v2.scalar_pb("epoch_loss", 2.0 / (step + 1))
        writer.add_event(event_pb2.Event(wall_time=START + 10 * step, step=step, summary=summary))
    writer.close()


def transformers_run():
    from transformers import TrainerState

    folder = TARGET / "transformers"
    history = []
    for step in range(10, 41, 10):
        history.append({"loss": 4.0 - step / 20, "grad_norm": math.nan if step == 10 else 1.5,
                        "learning_rate": 5e-5 * (1 - step / 40), "epoch": step / 20, "step": step})
        if step % 20 == 0:
            history.append({"eval_loss": 4.2 - step / 20, "eval_runtime": 1.25, "epoch": step / 20, "step": step})
            state = TrainerState(epoch=step / 20, global_step=step, max_steps=40, num_train_epochs=2, logging_steps=10,
                                 train_batch_size=8, log_history=list(history))
            checkpoint = folder / f"checkpoint-{step}"
            checkpoint.mkdir(parents=True)
            state.save_to_json(checkpoint / "trainer_state.json")
            time.sleep(0.05)


def lightning_run():
    from lightning.fabric.loggers import CSVLogger

    logger = CSVLogger(TARGET, name="lightning", version=0, flush_logs_every_n_steps=5)
    for step in range(30):
        logger.log_metrics({"train_loss": 3.0 - step / 20, "epoch": step // 10, "lr-AdamW": 1e-3}, step)
        if step % 10 == 9:
            logger.log_metrics({"val_loss": 3.1 - step / 20, "epoch": step // 10}, step)
    logger.save()
    (TARGET / "lightning" / "version_0" / "hparams.yaml").write_text("lr: 0.001\nmodel:\n  width: 128\n")


def other_tables():
    (TARGET / "tables").mkdir()
    with open(TARGET / "tables" / "log.jsonl", "w") as file:
        for step in range(20):
            row = {"iteration": step, "timestamp": START + step, "train": {"loss": 1 / (step + 1)}, "note": "x"}
            file.write(json.dumps(row | ({"val_loss": math.inf} if step == 10 else {})) + "\n")
    with open(TARGET / "tables" / "unusual.csv", "w", newline="") as file:
        file.write('when,"loss, mean",text\r\n')
        for step in range(5):
            file.write(f'{step * 100},{1 - step / 10},"a ""word"""\r\n')


def expected():
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

    runs = {}
    for folder in sorted({file.parent for file in (TARGET / "events").rglob("*tfevents*")}):
        reader = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
        reader.Reload()
        series = {tag: [(event.step, event.wall_time, event.value) for event in reader.Scalars(tag)]
                  for tag in reader.Tags()["scalars"]}
        for tag in reader.Tags()["tensors"]:
            metadata = reader.SummaryMetadata(tag)
            if metadata.plugin_data.plugin_name == "scalars":
                series[tag] = [(event.step, event.wall_time, tensor_util.make_ndarray(event.tensor_proto).item())
                               for event in reader.Tensors(tag)]
        runs[folder.relative_to(TARGET / "events").as_posix()] = {
            tag: [[step, wall, value if math.isfinite(value) else str(value)] for step, wall, value in points]
            for tag, points in series.items()}
    (TARGET / "expected.json").write_text(json.dumps(runs, indent=0) + "\n")


shutil.rmtree(TARGET, ignore_errors=True)
TARGET.mkdir(parents=True)
torch_runs()
tensor_run()
transformers_run()
lightning_run()
other_tables()
expected()
