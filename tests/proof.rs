//! Checks what the documentation and the samples state about tests and coverage.
//!
//! `BLESS=1` rewrites the coverage in `samples/README.md`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails panics"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn asldbg(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args(words)
        .current_dir(folder)
        .env("HOME", folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A temporary folder, which is removed when this value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder_name = format!("asldbg-proof-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder_name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[test]
fn the_samples_pass_their_tests_and_cover_what_their_readme_says() {
    let folder = Folder::new("samples");
    let table = folder.0.join("coverage.txt");
    let words = [
        "test",
        "samples",
        "--coverage-file",
        table.to_str().unwrap(),
    ];
    let output = asldbg(root(), &words);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let readme = std::fs::read_to_string(&table).unwrap();
    // Only the table is compared: the text below it lists the parts that are not covered.
    let table = readme.split("\n\n").next().unwrap();
    let path = root().join("samples/README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("<!-- coverage -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /coverage -->").unwrap();
    let fresh =
        format!("{before}<!-- coverage -->\n```text\n{table}\n```\n<!-- /coverage -->{after}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let now = std::fs::read_to_string(&path).unwrap();
    assert!(now == fresh, "samples/README.md is behind; came\n{table}");
    let tests = std::fs::read_dir(root().join("samples")).unwrap();
    let tests = tests.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".test.")
    });
    assert!(tests.count() >= 6);
}

/// Follows the documented path from a failing execution to a passing test.
#[test]
fn a_fault_becomes_a_failing_test_and_a_green_one() {
    let folder = Folder::new("steps");
    let fault = root().join("tests/faults/dropped-by-catcher");
    for entry in std::fs::read_dir(fault).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        let name = name.replace("dropped-by-catcher", "shop");
        let content = std::fs::read_to_string(&path).unwrap();
        let content = content.replace("dropped-by-catcher", "shop");
        std::fs::write(folder.0.join(name), content).unwrap();
    }
    let run = |words: &[&str]| {
        let output = asldbg(&folder.0, words);
        (output.status.code().unwrap(), text(&output.stdout))
    };
    // 1. The execution fails.
    assert_eq!(run(&["run", "shop.asl.json"]).0, 1);
    // 2. The test that is written from the failing execution expects the failure.
    assert_eq!(run(&["test", "shop.asl.json", "--bless"]).0, 0);
    assert_eq!(run(&["test", "shop.asl.json"]).0, 0);
    // 3. The correct expectation is written by hand, and the test fails.
    let tests = folder.0.join("shop.test.yaml");
    let written = std::fs::read_to_string(&tests).unwrap();
    let (before, _) = written.split_once("    expect:").unwrap();
    let wanted = format!(
        "{before}    expect:\n      error: Order.Cancelled\n      visits: [..., ReleaseStock, Sorry]\n"
    );
    std::fs::write(&tests, wanted).unwrap();
    let (code, printed) = run(&["test", "shop.asl.json"]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("state ReleaseStock"), "{printed}");
    assert!(
        printed.contains("open it: asldbg shop.asl.json --test"),
        "{printed}"
    );
    // 4. The definition is fixed: the catcher keeps the input.
    let definition = folder.0.join("shop.asl.json");
    let broken = std::fs::read_to_string(&definition).unwrap();
    let mended = broken.replacen(
        "\"Next\": \"ReleaseStock\"",
        "\"ResultPath\": \"$.error\", \"Next\": \"ReleaseStock\"",
        1,
    );
    let mended = mended.replace("\"$.Cause\"", "\"$.error.Cause\"");
    assert_ne!(broken, mended);
    std::fs::write(&definition, mended).unwrap();
    // 5. The test passes, and its line is covered.
    let (code, printed) = run(&["test", "shop.asl.json", "--coverage-format", "source"]);
    assert_eq!(code, 0, "{printed}");
    // 6. `explore` finds no path that loses data.
    let (_, printed) = run(&["explore", "shop.asl.json"]);
    assert!(!printed.contains("[data-lost]"), "{printed}");
}

#[test]
fn the_case_in_the_documentation_passes() {
    let folder = Folder::new("page");
    let page = std::fs::read_to_string(root().join("docs/tests-and-explore.md")).unwrap();
    let (_, rest) = page.split_once("```yaml\ncases:").unwrap();
    let (case, _) = rest.split_once("```").unwrap();
    for name in ["order.asl.json", "order.input.json"] {
        std::fs::copy(root().join("samples").join(name), folder.0.join(name)).unwrap();
    }
    std::fs::write(folder.0.join("order.test.yaml"), format!("cases:{case}")).unwrap();
    let output = asldbg(&folder.0, &["test"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
}

#[test]
fn keys_of_the_schema_are_those_that_are_read() {
    use asldbg::testing::{CASE_KEYS, EXPECT_KEYS, FILE_KEYS, MATCHER_KEYS, SCHEMA};
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let places = [
        ("/properties", &FILE_KEYS[..]),
        ("/$defs/case/properties", &CASE_KEYS[..]),
        ("/$defs/expect/properties", &EXPECT_KEYS[..]),
        ("/$defs/rules/properties", &MATCHER_KEYS[..]),
    ];
    let page = std::fs::read_to_string(root().join("docs/tests-and-explore.md")).unwrap();
    for (place, keys) in places {
        for key in keys.iter().filter(|key| **key != "$schema") {
            assert!(
                page.contains(&format!("`{key}`")),
                "no page says what {key} is"
            );
        }
        let properties = schema.pointer(place).unwrap().as_object().unwrap();
        let mut described: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut read = keys.to_vec();
        described.sort_unstable();
        read.sort_unstable();
        assert_eq!(described, read, "{place}");
    }
}

#[test]
fn a_thousand_cases_are_run() {
    let folder = Folder::new("thousand");
    let definition = r#"{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:a", "Next": "B"}, "B": {"Type": "Succeed"}}}"#;
    std::fs::write(folder.0.join("m.asl.json"), definition).unwrap();
    let mut tests = String::from("cases:\n");
    for number in 0..1000 {
        tests.push_str(&format!(
            "  - {{name: c{number}, answers: {{A: {{Return: {number}}}}}, expect: {{output: {number}}}}}\n"
        ));
    }
    std::fs::write(folder.0.join("m.test.yaml"), tests).unwrap();
    let output = asldbg(&folder.0, &["test"]);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("1000 passed; 0 failed"), "{printed}");
}
