//! The state of the screen: focus, sizes, popups, typed text, and the panes with their scroll positions and selections.

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

/// A text in the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Role for its colour.
    pub role: Role,
}

/// The kind of input that a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A command.
    Command,
    /// An expression to watch.
    Watch,
    /// An expression to evaluate; its value is shown while typing.
    Evaluate,
    /// A text to find in the pane in focus.
    Find,
}

impl PromptKind {
    /// The sign that is shown before the typed text.
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

/// A line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The kind of input that the prompt asks for.
    pub kind: PromptKind,
    /// The typed line.
    pub line: Line,
    /// True while the line is an unchanged suggestion. Typing replaces the suggestion, unless the typed character
    /// continues it, such as `.` or `=`.
    pub offered: bool,
    /// Lines shown above the prompt: completions, or the value of the typed expression.
    pub notes: Vec<(String, Role)>,
    /// Index in the command history of the shown command; `None` if the line is newly typed.
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
    /// Speed of playback; at 1, a step takes 0.9 seconds.
    pub factor: f64,
    /// Time at which the next step is due.
    pub next: Instant,
    /// True while playback is paused.
    pub paused: bool,
    /// The transition of the last step, while it is animated.
    pub travel: Option<Travel>,
}

/// The transition from a state, shown as an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// The state that was left.
    pub from: StateId,
    /// The edge of the graph for this transition.
    pub edge: Edge,
    /// Time at which the state was left.
    pub since: Instant,
}

impl Play {
    /// Interval between frames of the animation.
    pub(super) const FRAME: Duration = Duration::from_millis(60);

    /// Time at which the next frame or step is due.
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

    /// Time per step at speed 1.
    pub(super) const BEAT: Duration = Duration::from_millis(900);

    /// Starts playback now.
    #[must_use]
    pub fn starting(factor: f64) -> Self {
        Self {
            // A non-finite factor would stop the clock.
            factor: if factor.is_finite() { factor } else { 1.0 },
            next: Instant::now() + Self::BEAT,
            paused: false,
            travel: None,
        }
    }
}

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Model {
    /// The pane in focus.
    pub focus: Pane,
    /// The pane that is shown as a tab while a pane outside the tabs has the focus.
    pub tab: Pane,
    /// True if only the focused pane is shown.
    pub zoom: bool,
    /// True if the screen is arranged for a presentation.
    pub present: bool,
    /// The user's changes of pane sizes.
    pub sizes: Sizes,
    /// The level of detail of the data pane.
    pub level: Level,
    /// The panes.
    pub panes: Panes,
    /// The open popup.
    pub popup: Option<Popup>,
    /// The open prompt.
    pub prompt: Option<Prompt>,
    /// A message about the last action; the next key removes it.
    pub message: Option<Message>,
    /// The answer to the command `who`; the banner shows the answer until the cursor moves or the run continues.
    pub explained: Option<Said>,
    /// True if the banner has a third row.
    pub whole_banner: bool,
    /// Commands that were typed, oldest first.
    pub history: Vec<String>,
    /// Text that the user searched for last.
    pub wanted: String,
    /// True if the terminal reports mouse events.
    pub mouse: bool,
    /// The frame that had the focus before the run stopped in another frame, which then got the focus.
    pub frame_before: Option<FrameId>,
    /// Time of the last Ctrl-C while nothing was in progress.
    pub interrupted: Option<Instant>,
    /// Automatic stepping in progress.
    pub play: Option<Play>,
    /// The border being dragged: its pane, and the mouse position as column and row.
    pub drag: Option<(Pane, u16, u16)>,
    /// The state that the user clicked last, and the time of the click.
    pub clicked: Option<(StateId, Instant)>,
    /// The tour, while it is active.
    pub tour: Option<Tour>,
    /// The row of a Choice for which the user asked about the origin of a value.
    pub asked: Option<Asked>,
}

impl Model {
    /// Selects the row in [`Self::asked`] again once the cursor is back at the event for which the user asked.
    pub(super) fn return_to_asked(&mut self, view: &View) {
        let asked = self.asked.as_mut();
        if let Some(row) = asked.and_then(|asked| asked.arrived(view)) {
            self.panes.state.select(view.data.state, row);
            self.focus_on(Pane::State);
        }
    }

    /// The choices that affect the layout.
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

    /// The pane with the next number after the focused pane, or with the previous number.
    #[must_use]
    pub fn neighbour(&self, forward: bool) -> Pane {
        let count = Pane::ALL.len();
        let step = if forward { 1 } else { count - 1 };
        let place = (self.focus as usize + step) % count;
        Pane::ALL.get(place).copied().unwrap_or_default()
    }

    /// Shows a message.
    pub fn say(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some(Message {
            text: text.into(),
            role,
        });
    }

    /// Opens a prompt.
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

/// Input that is executed once the current command has finished.
#[derive(Clone, Debug)]
pub(super) enum Queued {
    /// A command repeated by a count.
    Repeat(Command),
    /// A line of a script.
    Line(String),
}
