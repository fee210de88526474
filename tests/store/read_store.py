# SPDX-License-Identifier: GPL-3.0-or-later
"""A stranger reads a workspace and a checkpoint with Python's sqlite3, by SCHEMA.md and CHECKPOINT.md alone.

read_store.py CHILD: lets CHILD (store_writer_child) write a fresh workspace, then compares what the documents lead to
with the formulas of tests/store/store_fixture.cpp."""

import itertools
import json
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

CHILD = sys.argv.pop(1)
ROWS = 2500


def crc32c(data, crc=0):
    """RFC 3720, appendix B.4, bit by bit."""
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def table_entry(byte):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    return byte


TABLE = [table_entry(byte) for byte in range(256)]


def content_of(key, blob):
    """What the bytes under a key hold, their checksum compared."""
    content, (stored,) = blob[:-4], struct.unpack("<I", blob[-4:])
    assert stored == crc32c(struct.pack("<4q", *key, *[0] * (4 - len(key))) + content), "checksum"
    return content


def rows_crc(rows):
    """Over all values of all rows, each a letter for its type, then 8 bytes, then the content of a text or blob."""
    crc = 0
    for value in itertools.chain.from_iterable(rows):
        if value is None:
            crc = crc32c(b"n" + bytes(8), crc)
        elif isinstance(value, int):
            crc = crc32c(b"i" + struct.pack("<q", value), crc)
        elif isinstance(value, float):
            crc = crc32c(b"r" + struct.pack("<d", value), crc)
        else:
            data = value.encode() if isinstance(value, str) else value
            crc = crc32c((b"t" if isinstance(value, str) else b"b") + struct.pack("<q", len(data)), crc)
            crc = crc32c(data, crc)
    return crc


def row_values(key, blob):
    return {series: value for series, value in struct.iter_unpack("<Id", content_of(key, blob))}


def block_points(key, blob):
    content = content_of(key, blob)
    count, wide, first = struct.unpack_from("<IIq", content)
    kind, size = ("q", 8) if wide else ("I", 4)
    steps = struct.unpack_from(f"<{count}{kind}", content, 16)
    values = struct.unpack_from(f"<{count}d", content, 16 + size * count)
    return [(first + step, value) for step, value in zip(steps, values)]


