//! The position of everything on a screen of a given size, for drawing and for mouse clicks.
//!
//! It must not know what is displayed there.

mod area;
mod needs;

pub use area::{centred, holds};
pub use needs::{Heights, Needs};

use crate::tui::action::{Band, Pane};
use area::{cut_bottom, cut_top, divided, split};
use ratatui::layout::Rect;

/// Arrangement of the panes, chosen by size alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// From 150x38: six panes.
    Wide,
    /// From 100x28: four panes, one of them with tabs.
    Medium,
    /// From 64x18: the states and one pane.
    Compact,
    /// From 40x10: one pane without borders.
    Small,
    /// Nothing fits.
    TooSmall,
}

impl Arrangement {
    /// The arrangement for a size.
    #[must_use]
    pub fn of(columns: u16, rows: u16) -> Self {
        match (columns, rows) {
            (150.., 38..) => Self::Wide,
            (100.., 28..) => Self::Medium,
            (64.., 18..) => Self::Compact,
            (40.., 10..) => Self::Small,
            _ => Self::TooSmall,
        }
    }
}

impl Arrangement {
    /// Whether the graph has room for boxes.
    #[must_use]
    pub fn has_boxes(self) -> bool {
        !matches!(self, Self::TooSmall)
    }
}

/// Changes a person made to pane sizes: cells by which a pane is wider (two columns each) and higher than by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    grown: [i16; Pane::ALL.len()],
}

impl Sizes {
    /// Makes a pane larger or smaller.
    pub fn grow(&mut self, pane: Pane, by: i16) {
        if let Some(grown) = self.grown.get_mut(pane as usize) {
            *grown = grown.saturating_add(by).clamp(-40, 40);
        }
    }

    fn of(self, pane: Pane) -> i32 {
        self.grown.get(pane as usize).copied().unwrap_or(0).into()
    }
}

/// Inputs to an arrangement other than the screen's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The pane in focus.
    pub focus: Pane,
    /// The pane shown behind the tabs while the focus is elsewhere.
    pub tab: Pane,
    /// Only the pane in focus.
    pub zoom: bool,
    /// Whether to show only graph, caption and changed data: for a projector.
    pub present: bool,
    /// The changed sizes.
    pub sizes: Sizes,
    /// Size of the graph's drawing in cells, if some drawing fits.
    pub graph: Option<(u16, u16)>,
    /// Columns that the panes of the lower band need, where that is known.
    pub needs: Option<Needs>,
    /// Rows that the data and the state below it have, where that is known.
    pub heights: Option<Heights>,
    /// Rows that the message needs besides its own: the keys give one of theirs, the panes the others.
    pub more_message: u16,
}

impl Wish {
    /// How wide a drawing may be without taking much from the panes beside it, and how wide the graph pane of a screen
    /// of this size can be made for one that is wider.
    #[must_use]
    pub fn room_of_graph(columns: u16, rows: u16) -> (u16, u16) {
        let (usual, most) = match Arrangement::of(columns, rows) {
            Arrangement::Wide => (columns.min(240) / 3, percent(columns.min(240), 44)),
            _ => (percent(columns, 48), percent(columns, 56)),
        };
        (usual.saturating_sub(2), most.saturating_sub(2))
    }
}

/// So many rows the panes give to a long message.
const MOST_OF_PANES: u16 = 2;
/// Columns that a text needs to be read, its borders included.
const READABLE: i32 = 47;

fn percent(columns: u16, percent: u16) -> u16 {
    u16::try_from(u32::from(columns) * u32::from(percent) / 100).unwrap_or(columns)
}

/// A pane and its area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which pane.
    pub pane: Pane,
    /// Area including the border.
    pub outer: Rect,
    /// Area without the border.
    pub inner: Rect,
}

/// One tab and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabPlace {
    /// The pane it shows.
    pub pane: Pane,
    /// Its cells.
    pub area: Rect,
    /// Whether it is the one shown.
    pub shown: bool,
}

/// All areas of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which arrangement.
    pub kind: Arrangement,
    /// The whole screen.
    pub screen: Rect,
    /// The line at the top.
    pub header: Rect,
    /// The tabs, where there are some.
    pub tabs: Vec<TabPlace>,
    /// The panes that are seen.
    pub panes: Vec<Place>,
    /// Caption of the presentation arrangement.
    pub caption: Option<Rect>,
    /// Message line or prompt.
    pub message: Rect,
    /// Key hints.
    pub footer: Rect,
}

