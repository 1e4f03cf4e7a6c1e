//! How much of each rule of a Choice is drawn where not all of it has room: what does not decide gives way first.
//!
//! It must not know how a rule is drawn.

use crate::session::view::RuleView;

/// How a rule is drawn, the longest form first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Every test with all of its values.
    #[default]
    Whole,
    /// Tests that do not decide have a row each.
    Short,
    /// Tests that do not decide are counted, the others have a row each.
    Tight,
    /// What was false and why, in a sentence; for a rule that was passed over alone.
    Said,
    /// What was false in a sentence.
    Bare,
    /// The test that tells most, whole.
    First,
    /// The same in one row.
    Row,
}

const FORMS: [Form; 7] = [
    Form::Whole,
    Form::Short,
    Form::Tight,
    Form::Said,
    Form::Bare,
    Form::First,
    Form::Row,
];

/// So many of them are for the rule that tells why: what of it decides is always seen.
const OPEN: usize = 6;

/// The forms of the rules with which those up to and with `last` have room in so many rows, as long as they can be;
/// `open` is the one that tells why, `rows` how many rows one has in a form.
pub(super) fn forms(
    rules: &[RuleView],
    (open, last): (Option<usize>, usize),
    room: usize,
    rows: impl Fn(usize, Form) -> usize,
) -> Vec<Form> {
    let own: Vec<[usize; FORMS.len()]> = (0..=last.min(rules.len().saturating_sub(1)))
        .map(|place| FORMS.map(|form| rows(place, form)))
        .collect();
    let height = |place: usize, form: Form| {
        let rows = own.get(place).and_then(|rows| rows.get(form as usize));
        rows.copied().unwrap_or(0)
    };
    let mut chosen = vec![Form::Whole; own.len()];
    let mut taken: usize = (0..own.len()).map(|place| height(place, Form::Whole)).sum();
    // The others give way before the one that tells why.
    let others = (0..own.len()).filter(|place| Some(*place) != open);
    let others: Vec<usize> = others.collect();
    let open = open.filter(|open| *open < own.len());
    let shorter = |places: &[usize], forms: &[Form]| -> Vec<(usize, Form)> {
        let all = forms
            .iter()
            .map(|form| places.iter().map(|place| (*place, *form)));
        all.flatten().collect()
    };
    let mut steps = shorter(&others, &FORMS);
    steps.extend(
        open.into_iter()
            .flat_map(|open| shorter(&[open], &FORMS[..OPEN])),
    );
    for (place, form) in steps {
        let Some(mine) = chosen.get_mut(place).filter(|_| taken > room) else {
            continue;
        };
        if height(place, form) < height(place, *mine) {
            taken -= height(place, *mine) - height(place, form);
            *mine = form;
        }
    }
    // What is free then goes to those closest to the decision.
    for place in others.into_iter().chain(open).rev() {
        let Some(mine) = chosen.get_mut(place) else {
            continue;
        };
        let free = room.saturating_sub(taken);
        let own = height(place, *mine);
        let longer = FORMS
            .into_iter()
            .find(|form| form <= mine && height(place, *form) <= own + free);
        if let Some(longer) = longer {
            taken += height(place, longer).saturating_sub(own);
            *mine = longer;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_keeps_its_rows_longest() {
        let rule = |index| RuleView {
            index: Some(index),
            operands: Vec::new(),
            result: Some(Ok(false)),
            asked: true,
            after: false,
            taken: false,
            absent: false,
            next: "A".into(),
            span: None,
        };
        let rules = [rule(0), rule(1), rule(2)];
        let rows = |_: usize, form: Form| {
            let rows = [8, 5, 4, 3, 2, 2, 1];
            rows.get(form as usize).copied().unwrap_or(0)
        };
        let check = |open, room, wanted: [Form; 3]| {
            assert_eq!(forms(&rules, (open, 2), room, rows), wanted, "{room}");
        };
        use Form::{Bare, Row, Said, Short, Tight, Whole};
        check(None, 24, [Whole; 3]);
        check(None, 21, [Short, Whole, Whole]);
        check(Some(2), 18, [Short, Short, Whole]);
        check(Some(2), 12, [Bare, Bare, Whole]);
        check(Some(2), 15, [Said, Tight, Whole]);
        check(Some(2), 6, [Row, Row, Tight]);
    }
}
