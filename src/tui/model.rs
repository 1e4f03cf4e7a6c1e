//! What the screen remembers: focus, sizes, what is open, what was typed; the panes with their scroll and selection.
//!
//! It must not know anything of the run.

use super::action::Pane;
use super::layout::{Sizes, Wish};
use super::line::Line;
use super::pane::Level;
use super::panes::Panes;
use super::popup::Popup;
use super::theme::Role;
use crate::definition::StateId;
use crate::interpreter::FrameId;
use std::time::{Duration, Instant};

/// A text in the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Its role.
    pub role: Role,
}

/// What is being typed in the message line.
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
    /// What stands before the text.
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
    /// What it is for.
    pub kind: PromptKind,
    /// The text.
    pub line: Line,
    /// Whether the text is still the one that was offered: what cannot continue it begins anew.
    pub offered: bool,
    /// What is shown above it: completions, or the value.
    pub notes: Vec<(String, Role)>,
    /// Where in the history it is; `None` for the line itself.
    pub history: Option<usize>,
    /// Completions being walked through: where they begin, and which is shown.
    pub completing: Option<(usize, Vec<String>, usize)>,
}

/// A walk through the run by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// 1 is a step a second or so.
    pub factor: f64,
    /// When the next step is due.
    pub next: Instant,
    /// Whether it pauses.
    pub paused: bool,
}

impl Play {
    /// The time of a step at factor 1.
    pub(super) const BEAT: Duration = Duration::from_millis(900);

    /// Playing from now on.
    #[must_use]
    pub fn starting(factor: f64) -> Self {
        Self {
            // What is no number would stop the clock.
            factor: if factor.is_finite() { factor } else { 1.0 },
            next: Instant::now() + Self::BEAT,
            paused: false,
        }
    }
}

/// Everything that the screen remembers.
#[derive(Debug, Default)]
pub struct Model {
    /// The pane in focus.
    pub focus: Pane,
    /// The pane shown in the place with tabs while the focus is elsewhere.
    pub tab: Pane,
    /// Whether the pane in focus is alone.
    pub zoom: bool,
    /// The projector's arrangement.
    pub present: bool,
    /// Sizes that were changed.
    pub sizes: Sizes,
    /// How much of the pipeline is shown.
    pub level: Level,
    /// The panes.
    pub panes: Panes,
    /// What is open over them.
    pub popup: Option<Popup>,
    /// What is being typed.
    pub prompt: Option<Prompt>,
    /// What is said instead of the sentence on the last stop.
    pub message: Option<Message>,
    /// Commands that were typed, the oldest first.
    pub history: Vec<String>,
    /// What was looked for last.
    pub wanted: String,
    /// Whether clicks arrive here.
    pub mouse: bool,
    /// The frame that had the focus before a stop elsewhere moved it.
    pub frame_before: Option<FrameId>,
    /// What is said behind the sentence when a stop moved the focus.
    pub switched: Option<String>,
    /// When Ctrl-C was pressed last while nothing ran.
    pub interrupted: Option<Instant>,
    /// A walk by itself.
    pub play: Option<Play>,
    /// The border being dragged: of which pane, and where the mouse was.
    pub drag: Option<(Pane, u16, u16)>,
    /// The state clicked last, and when.
    pub clicked: Option<(StateId, Instant)>,
}

impl Model {
    /// What is wanted of the arrangement.
    #[must_use]
    pub fn wish(&self) -> Wish {
        Wish {
            focus: self.focus,
            tab: self.tab,
            zoom: self.zoom,
            present: self.present,
            sizes: self.sizes,
            graph: None,
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
            offered: kind == PromptKind::Evaluate && !text.is_empty(),
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
