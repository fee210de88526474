# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts test cases after ctest: python3 summarise_tests.py RESULTS CTEST_STATUS

RESULTS holds ctest.xml (JUnit, by ctest) and one JSON file per GoogleTest program, named after it. Prints the failed and
the slowest cases, then "N passed, N failed" (", N skipped" if any) as the last line. The exit status is 0 if something
passed, nothing failed and ctest agrees.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def programs(results):
    """(name, "passed" | "failed" | "skipped", seconds) of each program that ctest was to start."""
    file = results / "ctest.xml"
    if not file.exists():
        return []
    found = []
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        outcome = {"run": "passed", "disabled": "skipped"}.get(case.get("status"), "failed")
        skipped = case.find("skipped")
        if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
            outcome = "skipped"
        found.append((case.get("name"), outcome, float(case.get("time") or 0)))
    return found


def google_test_cases(file):
    """(name, "passed" | "failed" | "skipped", seconds) of each case in one program's JSON file."""
    try:
        suites = json.loads(file.read_text())["testsuites"]
    except (OSError, ValueError, KeyError):
        return []
    cases = []
    for suite in suites:
        for case in suite["testsuite"]:
            outcome = "passed"
            if case.get("failures"):
                outcome = "failed"
            elif case.get("result") != "COMPLETED":
                outcome = "skipped"
            cases.append((f"{suite['name']}.{case['name']}", outcome, float(case["time"].rstrip("s"))))
    return cases


def outcomes(results):
    """All cases; a program without cases of its own counts as one, and so does one that ended badly without telling why."""
    found = []
    for name, whole, seconds in programs(results):
        cases = google_test_cases(results / f"{name}.json")
        if not cases or (whole == "failed" and not any(case[1] == "failed" for case in cases)):
            cases.append((f"{name} (the program)", whole, seconds))
        found += cases
    return found


def main(results, ctest_status):
    cases = outcomes(pathlib.Path(results))
    count = {kind: sum(case[1] == kind for case in cases) for kind in ("passed", "failed", "skipped")}
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, _, seconds in
                                  sorted(cases, key=lambda case: -case[2])[:5]))
    for name, outcome, _ in cases:
        if outcome != "passed":
            print(f"{outcome}: {name}")
    good = count["passed"] > 0 and count["failed"] == 0 and ctest_status == 0
    if not good and count["failed"] == 0:
        print("no test passed" if count["passed"] == 0 else f"ctest ended with status {ctest_status}")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
