//! Random identifiers that cannot be guessed.

use std::hash::{BuildHasher as _, RandomState};

/// A random number from the seed of the standard library's hash tables.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// A version 4 UUID.
pub(super) fn uuid() -> String {
    let bits = (u128::from(random()) << 64) | u128::from(random());
    let uuid = uuid::Builder::from_random_bytes(bits.to_be_bytes());
    uuid.into_uuid().to_string()
}