impl Layout {
    /// Arranges a screen of this size.
    #[must_use]
    pub fn of(screen: Rect, wish: Wish) -> Self {
        let kind = Arrangement::of(screen.width, screen.height);
        let mut layout = Self {
            kind,
            screen,
            header: Rect::default(),
            tabs: Vec::new(),
            panes: Vec::new(),
            caption: None,
            message: Rect::default(),
            footer: Rect::default(),
        };
        if kind == Arrangement::TooSmall {
            return layout;
        }
        let keys = if kind == Arrangement::Small && screen.height < 14 {
            1
        } else {
            2
        };
        let (header, rest) = cut_top(screen, 1);
        let (rest, footer) = cut_bottom(rest, keys);
        let of_keys = u16::from(wish.more_message > 0 && keys > 1);
        let of_panes = match of_keys {
            0 => 0,
            _ => (wish.more_message - of_keys).min(MOST_OF_PANES),
        };
        let rows = Self::message_rows(kind, screen) + of_panes;
        let (body, mut message) = cut_bottom(rest, rows);
        message.height += of_keys;
        let (_, footer) = cut_top(footer, of_keys);
        layout.header = header;
        layout.message = message;
        layout.footer = footer;
        match kind {
            _ if wish.present && screen.width >= 80 && screen.height >= 20 => {
                layout.present(body, wish);
            }
            Arrangement::Wide if wish.zoom => layout.zoomed(body, wish),
            Arrangement::Medium if wish.zoom => layout.zoomed(body, wish),
            Arrangement::Compact if wish.zoom => layout.zoomed(body, wish),
            Arrangement::Wide => layout.wide(body, wish),
            Arrangement::Medium => layout.medium(body, wish),
            Arrangement::Compact => layout.compact(body, wish),
            Arrangement::Small | Arrangement::TooSmall => layout.small(body, wish),
        }
        layout
    }

    /// How many rows the message has: always as many, so that nothing jumps from step to step.
    fn message_rows(kind: Arrangement, screen: Rect) -> u16 {
        match kind {
            Arrangement::Wide | Arrangement::Medium => 2,
            Arrangement::Compact => 3,
            _ if screen.height >= 14 => 2,
            _ => 1,
        }
    }

    /// The pane whose place holds this cell.
    #[must_use]
    pub fn hit(&self, column: u16, row: u16) -> Option<Place> {
        self.panes
            .iter()
            .copied()
            .find(|place| holds(place.outer, column, row))
    }

    /// The tab that holds this cell.
    #[must_use]
    pub fn hit_tab(&self, column: u16, row: u16) -> Option<Pane> {
        self.tabs
            .iter()
            .find(|tab| holds(tab.area, column, row))
            .map(|tab| tab.pane)
    }

    /// The place of a pane, while it is seen.
    #[must_use]
    pub fn place(&self, pane: Pane) -> Option<Place> {
        self.panes.iter().copied().find(|place| place.pane == pane)
    }

    /// Whether panes have borders.
    #[must_use]
    pub fn borders(&self) -> bool {
        self.kind != Arrangement::Small
    }

    fn put(&mut self, pane: Pane, outer: Rect) {
        let inner = Rect {
            x: outer.x.saturating_add(1),
            y: outer.y.saturating_add(1),
            width: outer.width.saturating_sub(2),
            height: outer.height.saturating_sub(2),
        };
        self.panes.push(Place { pane, outer, inner });
    }

    fn zoomed(&mut self, body: Rect, wish: Wish) {
        self.put(wish.focus, body);
    }

