//! Divides the screen into areas for the panes and the lines around them. Drawing uses the areas, and so does finding
//! what was clicked. They depend on the screen size and the user's choices but never on the run, so that nothing moves
//! while the user steps.

use super::action::Pane;
use ratatui::layout::{Margin, Rect};

/// Arrangement of the panes. It depends only on the screen size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// From 150 columns and 38 rows: six panes.
    Wide,
    /// From 100 columns and 28 rows: four panes, one of them with tabs.
    Medium,
    /// From 64 columns and 18 rows: the graph and one other pane.
    Compact,
    /// From 40 columns and 10 rows: one pane without borders.
    Small,
    /// The screen is too small for any pane.
    TooSmall,
}

impl Arrangement {
    /// The arrangement for a screen size.
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

/// The user's changes of pane sizes: for each pane, the number of rows by which the pane is higher than by default. The
/// pane is also wider than by default, by twice this number of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    grown: [i16; Pane::ALL.len()],
}

impl Sizes {
    /// Makes a pane larger, or smaller if `by` is negative.
    pub fn grow(&mut self, pane: Pane, by: i16) {
        if let Some(grown) = self.grown.get_mut(pane as usize) {
            *grown = grown.saturating_add(by).clamp(-40, 40);
        }
    }

    fn of(self, pane: Pane) -> i32 {
        self.grown.get(pane as usize).copied().unwrap_or(0).into()
    }
}

/// The user's choices that affect the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The focused pane.
    pub focus: Pane,
    /// Some panes are tabs that share one area. This is the tab to show there while a pane outside this area has the
    /// focus.
    pub tab: Pane,
    /// True if only the focused pane is shown.
    pub zoom: bool,
    /// True if only the graph, the banner and the changed data are shown, for a presentation.
    pub present: bool,
    /// Pane sizes that the user has changed.
    pub sizes: Sizes,
    /// True if there are breakpoints or watches. If not, the breakpoints pane is shown only while it has the focus.
    pub points: bool,
    /// True if the banner has three rows, however high the screen is.
    pub whole_banner: bool,
    /// True if some rows above the key hints show the current step of the tour.
    pub tour: bool,
}

/// Number of columns that the source pane needs to show a usual line, including the borders.
const READABLE: i32 = 47;
/// Percentages of the screen's columns that the graph pane and the data pane get in the arrangement with six panes.
const SHARES: (i32, i32) = (33, 38);
/// Percentage of the screen's columns that the breakpoints pane gets in the arrangement with six panes.
const POINTS: i32 = 30;

fn percent(whole: u16, percent: i32) -> i32 {
    i32::from(whole) * percent / 100
}

/// A visible pane and its area on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The pane.
    pub pane: Pane,
    /// Area including the border, which the pane shares with adjacent panes.
    pub outer: Rect,
    /// Area without the border.
    pub inner: Rect,
}

/// A tab, which the user can click to show its pane, and its area on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabPlace {
    /// The pane that a click on the tab shows.
    pub pane: Pane,
    /// Area of the tab on the screen.
    pub area: Rect,
    /// True if the pane of the tab is shown.
    pub shown: bool,
}

/// The areas of all panes and other parts of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The arrangement of the panes.
    pub kind: Arrangement,
    /// The whole screen.
    pub screen: Rect,
    /// Area of the header, one row.
    pub header: Rect,
    /// Area of the banner, which says what happened and why.
    pub banner: Rect,
    /// The tabs, if any.
    pub tabs: Vec<TabPlace>,
    /// The visible panes.
    pub panes: Vec<Place>,
    /// Area for the current step of the tour; empty if there is no tour.
    pub tour: Rect,
    /// Area for the prompt or a temporary message, one row.
    pub message: Rect,
    /// Area for the key hints, one row.
    pub footer: Rect,
}

