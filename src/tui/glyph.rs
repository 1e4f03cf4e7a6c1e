//! The symbols of the screen, in Unicode and in ASCII.

use crate::graph::{BoxType, EAST, Glyphs as Characters, WEST, line_glyph};
use crate::json::ChangeKind;
use crate::session::view::StateStatus;

/// The characters to draw the border of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxSet {
    /// `─`
    pub horizontal: &'static str,
    /// `│`
    pub vertical: &'static str,
    /// `┌`
    pub top_left: &'static str,
    /// `┐`
    pub top_right: &'static str,
    /// `└`
    pub bottom_left: &'static str,
    /// `┘`
    pub bottom_right: &'static str,
}

/// The text of a symbol.
type Sign = &'static str;

macro_rules! glyphs {
    ($($(#[$doc:meta])* $glyph:ident: $kind:ty, $unicode:expr, $ascii:expr;)*) => {
        /// All symbols of the screen in one character set. Symbols that are shown below each other have the same width.
        #[derive(Debug, PartialEq, Eq)]
        pub struct Glyphs { $($(#[$doc])* pub $glyph: $kind),* }

        /// The symbols in Unicode. Each character takes one cell and exists in common fonts.
        pub static UNICODE: Glyphs = Glyphs { $($glyph: $unicode),* };

        /// The symbols in ASCII, for terminals without Unicode.
        pub static ASCII: Glyphs = Glyphs { $($glyph: $ascii),* };
    };
}

glyphs! {
    /// True if all symbols of the set are ASCII characters.
    ascii: bool, false, true;
    /// Characters for the borders of panes and of states in the graph.
    border: BoxSet, LIGHT, PLUS;
    /// The border of the pane in focus.
    focus: BoxSet, HEAVY, EQUALS;
    /// Characters for the border of the current state in the graph.
    current: BoxSet, DOUBLE, HASHES;
    /// Shown before a value or state whose contents are hidden (folded); one cell.
    folded: Sign, "▸", ">";
    /// Shown before a value or state whose contents are shown (unfolded); one cell.
    unfolded: Sign, "▾", "v";
    /// Points at the current position of the run; two cells.
    here: Sign, "▶ ", "=>";
    /// Points at the current position of the run in a line that also shows a breakpoint; one cell.
    here_narrow: Sign, "▶", ">";
    /// An arrow, for example before the name of the next state.
    arrow: Sign, "→", "->";
    /// A transition that a catcher makes after an error.
    catch_arrow: Sign, "↝", "~>";
    /// An enabled breakpoint.
    breakpoint: Sign, "●", "*";
    /// A disabled breakpoint.
    breakpoint_off: Sign, "○", "o";
    /// A breakpoint with a condition.
    breakpoint_condition: Sign, "◆", "?";
    /// A log point, which is a breakpoint that writes a message instead of stopping the run.
    breakpoint_log: Sign, "◇", "L";
    /// A retry; followed by the numbers of used and of allowed retries.
    retry: Sign, "↻", "r";
    /// Shown where text was cut off.
    cut: Sign, "…", "..";
    /// The separator between parts of a line.
    dot: Sign, "·", "-";
    /// The multiplication sign.
    times: Sign, "×", "x";
    /// The token that moves along the edges of the graph during playback, one cell.
    token: Sign, "■", "O";
    /// The used part of a gauge.
    full: Sign, "█", "#";
    /// The free part of a gauge.
    empty: Sign, "░", ".";
    /// The part of the slider before the cursor.
    past: Sign, "━", "=";
    /// The knob of the slider.
    knob: Sign, "┃", "|";
    /// The recorded part of the slider after the cursor.
    future: Sign, "┄", "-";
    /// A vertical edge of the graph that the run did not take.
    dotted: Sign, "┊", ":";
    /// A horizontal edge of the graph that the run did not take.
    dotted_level: Sign, "┈", ".";
    /// Arrow heads of edges: down, up, left, right.
    heads: [Sign; 4], ["▼", "▲", "◀", "▶"], ["v", "^", "<", ">"];
    /// Shows that a pane has more content above, below, to the left or to the right. Differs from the arrow heads.
    more: [Sign; 4], ["↑", "↓", "←", "→"], ["A", "V", "{", "}"];
    /// Shown at a state or line that has a finding of `check`; one cell.
    finding: Sign, "△", "&";
    /// A state in the overview of the graph: if not reached, if reached, and if it is the current state.
    small: [Sign; 3], ["▫", "▪", "█"], ["o", "O", "@"];
}

const LIGHT: BoxSet = BoxSet::of(["─", "│", "┌", "┐", "└", "┘"]);
const HEAVY: BoxSet = BoxSet::of(["━", "┃", "┏", "┓", "┗", "┛"]);
const DOUBLE: BoxSet = BoxSet::of(["═", "║", "╔", "╗", "╚", "╝"]);
/// The characters of a border in ASCII.
pub(super) const PLUS: BoxSet = BoxSet::of(["-", "|", "+", "+", "+", "+"]);
const EQUALS: BoxSet = BoxSet::of(["=", "|", "+", "+", "+", "+"]);
const HASHES: BoxSet = BoxSet::of(["=", "#", "#", "#", "#", "#"]);

impl BoxSet {
    /// Makes a set from its six characters, in the order of the fields.
    const fn of(characters: [&'static str; 6]) -> Self {
        let [
            horizontal,
            vertical,
            top_left,
            top_right,
            bottom_left,
            bottom_right,
        ] = characters;
        Self {
            horizontal,
            vertical,
            top_left,
            top_right,
            bottom_left,
            bottom_right,
        }
    }
}

/// All statuses of a state, in the order of the legend. Each has an ASCII symbol and a Unicode symbol, both two cells
/// wide, and a word.
const STATUSES: [(StateStatus, Sign, Sign, &str); 11] = [
    (StateStatus::NotReached, "..", "· ", "not reached"),
    (StateStatus::Running, ">>", "▸ ", "running"),
    (StateStatus::Succeeded, "ok", "✓ ", "ok"),
    (StateStatus::ErrorRaised, "!!", "! ", "error raised"),
    (StateStatus::Retrying, "r ", "↻ ", "retrying"),
    (StateStatus::Caught, "~>", "↝ ", "caught"),
    (StateStatus::Failed, "XX", "✗ ", "failed"),
    (StateStatus::TimedOut, "XX", "✗ ", "timed out"),
    (StateStatus::Waiting, "zz", "◷ ", "waiting"),
    (StateStatus::Asking, "??", "? ", "waiting for an answer"),
    (StateStatus::Aborted, "--", "– ", "aborted"),
];

/// The ASCII symbol, the Unicode symbol and the word for a status.
fn look(status: StateStatus) -> (Sign, Sign, &'static str) {
    let row = STATUSES.iter().find(|row| row.0 == status);
    row.map_or(("", "", ""), |row| (row.1, row.2, row.3))
}

impl Glyphs {
    /// The ASCII set if `ascii` is true, otherwise the Unicode set.
    #[must_use]
    pub fn of(ascii: bool) -> &'static Self {
        if ascii { &ASCII } else { &UNICODE }
    }

    /// The character set, ASCII or Unicode, in which the graph is drawn.
    #[must_use]
    pub fn characters(&self) -> Characters {
        match self.ascii {
            true => Characters::Ascii,
            false => Characters::Unicode,
        }
    }

    /// Symbol that shows the status of a state; two cells.
    #[must_use]
    pub fn status(&self, status: StateStatus) -> &'static str {
        let (ascii, unicode, _) = look(status);
        if self.ascii { ascii } else { unicode }
    }

    /// Word for the status of a state, such as `running`.
    #[must_use]
    pub fn word(&self, status: StateStatus) -> &'static str {
        look(status).2
    }

    /// The symbols of the graph, each with its meaning.
    #[must_use]
    pub fn legend(&self) -> Vec<(String, &'static str)> {
        let sign = |sign: &str, word| (sign.trim_end().to_owned(), word);
        let statuses = STATUSES.iter();
        let statuses = statuses.map(|(status, _, _, word)| sign(self.status(*status), *word));
        let mut out: Vec<(String, &'static str)> = statuses.collect();
        let characters = self.characters();
        let types = [
            (BoxType::Choice, "Choice"),
            (BoxType::Wait, "Wait"),
            (BoxType::Succeed, "Succeed"),
            (BoxType::Fail, "Fail"),
            (BoxType::Parallel, "Parallel"),
            (BoxType::Map, "Map"),
        ];
        let marks = types
            .iter()
            .filter_map(|(kind, word)| kind.mark(characters).map(|mark| (mark.to_string(), *word)));
        out.extend(marks);
        let line = |dashed| line_glyph(EAST | WEST, dashed, characters).to_string();
        let (thin, dashed) = (line(false), line(true));
        let often = format!("{}20", self.times);
        let signs = [
            (self.focus.horizontal, "edge that was taken"),
            (&*thin, "edge that was not taken"),
            (&*dashed, "edge of a catcher"),
            (&*often, "edge taken 20 times"),
            (self.folded, "folded; Space unfolds"),
            (self.finding, "has a finding of check"),
            (self.small[0], "overview: not reached"),
            (self.small[1], "overview: reached"),
            (self.small[2], "overview: current"),
            (self.here, "current state"),
            (self.breakpoint, "breakpoint"),
            (self.breakpoint_off, "disabled breakpoint"),
            (self.breakpoint_condition, "conditional breakpoint"),
            (self.breakpoint_log, "logpoint"),
            (self.retry, "retries used/allowed"),
            (self.token, "current edge in playback"),
        ];
        out.extend(signs.iter().map(|(symbol, word)| sign(symbol, word)));
        out
    }

    /// Symbol for the way in which a value has changed, such as `+` for added; one cell.
    #[must_use]
    pub fn change(&self, kind: ChangeKind) -> &'static str {
        match kind {
            ChangeKind::Added => "+",
            ChangeKind::Removed => "-",
            ChangeKind::Changed => "~",
        }
    }

    /// A gauge such as `[##.]` for `used` of `max`, with one cell per unit but at most `limit` cells.
    #[must_use]
    pub fn gauge(&self, used: u64, max: u64, limit: u64) -> String {
        let cells = max.clamp(1, limit.max(1));
        let full = match max {
            0 => 0,
            _ => (u128::from(used.min(max)) * u128::from(cells)).div_ceil(u128::from(max)),
        };
        let full = usize::try_from(full).unwrap_or(0);
        let cells = usize::try_from(cells).unwrap_or(1);
        format!(
            "[{}{}]",
            self.full.repeat(full),
            self.empty.repeat(cells.saturating_sub(full))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn columns_keep_their_width() {
        for glyphs in [&UNICODE, &ASCII] {
            for (status, ..) in STATUSES {
                assert_eq!(glyphs.status(status).width(), 2, "{status:?}");
            }
            assert_eq!(glyphs.here.width(), 2);
            for glyph in [
                glyphs.folded,
                glyphs.unfolded,
                glyphs.breakpoint,
                glyphs.full,
            ] {
                assert_eq!(glyph.width(), 1);
            }
        }
        assert!(format!("{ASCII:?}").is_ascii());
    }

    #[test]
    fn gauges_do_not_grow() {
        assert_eq!(ASCII.gauge(2, 3, 8), "[##.]");
        assert_eq!(ASCII.gauge(0, 0, 8), "[.]");
        assert_eq!(ASCII.gauge(1, 99_999_999, 8), "[#.......]");
        assert_eq!(ASCII.gauge(u64::MAX, u64::MAX, 8), "[########]");
    }
}
