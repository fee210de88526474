# SPDX-License-Identifier: GPL-3.0-or-later
"""Another program that opens a workspace database, with nothing but Python's sqlite3.

visitor.py DATABASE ACTION [SECONDS]: read, vacuum, analyze, checkpoint, backup, hold (a transaction that reads, for SECONDS),
block (a transaction that writes, rolled back after SECONDS), leave-wal (switches to a rollback journal if nobody else is
there). It opens the file for writing, as the sqlite3 shell and the browsers do, and closes it. The exit code is 0 unless
SQLite calls the file damaged."""

import sqlite3
import sys
import time


def read_everything(database):
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        database.execute(f"SELECT * FROM {table}").fetchall()
    return tables


def visit(database, path, action, seconds):
    if action == "read":
        assert "run" in read_everything(database)
    elif action == "vacuum":
        database.execute("VACUUM")
    elif action == "analyze":
        database.execute("ANALYZE")
    elif action == "checkpoint":
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    elif action == "backup":
        copy = sqlite3.connect(":memory:")
        database.backup(copy)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    elif action == "hold":
        database.execute("BEGIN")
        read_everything(database)
        time.sleep(seconds)
        database.execute("COMMIT")
    elif action == "block":
        database.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        database.execute("ROLLBACK")
    elif action == "leave-wal":
        database.execute("PRAGMA journal_mode = DELETE")
    else:
        sys.exit(f"unknown action {action}")


path, action = sys.argv[1:3]
connection = sqlite3.connect(path, timeout=20, isolation_level=None)
try:
    visit(connection, path, action, float(sys.argv[3]) if len(sys.argv) > 3 else 0.3)
except sqlite3.OperationalError as busy:
    if "locked" not in str(busy):
        raise
finally:
    connection.close()
