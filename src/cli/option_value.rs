//! Parsers for option values; their error messages say how to write a value.

use std::net::SocketAddr;

/// Parses a loopback address, which only this machine can reach.
pub(super) fn own_address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>();
    let address = address.map_err(|_| "write it as 127.0.0.1:PORT".to_string())?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err("only connections from this machine are allowed: 127.0.0.1:PORT".to_string()),
    }
}

/// Parses a speed factor for real time.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    number_in(text, 0.01, 10_000.0)
}

/// Parses a playback speed, in the form that `:speed` accepts.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    number_in(text, 0.05, 100.0)
}

pub(super) fn number_in(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("give a number from {least} to {most}"))
}

/// Parses `NAME=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("write it as NAME=VALUE".to_string()),
    }
}
