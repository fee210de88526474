#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/vectors/trackers anew: small logs by the programs whose logs we read, and in expected.json what
TensorBoard's own reader finds in the event files, in figures.json what those of W&B, MLflow and Trackio find. Needs
torch, tensorboard, transformers, lightning, wandb, mlflow and trackio, or those of the kinds that are named:
    python3 tests/trackers/write_vectors.py tests/vectors/trackers [KIND...]
"""
import json
import math
import os
import pathlib
import shutil
import sqlite3
import struct
import sys
import time

TARGET = pathlib.Path(sys.argv[1]).resolve()
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


def plain(value):
    return value if math.isfinite(value) else str(value)


def figures(kind, runs):
    file = TARGET / "figures.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(known | {kind: runs}, indent=0, sort_keys=True) + "\n")


def wandb_runs():
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=str(TARGET), WANDB_X_DISABLE_STATS="true",
                      WANDB_DISABLE_GIT="true")
    import wandb
    from wandb.proto import wandb_internal_pb2

    with wandb.init(project="vectors", id="first001", name="first run", group="seeds", tags=["small", "tied"],
                    config={"lr": 1e-3, "model": {"width": 128, "act": "gelu"}, "betas": [0.9, 0.98]}) as run:
        for step in range(150):  # more than a block of 32 KiB
            log = {"train/loss": 4.0 - 0.02 * step, "optimizer": {"lr": 1e-3 * (1 - step / 150), "state": {"norm": step}}}
            run.log(log | ({"note": "text", "odd": math.inf, "flag": True} if step == 3 else {}))
        run.log({"eval/loss": 1.5, "odd": math.nan, "weights": wandb.Histogram([1, 2, 3])}, step=160)
        run.config.update({"late": "yes"})
    run = wandb.init(project="vectors", id="failed01")
    run.log({"loss": 1.0})
    run.finish(exit_code=3)
    with wandb.init(project="vectors", id="summary1") as run:
        run.define_metric("accuracy", summary="max")
        for step in range(5):
            run.log({"loss": 2.0 - step / 4, "accuracy": 0.5 + (step % 3) / 8})
        run.summary.update({"eval/loss": 1.25, "loss": 9, "test": {"f1": 0.5}, "inf": math.inf, "gone": 1,
                            "word": "a", "weights": wandb.Histogram([1, 2, 3])})
        del run.summary["gone"]
    wandb.teardown()
    runs = {}
    for file in sorted(TARGET.glob("wandb/offline-run-*/*.wandb")):
        data, offset, content, series, summary = file.read_bytes(), 7, b"", {}, {}
        while offset + 7 <= len(data):
            if 32768 - offset % 32768 < 7:
                offset += 32768 - offset % 32768
                continue
            _, length, part = struct.unpack("<IHB", data[offset:offset + 7])
            content += data[offset + 7:offset + 7 + length]
            offset += 7 + length
            if part not in (1, 4):
                continue
            record, content = wandb_internal_pb2.Record.FromString(content), b""
            if record.HasField("run"):
                name = record.run.display_name or record.run.run_id
            changed = {".".join(item.nested_key) or item.key: json.loads(item.value_json)
                       for item in record.summary.update}
            if "_step" in changed:  # made of the history
                changed = {key: value for key, value in changed.items() if isinstance(value, dict)}
            summary |= changed
            for item in record.summary.remove:
                summary.pop(".".join(item.nested_key) or item.key)
            items = {".".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
            for key, value in items.items():
                if type(value) in (int, float) and not key.startswith("_"):
                    series.setdefault(key, []).append([items["_step"], plain(value)])
        last = max(point[0] for points in series.values() for point in points)
        for key, value in summary.items():
            nested = {f"{key}.{inner}": its for inner, its in value.items()} if isinstance(value, dict) else {key: value}
            for path, its in nested.items():
                if f"{key}._type" not in nested and type(its) in (int, float) and path[0] != "_" and path not in series:
                    series[path] = [[last, plain(its)]]
        runs[f"vectors/{name}"] = series
    figures("wandb", runs)
    for folder in TARGET.glob("wandb/*"):
        if not folder.name.startswith("offline-run-"):
            folder.unlink()
        else:
            for other in ("files", "logs", "tmp"):
                shutil.rmtree(folder / other, ignore_errors=True)


def shrink(database):
    """Small pages, for a file of many empty tables."""
    with sqlite3.connect(database) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        for statement in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=512", "VACUUM", f"PRAGMA journal_mode={mode}"):
            connection.execute(statement)
    connection.close()


def mlflow_runs():
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow

    (TARGET / "mlflow").mkdir()
    runs = {}
    for uri in (f"file://{TARGET}/mlflow/mlruns", f"sqlite:///{TARGET}/mlflow/mlflow.db"):
        mlflow.set_tracking_uri(uri)
        mlflow.set_experiment("small models")
        with mlflow.start_run(run_name="first", tags={"team": "a"}) as first:
            mlflow.log_params({"lr": 1e-3, "opt/name": "adamw"})
            for step in range(12):
                mlflow.log_metrics({"train/loss": 4.0 - 0.05 * step, "accuracy": step / 12}, step=step)
            mlflow.log_metric("odd", math.nan, step=1)
            mlflow.log_metric("odd", -math.inf, step=2)
        try:
            with mlflow.start_run(run_name="failed") as failed:
                mlflow.log_metric("loss", 1.0)
                raise ValueError("as it may happen")
        except ValueError:
            pass
        with mlflow.start_run(run_name="deleted") as deleted:
            mlflow.log_metric("loss", 1.0)
        mlflow.delete_run(deleted.info.run_id)
        client = mlflow.MlflowClient()
        for run in (first, failed):
            history = {key: [[metric.step, plain(metric.value)] for metric in client.get_metric_history(run.info.run_id, key)]
                       for key in client.get_run(run.info.run_id).data.metrics}
            runs[f"{uri.rsplit('/', 1)[1]} {run.info.run_id}"] = history
    figures("mlflow", runs)
    shrink(TARGET / "mlflow" / "mlflow.db")


def trackio_runs():
    os.environ.update(TRACKIO_DIR=str(TARGET / "trackio"), HF_HUB_OFFLINE="1")
    import trackio
    from trackio.sqlite_storage import SQLiteStorage

    for name in ("first", "second"):
        trackio.init(project="small", name=name, group="seeds", config={"lr": 1e-3, "model": {"width": 128}})
        for step in range(10):
            trackio.log({"train/loss": 4.0 - 0.05 * step, "optimizer": {"lr": 1e-3}, "odd": math.nan}, step=step * 10)
        trackio.log({"eval/loss": 1.5, "note": "text", "odd": math.inf}, step=100)
        trackio.finish()
    figures("trackio", {f"small/{name}": {key: [[log["step"], plain(log[key])] for log in SQLiteStorage.get_logs("small", name)
                                                if key in log] for key in ("train/loss", "eval/loss", "odd")}
                        for name in ("first", "second")})
    shrink(TARGET / "trackio" / "small.db")
    for other in set((TARGET / "trackio").iterdir()) - {TARGET / "trackio" / "small.db"}:
        shutil.rmtree(other) if other.is_dir() else other.unlink()


KINDS = {"events": [torch_runs, tensor_run, expected], "transformers": [transformers_run], "lightning": [lightning_run],
         "tables": [other_tables], "wandb": [wandb_runs], "mlflow": [mlflow_runs], "trackio": [trackio_runs]}
for kind in sys.argv[2:] or KINDS:
    shutil.rmtree(TARGET / kind, ignore_errors=True)
    for write in KINDS[kind]:
        write()
