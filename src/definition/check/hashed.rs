//! Maps and sets with a fast hash, for frequent lookups. The seeds are random, so that a definition cannot be crafted
//! to cause collisions.

/// A map with a fast hash.
pub(super) type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
/// A set with a fast hash.
pub(super) type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