class ReadStore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temp.name) / "w"
        subprocess.run([CHILD, cls.folder, "run", str(ROWS), "100", "checkpoints"], check=True, stdout=subprocess.DEVNULL)
        cls.db = sqlite3.connect(f"file:{cls.folder / 'workspace.sqlite'}?mode=ro", uri=True)

    @classmethod
    def tearDownClass(cls):
        cls.db.close()
        cls.temp.cleanup()

    def one(self, sql, *arguments):
        return self.db.execute(sql, arguments).fetchone()

    def series(self, name):
        """All points of a series of the only run, by ascending position: blocks, then recent rows."""
        (series,) = self.one("SELECT id FROM series WHERE name = ?", name)
        kind = 1 if name.startswith("eval.") else 2 if name.startswith("step.") else 0
        points = []
        for *key, data in self.db.execute(
                "SELECT series, segment, number, data FROM metric_block WHERE series = ? ORDER BY 2, 3", (series,)):
            points += block_points(key, data)
        for *key, data in self.db.execute(
                "SELECT run, segment, kind, position, data FROM metric_row WHERE kind = ? ORDER BY 2, 4", (kind,)):
            values = row_values(key, data)
            if series in values:
                points.append((key[3], values[series]))
        return points

    def test_the_file_is_what_its_document_says(self):
        self.assertEqual(self.one("PRAGMA application_id"), (0x42745773,))
        self.assertEqual(self.one("PRAGMA user_version"), (1,))
        self.assertEqual(self.one("PRAGMA journal_mode"), ("wal",))
        self.assertEqual(self.one("PRAGMA integrity_check"), ("ok",))

    def test_the_run_has_the_checksums_of_the_document(self):
        parts = {
            "launch_crc": ["SELECT id, config_yaml, resolved_yaml FROM run", "SELECT name, value FROM run_value ORDER BY name",
                           "SELECT name, value FROM run_reference ORDER BY name"],
            "figures_crc": ["SELECT at, loss, eval_loss, learning_rate, samples_per_sec, tokens_per_sec FROM run"],
            "segments_crc": ["SELECT number, from_at, from_batch, from_step, checkpoint, started_ms, host, process_id, "
                             "environment FROM segment ORDER BY number"],
            "series_crc": ["SELECT id, name, logged FROM series ORDER BY id"],
            "checkpoints_crc": ["SELECT id, segment, at, file, bytes, created_ms, reason, metric, pinned, verified, finite "
                                "FROM checkpoint ORDER BY number"]}
        for column, queries in parts.items():
            rows = [row for sql in queries for row in self.db.execute(sql)]
            self.assertEqual(self.one(f"SELECT {column} FROM run"), (rows_crc(rows),), column)

    def test_there_are_as_many_rows_and_blocks_as_noted(self):
        for *key, data in self.db.execute("SELECT run, segment, kind, data FROM metric_extent"):
            until, rows, *blocks = struct.unpack(f"<{(len(data) - 4) // 8}q", content_of(key, data))
            self.assertEqual(self.one("SELECT count(*) FROM metric_row WHERE (run, segment, kind) = (?, ?, ?)", *key), (rows,))
            self.assertEqual(self.one("SELECT min(position) > ? FROM metric_row WHERE (run, segment, kind) = (?, ?, ?)",
                                      until, *key), (1,))
            for series, count in zip(blocks[::2], blocks[1::2]):
                numbers = self.db.execute("SELECT number FROM metric_block WHERE (series, segment) = (?, ?) ORDER BY 1",
                                          (series, key[1])).fetchall()
                self.assertEqual(numbers, [(number,) for number in range(count)])

    def test_each_line_of_a_journal_is_json_with_its_checksum(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([CHILD, folder, "journalabcde", "50", "10", "checkpoints"], check=True, stdout=subprocess.DEVNULL)
            lines = (pathlib.Path(folder) / "runs/journalabcde.jsonl").read_bytes().splitlines()
        events = [json.loads(line) for line in lines]
        kinds = [event["event"] for event in events]
        self.assertEqual(kinds[0], "segment")
        self.assertEqual(kinds[-1], "run_finished")
        self.assertIn("checkpoint", kinds)
        self.assertEqual([event["loss"] for event in events if event["event"] == "metrics"],
                         [10.0 / (1.0 + batch) for batch in range(1, 51)])
        for line, event in zip(lines, events):
            self.assertEqual(event["crc"], crc32c(line[:line.rindex(b',"crc":')]))

    def test_every_table_is_described(self):
        text = (pathlib.Path(__file__).parents[2] / "core/store/SCHEMA.md").read_text()
        for table, columns in self.tables().items():
            line = next((line for line in text.splitlines() if line.startswith(f"| `{table}(")), None)
            self.assertIsNotNone(line, table)
            described = line.split("(", 1)[1].split(")", 1)[0].replace(" ", "").split(",")
            self.assertEqual(described, columns, table)

    def tables(self):
        names = [name for (name,) in self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        return {name: [column for (column,) in self.db.execute("SELECT name FROM pragma_table_info(?)", (name,))] for name in names}

    def test_the_run_and_its_clocks(self):
        status, at, loss, planned = self.one("SELECT status, at, loss, planned_batches FROM run WHERE name = 'run'")
        clocks = json.loads(at)
        self.assertEqual(status, "finished")
        self.assertEqual(clocks["ba"], ROWS)
        self.assertEqual(clocks["sp"], ROWS * 32)
        self.assertEqual(clocks["tok"], ROWS * 3200)
        self.assertEqual(clocks["sec"], ROWS * 0.25)
        self.assertEqual(loss, 10.0 / (1.0 + ROWS))
        self.assertEqual(planned, 0)

    def test_every_point_of_a_series(self):
        for name, value in (("loss", lambda batch: 10.0 / (1.0 + batch)), ("lr", lambda batch: batch * 1e-6),
                            ("fill", lambda batch: 0.75)):
            points = self.series(name)
            self.assertEqual([position for position, _ in points], list(range(1, ROWS + 1)))
            for position, found in points:
                self.assertEqual(found, value(position), name)

    def test_events_segments_and_the_checkpoint_rows(self):
        events = [json.loads(text) for (text,) in self.db.execute("SELECT json FROM event ORDER BY id")]
        self.assertEqual([event["event"] for event in events], ["run_finished"])
        self.assertEqual(self.one("SELECT number, from_batch, from_step FROM segment"), (0, 0, 0))
        self.assertEqual(self.one("SELECT count(*) FROM run_writer"), (0,), "nobody writes it any more")
        rows = self.db.execute("SELECT file, bytes, at FROM checkpoint ORDER BY number").fetchall()
        self.assertGreater(len(rows), 3)
        for file, size, at in rows:
            self.assertEqual((self.folder / file).stat().st_size, size)
            self.assertGreater(json.loads(at)["ba"], 0)

    def test_a_checkpoint(self):
        file, at = self.one("SELECT file, at FROM checkpoint ORDER BY number DESC LIMIT 1")
        batch = json.loads(at)["ba"]
        checkpoint = sqlite3.connect(f"file:{self.folder / file}?mode=ro&immutable=1", uri=True)
        self.assertEqual(checkpoint.execute("PRAGMA application_id").fetchone(), (0x4274436B,))
        self.assertEqual(checkpoint.execute("PRAGMA user_version").fetchone(), (1,))
        self.assertEqual(checkpoint.execute("PRAGMA page_size").fetchone(), (65536,))
        self.assertEqual(dict(checkpoint.execute("SELECT name, value FROM fact")), {"batch": str(batch)})
        manifest = dict(checkpoint.execute("SELECT key, value FROM manifest"))
        entries = checkpoint.execute("SELECT name, type, shape, bytes, first_chunk FROM entry ORDER BY number").fetchall()
        self.assertEqual(int(manifest["entries"]), len(entries))
        name, kind, shape, size, first = entries[0]
        self.assertEqual((name, kind, json.loads(shape)), ("weights", "bytes", []))
        content = b""
        while len(content) < size:
            (data,) = checkpoint.execute("SELECT data FROM chunk WHERE number = ?", (first,)).fetchone()
            content += data
            first += 1
        self.assertEqual(first, int(manifest["chunks"]))
        self.assertEqual(content, bytes([batch % 256]) * size)
        checkpoint.close()


if __name__ == "__main__":
    unittest.main()