    fn wide(&mut self, body: Rect, wish: Wish) {
        let sizes = wish.sizes;
        let band = |band: Band| -> Vec<Pane> {
            let panes = Pane::ALL.into_iter();
            panes.filter(|pane| pane.band() == band).collect()
        };
        let (upper, lower) = (band(Band::Upper), band(Band::Lower));
        let grown = |panes: &[Pane]| panes.iter().map(|pane| sizes.of(*pane)).sum::<i32>();
        let [above, below] = split(
            body.height,
            [
                (i32::from(body.height) * 62 / 100 + grown(&upper), 8),
                (i32::from(body.height) * 38 / 100 + grown(&lower), 6),
            ],
        );
        let (above, below) = (
            Rect {
                height: above,
                ..body
            },
            Rect {
                y: body.y.saturating_add(above),
                height: below,
                ..body
            },
        );
        // Beyond 240 columns the data takes the surplus.
        let usual = i32::from(body.width.min(240));
        let surplus = i32::from(body.width) - usual;
        let share = |pane: &Pane| {
            let least = match pane {
                Pane::Source if usual >= 160 => READABLE,
                _ => 20,
            };
            (usual * pane.share() / 100 + 2 * sizes.of(*pane), least)
        };
        let mut columns: Vec<(i32, i32)> = upper.iter().map(share).collect();
        // A drawing that nearly fits gets its columns from the source, of a wide one the data gives a third.
        if let Some((needed, _)) = wish.graph {
            let more = (i32::from(needed) + 2 - usual * Pane::Graph.share() / 100).max(0);
            let beyond = (i32::from(needed) + 2 - usual / 3).max(0) / 3;
            for (pane, (wanted, _)) in upper.iter().zip(&mut columns) {
                *wanted += match pane {
                    Pane::Graph => more,
                    Pane::Source => beyond - more,
                    Pane::Data => -beyond,
                    _ => 0,
                };
            }
        }
        // What the source needs to be read, the data gives.
        let mut lacking = 0;
        for (wanted, least) in &mut columns {
            lacking += (*least - *wanted).max(0);
            *wanted = (*wanted).max(*least);
        }
        let data = upper.iter().position(|pane| *pane == Pane::Data);
        if let Some((wanted, _)) = data.and_then(|place| columns.get_mut(place)) {
            *wanted -= lacking;
        }
        self.row(above, &upper, columns, surplus);
        let mut columns: Vec<(i32, i32)> = lower.iter().map(share).collect();
        if let Some(needs) = wish.needs {
            let [timeline, state, breakpoints] = needs.share(usual);
            for (pane, (wanted, _)) in lower.iter().zip(&mut columns) {
                *wanted = 2 * sizes.of(*pane)
                    + match pane {
                        Pane::Timeline => timeline,
                        Pane::State => state,
                        _ => breakpoints,
                    };
            }
        }
        self.row(below, &lower, columns, surplus);
    }

    /// Panes side by side, each with the columns it wants and the least it can do with; the last takes the surplus.
    fn row(&mut self, area: Rect, panes: &[Pane], mut wanted: Vec<(i32, i32)>, surplus: i32) {
        if let Some((last, _)) = wanted.last_mut() {
            *last += surplus;
        }
        let mut x = area.x;
        for (pane, width) in panes.iter().zip(divided(area.width, &wanted)) {
            self.put(*pane, Rect { x, width, ..area });
            x = x.saturating_add(width);
        }
    }

    fn medium(&mut self, body: Rect, wish: Wish) {
        let sizes = wish.sizes;
        // The data has a place of its own here; the panes of the lower band come first.
        let others = || {
            Pane::ALL
                .into_iter()
                .filter(|pane| pane.can_be_a_tab() && *pane != Pane::Data)
        };
        let of = |band: Band| others().filter(move |pane| pane.band() == band);
        let tabbed: Vec<Pane> = of(Band::Lower).chain(of(Band::Upper)).collect();
        let tab = Self::shown(wish, &tabbed, Pane::State);
        let wide = |pane: Pane| 2 * sizes.of(pane);
        // A drawing that is too wide for a half gets columns from the other.
        let half = i32::from(percent(body.width, 48));
        let half = wish
            .graph
            .map_or(half, |(needed, _)| half.max(i32::from(needed) + 2));
        let [left, right] = split(
            body.width,
            [
                (half + wide(Pane::Graph) + wide(Pane::Timeline), 24),
                (
                    i32::from(body.width) - half + wide(Pane::Data) + wide(tab),
                    24,
                ),
            ],
        );
        let high = i32::from(body.height);
        let rows = |above: Pane, percent: i32, below: Pane| {
            split(
                body.height,
                [
                    (high * percent / 100 + sizes.of(above), 5),
                    (high * (100 - percent) / 100 + sizes.of(below), 5),
                ],
            )
        };
        // A drawing that nearly fits gets its rows from the timeline, and gives it those that it does not need.
        let percent = wish.graph.map_or(62, |(_, needed)| {
            (i32::from(needed) + 2)
                .saturating_mul(100)
                .div_euclid(high.max(1))
                .saturating_add(1)
                .clamp(45, 72)
        });
        let [graph, timeline] = rows(Pane::Graph, percent, Pane::Timeline);
        let [mut data, mut lower] = rows(Pane::Data, 55, tab);
        let unchanged = sizes.of(Pane::Data) == 0 && sizes.of(tab) == 0;
        if let Some(rows) = wish.heights.filter(|_| tab == Pane::State && unchanged) {
            data = rows.share(body.height);
            lower = body.height - data;
        }
        let right_x = body.x.saturating_add(left);
        let at = |x, y: u16, width, height| Rect {
            x,
            y: body.y.saturating_add(y),
            width,
            height,
        };
        self.put(Pane::Graph, at(body.x, 0, left, graph));
        self.put(Pane::Timeline, at(body.x, graph, left, timeline));
        self.put(Pane::Data, at(right_x, 0, right, data));
        let outer = at(right_x, data, right, lower);
        self.put(tab, outer);
        // The tabs stand in the upper border, at its right.
        let line = Rect {
            x: outer.x.saturating_add(1),
            height: 1,
            width: outer.width.saturating_sub(2),
            ..outer
        };
        let wanted: u16 = tabbed.iter().map(|pane| tab_width(*pane)).sum();
        let line = Rect {
            x: line.right().saturating_sub(wanted.min(line.width)),
            width: wanted.min(line.width),
            ..line
        };
        self.tab_bar(line, &tabbed, tab);
    }