impl Layout {
    /// Divides a screen of this size according to the user's choices.
    #[must_use]
    pub fn of(screen: Rect, wish: Wish) -> Self {
        let kind = Arrangement::of(screen.width, screen.height);
        let mut layout = Self {
            kind,
            screen,
            header: Rect::default(),
            banner: Rect::default(),
            tabs: Vec::new(),
            panes: Vec::new(),
            tour: Rect::default(),
            message: Rect::default(),
            footer: Rect::default(),
        };
        if kind == Arrangement::TooSmall {
            return layout;
        }
        let is_present = wish.present && screen.width >= 80 && screen.height >= 20;
        let of_banner = match screen.height {
            _ if wish.whole_banner || is_present => 3,
            25.. => 2,
            _ => 1,
        };
        let (header, rest) = cut_top(screen, 1);
        let (banner, rest) = cut_top(rest, of_banner);
        let (rest, footer) = cut_bottom(rest, 1);
        // On a screen with few rows, messages have no row of their own and cover the key hints.
        let (body, message) = match screen.height {
            14.. => cut_bottom(rest, 1),
            _ => (rest, footer),
        };
        let of_tour = match screen.height {
            22.. if wish.tour => 5,
            14.. if wish.tour => 3,
            _ => 0,
        };
        let (body, tour) = cut_bottom(body, of_tour);
        layout.tour = tour;
        layout.header = header;
        layout.banner = banner;
        layout.message = message;
        layout.footer = footer;
        match kind {
            _ if is_present => layout.beside_graph(body, (percent(body.width, 55), 24), wish),
            Arrangement::Wide | Arrangement::Medium | Arrangement::Compact if wish.zoom => {
                layout.put(wish.focus, body);
            }
            Arrangement::Wide => layout.wide(body, wish),
            Arrangement::Medium => layout.medium(body, wish),
            Arrangement::Compact => layout.compact(body, wish),
            Arrangement::Small | Arrangement::TooSmall => layout.small(body, wish),
        }
        layout
    }

    /// The pane at a cell. A border that two panes share belongs to the lower or the right one.
    #[must_use]
    pub fn hit(&self, column: u16, row: u16) -> Option<Place> {
        let of = |area: fn(&Place) -> Rect| {
            let mut places = self.panes.iter().rev().copied();
            places.find(|place| holds(area(place), column, row))
        };
        of(|place| place.inner).or_else(|| of(|place| place.outer))
    }

    /// The pane of the tab at a cell.
    #[must_use]
    pub fn hit_tab(&self, column: u16, row: u16) -> Option<Pane> {
        self.tabs
            .iter()
            .find(|tab| holds(tab.area, column, row))
            .map(|tab| tab.pane)
    }

    /// The areas of a pane, if the pane is visible.
    #[must_use]
    pub fn place(&self, pane: Pane) -> Option<Place> {
        self.panes.iter().copied().find(|place| place.pane == pane)
    }

    /// True if the panes have borders in this arrangement.
    #[must_use]
    pub fn borders(&self) -> bool {
        self.kind != Arrangement::Small
    }

    fn put(&mut self, pane: Pane, outer: Rect) {
        let inner = outer.inner(Margin::new(1, 1));
        self.panes.push(Place { pane, outer, inner });
    }

