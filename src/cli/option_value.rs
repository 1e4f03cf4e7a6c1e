//! Values of options that are no plain text: read, and refused with how they are written.
//!
//! It must not know which option has them.

use std::net::SocketAddr;

/// An address that only this machine can reach.
pub(super) fn own_address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>();
    let address = address.map_err(|_| "write it as 127.0.0.1:PORT".to_string())?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err("only connections from this machine are allowed: 127.0.0.1:PORT".to_string()),
    }
}

/// How many times as fast real time goes.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    number_in(text, 0.01, 10_000.0)
}

/// How many times as fast playing goes, as `:speed` takes it.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    number_in(text, 0.05, 100.0)
}

pub(super) fn number_in(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("give a number from {least} to {most}"))
}

/// `NAME=VALUE`
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("write it as NAME=VALUE".to_string()),
    }
}
