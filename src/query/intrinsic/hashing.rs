//! Digests of text, and a hash of values that is consistent with their equality.

use crate::json::Value;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The digest of `text` in lower-case hexadecimal; `None` for an algorithm that `States.Hash` does not support.
#[must_use]
pub fn digest(text: &str, algorithm: &str) -> Option<String> {
    fn hex<D: Digest>(text: &str) -> String {
        D::digest(text.as_bytes())
            .iter()
            .fold(String::new(), |mut out, byte| {
                let _ = write!(out, "{byte:02x}");
                out
            })
    }
    match algorithm {
        "MD5" => Some(hex::<Md5>(text)),
        "SHA-1" => Some(hex::<Sha1>(text)),
        "SHA-256" => Some(hex::<Sha256>(text)),
        "SHA-384" => Some(hex::<Sha384>(text)),
        "SHA-512" => Some(hex::<Sha512>(text)),
        _ => None,
    }
}

/// The MD5 digest of `bytes` in lower-case hexadecimal.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> String {
    let digest = Md5::digest(bytes);
    digest.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A hash that is equal for equal values: numbers are hashed by value and members in any order.
pub(super) fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0_u8.hash(&mut hasher),
        Value::Bool(flag) => flag.hash(&mut hasher),
        Value::Number(number) => (number.as_f64() + 0.0).to_bits().hash(&mut hasher),
        Value::String(text) => text.hash(&mut hasher),
        Value::Array(array) => {
            1_u8.hash(&mut hasher);
            for item in array.items() {
                hash(item).hash(&mut hasher);
            }
        }
        Value::Object(object) => {
            2_u8.hash(&mut hasher);
            let members = object.members().iter().fold(0_u64, |sum, (name, member)| {
                let mut one = DefaultHasher::new();
                name.hash(&mut one);
                hash(member).hash(&mut one);
                sum.wrapping_add(one.finish())
            });
            members.hash(&mut hasher);
        }
    }
    hasher.finish()
}