    fn wide(&mut self, body: Rect, wish: Wish) {
        let grown = |pane: Pane| wish.sizes.of(pane);
        let upper = [Pane::Graph, Pane::Source, Pane::Data];
        let is_seen = |pane: &Pane| {
            *pane != Pane::Breakpoints || wish.points || wish.focus == Pane::Breakpoints
        };
        let lower: Vec<Pane> = Pane::LOWER.into_iter().filter(is_seen).collect();
        let rows = |panes: &[Pane]| panes.iter().map(|pane| grown(*pane)).sum::<i32>();
        let (above, below) = stacked(
            body,
            (percent(body.height, 60) + rows(&upper), 8),
            (percent(body.height, 40) + rows(&lower), 6),
        );
        // The graph and the source pane get a percentage of the columns, but of 240 columns at most. All further
        // columns go to the data pane.
        let usual = body.width.min(240);
        let (graph, data) = (percent(usual, SHARES.0), percent(usual, SHARES.1));
        let source = (i32::from(usual) - graph - data).max(READABLE);
        let data = i32::from(body.width) - graph - source;
        let wide = |pane: Pane, wanted: i32| (wanted + 2 * grown(pane), 20);
        let columns = [
            wide(Pane::Graph, graph),
            wide(Pane::Source, source),
            wide(Pane::Data, data),
        ];
        self.row(above, &upper, &columns);
        let points = percent(usual, POINTS);
        let columns = lower.iter().map(|pane| match pane {
            Pane::Timeline if lower.len() > 2 => wide(*pane, graph + source - points),
            Pane::Timeline => wide(*pane, graph + source),
            Pane::Breakpoints => wide(*pane, points),
            _ => wide(*pane, data),
        });
        let columns: Vec<(i32, i32)> = columns.collect();
        self.row(below, &lower, &columns);
    }

    /// Places panes side by side in `area`. For each pane, `wanted` has the wished and the minimum number of columns.
    fn row(&mut self, area: Rect, panes: &[Pane], wanted: &[(i32, i32)]) {
        let shared = u16::try_from(panes.len().saturating_sub(1)).unwrap_or(0);
        let mut x = area.x;
        let widths = divided(area.width.saturating_add(shared), wanted);
        for (pane, width) in panes.iter().zip(widths) {
            self.put(*pane, Rect { x, width, ..area });
            x = x.saturating_add(width).saturating_sub(1);
        }
    }

    fn medium(&mut self, body: Rect, wish: Wish) {
        let grown = |pane: Pane| wish.sizes.of(pane);
        // The data pane has its own area. The other panes that can be tabs share one area, which shows `tab`.
        let mut tabs = [wish.focus, wish.tab].into_iter();
        let tab = tabs.find(|pane| Pane::TABBED.contains(pane));
        let tab = tab.unwrap_or(Pane::State);
        let wide = |share: i32, above: Pane, below: Pane| {
            percent(body.width, share) + 2 * (grown(above) + grown(below))
        };
        let left = wide(48, Pane::Graph, Pane::Timeline);
        let right = wide(52, Pane::Data, tab);
        let (left, right) = beside(body, (left, 24), (right, 24));
        let rows = |column: Rect, above: Pane, below: Pane| {
            stacked(
                column,
                (percent(body.height, 58) + grown(above), 5),
                (percent(body.height, 42) + grown(below), 5),
            )
        };
        let (graph, timeline) = rows(left, Pane::Graph, Pane::Timeline);
        let (data, outer) = rows(right, Pane::Data, tab);
        self.put(Pane::Graph, graph);
        self.put(Pane::Data, data);
        self.put(Pane::Timeline, timeline);
        self.put(tab, outer);
        // The tabs are in the upper border of the area that they share, at the right.
        let room = outer.width.saturating_sub(2);
        let wanted: u16 = Pane::TABBED.iter().map(|pane| tab_width(*pane)).sum();
        let width = wanted.min(room);
        let x = outer.right().saturating_sub(1 + width);
        let line = Rect::new(x, outer.y, width, 1);
        self.tab_bar(line, &Pane::TABBED, tab);
    }

    fn compact(&mut self, body: Rect, wish: Wish) {
        let (bar, body) = cut_top(body, 1);
        self.beside_graph(body, (percent(body.width, 36), 18), wish);
        self.tab_bar(bar, &Pane::ALL, wish.focus);
    }

