//! The banner below the header: what happened and why. The most important text comes first.

use super::Scene;
use crate::json::visible;
use crate::tui::action::{Action, Pane};
use crate::tui::border::Pen;
use crate::tui::caption::{self, Said, as_ended};
use crate::tui::fit::{Piece, clip, fit, words, wrapped};
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::subject::{self, Subject};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

/// Contents of the banner. If the user has asked for the origin of a value: the answer; otherwise where the run is and
/// why it stopped.
fn said(scene: &Scene, model: &Model, is_beside: bool) -> Said {
    if let Some(explained) = &model.explained {
        return explained.clone();
    }
    if !scene.busy {
        let mut said = scene.sentence(is_beside);
        said.pieces.push(Piece::new(leads_to(scene, model), 6));
        return said;
    }
    let key = scene.keymap.shown(Action::Pause);
    if let Some(call) = &scene.view.header.calling {
        let (state, target) = (&call.state, &call.target);
        let seconds = call.since / 1000;
        let text = match call.others {
            0 => format!(
                "{state} is calling {target} ({seconds} s); {key} or Ctrl-C abandons the call"
            ),
            others => format!(
                "{state} is calling {target} ({seconds} s); other calls in progress: {others}; {key} or Ctrl-C abandons the calls"
            ),
        };
        return Said::plain(text, Role::Running);
    }
    let text = match scene.rest {
        Some(due) => {
            let time = caption::clock(due);
            format!("The run waits until {time} in real time; {key} or Ctrl-C pauses")
        }
        None => format!("Running; {key} or Ctrl-C pauses"),
    };
    Said::plain(text, Role::Running)
}

/// Text that says where the key `W` (where from?) moves the cursor from the current stop; empty if the key can explain
/// nothing.
fn leads_to(scene: &Scene, model: &Model) -> String {
    let key = scene.keymap.shown(Action::WhoWrote);
    let paint = scene.paint(model, Pane::Data);
    let panes = &model.panes;
    let subject = subject::subject(scene.view, panes.data.is_chosen(&paint));
    // If a pane other than the data pane has the focus, and something else is selected there, the key is about that
    // selection.
    let view = scene.view;
    let is_elsewhere = match model.focus {
        Pane::Data => false,
        Pane::Graph => panes.graph.selected(&paint) != view.data.state,
        Pane::Timeline => panes.timeline.selected(&paint) != view.header.event,
        _ => true,
    };
    if is_elsewhere && matches!(subject, Subject::Odd(..)) {
        return String::new();
    }
    let about = (subject, panes.state.test(&paint));
    let is_selected = view.end.is_some() && panes.data.selected(&paint).is_some();
    subject::leads_to(view, scene.definition, &key, about, is_selected)
}

/// The pieces as sentences that fit into `size`, a number of columns and rows. Each piece has a long and shorter
/// versions; a sentence is cut only if not even the shorter versions fit. If there is a single row, a second sentence
/// is shown even if it has to be cut.
fn fitted(scene: &Scene, pieces: &[Piece], size: (usize, usize)) -> Vec<String> {
    let whole: Vec<Piece> = pieces.iter().cloned().map(Piece::uncut).collect();
    let cut = || fitting(scene, pieces, size);
    match fitting(scene, &whole, size) {
        Some(texts) if size.1 == 1 && texts.len() == 1 => {
            cut().filter(|cut| cut.len() > 1).unwrap_or(texts)
        }
        Some(texts) => texts,
        None => cut().unwrap_or_else(|| {
            // Not even the shortest versions of the sentences fit, for example because of a long name. Then only the
            // first sentence is shown, and its end is cut.
            let first = pieces.first().map_or("", Piece::shortest);
            vec![clip(first, size.0 * size.1, scene.brush.glyphs)]
        }),
    }
}

/// The pieces as sentences that fit into this many columns and rows; each piece is replaced by a shorter version of
/// itself if necessary. `None` if not even the shortest versions fit.
fn fitting(
    scene: &Scene,
    pieces: &[Piece],
    (columns, rows): (usize, usize),
) -> Option<Vec<String>> {
    let glyphs = scene.brush.glyphs;
    let texts = |pieces: &[Piece]| -> Vec<String> {
        let texts = pieces.iter().filter(|piece| !piece.text().is_empty());
        let texts = texts.map(|piece| clip(piece.text(), piece.cells(), glyphs));
        texts
            .map(|text| words(glyphs, &visible(&as_ended(&text))))
            .collect()
    };
    let fits = |pieces: &[Piece]| wrapped(&texts(pieces).join(" "), columns).len() <= rows;
    let mut pieces = pieces.to_vec();
    fit(&mut pieces, fits).then(|| texts(&pieces))
}

pub(super) fn draw(scene: &Scene, model: &Model, layout: &Layout, buffer: &mut Buffer) {
    let area = layout.banner;
    if area.is_empty() {
        return;
    }
    let is_beside = layout.place(Pane::State).is_some();
    let said = said(scene, model, is_beside);
    let columns = usize::from(area.width.saturating_sub(2));
    let texts = fitted(scene, &said.pieces, (columns, area.height.into()));
    // The first sentence is emphasized.
    let strong = scene.brush.style(said.role).add_modifier(Modifier::BOLD);
    let style = scene.brush.style(Role::Text);
    // Spaces are not counted, because wrapping drops spaces at line ends.
    let letters = |text: &str| text.chars().filter(|c| *c != ' ').count();
    let mut of_first = texts.first().map_or(0, |first| letters(first));
    let rows = wrapped(&texts.join(" "), columns);
    for (row, line) in (0_u16..).zip(rows).take(area.height.into()) {
        let mut places = line.char_indices().filter(|(_, c)| *c != ' ');
        let end = places.nth(of_first).map_or(line.len(), |(at, _)| at);
        let (head, rest) = line.split_at_checked(end).unwrap_or((&line, ""));
        of_first = of_first.saturating_sub(letters(head));
        let mut pen = Pen::new(area, area.y.saturating_add(row), buffer);
        pen.skip(1);
        pen.put(head, strong);
        pen.put(rest, style);
    }
}