    fn compact(&mut self, body: Rect, wish: Wish) {
        let (bar, body) = cut_top(body, 1);
        let shown = if wish.focus == Pane::Graph {
            if wish.tab == Pane::Graph {
                Pane::Data
            } else {
                wish.tab
            }
        } else {
            wish.focus
        };
        let (graph, other) = (wish.sizes.of(Pane::Graph), wish.sizes.of(shown));
        let third = i32::from(body.width) * 30 / 100;
        // A drawing that needs more gets it as far as the values beside it can still be read.
        let most = i32::from(body.width) * 42 / 100;
        let needed = wish.graph.map_or(0, |(needed, _)| i32::from(needed) + 2);
        let third = third.max(needed.min(most));
        let [left, right] = split(
            body.width,
            [
                (third + 2 * graph, 18),
                (i32::from(body.width) - third + 2 * other, 30),
            ],
        );
        self.side_by_side(body, [left, right], shown, wish);
        self.tab_bar(bar, &Pane::ALL, wish.focus);
    }

    /// The graph at the left, another pane beside it; below the data, what follows for the state.
    fn side_by_side(&mut self, body: Rect, [left, right]: [u16; 2], shown: Pane, wish: Wish) {
        let graph = Rect {
            width: left,
            ..body
        };
        let beside = Rect {
            x: body.x.saturating_add(left),
            width: right,
            ..body
        };
        self.put(Pane::Graph, graph);
        let data = match wish.heights.filter(|_| shown == Pane::Data) {
            Some(rows) => rows.share_if_there_is_room(body.height),
            None => body.height,
        };
        let (above, below) = cut_top(beside, data);
        self.put(shown, above);
        if !below.is_empty() {
            self.put(Pane::State, below);
        }
    }

    fn small(&mut self, body: Rect, wish: Wish) {
        let (bar, body) = cut_top(body, 1);
        self.tab_bar(bar, &Pane::ALL, wish.focus);
        self.panes.push(Place {
            pane: wish.focus,
            outer: body,
            inner: body,
        });
    }

    fn present(&mut self, body: Rect, wish: Wish) {
        let (body, caption) = cut_bottom(body, 3);
        self.caption = Some(caption);
        let (graph, data) = (wish.sizes.of(Pane::Graph), wish.sizes.of(Pane::Data));
        let half = i32::from(body.width) * 55 / 100;
        let [left, right] = split(
            body.width,
            [
                (half + 2 * graph, 24),
                (i32::from(body.width) - half + 2 * data, 24),
            ],
        );
        let shown = if wish.focus == Pane::Graph {
            Pane::Data
        } else {
            wish.focus
        };
        self.side_by_side(
            body,
            [left, right],
            shown,
            Wish {
                heights: None,
                ..wish
            },
        );
    }

    fn shown(wish: Wish, tabbed: &[Pane], first: Pane) -> Pane {
        [wish.focus, wish.tab]
            .into_iter()
            .find(|pane| tabbed.contains(pane))
            .unwrap_or(first)
    }

    fn tab_bar(&mut self, line: Rect, panes: &[Pane], shown: Pane) {
        let wanted: u16 = panes.iter().map(|pane| tab_width(*pane)).sum();
        let full = wanted <= line.width;
        let mut x = line.x;
        for pane in panes {
            let width = if full { tab_width(*pane) } else { 3 };
            if x.saturating_add(width) > line.right() {
                break;
            }
            self.tabs.push(TabPlace {
                pane: *pane,
                area: Rect { x, width, ..line },
                shown: *pane == shown,
            });
            x = x.saturating_add(width);
        }
    }
}

/// Columns of `[5 State]`.
fn tab_width(pane: Pane) -> u16 {
    u16::try_from(pane.short_name().len())
        .unwrap_or(8)
        .saturating_add(5)
}

#[cfg(test)]
mod tests;
