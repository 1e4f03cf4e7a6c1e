//! Reads the key scripts.

/// A script: the heading `## COMMAND [with CASE] [in FILE]`, and its steps. CASE is a test case of the mock file, and
/// FILE is a definition.
pub struct Script {
    pub name: String,
    pub case: Option<String>,
    pub file: Option<String>,
    pub steps: Vec<String>,
}

/// All scripts in `keys.txt`.
pub fn scripts() -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    for line in include_str!("keys.txt").lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (heading, file) = match heading.split_once(" in ") {
                Some((heading, file)) => (heading, Some(file.to_owned())),
                None => (heading, None),
            };
            let (name, case) = heading.split_once(" with ").unwrap_or((heading, ""));
            scripts.push(Script {
                name: name.to_owned(),
                case: (!case.is_empty()).then(|| case.to_owned()),
                file,
                steps: Vec::new(),
            });
        } else if let Some(script) = scripts.last_mut().filter(|_| !line.trim().is_empty()) {
            script.steps.push(line.to_owned());
        }
    }
    scripts
}
