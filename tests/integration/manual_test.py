# SPDX-License-Identifier: GPL-3.0-or-later
"""README.md and the manual (resources/help): every command, every YAML block and all Python is run.

manual_test.py BATCHWISE: runs the blocks of each document in a folder of its own, with the built program on PATH.
A block that begins with "```sh check-only" cannot run here (a cluster, a GPU, a set-up): its commands and options are
compared with --help. "```yaml mine.yaml" is the file of that name that later commands read. Names of options,
fields, commands and labels in running text must exist."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
HELP = ROOT / "resources/help/en"
PAGES = sorted(page.stem for page in HELP.glob("*.md"))
DOCUMENTS = [ROOT / "README.md"] + [HELP / f"{page}.md" for page in PAGES]
WINDOW_PAGES = ["edit", "runs", "checkpoints", "window"]  # bold words are labels there too
SHORT = {"max_duration": "6ba", "checkpoint.interval": "3ba"}  # for `demo`, which takes a minute otherwise
FRAGMENT_BASE = {"version": "1", "name": "fragment", "model": "{preset: tiny}", "tokenizer": "{train: {vocab_size: 512}}",
                 "data": "{format: demo, max_seq_len: 32}", "max_duration": "2ep"}
TIMEOUT_SEC = 300


class Block:
    def __init__(self, info, lines):
        self.language, _, self.rest = info.partition(" ")
        self.lines = lines

    def commands(self):
        return [text for text in (re.sub(r"(^|\s+)#.*", "", line).strip() for line in self.lines) if text]


def blocks(document):
    found, lines, info = [], None, None
    for line in document.read_text().splitlines():
        if not line.startswith("```"):
            if lines is not None:
                lines.append(line)
        elif lines is None:
            lines, info = [], line[3:]
        else:
            found.append(Block(info, lines))
            lines = None
    assert lines is None, f"{document}: a block without an end"
    return found


def prose(document):
    """The text without its blocks."""
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)


def complete(fragment):
    """A fragment of a configuration with what it needs to be one."""
    given = set(re.findall(r"^(\w+):", fragment, re.M))
    return "".join(f"{key}: {value}\n" for key, value in FRAGMENT_BASE.items() if key not in given) + fragment


def write_text(folder):
    """Text to train on, the same each time."""
    words = [a + b for a in ("ba", "de", "fi", "go", "lu", "ma") for b in ("n", "r", "s", "t", "la", "mi")]
    documents = [" ".join(words[(i * i + 7 * j + i * j) % len(words)] for j in range(20 + i % 30)) + "." for i in range(160)]
    (folder / "text").mkdir(parents=True)
    (folder / "more").mkdir()
    (folder / "text/a.txt").write_text("\n\n".join(documents))
    (folder / "more/notes.txt").write_text("\n\n".join(documents[:20]))
    (folder / "valid.txt").write_text("\n\n".join(documents[3:40:5]))
    (folder / "reviews").mkdir()
    for part in ("train", "valid"):
        rows = "".join(f"{text}\t{'long' if len(text) > 130 else 'short'}\n" for text in documents)
        (folder / f"reviews/{part}.tsv").write_text("text\tlabel\n" + rows)
    (folder / "movie-reviews.yaml").write_text("train: reviews/train.tsv\nvalidation: reviews/valid.tsv\ntext: text\nlabel: label\n")
    (folder / "articles.csv").write_text("id,abstract\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(documents)))


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temp.name)
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin/batchwise").symlink_to(BATCHWISE)
        cls.environment = dict(os.environ, PATH=f"{cls.folder}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                               PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1",
                               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                               OMPI_MCA_rmaps_base_oversubscribe="1")
        mine = next(block for block in blocks(ROOT / "README.md") if block.rest == "mine.yaml")
        cls.mine = "\n".join(mine.lines) + "\n"
        cls.workspace = cls.folder / "trained/home/batchwise"
        for name in ("base", "ramp"):
            cls.call(["batchwise", "train", "demo", "--name", name, *shortened()], cls.workspace.parent)
        cls.helps = {}

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    @classmethod
    def call(cls, command, home, cwd=None, expected=0):
        cwd = cwd or cls.folder
        environment = dict(cls.environment, XDG_DATA_HOME=str(home), XDG_CACHE_HOME=f"{home}/cache")
        done = subprocess.run(["/bin/bash", "-c", command] if isinstance(command, str) else command, cwd=cwd,
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT_SEC)
        if done.returncode != expected:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def fresh_folder(self, name):
        """Text, the README's configuration, and a workspace in which `base` and `ramp` were trained."""
        folder = self.folder / name
        write_text(folder)
        shutil.copytree(self.workspace.parent, folder / "home")
        (folder / "mine.yaml").write_text(self.mine)
        (folder / "packed.yaml").write_text(complete("batch: {global_train_batch_size: 2, tokens: {max_tokens: 64}}\n"))
        (folder / "lengths.json").write_text(json.dumps([5 + i % 20 for i in range(50)]))
        recipe = ROOT / "tests/vectors/cases/import-recipes/modernbert-pretrain.yaml"
        shutil.copy(recipe, folder / "modernbert-base-pretrain.yaml")
        return folder

    def identifier(self, place, folder):
        """The id that stands for an upper-case word of a command."""
        if place == "ENTRY":
            listed = json.loads(self.call("batchwise queue list --json", folder / "home", folder))
            return listed["entries"][-1]["id"]
        run = "ramp" if "first" not in self.runs(folder) else "first"
        listed = json.loads(self.call(f"batchwise checkpoints list {run} --json", folder / "home", folder))
        return listed["checkpoints"][0]["id"]  # the earliest: a fork has something to do

    def runs(self, folder):
        listed = json.loads(self.call("batchwise runs list --json", folder / "home", folder))
        return [run["name"] for run in listed["runs"]]

    def run_block(self, commands, folder):
        """Runs the commands. Where one of them resumes, the one before that trains is stopped while it does."""
        resumed = any(" resume " in command for command in commands)
        tell = next((command for command in commands if " runs send " in command), "")
        for command in commands:
            if command != tell:
                stops = resumed and " train " in command and not command.startswith("mpirun")
                self.run_command(command, folder, tell if stops else None)
        return len(commands)

    def run_command(self, command, folder, stop):
        command = command.replace("./packaging/run ", "batchwise ")
        for place in ("ENTRY", "CHECKPOINT"):
            if re.search(rf"\b{place}\b", command):
                command = re.sub(rf"\b{place}\b", self.identifier(place, folder), command)
        words = command.split()
        if "demo" in words and words[1] in ("train", "sweep", "queue"):
            command = " ".join([command, *(shlex.quote(word) for word in shortened(command))])
        if stop is None:
            self.call(command, folder / "home", folder)
        else:
            self.start_and_stop(command, folder, stop)

    def start_and_stop(self, command, folder, stop):
        """Stops the run, by this command or else by Ctrl-C, once it trains: it saves and stops."""
        environment = dict(self.environment, XDG_DATA_HOME=str(folder / "home"))
        process = subprocess.Popen(shlex.split(command) + ["--json"], cwd=folder, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in process.stdout:
            if '"metrics"' in line:
                if stop:
                    self.call(stop, folder / "home", folder)
                else:
                    process.send_signal(signal.SIGINT)
                break
        process.communicate(timeout=TIMEOUT_SEC)
        self.assertEqual(process.returncode, 3, command)

    def test_the_commands_of_each_document_run(self):
        count = 0
        for document in DOCUMENTS:
            folder = self.fresh_folder(document.stem)
            with self.subTest(document.name):
                for block in blocks(document):
                    if block.language == "sh" and block.rest == "":
                        count += self.run_block(block.commands(), folder)
                    elif block.language == "python":
                        self.call([sys.executable, "-c", "\n".join(block.lines)], folder / "home", folder)
        self.assertGreater(count, 50)

    def test_the_yaml_of_each_document_is_a_configuration(self):
        count = 0
        for document in DOCUMENTS:
            folder = self.fresh_folder(f"yaml-{document.stem}")
            for number, block in enumerate(block for block in blocks(document) if block.language == "yaml"):
                with self.subTest(f"{document.name}, block {number + 1}"):
                    text = complete("\n".join(block.lines) + "\n")
                    (folder / "block.yaml").write_text(text)
                    if re.search(r"lr: \[", text):
                        runs = self.call("batchwise sweep block.yaml --list", folder / "home", folder)
                        self.assertRegex(runs, "^4 runs")
                    else:
                        self.call("batchwise config check block.yaml", folder / "home", folder)
                        self.call("batchwise preview block.yaml --samples-per-epoch 100000", folder / "home", folder)
                    count += 1
        self.assertGreater(count, 8)

    def test_every_block_has_a_language(self):
        known = {("sh", ""), ("sh", "check-only"), ("yaml", ""), ("yaml", "mine.yaml"), ("python", "")}
        for document in DOCUMENTS:
            for block in blocks(document):
                self.assertIn((block.language, block.rest), known, document.name)

    def help_of(self, words):
        """The help of the command that these words begin with, and how many of them name it."""
        used, text = 0, self.cached_help(())
        while used < len(words) and re.search(rf"^  {re.escape(words[used])}( |$)", text.partition("Subcommands:")[2], re.M):
            used += 1
            text = self.cached_help(tuple(words[:used]))
        return used, text + self.cached_help(())

    def cached_help(self, words):
        if words not in self.helps:
            self.helps[words] = self.call(["batchwise", *words, "--help"], self.folder)
        return self.helps[words]

    def expect_known(self, command):
        words = shlex.split(command)
        if words[0] in ("./packaging/run", "./packaging/test"):
            text = (ROOT / words[0]).read_text()
            for word in words[1:]:
                self.assertIn(word, text, command)
            return
        if words[:2] == ["pip", "install"] or words == ["./packaging/package"]:
            self.assertTrue((ROOT / "packaging/package").exists(), command)
            return
        words = words[words.index("batchwise") + 1:]
        used, text = self.help_of(words)
        self.assertGreater(used, 0, command)
        for option in (word for word in words[used:] if word.startswith("-")):
            self.assertRegex(text, rf"(^|[\s,]){re.escape(option.partition('=')[0])}[\s,]", command)

    def test_what_cannot_run_here_names_commands_and_options_that_exist(self):
        for document in DOCUMENTS:
            for block in blocks(document):
                if block.rest == "check-only":
                    for command in block.commands():
                        self.expect_known(command)

    def test_options_commands_and_fields_in_the_text_exist(self):
        reference = self.call("batchwise config reference", self.folder)
        fields = set(re.findall(r"^\| `([a-z_.]+)`", reference, re.M))
        groups = {field[:end.start()] for field in fields for end in re.finditer(r"\.", field)}
        names = fields | groups | {name.rpartition(".")[2] for name in fields}
        helps = self.all_help()
        for document in DOCUMENTS:
            for code in re.findall(r"`([^`]+)`", prose(document)):
                with self.subTest(f"{document.name}: {code}"):
                    for option in re.findall(r"(?:^| )(--[a-z-]+)", code):
                        self.assertTrue(option in helps or option in (ROOT / "packaging/test").read_text(), option)
                    field = re.match(r"(?!torch\.)([a-z_]+\.[a-z_.]+)(:|$)", code)
                    if field and not re.search(r"\.(md|yaml|txt|csv|db|sqlite|bwrun|json|safetensors|bin|py)$", code):
                        is_series = re.fullmatch(r"eval\.([a-z_]+\.)?(loss|perplexity|accuracy|bits_per_byte|draw_error)|source\.[a-z_]+\.tokens", field[1])
                        self.assertTrue(field[1] in names or is_series, field[1])
                    if code.startswith("batchwise "):
                        self.assertGreater(self.help_of(code.split()[1:])[0], 0)

    def all_help(self):
        """The help of every command."""
        def below(words):
            text = self.cached_help(words)
            listed = text.partition("Subcommands:")[2].partition("\n\n")[0]
            return text + "".join(below((*words, name)) for name in re.findall(r"^  ([a-z][a-z-]+) ", listed, re.M))
        return below(())

    def test_labels_in_the_text_are_those_of_the_window(self):
        labels = window_labels()
        for page in PAGES:
            marked = r"\*+([^*\n]+)\*+" if page in WINDOW_PAGES else r"(?<!\*)\*([^*\n]+)\*(?!\*)"
            for label in re.findall(marked, prose(HELP / f"{page}.md")):
                for part in label.split(" > "):
                    self.assertIn(part, labels, f"{page}.md: *{label}*")

    def test_links_lead_somewhere_and_every_page_is_in_the_contents(self):
        for document in DOCUMENTS:
            for link in re.findall(r"\]\(([^)#]+)", prose(document)):
                self.assertTrue((document.parent / link).is_file(), f"{document}: {link}")
        listed = re.findall(r"\]\((.*?)\.md\)", (HELP / "index.md").read_text())
        self.assertEqual(sorted([*listed, "index"]), PAGES)

    def test_the_readme_takes_two_minutes(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 90)


def shortened(command=""):
    return [word for key, value in SHORT.items() if f"{key}=" not in command for word in ("--set", f"{key}={value}")]


def window_labels():
    """Texts in the sources of the window and of the fields, without marks of keys and the dots that promise a dialog."""
    labels = set()
    for file in [*(ROOT / "ui").rglob("*.cpp"), *(ROOT / "ui").rglob("*.h"), *(ROOT / "core/config").glob("*.cpp"),
                 *(ROOT / "core/config").glob("*.h")]:
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text()):
            labels.add(text.replace("&", "").rstrip(" …").rstrip("."))
            labels.update(part[:1].upper() + part[1:] for part in text.split(": "))  # below the heading that it names
    return labels


if __name__ == "__main__":
    BATCHWISE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
