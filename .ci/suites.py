"""Runs test suites of other projects against `asldbg serve`. Fails if fewer of their tests pass than the floor requires.

The suites are downloaded to target/suites. A suite that cannot be downloaded is skipped with a message.
"""

import argparse
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

PROGRAM, ROUTER = 8191, 8192
CODE = pathlib.Path("target/suites")
GITHUB = "https://codeload.github.com/{}/tar.gz/{}"
IAM = "https://iam.amazonaws.com/doc/2010-05-08/"
STS = "https://sts.amazonaws.com/doc/2011-06-15/"

# The suites, each with its project, version, files, libraries, tests and environment. Tests that need other services are
# excluded.
SUITES = {
    "localstack": dict(
        version=("localstack/localstack", "8b9a79f05846835cf4dff63ab7eefdde9df83783"),
        files=(
            "tests/__init__.py", "tests/conftest.py", "tests/aws/__init__.py", "tests/aws/conftest.py",
            *(f"tests/aws/services/{name}/" for name in ("stepfunctions", "lambda_", "apigateway")),
        ),
        python="target/localstack",
        base="python3.13",
        libraries="localstack-core[runtime]==2026.3.0 localstack-snapshot pytest pytest-timeout "
        " pytest-httpserver pytest-rerunfailures pytest-split pytest-tinybird json5 deepdiff cbor2==5.6.5 jsonpath-ng>=1.9",
        tests=("tests/aws/services/stepfunctions/v2/choice_operators",),
        environment=dict(TEST_SKIP_LOCALSTACK_START="1", TEST_AWS_ENDPOINT_URL="{url}", TEST_AWS_ACCOUNT_ID="123456789012"),
    ),
    "moto": dict(
        version=("getmoto/moto", "5.2.5"),
        files=("tests/__init__.py", "tests/conftest.py", "tests/test_stepfunctions/"),
        python="target/aws",
        libraries="moto[server] pytest pytest-timeout pytest-xdist",
        tests=("tests/test_stepfunctions/test_stepfunctions.py",),
        environment=dict(TEST_SERVER_MODE="true", TEST_SERVER_MODE_ENDPOINT="{url}"),
    ),
    "ministack": dict(
        version=("ministackorg/ministack", "f1bdbd8c2c3b9f10a45adf239a4c85d980fac085"),
        account="000000000000",
        files=("tests/__init__.py", "tests/conftest.py", "tests/test_stepfunctions.py"),
        python="target/aws",
        libraries="boto3 pytest pytest-timeout pytest-xdist",
        tests=(
            "tests/test_stepfunctions.py", "-k",
            "not integration and not aws_sdk and not mock_config and not wait_scale and not concurrent_sync",
        ),
        environment=dict(MINISTACK_ENDPOINT="{url}", AWS_DISABLE_HOST_PREFIX_INJECTION="true"),
    ),
}


class Program:
    """A running `asldbg serve`; restarting it clears its state."""

    def __init__(self, path, account):
        self.command = [path, "serve", "--listen", f"127.0.0.1:{PROGRAM}", "--account", account]
        self.process = None
        self.lock = threading.Lock()

    def start(self):
        with self.lock:
            self.stop()
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.process.stdout.readline()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


def told(form):
    """A response of IAM or STS, with the fields that the suites read."""
    action, name = form["Action"][0], form.get("RoleName", form.get("PolicyName", ["x"]))[0]
    role = (
        f"<Role><Path>/</Path><RoleName>{name}</RoleName><RoleId>AROA1234567890123456</RoleId>"
        f"<Arn>arn:aws:iam::123456789012:role/{name}</Arn><CreateDate>2026-01-01T00:00:00Z</CreateDate></Role>"
    )
    policy = f"<Policy><PolicyName>{name}</PolicyName><Arn>arn:aws:iam::123456789012:policy/{name}</Arn></Policy>"
    identity = "<Account>123456789012</Account><Arn>arn:aws:iam::123456789012:root</Arn><UserId>1</UserId>"
    bodies = {"CreateRole": role, "GetRole": role, "CreatePolicy": policy, "GetCallerIdentity": identity}
    space = STS if action == "GetCallerIdentity" else IAM
    return f'<{action}Response xmlns="{space}"><{action}Result>{bodies.get(action, "")}</{action}Result></{action}Response>'


