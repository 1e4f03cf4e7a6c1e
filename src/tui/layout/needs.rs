//! How the panes of the lower band share its columns: each as wide as its contents, what is empty gives way.
//!
//! It must not know what the contents are.

use crate::tui::action::Pane;

/// Columns inside their borders that panes need for what they would show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Of the timeline.
    pub timeline: u16,
    /// Of the state pane.
    pub state: u16,
    /// Of the breakpoints pane.
    pub breakpoints: u16,
    /// Whether that has nothing to show but its tabs.
    pub bare: bool,
}

/// Columns of the breakpoints pane with its tabs.
const TABS: i32 = 32;
/// The least that it is left while it has nothing to show and another needs more: its name, and how to fill it.
const BARE: i32 = 20;

impl Needs {
    /// What timeline, state and breakpoints get of so many columns: the usual share where all is seen then; else the one
    /// that needs less gives the other what it does not need.
    pub(super) fn share(self, total: i32) -> [i32; 3] {
        let usual = |pane: Pane| total * pane.share() / 100;
        let (timeline, state) = (i32::from(self.timeline) + 2, i32::from(self.state) + 2);
        let most = usual(Pane::Breakpoints).max(TABS);
        let mut breakpoints = (i32::from(self.breakpoints) + 2).clamp(TABS, most);
        if self.bare {
            breakpoints = breakpoints.min(total - timeline - state).max(BARE);
        }
        let rest = total - breakpoints;
        let own = rest * Pane::Timeline.share() / (Pane::Timeline.share() + Pane::State.share());
        let own = if timeline > own {
            timeline.min(rest - state.min(rest * 2 / 5))
        } else if state > rest - own {
            timeline.max(rest - state)
        } else {
            own
        };
        [own, rest - own, breakpoints]
    }
}
