//! Shortens the labels of sibling lines so that they can still be told apart.
//!
//! It must not know where a label stands.

use super::model::{EdgeKind, Glyphs};
use super::wording::{cut_end, cut_middle, cut_start, width};
use crate::json::visible;
use std::collections::BTreeMap;

/// The label of one line before it is shortened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// What its links say, each once.
    pub(super) texts: Vec<String>,
    /// The links that share the line.
    pub(super) kinds: Vec<EdgeKind>,
}

impl Said {
    fn whole(&self) -> String {
        // Rules are told apart, what catchers name is one list.
        self.texts.join(if self.catches() { ", " } else { " | " })
    }

    fn catches(&self) -> bool {
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| kind.is_catch())
    }

    /// By the numbers of its links: `rules 0–1, default`.
    fn numbered(&self, glyphs: Glyphs) -> String {
        let number = |kind: &EdgeKind| match kind {
            EdgeKind::Rule(index) => Some((0, *index)),
            EdgeKind::Catch(index) => Some((1, *index)),
            _ => None,
        };
        let mut numbers: Vec<(u8, u32)> = self.kinds.iter().filter_map(number).collect();
        numbers.sort_unstable();
        let mut parts = Vec::new();
        for (wanted, one, several) in [(0, "rule", "rules"), (1, "catch", "catches")] {
            let own: Vec<u32> = (numbers.iter())
                .filter(|(kind, _)| *kind == wanted)
                .map(|(_, index)| *index)
                .collect();
            match own.as_slice() {
                [] => {}
                [index] => parts.push(format!("{one} {index}")),
                _ => parts.push(format!("{several} {}", runs(&own, glyphs))),
            }
        }
        if self.kinds.contains(&EdgeKind::Default) {
            parts.push("default".to_owned());
        }
        parts.join(", ")
    }

    /// Whether a short form by numbers says anything.
    fn has_numbers(&self) -> bool {
        !self.kinds.is_empty()
            && (self.kinds.iter())
                .all(|kind| !matches!(kind, EdgeKind::Next | EdgeKind::Start | EdgeKind::End))
    }
}

/// `0–2, 5` of ascending numbers.
fn runs(numbers: &[u32], glyphs: Glyphs) -> String {
    let dash = if glyphs == Glyphs::Ascii { "-" } else { "–" };
    let mut out: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => out.push((*number, *number)),
        }
    }
    let written = out.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}{dash}{last}"),
    });
    written.collect::<Vec<_>>().join(", ")
}

/// The labels of the lines of one state, each at most `most` cells where that is possible, no two the same.
pub(super) fn told_apart(said: &[Said], most: i32, glyphs: Glyphs) -> Vec<String> {
    let whole: Vec<String> = said.iter().map(Said::whole).collect();
    let cuts: [fn(&str, i32, Glyphs) -> String; 4] = [cut_name, cut_end, cut_middle, cut_start];
    for cut in cuts {
        let made: Vec<String> = (said.iter().zip(&whole))
            .map(|(said, text)| shortened(said, text, most, glyphs, cut))
            .collect();
        if are_distinct(&made) {
            return made;
        }
    }
    // Those that collide are called by their numbers.
    let made: Vec<String> = (said.iter().zip(&whole))
        .map(|(said, text)| shortened(said, text, most, glyphs, cut_end))
        .collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for text in made.iter().filter(|text| !text.is_empty()) {
        *times.entry(text).or_default() += 1;
    }
    let collides = |text: &str| times.get(text).is_some_and(|times| *times > 1);
    (said.iter().zip(&made))
        .map(|(said, text)| match collides(text) && said.has_numbers() {
            true => said.numbered(glyphs),
            false => text.clone(),
        })
        .collect()
}

/// What stands between a name and a value.
const OPERATORS: [&str; 8] = [" = ", " != ", " < ", " > ", " <= ", " >= ", " ~ ", " is "];
/// What parts several comparisons.
const JOINTS: [&str; 4] = [" & ", " | ", " and ", " or "];

/// Cuts the name of a single comparison: the operator and the value tell more.
fn cut_name(text: &str, most: i32, glyphs: Glyphs) -> String {
    let text = visible(text);
    let at = OPERATORS.iter().filter_map(|sign| text.find(sign)).min();
    let is_single = !JOINTS.iter().any(|joint| text.contains(joint));
    let parts = at.filter(|_| is_single && width(&text) > most);
    let Some((name, rest)) = parts.and_then(|at| text.split_at_checked(at)) else {
        return cut_end(&text, most, glyphs);
    };
    let room = most - width(rest);
    let bare = rest.trim_start();
    match room {
        5.. => format!("{}{rest}", cut_start(name, room, glyphs)),
        // A name that is left away is that of all, or the other cuts are tried.
        _ if width(bare) <= most && !bare.starts_with("is ") => bare.to_owned(),
        _ => cut_end(&text, most, glyphs),
    }
}

