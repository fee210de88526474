# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-up steps with stand-ins for apt, sudo, pip and df, and the summary of a test run. Nothing is installed."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Reports every package of the list as installed, but mold only once apt-get has "installed" it.
DPKG_QUERY = """grep -v '^#' "$PROJECT/packaging/debian-packages.txt" | while read -r name; do
  [ "$name" = mold ] && [ ! -e "$PROJECT/mold-installed" ] || echo "installed $name"
done"""
APT_GET = 'echo "$@" >>"$PROJECT/apt-calls"; case "$*" in *install*) touch "$PROJECT/mold-installed" ;; esac'
APT_GET_OFFLINE = 'echo "E: Temporary failure resolving deb.debian.org"; exit 100'
SUDO = '[ "$1" = -n ] && exit 0; exec "$@"'


class SetupCase(unittest.TestCase):
    """A copy of packaging/ in a temporary folder, so that logs, stamps and wheels go there."""

    def setUp(self):
        self.project = pathlib.Path(tempfile.mkdtemp(prefix="batchwise-packaging-"))
        self.addCleanup(shutil.rmtree, self.project)
        self.project.chmod(0o755)
        shutil.copytree(ROOT / "packaging", self.project / "packaging")
        self.commands = self.project / "commands"
        self.commands.mkdir()
        self.fake("dpkg-query", DPKG_QUERY)
        self.fake("dpkg", "exit 0")
        self.fake("sudo", SUDO)

    def fake(self, name, script, folder=None):
        file = (folder or self.commands) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + script + "\n")
        file.chmod(0o755)

    def shell(self, script, unprivileged=False, deps="deps"):
        """Runs bash with lib.sh and setup.sh loaded; returns (status, what it said). deps: a folder of the project, or
        None for the checkout's own."""
        command = ["bash", "-c", "set -euo pipefail\n. packaging/lib.sh\n. packaging/setup.sh\n" + script]
        if unprivileged and os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        environment = {"PATH": f"{self.commands}:/usr/bin:/bin:/usr/sbin:/sbin", "PROJECT": str(self.project),
                       "HOME": str(self.project), "BATCHWISE_CUDA": "wheels"}
        if deps is not None:
            environment["BATCHWISE_DEPS"] = str(self.project / deps)
        done = subprocess.run(command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "", "stdout belongs to the program that is started")
        return done.returncode, done.stderr


class PackagesTest(SetupCase):
    def test_only_what_is_missing_is_installed_and_only_once(self):
        self.fake("apt-get", APT_GET)
        status, said = self.shell("ensurePackages; ensurePackages")
        self.assertEqual(status, 0, said)
        calls = (self.project / "apt-calls").read_text().splitlines()
        self.assertEqual(len(calls), 2, calls)
        self.assertTrue(calls[1].endswith("install -y --no-install-recommends mold"), calls)

    def test_what_only_some_presets_need_is_installed_for_them_alone(self):
        self.fake("apt-get", APT_GET)
        (self.project / "mold-installed").touch()
        self.assertEqual(self.shell("ensurePackages")[0], 0)
        self.assertFalse((self.project / "apt-calls").exists())
        status, said = self.shell("ensurePackages clang.txt")
        self.assertEqual(status, 0, said)
        calls = (self.project / "apt-calls").read_text().splitlines()
        self.assertIn("clang", calls[-1].split(), calls)
        self.assertIn("libclang-rt-14-dev", calls[-1].split(), calls)

    def test_without_network_says_so_and_continues_on_the_next_call(self):
        self.fake("apt-get", APT_GET_OFFLINE)
        status, said = self.shell("ensurePackages")
        self.assertEqual(status, 1)
        self.assertIn("check the network", said)
        self.assertIn("build/setup-packages.log", said)
        self.fake("apt-get", APT_GET)
        self.assertEqual(self.shell("ensurePackages")[0], 0)

    def test_without_sudo_tells_what_to_ask_for(self):
        self.fake("sudo", "exit 1")
        status, said = self.shell("ensurePackages", unprivileged=True)
        self.assertEqual(status, 1)
        self.assertIn("no sudo", said)
        self.assertIn("apt-get install --no-install-recommends mold", said)
        self.assertEqual(len(said.splitlines()), 1, said)


