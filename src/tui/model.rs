//! The part of the screen that does not depend on the run: focus, sizes, popups, typed text, and the panes with their
//! scroll positions and selections.

use super::action::Pane;
use super::caption::Said;
use super::layout::{Sizes, Wish};
use super::line::Line;
use super::pane::{Level, Token};
use super::panes::Panes;
use super::popup::Popup;
use super::subject::Asked;
use super::theme::Role;
use super::tour::Tour;
use crate::definition::StateId;
use crate::interpreter::{Edge, FrameId};
use crate::session::Command;
use crate::session::view::View;
use std::time::{Duration, Instant};

/// A text for the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Style role, which determines the colour of the text.
    pub role: Role,
}

/// The text that a prompt asks the user to type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A command.
    Command,
    /// An expression for a new watch.
    Watch,
    /// An expression to evaluate; its value is shown while typing.
    Evaluate,
    /// A text to find in the pane in focus.
    Find,
}

impl PromptKind {
    /// The symbol shown before the typed text; it tells the kinds of prompts apart.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Command => ":",
            Self::Watch => "watch",
            Self::Evaluate => "=",
            Self::Find => "/",
        }
    }
}

/// The prompt: a line in which the user types.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The kind of input that the prompt asks for.
    pub kind: PromptKind,
    /// The typed line.
    pub line: Line,
    /// True while the line is a suggestion that the user has not changed. The first typed character then replaces the
    /// suggestion, unless it continues the expression, such as `.` or `=`.
    pub offered: bool,
    /// Lines shown above the prompt: completions, or the value of the typed expression.
    pub notes: Vec<(String, Role)>,
    /// If the line is from the command history, its index there; `None` if it is newly typed.
    pub history: Option<usize>,
    /// While Tab cycles through candidates: the position in the line at which the candidate begins, the candidates, and
    /// the index of the shown candidate.
    pub completing: Option<(usize, Vec<String>, usize)>,
}

impl Prompt {
    /// Removes the suggested text when `first` is typed, unless this character continues the suggested expression.
    pub fn give_way(&mut self, first: char) {
        let goes_on = " .=<>+&|?".contains(first);
        if std::mem::take(&mut self.offered) && !goes_on {
            self.line = Line::new("");
        }
    }
}

/// Playback: automatic stepping through the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Speed of playback, as a factor; at 1, each step takes 0.9 seconds.
    pub factor: f64,
    /// Time at which the next step is due.
    pub next: Instant,
    /// True while playback is paused.
    pub paused: bool,
    /// The transition that the last step made, while the graph shows it as an animation.
    pub travel: Option<Travel>,
}

/// A transition between two states, which the graph shows as a moving token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// The state that was left.
    pub from: StateId,
    /// The edge of the graph that the token moves along.
    pub edge: Edge,
    /// Time at which the state was left.
    pub since: Instant,
}

impl Play {
    /// Time between two drawings of the animation.
    pub(super) const FRAME: Duration = Duration::from_millis(60);

    /// Time at which the next drawing of the animation or the next step is due.
    pub(super) fn due(&self) -> Instant {
        match self.travel {
            Some(_) => self.next.min(Instant::now() + Self::FRAME),
            None => self.next,
        }
    }

    /// The position of the animated token at the time `now`; `None` if no transition is animated.
    pub(super) fn token(&self, now: Instant) -> Option<Token> {
        let Travel { from, edge, since } = self.travel.filter(|_| !self.paused)?;
        let whole = self.next.saturating_duration_since(since).as_secs_f64();
        let gone = now.saturating_duration_since(since).as_secs_f64();
        let way = (gone / whole.max(0.001)).clamp(0.0, 1.0);
        Some(Token { from, edge, way })
    }

    /// Time that a step takes at speed 1.
    pub(super) const BEAT: Duration = Duration::from_millis(900);

    /// Starts playback now, with the speed `factor`.
    #[must_use]
    pub fn starting(factor: f64) -> Self {
        Self {
            // A factor that is not finite would stop the clock.
            factor: if factor.is_finite() { factor } else { 1.0 },
            next: Instant::now() + Self::BEAT,
            paused: false,
            travel: None,
        }
    }
}

