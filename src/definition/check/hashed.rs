//! Maps and sets of what a definition has: looked up often, so that their hashes are quick ones. Their seeds are random, so
//! that no definition can be made to collide.

/// A map.
pub(super) type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
/// A set.
pub(super) type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