class Router(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body, fields):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/reset"):
            self.server.program.start()
            return self.answer(200, b"{}", [("Content-Type", "application/json")])
        if b"Action=" in body:
            text = told(urllib.parse.parse_qs(body.decode()))
            return self.answer(200, text.encode(), [("Content-Type", "text/xml")])
        if "AWSStepFunctions." not in self.headers.get("X-Amz-Target", ""):
            return self.answer(400, b'{"__type": "NotHere"}', [("Content-Type", "application/json")])
        kept = ("content-type", "x-amz-target", "amz-sdk-invocation-id")
        fields = {name: value for name, value in self.headers.items() if name.lower() in kept}
        request = urllib.request.Request(f"http://127.0.0.1:{PROGRAM}/", body, fields)
        try:
            reply = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            reply = error
        kept = ("content-type", "x-amzn-requestid", "x-amzn-errortype")
        self.answer(reply.status, reply.read(), [item for item in reply.headers.items() if item[0].lower() in kept])

    do_GET = do_PUT = do_DELETE = do_HEAD = do_POST


def fetched(name, suite):
    """Returns the folder with the suite's code; downloads the code first if necessary."""
    folder = CODE / name
    if folder.exists():
        return folder
    project, version = suite["version"]
    with urllib.request.urlopen(GITHUB.format(project, version), timeout=20) as reply:
        packed = io.BytesIO(reply.read())
    part = CODE / f"{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    with tarfile.open(fileobj=packed) as archive:
        for member in archive:
            member.name = member.name.partition("/")[2]
            if member.name.startswith(suite["files"]) and member.isfile():
                archive.extract(member, part, filter="data")
    part.rename(folder)
    return folder


def interpreter(suite):
    """Returns the Python interpreter that has the suite's libraries; installs them first if necessary."""
    folder = pathlib.Path(suite["python"])
    if not (folder / "bin/pytest").exists():
        if not (folder / "bin/python").exists():
            base = suite.get("base", sys.executable)
            subprocess.run([base, "-m", "venv", folder], check=True, capture_output=True)
        install = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *suite["libraries"].split()]
        subprocess.run(install, check=True, capture_output=True)
    return (folder / "bin/python").absolute()


def passed(name, suite, path, folder, python):
    """Returns the number of tests that passed and the number that ran."""
    program = Program(path, suite.get("account", "123456789012"))
    program.start()
    try:
        return ran(name, suite, program, folder, python)
    finally:
        program.stop()


def ran(name, suite, program, folder, python):
    """Runs the suite against a started program; returns the same numbers."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", ROUTER), Router) as router:
        router.program = program
        threading.Thread(target=router.serve_forever, daemon=True).start()
        environment = {key: text.format(url=f"http://127.0.0.1:{ROUTER}") for key, text in suite["environment"].items()}
        keys = dict(PYTHONPATH=os.path.abspath(".ci"), AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1")
        report = (CODE / f"{name}.xml").absolute()
        report.unlink(missing_ok=True)
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", "10", "-p", "impatient", f"--junitxml={report}"]
        with open(CODE / f"{name}.log", "w") as log:
            subprocess.run([*command, *suite["tests"]], cwd=folder, env=os.environ | keys | environment, stdout=log, stderr=log)
        router.shutdown()
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    return sum(len(case.findall("*")) == len(case.findall("properties")) for case in cases), len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--floor", required=True)
    options = parser.parse_args()
    lines = [line.split("\t") for line in pathlib.Path(options.floor).read_text().splitlines() if line[:1] != "#"]
    CODE.mkdir(parents=True, exist_ok=True)
    fell = False
    for name, least in lines:
        begun = time.monotonic()
        try:
            folder, python = fetched(name, SUITES[name]), interpreter(SUITES[name])
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: skipped, because it cannot be had: {error}", flush=True)
            continue
        count, of = passed(name, SUITES[name], options.program, folder, python)
        print(f"{name}: {count} of {of} tests pass, at least {least} ({time.monotonic() - begun:.0f} s)", flush=True)
        fell |= count < int(least)
    sys.exit(fell)


main()
