//! Tests of the real program: on standard input and output, over a connection, and with clients that disconnect.

use asldbg::dap::{MAX_MESSAGE, Reader, write};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_asldbg"))
}

fn start() -> Child {
    let mut command = program();
    command
        .arg("dap")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().expect("it starts")
}

fn send(to: &mut impl Write, seq: i64, command: &str, arguments: Value) {
    let request =
        json!({"seq": seq, "type": "request", "command": command, "arguments": arguments});
    write(to, &request.to_string()).expect("it is written");
    to.flush().expect("it is written");
}

fn next(from: &mut Reader<BufReader<impl Read>>) -> Value {
    let message = from.message().expect("it can be read").expect("a message");
    serde_json::from_slice(&message).expect("JSON")
}

fn until(from: &mut Reader<BufReader<impl Read>>, wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..200 {
        let message = next(from);
        if wanted(&message) {
            return message;
        }
    }
    panic!("it does not come");
}

/// Waits for the process to end, which must be soon; returns its exit status and its error output.
fn ends(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("its status") {
            let mut text = String::new();
            if let Some(mut errors) = child.stderr.take() {
                errors.read_to_string(&mut text).expect("its messages");
            }
            return (status.code(), text);
        }
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().expect("it can be ended");
            panic!("it is left behind");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn sample(name: &str) -> String {
    format!("{}/samples/{name}.asl.json", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_client_debugs_over_standard_input() {
    let mut child = start();
    let mut to = child.stdin.take().expect("its input");
    let mut from = Reader::new(BufReader::new(child.stdout.take().expect("its output")));
    send(&mut to, 1, "initialize", json!({"adapterID": "asldbg"}));
    send(&mut to, 2, "launch", json!({"program": sample("order")}));
    until(&mut from, |message| message["event"] == "initialized");
    let names = json!({"breakpoints": [{"name": "Refund"}]});
    send(&mut to, 3, "setFunctionBreakpoints", names);
    send(&mut to, 4, "configurationDone", json!({}));
    let stopped = until(&mut from, |message| message["event"] == "stopped");
    assert_eq!(stopped["body"]["reason"], "function breakpoint");
    // A message that is too long is reported and skipped.
    write!(to, "Content-Length: {}\r\n\r\n", MAX_MESSAGE + 1).expect("it is written");
    to.write_all(&vec![b' '; MAX_MESSAGE + 1])
        .expect("it is written");
    let output = until(&mut from, |message| message["event"] == "output");
    assert_eq!(output["body"]["category"], "important", "{output}");
    send(&mut to, 5, "disconnect", json!({}));
    let last = until(&mut from, |message| message["command"] == "disconnect");
    assert_eq!(last["success"], true);
    assert_eq!(ends(child), (Some(0), String::new()));
}

#[test]
fn a_script_that_runs_itself_is_ended() {
    let name = format!("asldbg-dap-script-{}.txt", std::process::id());
    let file = std::env::temp_dir().join(name);
    let line = format!("source {}\n", file.display());
    std::fs::write(&file, line.repeat(12_000)).expect("written");
    let mut child = start();
    let mut to = child.stdin.take().expect("its input");
    let mut from = Reader::new(BufReader::new(child.stdout.take().expect("its output")));
    send(&mut to, 1, "initialize", json!({"adapterID": "asldbg"}));
    let launch = json!({"program": sample("order"), "stopOnEntry": true});
    send(&mut to, 2, "launch", launch);
    send(&mut to, 3, "configurationDone", json!({}));
    until(&mut from, |message| message["event"] == "stopped");
    let script = json!({"expression": line.trim(), "context": "repl"});
    send(&mut to, 4, "evaluate", script);
    let output = until(&mut from, |message| message["event"] == "output");
    let output = output["body"]["output"].as_str().expect("a text");
    assert!(output.contains("perhaps a script runs itself"), "{output}");
    drop(to);
    assert_eq!(ends(child).0, Some(0));
    drop(std::fs::remove_file(&file));
}

#[test]
fn a_client_that_dies_leaves_nothing_behind() {
    // The client disconnects at once, in the middle of a message, during an endless run, or after bytes that are not
    // DAP.
    let endless = format!("{}/tests/dap/endless.asl.json", env!("CARGO_MANIFEST_DIR"));
    for way in 0..4 {
        let mut child = start();
        let mut to = child.stdin.take().expect("its input");
        match way {
            0 => {}
            1 => to
                .write_all(b"Content-Length: 100\r\n\r\n{\"seq\"")
                .expect("written"),
            2 => {
                send(&mut to, 1, "initialize", json!({}));
                send(&mut to, 2, "launch", json!({"program": endless}));
                send(&mut to, 3, "configurationDone", json!({}));
                drop(child.stdout.take());
            }
            _ => to.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("written"),
        }
        drop(to);
        let said = match way {
            3 => (
                Some(2),
                "error: the connection to the editor failed: not a message of the debug adapter protocol: \"GET / HTTP/1.1\"\n",
            ),
            _ => (Some(0), ""),
        };
        let (code, text) = ends(child);
        assert_eq!((code, text.as_str()), said, "way {way}");
    }
}

#[test]
fn a_client_connects() {
    let mut command = program();
    command.args(["dap", "--listen", "127.0.0.1:0"]);
    let mut child = command
        .stderr(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().expect("its messages"));
    errors.read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on ");
    let address = address.expect("an address").to_string();
    let address = address.as_str();
    for (sent, said) in [
        (
            "POST /a:b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
            "\"POST /a:b HTTP/1.1\"",
        ),
        (
            "",
            "the client closed the connection before its first message",
        ),
    ] {
        let mut stray = TcpStream::connect(address).expect("it connects");
        stray.write_all(sent.as_bytes()).expect("written");
        drop(stray);
        let mut line = String::new();
        errors.read_line(&mut line).expect("a line");
        let is_said = line.contains(said) && line.ends_with("; still listening\n");
        assert!(is_said, "{line}");
    }
    let mut to = TcpStream::connect(address).expect("it connects");
    let mut from = Reader::new(BufReader::new(to.try_clone().expect("the same")));
    send(
        &mut to,
        1,
        "initialize",
        json!({"linesStartAt1": false, "pathFormat": "uri"}),
    );
    let launch = json!({"program": sample("order"), "stopOnEntry": true});
    send(&mut to, 2, "launch", launch);
    send(&mut to, 3, "configurationDone", json!({}));
    until(&mut from, |message| message["event"] == "stopped");
    send(&mut to, 4, "stackTrace", json!({"threadId": 1}));
    let stack = until(&mut from, |message| message["command"] == "stackTrace");
    let frame = &stack["body"]["stackFrames"][0];
    assert_eq!(frame["line"], 5, "{stack}");
    let path = frame["source"]["path"].as_str().expect("a path");
    assert!(path.starts_with("file:///"), "{path}");
    drop((to, from));
    assert_eq!(ends(child).0, Some(0));
}

#[test]
fn a_saved_file_is_read_again() {
    let folder = std::env::temp_dir().join(format!("asldbg-dap-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file: PathBuf = folder.join("machine.asl.json");
    let text = r#"{"StartAt": "A", "States": {
        "A": {"Type": "Pass", "Result": 1, "Next": "B"},
        "B": {"Type": "Pass", "Next": "C"},
        "C": {"Type": "Succeed"}}}"#;
    std::fs::write(&file, text).expect("written");
    let mut child = start();
    let mut to = child.stdin.take().expect("its input");
    let mut from = Reader::new(BufReader::new(child.stdout.take().expect("its output")));
    send(
        &mut to,
        1,
        "initialize",
        json!({"supportsInvalidatedEvent": true}),
    );
    send(&mut to, 2, "launch", json!({"program": file}));
    let points = json!({"source": {"path": file}, "breakpoints": [{"line": 4}]});
    send(&mut to, 3, "setBreakpoints", points);
    send(&mut to, 4, "configurationDone", json!({}));
    until(&mut from, |message| message["event"] == "stopped");
    // The edit inserts lines above the breakpoint, so the breakpoint moves down. It also changes the result of `A`, so
    // the repeated run differs from the earlier one.
    std::fs::write(&file, text.replace("1, \"Next\"", "2,\n\n\"Next\"")).expect("written");
    let moved = until(&mut from, |message| message["event"] == "breakpoint");
    assert_eq!(moved["body"]["breakpoint"]["line"], 6, "{moved}");
    let stopped = until(&mut from, |message| message["event"] == "stopped");
    assert_eq!(stopped["body"]["reason"], "reload", "{stopped}");
    assert!(
        stopped["body"]["text"]
            .as_str()
            .expect("why")
            .contains("differs")
    );
    std::fs::write(&file, "{\"StartAt\"").expect("written");
    let output = until(&mut from, |message| message["event"] == "output");
    let said = output["body"]["output"].as_str().expect("a text");
    assert!(said.contains("still running"), "{output}");
    drop(to);
    assert_eq!(ends(child).0, Some(0));
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// VS Code's own client library can drive the adapter. Skipped unless the library is installed: `npm install --prefix
/// target/npm @vscode/debugadapter-testsupport`.
#[test]
fn the_client_of_an_editor_drives_it() {
    let root = env!("CARGO_MANIFEST_DIR");
    let modules = PathBuf::from(root).join("target/npm/node_modules");
    if !modules.join("@vscode/debugadapter-testsupport").is_dir() {
        println!(
            "skipped: {} has no @vscode/debugadapter-testsupport",
            modules.display()
        );
        return;
    }
    let mut node = Command::new("node");
    node.arg(format!("{root}/tests/dap/client.js"))
        .arg(env!("CARGO_BIN_EXE_asldbg"));
    node.arg(format!("{root}/samples"))
        .env("NODE_PATH", &modules);
    let Ok(ran) = node.output() else {
        println!("skipped: there is no node");
        return;
    };
    let printed = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{printed}\n{errors}");
    println!("{printed}");
}

/// The VS Code extension can be packaged. Skipped unless the tool for this is installed: `npm install --prefix
/// target/npm @vscode/vsce`.
#[test]
fn the_extension_of_vs_code_is_packaged() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let tool = root.join("target/npm/node_modules/.bin/vsce");
    if !tool.is_file() {
        println!("skipped: {} is not there", tool.display());
        return;
    }
    let folder = std::env::temp_dir().join(format!("asldbg-vsix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let package = folder.join("asldbg.vsix");
    let mut vsce = Command::new(&tool);
    vsce.current_dir(root.join("samples/editors/vscode"))
        .args([
            "package",
            "--no-dependencies",
            "--allow-missing-repository",
            "--out",
        ])
        .arg(&package);
    let ran = vsce.output().expect("vsce runs");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{printed}\n{errors}");
    let packed = std::fs::read(&package).expect("a package");
    assert!(packed.starts_with(b"PK"), "{printed}");
    assert!(
        printed.contains("extension.js") || printed.contains("Packaged"),
        "{printed}"
    );
    std::fs::remove_dir_all(&folder).expect("removed");
}
