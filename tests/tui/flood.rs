//! Tests that input which would flood the command queue or the terminal is rejected.

use super::Screen;

#[test]
fn what_would_flood_the_queue_or_the_clipboard_is_refused() {
    let folder = std::env::temp_dir().join(format!("asldbg-tui-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let itself = folder.join("itself").display().to_string();
    file("itself", format!("source {itself}\n").repeat(9_000));
    let large = format!(r#"{{"order": "{}"}}"#, "x".repeat(1 << 20));
    let large = file("large.json", large);
    let mut screen = Screen::new(Some("Happy"));
    let mut go = |step: &str| screen.step(step).expect(step);
    go(&format!("line source {itself}"));
    go("see commands are queued");
    go(&format!("line input {large}"));
    go("see an input of 10485");
    go("key 3 g y");
    go("see but at most 1 MiB can be copied");
    go("not effect Copy");
    std::fs::remove_dir_all(&folder).expect("removed");
}
