//! Third-party servers that emulate AWS, and AWS's own client, installed in `target/aws`.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// The folder in which the servers are installed.
pub(crate) struct Servers(PathBuf);

impl Servers {
    /// The installed servers. If one is missing, prints the reason and returns `None`; .ci/run installs them.
    pub(crate) fn installed() -> Option<Self> {
        let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/aws/bin");
        let missing = ["aws", "moto_server", "ministack"]
            .into_iter()
            .find(|name| !bin.join(name).exists());
        match missing {
            Some(name) => {
                println!("skipped: {} has no {name}", bin.display());
                None
            }
            None => Some(Self(bin)),
        }
    }

    pub(crate) fn client<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        with_client(&self.0, command)
    }

    /// The Python interpreter if it can import these libraries; otherwise prints the reason and returns `None`.
    pub(crate) fn python(&self, libraries: &str) -> Option<Command> {
        let interpreter = self.0.join("python");
        let mut import = Command::new(&interpreter);
        import
            .args(["-c", &format!("import {libraries}")])
            .stderr(Stdio::null());
        if import.status().is_ok_and(|status| status.success()) {
            return Some(Command::new(interpreter));
        }
        println!(
            "skipped: {} cannot import {libraries}",
            interpreter.display()
        );
        None
    }

    pub(crate) fn moto(&self) -> Server {
        let port = free_port();
        let mut command = Command::new(self.0.join("moto_server"));
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        self.begin(command, port)
    }

    pub(crate) fn ministack(&self) -> Server {
        let port = free_port();
        let mut command = Command::new(self.0.join("ministack"));
        command
            .env("BIND_HOST", "127.0.0.1")
            .env("GATEWAY_PORT", port.to_string())
            .env("IOT_MTLS_ENABLED", "0");
        self.begin(command, port)
    }

    /// Starts a server and waits until it listens.
    pub(crate) fn begin(&self, mut command: Command, port: u16) -> Server {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let server = Server {
            bin: self.0.clone(),
            url: format!("http://127.0.0.1:{port}"),
            port,
            child: Some(command.spawn().unwrap()),
        };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(90),
                "the server never came"
            );
            sleep(Duration::from_millis(100));
        }
        server
    }
}

/// Sets the environment of a program so that it runs the AWS client, with fake credentials and without retries.
fn with_client<'c>(bin: &Path, command: &'c mut Command) -> &'c mut Command {
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&known));
    command
        .env("PATH", std::env::join_paths(folders).unwrap())
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test")
        .env("AWS_MAX_ATTEMPTS", "1")
        .env("AWS_CONFIG_FILE", "/dev/null")
        .env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
}

pub(crate) fn free_port() -> u16 {
    let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    socket.local_addr().unwrap().port()
}

/// A server that is stopped when the test ends.
pub(crate) struct Server {
    bin: PathBuf,
    url: String,
    port: u16,
    child: Option<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Server {
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn client<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        with_client(&self.bin, command)
    }

    /// Runs the AWS client against this server and returns its output.
    pub(crate) fn aws(&self, args: &[&str]) -> String {
        let mut command = Command::new(self.bin.join("aws"));
        command.args(args).args([
            "--endpoint-url",
            &self.url,
            "--region",
            "us-east-1",
            "--output",
            "text",
        ]);
        let output = self.client(&mut command).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {complaint}");
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    }

    fn states(&self, args: &[&str]) -> String {
        let mut all = vec!["stepfunctions"];
        all.extend(args);
        self.aws(&all)
    }

    pub(crate) fn machine(&self, name: &str, definition: &str) -> String {
        let role = "arn:aws:iam::123456789012:role/r";
        self.states(&[
            "create-state-machine",
            "--name",
            name,
            "--role-arn",
            role,
            "--definition",
            definition,
            "--query",
            "stateMachineArn",
        ])
    }

    pub(crate) fn start(&self, machine: &str, name: &str) -> String {
        let input = r#"{"list":[1,2]}"#;
        self.states(&[
            "start-execution",
            "--state-machine-arn",
            machine,
            "--name",
            name,
            "--input",
            input,
            "--query",
            "executionArn",
        ])
    }

    pub(crate) fn until_ended(&self, execution: &str) {
        let begun = Instant::now();
        while self.states(&[
            "describe-execution",
            "--execution-arn",
            execution,
            "--query",
            "status",
        ]) == "RUNNING"
        {
            assert!(
                begun.elapsed() < Duration::from_secs(90),
                "{execution} never ended"
            );
            sleep(Duration::from_millis(500));
        }
    }

    /// Configures moto to run state machines.
    pub(crate) fn run_machines(&self) {
        let body = r#"{"stepfunctions":{"execute_state_machine":true}}"#;
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        write!(socket, "POST /moto-api/config HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(" 20"), "{answer}");
    }

    /// Creates an EXPRESS state machine with its log, and an execution whose events are in the log.
    pub(crate) fn express(&self, name: &str, definition: &str) -> (String, String) {
        let group = format!("/aws/vendedlogs/states/{name}");
        self.aws(&["logs", "create-log-group", "--log-group-name", &group]);
        self.aws(&[
            "logs",
            "create-log-stream",
            "--log-group-name",
            &group,
            "--log-stream-name",
            "s",
        ]);
        let log = format!(
            r#"{{"level":"ALL","includeExecutionData":true,"destinations":[{{"cloudWatchLogsLogGroup":{{"logGroupArn":"arn:aws:logs:us-east-1:123456789012:log-group:{group}:*"}}}}]}}"#
        );
        let role = "arn:aws:iam::123456789012:role/r";
        let machine = self.states(&[
            "create-state-machine",
            "--name",
            name,
            "--type",
            "EXPRESS",
            "--role-arn",
            role,
            "--definition",
            definition,
            "--logging-configuration",
            &log,
            "--query",
            "stateMachineArn",
        ]);
        let run = format!("arn:aws:states:us-east-1:123456789012:express:{name}:quick-1:0b1c2d3e");
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_millis();
        let line = |id: u32, kind: &str, details: &str| {
            let message = format!(
                r#"{{"id":"{id}","type":"{kind}","details":{{{details}}},"previous_event_id":"{}","event_timestamp":"{now}","execution_arn":"{run}"}}"#,
                id - 1
            );
            let quoted = message.replace('\\', "\\\\").replace('"', "\\\"");
            format!(r#"{{"timestamp":{now},"message":"{quoted}"}}"#)
        };
        let lines = [
            line(1, "ExecutionStarted", r#""input":"{}","roleArn":"r""#),
            line(2, "ExecutionSucceeded", r#""output":"{}""#),
        ];
        let events = format!("[{}]", lines.join(","));
        self.aws(&[
            "logs",
            "put-log-events",
            "--log-group-name",
            &group,
            "--log-stream-name",
            "s",
            "--log-events",
            &events,
        ]);
        (machine, run)
    }

    /// Starts a proxy in front of this server. The proxy closes after this number of connections.
    pub(crate) fn front(&self, connections: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let behind = self.port;
        spawn(move || {
            for socket in listener.incoming().take(connections).flatten() {
                let server = TcpStream::connect(("127.0.0.1", behind)).unwrap();
                let pairs = [
                    (socket.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server, socket),
                ];
                for (mut from, mut to) in pairs {
                    spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(std::net::Shutdown::Write);
                    });
                }
            }
        });
        Self {
            bin: self.bin.clone(),
            url: format!("http://127.0.0.1:{port}"),
            port,
            child: None,
        }
    }
}
