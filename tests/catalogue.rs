//! Tests that `tools/services/catalogue.py` reproduces the stored catalogue of AWS services. Skipped if botocore is not
//! installed.

#![allow(clippy::expect_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_same_models_give_the_same_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stored = root.join("src/service");
    let edition = fs::read_to_string(stored.join("catalogue.txt")).expect("the index");
    let version = edition.split(' ').nth(1).expect("a version");
    let wheel = root.join(format!(
        "target/botocore/botocore-{version}-py3-none-any.whl"
    ));
    if !wheel.exists() {
        eprintln!("skipped: there is no {}", wheel.display());
        return;
    }
    for place in ["first", "second"] {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("catalogue-{place}"));
        fs::create_dir_all(&folder).expect("a folder");
        let made = Command::new("python3")
            .arg(root.join("tools/services/catalogue.py"))
            .args([&wheel, &folder])
            .status();
        assert!(made.expect("Python").success());
        for name in ["catalogue.txt", "catalogue.bin"] {
            let same = fs::read(folder.join(name)).expect("made")
                == fs::read(stored.join(name)).expect("stored");
            assert!(same, "{name} of the {place} time differs");
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
