//! "Did you mean": the known name most similar to a mistyped one.

/// Maximum length, in characters, of names that are compared.
const MAX_LENGTH: usize = 200;

/// The known name nearest to `typed`, if it is similar enough to be a typo.
#[must_use]
pub fn nearest<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (typed.chars().count() / 3).clamp(1, 4);
    let wanted: Vec<char> = typed.to_lowercase().chars().collect();
    if wanted.len() > MAX_LENGTH {
        return None;
    }
    let own = letters(wanted.iter().copied());
    known
        .into_iter()
        .filter(|name| {
            let other = letters(name.chars().flat_map(char::to_lowercase));
            apart(&own, &other) <= limit
        })
        .map(|name| {
            let name_letters: Vec<char> = name.to_lowercase().chars().collect();
            (distance(&wanted, &name_letters), name)
        })
        .filter(|(far, name)| *far <= limit && *name != typed)
        .min_by_key(|(far, _)| *far)
        .map(|(_, name)| name)
}

/// `did you mean "X"?` for the nearest known name.
#[must_use]
pub fn did_you_mean<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(typed, known).map(|name| format!("did you mean \"{name}\"?"))
}

/// Number of occurrences of each letter. Letters that share an index are counted together.
fn letters(name: impl Iterator<Item = char>) -> [u8; 32] {
    let mut counts = [0_u8; 32];
    for c in name {
        if let Some(count) = counts.get_mut(c as usize % 32) {
            *count = count.saturating_add(1);
        }
    }
    counts
}

/// A lower bound of the edit distance, computed from letter counts. It is cheap and excludes most names.
fn apart(a: &[u8; 32], b: &[u8; 32]) -> usize {
    let more = |a: &[u8; 32], b: &[u8; 32]| -> usize {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| usize::from(a.saturating_sub(*b))).sum()
    };
    more(a, b).max(more(b, a))
}

/// Number of edits (insertions, deletions, replacements, swaps of neighbours) from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
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
        assert_eq!(nearest(&"x".repeat(300), ["x".repeat(299).as_str()]), None);
    }
}
