//! Text of a Choice test in a limited width: the operator, the values and the ends of paths are kept longest.

use crate::session::view::{Compared, OperandView, Side};
use crate::tui::fit::{clip_middle, width, words};
use crate::tui::glyph::Glyphs;

/// A test cut to this width: first the beginnings of paths are dropped, then the values.
pub(super) fn clipped(test: &OperandView, cells: usize, glyphs: &Glyphs) -> String {
    let whole = words(glyphs, &test.text);
    if width(&whole) <= cells {
        return whole;
    }
    let Some(compared) = &test.compared else {
        return clip_middle(&whole, cells, glyphs);
    };
    let forms = forms(compared, glyphs);
    let last = forms.last().cloned().unwrap_or(whole);
    let fits = forms.into_iter().find(|form| width(form) <= cells);
    fits.unwrap_or_else(|| clip_middle(&last, cells, glyphs))
}

/// Shorter and shorter forms of a comparison.
fn forms(compared: &Compared, glyphs: &Glyphs) -> Vec<String> {
    let Compared { left, sign, right } = compared;
    let said = |left: &Side, right: &Side| words(glyphs, &format!("{left} {sign} {right}"));
    let mut forms = vec![said(left, right)];
    let ends = |side: &Side| -> Vec<Side> {
        let shorter = shorter(&side.written, glyphs).into_iter();
        let shorter = shorter.map(|written| Side {
            written,
            value: side.value.clone(),
        });
        std::iter::once(side.clone()).chain(shorter).collect()
    };
    let (lefts, rights) = (ends(left), ends(right));
    forms.extend(lefts.iter().map(|left| said(left, right)));
    let (Some(left), Some(short)) = (lefts.last(), rights.last()) else {
        return forms;
    };
    forms.extend(rights.iter().map(|right| said(left, right)));
    let bare = |side: &Side| Side {
        value: None,
        ..side.clone()
    };
    forms.push(said(&bare(left), short));
    forms.push(said(&bare(left), &bare(short)));
    forms
}

/// Shorter and shorter ends of a path; empty if the text is not a path.
fn shorter(written: &str, glyphs: &Glyphs) -> Vec<String> {
    let is_path = written.starts_with('$') && !written.contains([' ', '(', '"']);
    let ends = written.match_indices('.').filter(|_| is_path);
    let ends = ends.filter_map(|(at, _)| written.get(at..).filter(|_| at > 1));
    ends.map(|end| format!("{}{end}", glyphs.cut)).collect()
}
