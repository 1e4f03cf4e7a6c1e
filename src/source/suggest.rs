//! "Did you mean": the known name nearest to one that was typed.
//!
//! It must not know what the names are of.

/// The candidate nearest to `typed`, if it is near enough to be a slip.
#[must_use]
pub fn nearest<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (typed.chars().count() / 3).clamp(1, 4);
    known
        .into_iter()
        .map(|name| (distance(&typed.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(far, name)| *far <= limit && *name != typed)
        .min_by_key(|(far, _)| *far)
        .map(|(_, name)| name)
}

/// `did you mean "X"?` for the nearest candidate.
#[must_use]
pub fn did_you_mean<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(typed, known).map(|name| format!("did you mean \"{name}\"?"))
}

/// Edits (insert, remove, replace, swap neighbours) from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 4 || a.len() > 200 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 9);
            let mut best = (get(&last, j) + usize::from(x != y))
                .min(get(&last, j + 1) + 1)
                .min(get(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(get(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let known = ["Ship", "BackOrder", "ChargeCard"];
        assert_eq!(nearest("Shipp", known), Some("Ship"));
        assert_eq!(nearest("Backorder", known), Some("BackOrder"));
        assert_eq!(nearest("ChragecCard", known), Some("ChargeCard"));
        assert_eq!(nearest("Nothing", known), None);
    }
}