fn are_distinct(texts: &[String]) -> bool {
    let mut sorted: Vec<&String> = texts.iter().filter(|text| !text.is_empty()).collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair.first() != pair.get(1))
}

fn shortened(
    said: &Said,
    text: &str,
    most: i32,
    glyphs: Glyphs,
    cut: fn(&str, i32, Glyphs) -> String,
) -> String {
    if width(text) <= most || text == "default" {
        return cut_end(text, i32::MAX, glyphs);
    }
    if said.catches() && most >= LEAST_NAMES {
        return cut_list(text, most, glyphs);
    }
    let numbered = said.numbered(glyphs);
    // A few cells of a condition say less than the number of its rule; several conditions are too long for any line.
    if said.has_numbers() && (said.texts.len() > 1 || most < 9) {
        return numbered;
    }
    cut(text, most, glyphs)
}

/// In fewer cells the names of errors are not told.
const LEAST_NAMES: i32 = 14;

/// The names of a list that are seen whole; the first one cut where not even that is.
fn cut_list(text: &str, most: i32, glyphs: Glyphs) -> String {
    let dots = if glyphs == Glyphs::Ascii { ".." } else { "…" };
    let ends = text.match_indices(", ").map(|(at, _)| at);
    let heads = ends.filter_map(|at| Some(format!("{}, {dots}", visible(text.get(..at)?))));
    let fitting = heads.filter(|head| width(head) <= most).last();
    fitting.unwrap_or_else(|| cut_end(text, most, glyphs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(texts: &[&str]) -> Vec<Said> {
        (0u32..)
            .zip(texts)
            .map(|(index, text)| Said {
                texts: vec![(*text).to_owned()],
                kinds: vec![if *text == "default" {
                    EdgeKind::Default
                } else {
                    EdgeKind::Rule(index)
                }],
            })
            .collect()
    }

    fn check(texts: &[&str], most: i32, expected: &[&str]) {
        let made = told_apart(&rules(texts), most, Glyphs::Unicode);
        assert_eq!(made, expected, "{texts:?} in {most}");
    }

    #[test]
    fn siblings_never_read_the_same() {
        check(
            &["= \"ACTIVE\"", "default"],
            24,
            &["= \"ACTIVE\"", "default"],
        );
        check(
            &["= \"ACTIVE\"", "= \"ABSENT\"", "default"],
            4,
            &["rule 0", "rule 1", "default"],
        );
        check(
            &["$.status = \"ACTIVE\"", "$.status = \"ABSENT\""],
            12,
            &["= \"ACTIVE\"", "= \"ABSENT\""],
        );
        check(
            &["$.a.status = \"ACTIVE\"", "$.b.status = \"ACTIVE\""],
            14,
            &["$.a.status = …", "$.b.status = …"],
        );
        check(
            &["completed_count >= quorum", "default"],
            16,
            &["…count >= quorum", "default"],
        );
        check(&["a = 1", "a = 1", "b"], 20, &["rule 0", "rule 1", "b"]);
        let merged = Said {
            texts: vec!["$.a".into(), "$.b = \"something\"".into(), "default".into()],
            kinds: vec![EdgeKind::Rule(0), EdgeKind::Rule(1), EdgeKind::Default],
        };
        assert_eq!(
            told_apart(&[merged], 20, Glyphs::Unicode),
            ["rules 0, 1, default"]
        );
        assert_eq!(runs(&[0, 1, 2, 5], Glyphs::Ascii), "0-2, 5");
    }

    #[test]
    fn catchers_name_what_they_catch() {
        let of = |texts: &[&str], kinds: &[u32]| Said {
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            kinds: kinds.iter().copied().map(EdgeKind::Catch).collect(),
        };
        let told = |said: &[Said], most| told_apart(said, most, Glyphs::Unicode);
        let both = of(&["Payment.Declined", "Hotel.Full, TaskFailed"], &[0, 1]);
        let other = of(&["ALL"], &[2]);
        for (most, expected) in [
            (40, "Payment.Declined, Hotel.Full, TaskFailed"),
            (39, "Payment.Declined, Hotel.Full, …"),
            (20, "Payment.Declined, …"),
            (14, "Payment.Decli…"),
            (8, "catches 0, 1"),
        ] {
            assert_eq!(
                told(&[both.clone(), other.clone()], most),
                [expected, "ALL"]
            );
        }
        let same = [of(&["Timeout", "A"], &[0]), of(&["Timeout", "B"], &[1])];
        assert_eq!(told(&same, 9), ["catch 0", "catch 1"]);
    }
}
