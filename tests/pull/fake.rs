//! A fake `aws` program that returns the responses that a test has prepared.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsString;
use std::path::Path;

/// The script of the fake program. It prefers a file for `OPERATION@NAME` to a file for `OPERATION`, and a file for the
/// number of this call to a file for all calls.
const PROGRAM: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$@" >>"$here/calls"
name=$(printf '%s' "$*" | sed -n 's/.*[aA]rn":"[^"]*:\([^":/]*\)".*/\1/p')
for key in "$2@$name" "$2"; do
    call=1
    while [ -e "$here/$key.$call.done" ]; do call=$((call + 1)); done
    for file in "$here/$key.$call" "$here/$key"; do
        : >"$here/$key.$call.done"
        if [ -e "$file.sh" ]; then . "$file.sh"; fi
        if [ -e "$file.json" ]; then cat "$file.json"; exit 0; fi
        if [ -e "$file.err" ]; then cat "$file.err" >&2; exit 254; fi
    done
done
echo "the test has no answer for $2 ($name), call $call" >&2
exit 1
"#;

/// The folder of the fake program, relative to the test's folder.
const PLACE: &str = "bin";

/// Writes a file of the fake program: a response (`.json`), an error message (`.err`), or a script that runs first
/// (`.sh`). Creates the program if it does not exist.
pub(crate) fn answer(folder: &Path, file: &str, text: &str) {
    let bin = folder.join(PLACE);
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join(file), text).unwrap();
    let program = bin.join("aws");
    if !program.exists() {
        std::fs::write(&program, PROGRAM).unwrap();
        #[cfg(unix)]
        {
            let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&program, may_run).unwrap();
        }
    }
}

/// Value of PATH in which the fake program comes first.
pub(crate) fn path(folder: &Path) -> OsString {
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.join(PLACE)).chain(std::env::split_paths(&known));
    std::env::join_paths(folders).unwrap()
}

/// The arguments of all calls so far, one line per call.
pub(crate) fn calls(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(PLACE).join("calls")).unwrap_or_default()
}
