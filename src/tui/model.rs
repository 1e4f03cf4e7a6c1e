//! The state of the screen: focus, sizes, popups, typed text, and the panes with their scroll positions and selections.
//!
//! It must not know anything of the run.

use super::action::Pane;
use super::asked::Asked;
use super::caption::Said;
use super::layout::{Sizes, Wish};
use super::line::Line;
use super::pane::{Level, Token};
use super::panes::Panes;
use super::popup::Popup;
use super::theme::Role;
use super::tour::Tour;
use crate::definition::StateId;
use crate::interpreter::{Edge, FrameId};
use crate::session::view::View;
use std::time::{Duration, Instant};

/// A text in the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Its role.
    pub role: Role,
}

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A command.
    Command,
    /// A watch.
    Watch,
    /// An expression, evaluated on each key.
    Evaluate,
    /// A text to find in the pane in focus.
    Find,
}

impl PromptKind {
    /// The text before the input.
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
    /// What it asks for.
    pub kind: PromptKind,
    /// The text.
    pub line: Line,
    /// Whether the text is still the suggestion: what is typed replaces it, unless it can only continue it.
    pub offered: bool,
    /// Lines shown above it: completions, or the value.
    pub notes: Vec<(String, Role)>,
    /// Index in the history; `None` for the line being typed.
    pub history: Option<usize>,
    /// Completions being cycled through: where they begin in the line, the candidates, and the index of the one shown.
    pub completing: Option<(usize, Vec<String>, usize)>,
}

impl Prompt {
    /// Takes the suggestion away for what begins with this character, unless no expression begins with that.
    pub fn give_way(&mut self, first: char) {
        let goes_on = " .=<>+&|?".contains(first);
        if std::mem::take(&mut self.offered) && !goes_on {
            self.line = Line::new("");
        }
    }
}

/// Automatic stepping through the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Speed; at 1, a step takes about a second.
    pub factor: f64,
    /// When the next step is due.
    pub next: Instant,
    /// Whether it pauses.
    pub paused: bool,
    /// The edge that the last step went by, while it is shown.
    pub travel: Option<Travel>,
}

/// A way from state to state that is shown as it is gone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// The state that was left.
    pub from: StateId,
    /// The edge by which it was left.
    pub edge: Edge,
    /// When it was left.
    pub since: Instant,
}

impl Play {
    /// What moves along an edge is shown so often.
    pub(super) const FRAME: Duration = Duration::from_millis(60);

    /// When something is to be shown or done next.
    pub(super) fn due(&self) -> Instant {
        match self.travel {
            Some(_) => self.next.min(Instant::now() + Self::FRAME),
            None => self.next,
        }
    }

    /// What is on its way, at a moment.
    pub(super) fn token(&self, now: Instant) -> Option<Token> {
        let Travel { from, edge, since } = self.travel.filter(|_| !self.paused)?;
        let whole = self.next.saturating_duration_since(since).as_secs_f64();
        let gone = now.saturating_duration_since(since).as_secs_f64();
        let way = (gone / whole.max(0.001)).clamp(0.0, 1.0);
        Some(Token { from, edge, way })
    }

    /// Time per step at factor 1.
    pub(super) const BEAT: Duration = Duration::from_millis(900);

    /// Playing from now on.
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

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Model {
    /// The pane in focus.
    pub focus: Pane,
    /// The pane shown behind the tabs while the focus is elsewhere.
    pub tab: Pane,
    /// Whether only the focused pane is shown.
    pub zoom: bool,
    /// Whether the presentation arrangement is used.
    pub present: bool,
    /// Sizes that were changed.
    pub sizes: Sizes,
    /// How much of the pipeline is shown.
    pub level: Level,
    /// The panes.
    pub panes: Panes,
    /// The open popup.
    pub popup: Option<Popup>,
    /// What is being typed.
    pub prompt: Option<Prompt>,
    /// What was done a moment ago, until the next key.
    pub message: Option<Message>,
    /// The answer to `who`, which the banner shows until one moves or runs.
    pub explained: Option<Said>,
    /// Whether the banner has a third row.
    pub whole_banner: bool,
    /// Commands that were typed, the oldest first.
    pub history: Vec<String>,
    /// Text of the last search.
    pub wanted: String,
    /// Whether the terminal reports mouse clicks.
    pub mouse: bool,
    /// The frame that had the focus before a stop elsewhere moved it.
    pub frame_before: Option<FrameId>,
    /// When Ctrl-C was pressed last while nothing ran.
    pub interrupted: Option<Instant>,
    /// Automatic stepping in progress.
    pub play: Option<Play>,
    /// The border being dragged: its pane, and the mouse position as column and row.
    pub drag: Option<(Pane, u16, u16)>,
    /// The state clicked last, and the time of the click.
    pub clicked: Option<(StateId, Instant)>,
    /// The tour, while a person takes it.
    pub tour: Option<Tour>,
    /// The row of a Choice whose values were asked about.
    pub asked: Option<Asked>,
}

impl Model {
    /// Selects the row that was asked about, once its event is back.
    pub(super) fn return_to_asked(&mut self, view: &View) {
        let asked = self.asked.as_mut();
        if let Some(row) = asked.and_then(|asked| asked.arrived(view)) {
            self.panes.state.select(view.data.state, row);
            self.focus_on(Pane::State);
        }
    }

    /// What is wanted of the arrangement.
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

    /// Gives a pane the focus.
    pub fn focus_on(&mut self, pane: Pane) {
        if pane.can_be_a_tab() {
            self.tab = pane;
        }
        self.focus = pane;
    }

    /// The pane after or before the one in focus.
    #[must_use]
    pub fn neighbour(&self, forward: bool) -> Pane {
        let count = Pane::ALL.len();
        let step = if forward { 1 } else { count - 1 };
        let place = (self.focus as usize + step) % count;
        Pane::ALL.get(place).copied().unwrap_or_default()
    }

    /// Says something in the message line.
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

    /// Notes a command in the history, the last 500 once each.
    pub fn remember(&mut self, line: &str) {
        self.history.retain(|old| old != line);
        self.history.push(line.to_owned());
        let surplus = self.history.len().saturating_sub(500);
        self.history.drain(..surplus);
    }
}