class WheelsCase(SetupCase):
    OWN = "deps/batchwise-deps"

    def python(self, script, folder=OWN):
        """A stand-in for pip in a folder that is ours."""
        self.fake("python", 'case "$*" in *--version*) exit 0 ;; esac\n' + script, self.project / folder / "venv" / "bin")
        (self.project / folder / ".batchwise-deps").touch()

    def pip_calls(self):
        calls = self.project / "pip-calls"
        return calls.read_text().splitlines() if calls.exists() else []


class WheelsTest(WheelsCase):

    def test_a_broken_download_names_the_remedy_and_the_next_call_continues(self):
        self.python('echo "ConnectionError: Temporary failure in name resolution"; exit 1')
        status, said = self.shell("ensureWheels run")
        self.assertEqual(status, 1)
        self.assertIn("check the network", said)
        self.python('echo called >>"$PROJECT/pip-calls"')
        self.assertEqual(self.shell("ensureWheels run; ensureWheels run")[0], 0)
        self.assertEqual((self.project / "pip-calls").read_text(), "called\n")

    def test_a_changed_version_is_installed(self):
        self.python('echo called >>"$PROJECT/pip-calls"')
        self.assertEqual(self.shell("ensureWheels run")[0], 0)
        with open(self.project / "packaging" / "requirements-torch.txt", "a") as file:
            file.write("# another version\n")
        self.assertEqual(self.shell("ensureWheels run")[0], 0)
        self.assertEqual((self.project / "pip-calls").read_text(), "called\ncalled\n")

    def test_the_extras_of_the_tests_serve_a_run(self):
        self.python('echo called >>"$PROJECT/pip-calls"')
        self.assertEqual(self.shell("ensureWheels test; ensureWheels run")[0], 0)
        self.assertEqual((self.project / "pip-calls").read_text(), "called\n")

    def test_too_little_disk_is_told_before_anything_is_loaded(self):
        self.fake("df", "echo Avail; echo 100")
        self.python('echo called >>"$PROJECT/pip-calls"')
        status, said = self.shell("ensureWheels run")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"has 100 MB free and \d+ MB are needed: make room, or choose another disk")
        self.assertFalse((self.project / "pip-calls").exists())

    def test_links_of_a_wheel_toolkit_have_versioned_and_plain_names(self):
        self.python("exit 0")
        nvidia = self.project / self.OWN / "venv" / "lib" / "python3.11" / "site-packages" / "nvidia"
        self.fake("nvcc", "exit 0", nvidia / "cu13" / "bin")
        for name in ("cu13/lib/libcudart.so.13", "nccl/lib/libnccl.so.2", "nccl/include/nccl.h", "cu13/nvvm/x"):
            (nvidia / name).parent.mkdir(parents=True, exist_ok=True)
            (nvidia / name).touch()
        status, said = self.shell("ensureWheels run")
        self.assertEqual(status, 0, said)
        cuda = self.project / self.OWN / "cuda"
        for name in ("bin/nvcc", "nvvm/x", "include/nccl.h", "lib64/libcudart.so.13", "lib64/libcudart.so", "lib64/libnccl.so"):
            self.assertTrue((cuda / name).exists(), name)


