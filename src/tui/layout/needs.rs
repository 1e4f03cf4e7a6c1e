//! How panes share columns or rows: each as large as its contents, what is empty gives way.
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
    /// Of the rows of the breakpoints pane.
    pub breakpoints: u16,
    /// Of its title with the tabs.
    pub tabs: u16,
    /// Whether that has nothing to show but its tabs.
    pub bare: bool,
}

/// Columns of the breakpoints pane with its tabs.
const TABS: i32 = 32;
/// The least that it is left while it has nothing to show and another needs more: its name, and how to fill it.
const BARE: i32 = 18;

impl Needs {
    /// What timeline, state and breakpoints get of so many columns: the usual share where all is seen then; else the one
    /// that needs less gives the other what it does not need.
    pub(super) fn share(self, total: i32) -> [i32; 3] {
        let usual = |pane: Pane| total * pane.share() / 100;
        let (timeline, state) = (i32::from(self.timeline) + 2, i32::from(self.state) + 2);
        let most = usual(Pane::Breakpoints).max(TABS);
        let rows = (i32::from(self.breakpoints) + 2).clamp(TABS, most);
        let titled = (i32::from(self.tabs) + 2).clamp(rows, most);
        // Names of tabs matter less than what the others say.
        let least = if self.bare { BARE } else { rows };
        let breakpoints = titled.min((total - timeline - state).max(least));
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

/// Heights, borders included, that the data and the state pane below it have in the columns that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heights {
    /// What the data gets as a rule.
    pub usual: u16,
    /// What the data has there: more is marked, less is blank.
    pub data: u16,
    /// What the data has where it need not share.
    pub whole: u16,
    /// So many rows the data cuts off an error's cause to fit into its usual ones.
    pub cut: u16,
    /// What the state pane has.
    pub state: u16,
    /// So much of that it keeps where the data has more than there is room for.
    pub keeps: u16,
    /// Whether the state pane says more than what the state is.
    pub says_more: bool,
}

/// The least of the state pane: two rows of what it says.
const LEAST: u16 = 4;

impl Heights {
    /// What the data gets of so many rows: the usual where both are seen whole then, or neither is; else the one that
    /// needs less gives the other what it does not need.
    pub(super) fn share(self, total: u16) -> u16 {
        let beside = total.saturating_sub(self.usual);
        let most = total.saturating_sub(LEAST);
        // Why it failed says more than what the state is.
        let needed = match self.cut > 0 && !self.says_more {
            true => self.whole.min(self.data + self.cut),
            false => 0,
        };
        match (self.wants_more(), self.state > beside) {
            (false, true) => self.data.max(total.saturating_sub(self.state)),
            (true, false) => self.whole.min(total.saturating_sub(self.state)),
            _ => self.usual,
        }
        .max(needed)
        .min(most)
    }

    fn wants_more(self) -> bool {
        self.data > self.usual || self.cut > 0
    }

    /// What the data gets where the state pane stands below it only if there is room for what it says; all, if not.
    pub(super) fn share_if_there_is_room(self, total: u16) -> u16 {
        let data = match self.wants_more() {
            true => self.whole,
            false => self.data,
        };
        let left = total.saturating_sub(data).max(self.keeps.min(self.state));
        match self.says_more && left >= LEAST {
            true => total.saturating_sub(self.state.min(left)),
            false => total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heights, Needs};

    #[test]
    fn names_of_tabs_give_way() {
        let share = |needs: [u16; 4], bare| {
            let [timeline, state, breakpoints, tabs] = needs;
            let needs = Needs {
                timeline,
                state,
                breakpoints,
                tabs,
                bare,
            };
            needs.share(160)
        };
        // All fit; the tabs are cut for the others; the rows are not; with none it keeps its name.
        assert_eq!(share([50, 40, 30, 46], false), [62, 50, 48]);
        assert_eq!(share([60, 50, 30, 46], false), [62, 52, 46]);
        assert_eq!(share([70, 60, 38, 46], false), [72, 48, 40]);
        assert_eq!(share([70, 64, 0, 46], true), [72, 66, 22]);
        assert_eq!(share([80, 64, 0, 46], true), [82, 60, 18]);
    }

    fn check(data: [u16; 3], [state, keeps]: [u16; 2], expected: [u16; 2]) {
        let [usual, data, whole] = data;
        let rows = Heights {
            usual,
            data,
            whole,
            cut: 0,
            state,
            keeps,
            says_more: true,
        };
        let came = [rows.share(24), rows.share_if_there_is_room(24)];
        assert_eq!(came, expected, "{rows:?}");
    }

    #[test]
    fn what_is_blank_goes_to_the_other() {
        // Both fit; the state's rows take the data's blank ones; the data's take the state's; neither fits.
        check([13, 10, 10], [9, 0], [13, 15]);
        check([13, 7, 12], [20, 0], [7, 7]);
        check([13, 16, 16], [7, 0], [16, 17]);
        check([13, 20, 20], [20, 0], [13, 20]);
        check([13, 24, 24], [20, 0], [13, 24]);
        // What the state pane keeps, the data gives.
        check([13, 24, 24], [20, 9], [13, 15]);
        check([13, 24, 24], [5, 9], [19, 19]);
        check([13, 10, 10], [20, 9], [10, 10]);
    }

    #[test]
    fn a_cause_is_cut_last() {
        let rows = |state, says_more| Heights {
            usual: 13,
            data: 13,
            whole: 18,
            cut: 3,
            state,
            keeps: 0,
            says_more,
        };
        // Of blank rows; of those that only say what the state is; not of those that say what follows.
        assert_eq!(rows(5, true).share(24), 18);
        assert_eq!(rows(12, false).share(24), 16);
        assert_eq!(rows(12, true).share(24), 13);
    }
}