    /// Places the graph at the left, and beside it the focused pane or, if the graph has the focus, the pane that was
    /// last shown as a tab. The graph gets `columns` columns, but at least `least`.
    fn beside_graph(&mut self, body: Rect, (columns, least): (i32, i32), wish: Wish) {
        let shown = [wish.focus, wish.tab, Pane::Data];
        let shown = shown.into_iter().find(|pane| *pane != Pane::Graph);
        let shown = shown.unwrap_or(Pane::Data);
        let grown = |pane: Pane| 2 * wish.sizes.of(pane);
        let (left, right) = beside(
            body,
            (columns + grown(Pane::Graph), least),
            (i32::from(body.width) - columns + grown(shown), 30),
        );
        self.put(Pane::Graph, left);
        self.put(shown, right);
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

/// Divides an area into an upper and a lower part, which share one row for their border. Each part is given as its
/// wished and its minimum number of rows.
fn stacked(area: Rect, above: (i32, i32), below: (i32, i32)) -> (Rect, Rect) {
    let [height, rest] = split(area.height.saturating_add(1), [above, below]);
    let y = area.y.saturating_add(height).saturating_sub(1);
    let below = Rect::new(area.x, y, area.width, rest);
    (Rect { height, ..area }, below)
}

/// Divides an area into a left and a right part, which share one column for their border. Each part is given as its
/// wished and its minimum number of columns.
fn beside(area: Rect, left: (i32, i32), right: (i32, i32)) -> (Rect, Rect) {
    let [width, rest] = split(area.width.saturating_add(1), [left, right]);
    let x = area.x.saturating_add(width).saturating_sub(1);
    let right = Rect::new(x, area.y, rest, area.height);
    (Rect { width, ..area }, right)
}

/// Width of a tab such as `[5 State]`.
fn tab_width(pane: Pane) -> u16 {
    u16::try_from(pane.short_name().len())
        .unwrap_or(8)
        .saturating_add(5)
}

/// True if a rectangle contains a cell.
#[must_use]
pub fn holds(area: Rect, column: u16, row: u16) -> bool {
    (area.left()..area.right()).contains(&column) && (area.top()..area.bottom()).contains(&row)
}

pub(super) fn cut_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let height = rows.min(area.height);
    let y = area.y.saturating_add(height);
    let rest = Rect::new(area.x, y, area.width, area.height - height);
    (Rect { height, ..area }, rest)
}

pub(super) fn cut_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    cut_top(area, area.height.saturating_sub(rows))
}

pub(super) fn cut_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let width = columns.min(area.width);
    let x = area.x.saturating_add(width);
    let rest = Rect::new(x, area.y, area.width - width, area.height);
    (Rect { width, ..area }, rest)
}

/// Divides `total` cells into parts. Each part is given as its wished and its minimum size. If the wished sizes do not
/// add up to `total`, all parts become larger or smaller; the last part gets what remains.
pub(super) fn split<const N: usize>(total: u16, parts: [(i32, i32); N]) -> [u16; N] {
    let mut sizes = divided(total, &parts).into_iter();
    parts.map(|_| sizes.next().unwrap_or(0))
}

/// Like [`split`] for any number of parts.
pub(super) fn divided(total: u16, parts: &[(i32, i32)]) -> Vec<u16> {
    let total = i32::from(total);
    let wanted: i32 = parts.iter().map(|(wish, least)| (*wish).max(*least)).sum();
    let mut left = total;
    let mut result = Vec::with_capacity(parts.len());
    for (place, (wish, least)) in parts.iter().copied().enumerate() {
        let size = if place + 1 == parts.len() {
            left
        } else {
            let after: i32 = parts.iter().skip(place + 1).map(|(_, least)| *least).sum();
            let scaled = wish.max(least) * total / wanted.max(1);
            scaled.max(least).min(left - after).clamp(0, left.max(0))
        };
        let size = u16::try_from(size).unwrap_or(0);
        left -= i32::from(size);
        result.push(size);
    }
    result
}

/// A rectangle of at most this size in the centre of the screen.
#[must_use]
pub fn centred(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width), height.min(screen.height));
    let x = screen.x.saturating_add((screen.width - width) / 2);
    let y = screen.y.saturating_add((screen.height - height) / 2);
    Rect::new(x, y, width, height)
}

#[cfg(test)]
mod tests;
