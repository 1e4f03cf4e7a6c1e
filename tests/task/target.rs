//! A folder with a machine of one task, and servers and programs that answer the task.

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A temporary folder for each test, which is removed with the test.
pub struct Folder(pub PathBuf);

/// A Task state with this resource and these further fields.
pub fn task(resource: &str, fields: Value) -> Value {
    let mut task = json!({"Type": "Task", "Resource": resource});
    let members = task.as_object_mut().unwrap();
    members.extend(fields.as_object().unwrap().clone());
    task
}

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-task-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Creates a program that is run by a shell.
    pub fn program(&self, name: &str, text: &str) -> String {
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes a machine with one task.
    pub fn machine(&self, resource: &str, fields: Value) -> String {
        let mut call = task(resource, fields);
        call["End"] = json!(true);
        let definition = json!({"StartAt": "Call", "States": {"Call": call}});
        self.write("m.asl.json", &definition.to_string())
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asldbg"));
        command
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        let all = [&["run", "m.asl.json", "--format", "json"], args].concat();
        self.command(&all).output().unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Runs the machine twice: with a program as the target of all tasks, and with the answers that the first run
    /// recorded in `new.json`. Both runs must have the same output and history. Returns the standard error of the first
    /// run, and the time that it took.
    pub fn repeated(&self, program: &str) -> (String, Duration) {
        let all = format!("*={program}");
        let at = ["--start-time", "2026-01-01T00:00:00Z", "--write-history"];
        let begun = Instant::now();
        let real = self.run(
            &[
                &["--task", &all, "--record", "new.json"],
                &at[..],
                &["a.json"],
            ]
            .concat(),
        );
        let took = begun.elapsed();
        let said = String::from_utf8_lossy(&real.stderr).into_owned();
        assert!(real.status.success(), "{said}");
        let offline = self.run(&[&["--mock", "new.json"], &at[..], &["b.json"]].concat());
        assert_eq!(real.stdout, offline.stdout);
        assert_eq!(self.read("a.json"), self.read("b.json"));
        (said, took)
    }

    /// The result of a run: its output, or its error and cause.
    pub fn came(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = String::from_utf8_lossy(&output.stdout);
        let Ok(result) = serde_json::from_str::<Value>(&text) else {
            return String::from_utf8_lossy(&output.stderr).into_owned();
        };
        match result["error"].as_str() {
            Some(error) => format!("{error}: {}", result["cause"].as_str().unwrap_or("")),
            None => result["output"].to_string(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:charge";
pub const INVOKE: &str = "arn:aws:states:::lambda:invoke";

/// A server that returns the same bytes for every request, and records the requests.
pub struct Server {
    pub address: String,
    pub sent: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn new(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        Self::answering(move |stream, _| answer(stream))
    }

    /// A server whose answer depends on the request.
    pub fn answering(answer: impl Fn(&mut TcpStream, &str) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let sent: Arc<Mutex<Vec<String>>> = Arc::default();
        let recorder = Arc::clone(&sent);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut text = String::new();
                let mut buffer = [0; 4096];
                // Read the header, and the body up to its announced length.
                loop {
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    text.push_str(&String::from_utf8_lossy(&buffer[..count]));
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        continue;
                    };
                    let length = head.split("Content-Length: ").nth(1).unwrap_or("0");
                    let length = length.lines().next().unwrap().parse::<usize>().unwrap();
                    if count == 0 || body.len() >= length {
                        break;
                    }
                }
                recorder.lock().unwrap().push(text.clone());
                answer(&mut stream, &text);
            }
        });
        Self { address, sent }
    }

    pub fn saying(status: &str, fields: &str, body: &str) -> Self {
        let text = format!(
            "HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Self::new(move |stream| drop(stream.write_all(text.as_bytes())))
    }

    pub fn calls(&self) -> usize {
        self.sent.lock().unwrap().len()
    }
}

/// True if there is a process with this word among its arguments.
pub fn runs(word: &str) -> bool {
    let listed = Command::new("ps")
        .args(["ax", "-o", "args"])
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    listed
        .lines()
        .any(|line| line.contains(word) && !line.starts_with("ps "))
}

pub fn is_gone(word: &str) -> bool {
    let begun = Instant::now();
    while runs(word) && begun.elapsed() < Duration::from_secs(6) {
        thread::sleep(Duration::from_millis(50));
    }
    !runs(word)
}
