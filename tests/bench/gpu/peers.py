# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders to a process of peer.py, and the ratios of our speed to a peer's, ours measured before and after it."""
import json
import select
import statistics
import subprocess
import sys
import time

from bench_tools import HERE, Bench, beyond_peak, last_lines, lengths_of, measure_ours

AIMS = {("full", "compiled"): "aim 1.15", ("full", "autotuned"): "aim 1.15", ("full", "eager"): "aim 1.8"}


class Peer:
    """A process of peer.py that waits for orders. It keeps its model between two of them, and computes only then."""

    def __init__(self, bench, name, *arguments):
        self.bench, self.name = bench, name
        self.log = open(bench.folder / f"{name.replace(' ', '_')}.log", "w+", errors="replace")
        self.process = subprocess.Popen(
            [sys.executable, HERE / "peer.py", "--weights", bench.weights, "--device", bench.options.device,
             *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, bufsize=0,
            env=bench.peer_environment, start_new_session=True)
        self.begun = time.monotonic()

    def answer(self, seconds):
        """The next answer; None, the reason as a row and the process ended if none comes in time."""
        ends = time.monotonic() + self.bench.seconds(seconds, least=0)
        while time.monotonic() < ends and select.select([self.process.stdout], [], [], max(0, ends - time.monotonic()))[0]:
            line = self.process.stdout.readline()
            if line.startswith(b"{"):
                return json.loads(line)
            if not line:
                self.process.wait()
                break
        self.log.seek(0)
        said = last_lines(self.log.read()) or ["nothing said"]
        self.bench.say(*said)
        ended = self.process.poll()
        reason = f"not ready in {time.monotonic() - self.begun:.0f} s" if ended is None else f"exit {ended}"
        self.bench.row(f"peer {self.name}: failed", reason, said[-1][-120:], bad=True)
        self.close()
        return None

    def measure(self, tokens, steps, seconds=60):
        """Orders `steps` steps of the texts in the file, and returns what answer() does."""
        try:
            self.process.stdin.write(json.dumps(dict(tokens=str(tokens), steps=steps)).encode() + b"\n")
        except OSError:
            pass  # it has ended: answer() tells
        return self.answer(seconds)

    def close(self):
        """Ends the process and the compilers it has started."""
        Bench.end_group(self.process, 9)
        self.process.wait()
        self.log.close()


def measure_peer(bench, name, longest, batch, seconds):
    """Tokens/s of each text, all rounds of it, by a peer that has the device for itself and ends afterwards."""
    rates = {}
    peer = Peer(bench, f"{name} {longest}", "--longest", longest, "--batch", batch, "--way", name)
    try:
        first = peer.measure(bench.folder / f"full{longest}.tokens", 1, seconds)
        if first is None:
            return rates
        bench.row(f"peer {name}, {longest}: ready", f"{time.monotonic() - peer.begun:.0f} s",
                  f"first loss {first['first_loss']:.3f}", first_loss=first["first_loss"])
        for number in range(bench.options.rounds):
            for text in ("full", "real"):
                tokens = bench.folder / f"{text}{longest}.tokens"
                found = peer.measure(tokens, bench.sizes.peer_steps)
                if found is None:
                    return rates
                bench.row(f"transformers {name}, {text} {longest}, round {number + 1}",
                          f"{found['tokens_per_sec']:,.0f} tokens/s", f"peak {found['peak'] / 2**30:.2f} GiB",
                          bad=beyond_peak(bench, found["tokens_per_sec"], lengths_of(tokens)), **found)
                rates.setdefault(text, []).append(found["tokens_per_sec"])
    finally:
        peer.close()
    return rates


def compare(bench, name, longest, seconds):
    """A ratio is that of the mean of ours before and after the peer to a round of the peer. What was measured after one
    peer, or before one that failed, is what the next finds before it. `seconds`: until the peer must have done its first step."""
    batch = bench.sizes.short if longest == 128 else bench.sizes.long
    bench.make_texts(longest)
    lengths = lengths_of(bench.folder / f"real{longest}.tokens")
    fill = f"aim 2; fill of the padded batch {sum(lengths) / len(lengths) / longest:.2f}"

    def ours(when):
        return {text: measure_ours(bench, f"{text} {longest}, {when}", text, longest) for text in ("full", "real")}

    bench.last_ours = before = bench.last_ours or ours(f"before {name}")
    rates = measure_peer(bench, name, longest, batch, seconds)
    if not rates:
        return
    bench.last_ours = after = ours(f"after {name}")
    for text, values in rates.items():
        both = [one[text] for one in (before, after) if one[text] is not None]
        if both:
            bench.ratios(f"RATIO ours / transformers {name}, {text} {longest}",
                         [statistics.mean(both) / value for value in values], AIMS.get((text, name), fill))