class DepsFolderTest(WheelsCase):
    """Whose folder BATCHWISE_DEPS is."""

    def users_folder(self, name):
        """A folder full of the user's, with every name that the set-up gives too."""
        folder = self.project / name
        for entry in ("tmp", "cache", "venv", "cuda", "stamps", "nvidia", "venv/bin", "cuda/bin"):
            (folder / entry).mkdir(parents=True)
            (folder / entry / "mine").write_text(entry)
        (folder / "lock").write_text("mine")
        return folder

    @staticmethod
    def contents(folder):
        return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
                for path in sorted(folder.rglob("*")) if "batchwise-deps" not in path.parts}

    def test_nothing_of_the_users_is_touched(self):
        folder = self.users_folder("shared")
        before = self.contents(folder)
        self.python('echo called >>"$PROJECT/pip-calls"', "shared/batchwise-deps")
        for call in ("ensureWheels run", "ensureWheels test", "ensureWheels run"):
            status, said = self.shell(call, deps="shared")
            self.assertEqual(status, 0, said)
        self.assertEqual(self.contents(folder), before)
        self.assertEqual(len(self.pip_calls()), 2)
        own = folder / "batchwise-deps"
        self.assertTrue((own / ".batchwise-deps").is_file())
        self.assertTrue((own / "cuda" / "lib64").is_dir())
        self.assertFalse((own / "tmp").exists() or (own / "cache").exists())

    def test_a_new_folder_is_made_and_marked(self):
        self.fake("df", "echo Avail; echo 100")  # so that it ends there
        folder = self.users_folder("shared")
        before = self.contents(folder)
        self.assertEqual(self.shell("ensureWheels run", deps="shared/")[0], 1)
        self.assertTrue((folder / "batchwise-deps" / ".batchwise-deps").is_file())
        self.assertEqual(self.contents(folder), before)

    def test_a_subfolder_of_that_name_that_is_not_ours_is_refused(self):
        own = self.users_folder("shared/batchwise-deps")
        before = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
        status, said = self.shell("ensureWheels run", deps="shared")
        self.assertEqual(status, 1)
        self.assertIn("was not made by this set-up and is not empty", said)
        self.assertEqual({path: path.read_bytes() for path in own.rglob("*") if path.is_file()}, before)

    def filled_by_an_earlier_version(self, name):
        folder = self.project / name
        self.python('echo called >>"$PROJECT/pip-calls"', name)
        (folder / ".batchwise-deps").unlink()
        (folder / "venv" / "pyvenv.cfg").touch()
        (folder / "stamps").mkdir()
        status, said = self.shell(f'markDone "$PROJECT/{name}/stamps/run" "$(BATCHWISE_DEPS=$PROJECT/{name} wheelsKey run wheels)"')
        self.assertEqual(status, 0, said)
        return folder

    def test_what_an_earlier_version_installed_is_used_on(self):
        for name, deps in (("given", "given"), (".deps", None)):
            folder = self.filled_by_an_earlier_version(name)
            status, said = self.shell('ensureWheels run; say "in $BATCHWISE_DEPS."', deps=deps)
            self.assertEqual(status, 0, said)
            self.assertIn(f"in {folder}.", said)
            self.assertEqual(self.pip_calls(), [])
            self.assertTrue((folder / ".batchwise-deps").is_file())

    def test_what_an_earlier_version_installed_is_left_where_the_user_put_more(self):
        folder = self.filled_by_an_earlier_version("given")
        (folder / "tmp").mkdir()
        (folder / "tmp" / "mine").touch()
        status, said = self.shell('say "in $BATCHWISE_DEPS."', deps="given")
        self.assertEqual(status, 0, said)
        self.assertIn(f"in {folder}/batchwise-deps.", said)

    def test_a_checkouts_own_folder_is_used_as_it_is_also_by_other_clones(self):
        self.fake("df", "echo Avail; echo 100")
        self.shell("ensureWheels run", deps=None)
        self.assertTrue((self.project / ".deps" / ".batchwise-deps").is_file())
        status, said = self.shell('say "in $BATCHWISE_DEPS."', deps=".deps")
        self.assertIn(f"in {self.project}/.deps.", said)
        self.assertEqual(status, 0)

    def test_a_link_in_our_folder_is_removed_and_not_what_it_leads_to(self):
        folder = self.users_folder("shared")
        own = folder / "batchwise-deps"
        own.mkdir()
        (own / ".batchwise-deps").touch()
        for name in ("tmp", "cache", "cuda", "venv"):
            (own / name).symlink_to(folder / name)
        before = self.contents(folder)
        self.shell('pipInstall || true; rm -rf "$BATCHWISE_DEPS/tmp"; useWheelToolkit || true', deps="shared")
        self.assertEqual(self.contents(folder), before)

    def test_cmake_finds_the_same_folder(self):
        place = self.project / "place"
        (place / "batchwise-deps").mkdir(parents=True)
        lines = (ROOT / "CMakeLists.txt").read_text().split("set(batchwise_deps", 1)[1].split("set(BATCHWISE_DEPS", 1)[0]
        script = self.project / "deps.cmake"
        script.write_text("set(batchwise_deps" + lines + 'message("${batchwise_deps}")')

        def found():
            done = subprocess.run(["cmake", "-P", script], env={**os.environ, "BATCHWISE_DEPS": str(place)},
                                  capture_output=True, text=True, check=True)
            return done.stderr.strip()
        self.assertEqual(found(), str(place))
        (place / "batchwise-deps" / ".batchwise-deps").touch()
        self.assertEqual(found(), f"{place}/batchwise-deps")
        (place / ".batchwise-deps").touch()
        self.assertEqual(found(), str(place))


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.results = pathlib.Path(tempfile.mkdtemp(prefix="batchwise-summary-"))
        self.addCleanup(shutil.rmtree, self.results)

    def programs(self, **statuses):
        cases = "".join(f'<testcase name="{name}" time="1" status="{status}"/>' for name, status in statuses.items())
        (self.results / "ctest.xml").write_text(f"<testsuite>{cases}</testsuite>")

    def cases(self, program, *results):
        cases = [{"name": f"C{i}", "time": "0.1s", "result": "SKIPPED" if result == "skipped" else "COMPLETED",
                  **({"failures": [{}]} if result == "failed" else {})} for i, result in enumerate(results)]
        (self.results / f"{program}.json").write_text(json.dumps({"testsuites": [{"name": "S", "testsuite": cases}]}))

    def summary(self, ctest_status=0):
        done = subprocess.run(["/usr/bin/python3", ROOT / "packaging" / "summarise_tests.py", self.results, str(ctest_status)],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    def test_counts_cases_not_programs(self):
        self.programs(a="run", script="run")
        self.cases("a", "passed", "passed", "skipped")
        self.assertEqual(self.summary(), (0, "3 passed, 0 failed, 1 skipped"))

    def test_a_failed_case_fails_the_run(self):
        self.programs(a="fail")
        self.cases("a", "passed", "failed")
        self.assertEqual(self.summary(8), (1, "1 passed, 1 failed"))

    def test_a_crash_counts_as_a_failure(self):
        self.programs(a="run", crashed="fail", missing="notrun")
        self.cases("a", "passed")
        self.assertEqual(self.summary(8), (1, "1 passed, 2 failed"))

    def test_no_tests_at_all_is_a_failure(self):
        self.assertEqual(self.summary(), (1, "0 passed, 0 failed"))
        self.programs(a="run")
        self.cases("a", "skipped")
        self.assertEqual(self.summary(), (1, "0 passed, 0 failed, 1 skipped"))


class TidyTest(unittest.TestCase):
    """tidy_test.py in a small project of its own."""

    def setUp(self):
        if not shutil.which("clang-tidy") or not shutil.which("git"):
            self.skipTest("clang-tidy or git is missing")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("tests/packaging", "core", "build"):
            (self.root / name).mkdir(parents=True)
        self.script = shutil.copy(pathlib.Path(__file__).with_name("tidy_test.py"), self.root / "tests/packaging")
        shutil.copy(ROOT / ".clang-tidy", self.root)
        entries = [{"directory": str(self.root), "file": str(self.root / "core" / name),
                    "command": f"ccache /usr/bin/c++ -Wunknown -std=c++20 -o x.o -c core/{name}"} for name in ("old.cpp", "new.cpp")]
        (self.root / "build/compile_commands.json").write_text(json.dumps(entries))
        (self.root / "core/old.cpp").write_text("int* old() { return 0; }\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", "core")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})

    def tidy(self):
        done = subprocess.run(["/usr/bin/python3", self.script, self.root / "build"], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_only_what_changed_is_checked(self):
        self.assertEqual(self.tidy(), (0, "0 files checked, 0 with warnings\n"))
        (self.root / "core/new.cpp").write_text("int* fresh() { return 0; }\n")
        status, said = self.tidy()
        self.assertEqual(status, 1, said)
        self.assertIn("core/new.cpp:1:23: error: use nullptr [modernize-use-nullptr", said)
        self.assertNotIn("old.cpp", said)


def paths_of(name):
    """The paths that a name in a text stands for: `a_{x,y}.cpp` is two, NAME is any name, * as in a shell."""
    choices = re.search(r"{([^}]*)}", name)
    names = [name]
    if choices:
        names = [name[:choices.start()] + choice + name[choices.end():] for choice in choices.group(1).split(",")]
    return {path: list(ROOT.glob(path.replace("NAME", "*"))) for path in names}


class ContributingTest(unittest.TestCase):
    def test_every_path_it_names_is_there(self):
        text = (ROOT / ".github/CONTRIBUTING.md").read_text()
        named = re.findall(r"`((?:app|core|packaging|resources|tests|ui)/[^` ]*)`", text)
        self.assertGreater(len(named), 20)
        for name in named:
            for path, found in paths_of(name).items():
                self.assertTrue(found, f"{name}: there is no {path}")


def blocks_of(text):
    """The rows, list items and paragraphs of a Markdown text, without its drawings, each as one string."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [block for block in re.split(r"\n(?=\n|[|]|- |\d+[.] )", text) if block.strip()]


class ArchitectureTest(unittest.TestCase):
    """core/README.md and ui/README.md against the tree. In backticks: a path from the root of the project; `function()`
    or `Type::function()`, which stands in a file that the same row, item or paragraph names; `Type` and `kConstant`,
    which stand in core, ui or app."""

    READMES = ("core/README.md", "ui/README.md")
    SOURCES = {".h", ".cpp", ".cu", ".cuh"}

    @classmethod
    def setUpClass(cls):
        cls.sources = {path: path.read_text() for top in ("core", "ui", "app") for path in (ROOT / top).rglob("*")
                       if path.suffix in cls.SOURCES}
        cls.names = set(re.findall(r"\w+", "\n".join(cls.sources.values())))

    @staticmethod
    def quoted(block):
        return re.findall(r"`([^`]+)`", block)

    @staticmethod
    def is_path(quoted):
        ends = re.search(r"\.(h|cpp|cu|py|md|def|ts)$", quoted)
        return re.fullmatch(r"\w[\w./*{},-]*", quoted) and ("/" in quoted or ends)

    def files_in(self, block):
        """The source files that a block names, by themselves or by their folder."""
        names = filter(self.is_path, self.quoted(block))
        found = [path for name in names for paths in paths_of(name).values() for path in paths]
        return [source for source in self.sources if any(source == path or path in source.parents for path in found)]

    def stands_in(self, function, source):
        """Whether the file declares or defines the function: its name follows a type, in place of being called."""
        *types, name = function.split("::")
        text = self.sources[source]
        declared = rf"^(?!\s*return\b)[ \w:<>,&*\[\]()]*[\w>\])][ &*]+(\w+::)*{name}\("
        return re.search(declared, text, flags=re.M) and all(re.search(rf"\b{each}\b", text) for each in types)

    def each_block(self):
        for readme in self.READMES:
            for block in blocks_of((ROOT / readme).read_text()):
                yield readme, block

    def test_every_path_is_there(self):
        checked = 0
        for readme, block in self.each_block():
            for name in filter(self.is_path, self.quoted(block)):
                for path, found in paths_of(name).items():
                    checked += 1
                    self.assertTrue(found, f"{readme}: there is no {path}")
        self.assertGreater(checked, 150)

    def test_every_function_stands_in_a_file_that_is_named_beside_it(self):
        checked = 0
        for readme, block in self.each_block():
            files = self.files_in(block)
            for quoted in self.quoted(block):
                function = re.fullmatch(r"([\w:]+)\(\)", quoted)
                if not function:
                    continue
                checked += 1
                self.assertTrue(any(self.stands_in(function.group(1), file) for file in files),
                                f"{readme}: no file named here has {quoted}: {block.strip()}")
        self.assertGreater(checked, 80)

    def test_every_type_and_constant_is_there(self):
        for readme, block in self.each_block():
            for name in self.quoted(block):
                if re.fullmatch(r"k?[A-Z]\w+", name):
                    self.assertTrue(name in self.names or name in (ROOT / "tests/include_rules_test.cpp").read_text(),
                                    f"{readme}: {name} is nowhere")

    def test_every_folder_is_described(self):
        text = "".join((ROOT / readme).read_text() for readme in self.READMES)
        folders = {source.parent.relative_to(ROOT) for source in self.sources if source.relative_to(ROOT).parts[0] != "app"}
        self.assertGreater(len(folders), 30)
        for folder in folders:
            room = "/".join(folder.parts[:2])
            self.assertRegex(text, rf"(?m)^(\| `)?{room}\b", f"{room} is not described")
            for inner in folder.parts[2:]:
                self.assertIn(f"`{inner}`", text, f"{inner} of {room} is not described")

    def test_both_are_short(self):
        for readme in self.READMES:
            self.assertLessEqual(len((ROOT / readme).read_text().splitlines()), 200, readme)


class StorePromisesTest(unittest.TestCase):
    """tests/store/README.md names tests that are there, with their counts."""

    TESTS = ROOT / "tests"

    def rows(self):
        """(promise, [(file, names of tests)], quick, full) of each line of the table."""
        for line in (self.TESTS / "store/README.md").read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not line.startswith("|") or len(cells) != 4 or "`" not in cells[1]:
                continue
            tests = re.findall(r"`([\w/.]+)`([^`]*)", cells[1])
            yield cells[0], [(file, re.findall(r"\b[A-Z]\w+[a-z]\w*", names)) for file, names in tests], *cells[2:]

    def text_of(self, file):
        if file == "fuzz/":
            return ""
        path = self.TESTS / (file if "/" in file else f"store/{file}")
        path = path if path.suffix == ".py" else path.with_suffix(".cpp")
        self.assertTrue(path.exists(), f"tests/store/README.md names {file}")
        return path.read_text()

    def test_every_test_is_there_as_often_as_it_says(self):
        promises = 0
        for promise, tests, quick, full in self.rows():
            promises += 1
            texts = {file: self.text_of(file) for file, _ in tests}
            for file, names in tests:
                for name in names:
                    self.assertIn(name, texts[file], f"{promise}: {file}")
            counts = re.findall(r"repeats\(([\d']+), ([\d']+)\)", "".join(texts.values()))
            known = {tuple(int(number.replace("'", "")) for number in pair) for pair in counts}
            for pair in zip(quick.split(";"), full.split(";")):
                numbers = tuple(int(found[0].replace(",", "")) for found in (re.findall(r"\d[\d,]*", each) for each in pair) if found)
                if len(numbers) == 2 and numbers[0] != numbers[1] and known:
                    self.assertIn(numbers, known, f"{promise}: {tests}")
        self.assertGreater(promises, 50)


if __name__ == "__main__":
    unittest.main()
