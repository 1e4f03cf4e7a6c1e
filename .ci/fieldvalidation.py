#!/usr/bin/env python3
"""Compares TestState's validation of mocked results with AWS's recorded verdicts.

    fieldvalidation.py [--bin PATH] [--floor FILE] CASES.jsonl

A case has: id, definition, input, mock (as TestState takes it), and expect.error: AWS's text, or null where AWS accepts it.
The floor lists the ids of cases that may disagree.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def verdict(program, case):
    """Returns the error message for a rejected mock; None if the mock is accepted."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("state.asl.json", "input.json")]
        for path, value in zip(paths, (case["definition"], case["input"])):
            with open(path, "w") as out:
                json.dump(value, out)
        command = [program, "test-state", paths[0], "--input", paths[1], "--mock", json.dumps(case["mock"]),
                   "--format", "json", "--profile", "aws"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    try:
        json.loads(done.stdout)
        return None
    except ValueError:
        return done.stderr.strip().removeprefix("error: ") or f"exit {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/asldbg")
    parser.add_argument("--floor")
    parser.add_argument("cases")
    args = parser.parse_args()
    with open(args.cases) as lines:
        cases = [json.loads(line) for line in lines]
    bad = {}
    for case in cases:
        got, wanted = verdict(args.bin, case), case["expect"]["error"]
        if got != wanted:
            bad[case["id"]] = f"{got}, wanted {wanted}"
    for name, fault in bad.items():
        print("  ", name, fault)
    print(f"{len(cases) - len(bad)} of {len(cases)} verdicts agree")
    allowed = set()
    if args.floor:
        with open(args.floor) as lines:
            allowed = {line.split("\t")[0] for line in lines if line.strip() and not line.startswith("#")}
    for name in sorted(allowed - set(bad)):
        print("agrees but stands in the floor (take it out):", name)
    sys.exit(set(bad) != allowed)


if __name__ == "__main__":
    main()
