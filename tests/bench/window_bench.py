# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window costs: processor time and memory of an empty start, with 10,000 runs, and while a run trains.

  python3 tests/bench/window_bench.py build/dev/bin [RUNS]

Without a display (Qt's offscreen platform, drawn by the processor). Needs no packages."""
import os
import re
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Window:
    def __init__(self, binaries, home, workspace):
        env = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, XDG_CACHE_HOME=home,
                   DBUS_SESSION_BUS_ADDRESS="disabled:")
        self.process = subprocess.Popen([f"{binaries}/batchwise-studio", "--workspace", workspace], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def cpu_of_window(self):
        """Of the thread that draws."""
        fields = open(f"/proc/{self.process.pid}/task/{self.process.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_mb(self):
        return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{self.process.pid}/status").read())[1]) / 1000

    def has_torch(self):
        return "libtorch" in open(f"/proc/{self.process.pid}/maps").read()

    def settle(self):
        """Waits until it computes no more than its regular work; the processor time until then."""
        before, calm = self.cpu(), 0
        while calm < 4:
            time.sleep(0.25)
            now = self.cpu()
            calm = calm + 1 if now - before <= 0.03 else 0
            before = now
        return before

    def share(self, seconds):
        before, window = self.cpu(), self.cpu_of_window()
        time.sleep(seconds)
        return (self.cpu() - before) / seconds, (self.cpu_of_window() - window) / seconds

    def end(self):
        self.process.terminate()
        self.process.wait()


def empty_start(binaries, folder):
    window = Window(binaries, f"{folder}/home", f"{folder}/empty")
    cpu = window.settle()
    print(f"empty start: {cpu:.2f} s of processor time until it is calm, {window.resident_mb():.0f} MB resident, "
          f"LibTorch {'IS' if window.has_torch() else 'not'} loaded")
    window.end()
    return cpu


def many_runs(binaries, folder, runs, empty):
    made = subprocess.run([f"{binaries}/compare_bench", folder, "0", "0", str(runs), "0", "keep"], check=True,
                          capture_output=True, text=True).stdout
    print("  " + made.splitlines()[0])
    window = Window(binaries, f"{folder}/home", re.search(r"kept in (.*)", made)[1] + "/w")
    cpu = window.settle()
    whole, own = window.share(10)
    print(f"{runs} runs: {cpu - empty:.2f} s more than empty until the list is there, {window.resident_mb():.0f} MB; "
          f"then {whole:.1%} of a core, {own:.1%} by the thread that draws")
    window.end()


CONFIG = """version: 1
name: bench
model: {preset: tiny}
tokenizer: {train: {vocab_size: 512}}
data: {train: [text.txt], max_seq_len: 64}
max_duration: 100000ba
batch: {global_train_batch_size: 8, device_train_microbatch_size: 8}
devices: cpu
"""


def while_training(binaries, folder):
    with open(f"{folder}/text.txt", "w") as text:
        for i in range(20_000):
            text.write(f"the number {i} follows the number {i - 1} and so on {i * 7 % 1000}\n\n")
    with open(f"{folder}/bench.yaml", "w") as config:
        config.write(CONFIG)
    trainer = subprocess.Popen([f"{binaries}/batchwise", "--workspace", f"{folder}/training", "train", f"{folder}/bench.yaml"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    time.sleep(15)
    if trainer.poll() is not None:
        sys.exit(trainer.stderr.read().decode())
    window = Window(binaries, f"{folder}/home", f"{folder}/training")
    time.sleep(5)
    whole, own = window.share(20)
    print(f"while a run trains: {whole:.1%} of a core, {own:.1%} by the thread that draws")
    window.end()
    trainer.terminate()
    trainer.wait()


def main():
    binaries = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_start(binaries, folder)
        many_runs(binaries, folder, int(sys.argv[2]) if len(sys.argv) > 2 else 10_000, empty)
        while_training(binaries, folder)


if __name__ == "__main__":
    main()