/// Everything that determines what the screen shows, apart from the run itself.
#[derive(Debug, Default)]
pub struct Model {
    /// The pane in focus.
    pub focus: Pane,
    /// Some panes are tabs that share one area. This is the tab shown there while a pane outside this area has the
    /// focus.
    pub tab: Pane,
    /// True if only the focused pane is shown.
    pub zoom: bool,
    /// True if the screen is arranged for a presentation.
    pub present: bool,
    /// The user's changes of pane sizes.
    pub sizes: Sizes,
    /// The level of detail of the data pane.
    pub level: Level,
    /// All panes, with their scroll positions and selections.
    pub panes: Panes,
    /// The open popup.
    pub popup: Option<Popup>,
    /// The open prompt.
    pub prompt: Option<Prompt>,
    /// A message about the last action; the next key removes it.
    pub message: Option<Message>,
    /// The answer to the user's question where a value comes from; the banner shows the answer until the cursor moves
    /// or the run continues.
    pub explained: Option<Said>,
    /// True if the banner has three rows, however high the screen is.
    pub whole_banner: bool,
    /// Commands that were typed, oldest first.
    pub history: Vec<String>,
    /// Text that the user searched for last.
    pub wanted: String,
    /// True if the terminal reports mouse events.
    pub mouse: bool,
    /// The focused frame of an earlier stop, if the run then stopped in another frame. A key moves the focus back to
    /// it.
    pub frame_before: Option<FrameId>,
    /// Time of the last Ctrl-C that had nothing to interrupt. A second one soon after it quits the program.
    pub interrupted: Option<Instant>,
    /// Playback, which steps automatically; `None` if it is off.
    pub play: Option<Play>,
    /// While the user drags a border: the pane of this border, and the last mouse position as column and row.
    pub drag: Option<(Pane, u16, u16)>,
    /// The state that the user clicked last, and the time of the click.
    pub clicked: Option<(StateId, Instant)>,
    /// The tour, while it is active.
    pub tour: Option<Tour>,
    /// The user's last question about the origin of a value that a row of the state pane reads. The front end uses it
    /// to select this row again later.
    pub asked: Option<Asked>,
}

impl Model {
    /// If the cursor is at the event where the user asked for an origin, selects the row in [`Self::asked`] again.
    pub(super) fn return_to_asked(&mut self, view: &View) {
        let asked = self.asked.as_mut();
        if let Some(row) = asked.and_then(|asked| asked.arrived(view)) {
            self.panes.state.select(view.data.state, row);
            self.focus_on(Pane::State);
        }
    }

    /// The user's choices that affect the layout.
    #[must_use]
    pub fn wish(&self) -> Wish {
        Wish {
            focus: self.focus,
            tab: self.tab,
            zoom: self.zoom,
            present: self.present,
            sizes: self.sizes,
            points: false,
            whole_banner: self.whole_banner,
            tour: self.tour.is_some(),
        }
    }

    /// Moves the focus to a pane.
    pub fn focus_on(&mut self, pane: Pane) {
        if pane.can_be_a_tab() {
            self.tab = pane;
        }
        self.focus = pane;
    }

    /// The pane after the focused pane in the order of their numbers if `forward` is true, otherwise the pane before
    /// it.
    #[must_use]
    pub fn neighbour(&self, forward: bool) -> Pane {
        let count = Pane::ALL.len();
        let step = if forward { 1 } else { count - 1 };
        let place = (self.focus as usize + step) % count;
        Pane::ALL.get(place).copied().unwrap_or_default()
    }

    /// Shows a text in the message line.
    pub fn say(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some(Message {
            text: text.into(),
            role,
        });
    }

    /// Opens a prompt that already contains `text`.
    pub fn ask(&mut self, kind: PromptKind, text: &str) {
        self.prompt = Some(Prompt {
            kind,
            line: Line::new(text),
            offered: matches!(kind, PromptKind::Watch | PromptKind::Evaluate) && !text.is_empty(),
            notes: Vec::new(),
            history: None,
            completing: None,
        });
    }

    /// Adds a command to the history, which keeps the last 500 without duplicates.
    pub fn remember(&mut self, line: &str) {
        self.history.retain(|old| old != line);
        self.history.push(line.to_owned());
        let surplus = self.history.len().saturating_sub(500);
        self.history.drain(..surplus);
    }
}

/// A command or line that waits until the current command has finished.
#[derive(Clone, Debug)]
pub(super) enum Queued {
    /// A command that the user asked to repeat; one entry for each further time.
    Repeat(Command),
    /// A line of a script, executed as if the user had typed it.
    Line(String),
}
