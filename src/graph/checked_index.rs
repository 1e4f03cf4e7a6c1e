//! Indexing a slice without panics: an index out of range reads the default and writes nothing.

/// Reads and writes that cannot fail.
pub(super) trait CheckedIndex<T> {
    /// The item at `index`, or the default.
    fn at(&self, index: usize) -> T;
    /// Writes the item at `index`, if there is one.
    fn put(&mut self, index: usize, value: T);
}

impl<T: Copy + Default> CheckedIndex<T> for [T] {
    fn at(&self, index: usize) -> T {
        self.get(index).copied().unwrap_or_default()
    }

    fn put(&mut self, index: usize, value: T) {
        if let Some(slot) = self.get_mut(index) {
            *slot = value;
        }
    }
}

impl<T: Copy + Default> CheckedIndex<T> for Vec<T> {
    fn at(&self, index: usize) -> T {
        self.as_slice().at(index)
    }

    fn put(&mut self, index: usize, value: T) {
        self.as_mut_slice().put(index, value);
    }
}

/// Converts a count of cells to a coordinate.
pub(super) fn cells(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 4)
}
