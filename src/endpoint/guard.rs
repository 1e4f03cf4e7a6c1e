//! Decides which requests are served: only those of programs on this machine, and none that a web page could send.
//!
//! A page can make its own host name resolve to 127.0.0.1, so the Host header is checked. A page can also post to any
//! address without a preflight, so requests with an Origin are refused and headers are required that need a preflight.

use super::wire::{Head, Refused};

/// Host names of this machine; the SDKs prepend `sync-` for two operations.
const HOSTS: [&str; 5] = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    "sync-localhost",
    "sync-127.0.0.1",
];

/// Rejects requests that do not come from a program that intends to use this server.
pub(super) fn check(head: &Head, allowed: &[String]) -> Result<(), Refused> {
    let host = match head.all("host").as_slice() {
        [host] => without_port(host),
        _ => return Err((400, "a request needs one Host")),
    };
    let is_known = |known: &str| known.eq_ignore_ascii_case(host);
    if !HOSTS.into_iter().any(is_known) && !allowed.iter().any(|name| is_known(name)) {
        return Err((403, "this Host is not that of this server"));
    }
    let from_page = head.get("origin").is_some()
        || head
            .get("sec-fetch-site")
            .is_some_and(|site| site != "none")
        || head.method == "OPTIONS";
    if from_page {
        return Err((403, "web pages are not served"));
    }
    if head.method != "POST" {
        return Err((405, "only POST is served"));
    }
    let content = head.get("content-type").unwrap_or_default();
    let content = content.split(';').next().unwrap_or_default().trim();
    if !["application/x-amz-json-1.0", "application/x-amz-json-1.1"].contains(&content) {
        return Err((415, "the Content-Type must be application/x-amz-json-1.0"));
    }
    match head.get("x-amz-target") {
        Some(_) => Ok(()),
        None => Err((400, "a request needs an X-Amz-Target")),
    }
}

/// The host name in a Host field.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
