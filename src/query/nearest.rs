//! Finds the known name that is most similar to a mistyped one.

/// The known name within a few edits of `typed`, ignoring case.
pub(super) fn nearest<'n>(
    typed: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let wanted: Vec<char> = lower(typed);
    // For a single letter, any edit would match every other letter.
    let allowed = match wanted.len() {
        0 | 1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    known
        .into_iter()
        .take(5_000)
        .filter(|name| *name != typed && name.len() < 200 && wanted.len() < 200)
        .filter_map(|name| {
            let name_chars = lower(name);
            (name_chars.len().abs_diff(wanted.len()) <= allowed)
                .then(|| (edits(&wanted, &name_chars), name))
        })
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Number of insertions, deletions and substitutions from `a` to `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (j, to) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX / 2);
            left = (diagonal + usize::from(from != to))
                .min(above + 1)
                .min(left + 1);
            diagonal = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let known = ["Payload", "StatusCode", "items"];
        for (typed, expected) in [
            ("payload", Some("Payload")),
            ("Paylod", Some("Payload")),
            ("item", Some("items")),
            ("other", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
    }
}
