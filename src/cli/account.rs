//! Asks the user before tasks call a real AWS account.

use crate::headless::{self, Refusal};
use crate::target::Targets;
use std::io::{IsTerminal as _, stderr, stdin};

/// Asks the user, once per account, whether tasks may call it; does not ask if `yes` is true.
///
/// # Errors
/// If the user does not agree or cannot be asked, or if the account cannot be determined.
pub(super) fn confirm(targets: &Targets, yes: bool) -> Result<(), Refusal> {
    let mut known = Vec::new();
    for (pattern, account) in targets.accounts() {
        let account = account.map_err(|why| {
            Refusal::of_lines(&format!(
                "{pattern} is answered by aws, but it is not known by which account: {why}\n  name a profile or an address: -- --profile NAME, -- --endpoint-url URL"
            ))
        })?;
        if known.contains(&account) {
            continue;
        }
        let text = format!("{pattern} is answered by a real account of AWS: {account}");
        headless::warn(&text);
        if !yes && !agrees()? {
            return Err(Refusal::new("nothing was called"));
        }
        known.push(account);
    }
    Ok(())
}

fn agrees() -> Result<bool, Refusal> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Err(Refusal::new(
            "--yes lets tasks call it; -- --endpoint-url URL calls another server instead",
        ));
    }
    headless::warn("call it? [y/N]");
    let mut line = String::new();
    // An unreadable answer counts as no.
    let _ = stdin().read_line(&mut line);
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
