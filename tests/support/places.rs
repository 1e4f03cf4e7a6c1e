//! Values in a run: what the frames contain at an event.

use super::Tell as _;
use asldbg::interpreter::{Frame, FrameId, Phase, Stage};
use asldbg::json::{Pointer, Step, Value};
use asldbg::session::origin::{Holder, Site};
use asldbg::session::{Command, Session};

/// Everything in a frame that holds a value (its stages, its variables and its error), each with the value.
pub fn holders(session: &Session, frame: FrameId) -> Vec<(Holder, Value)> {
    let Some(frame) = session.machine().frame(frame) else {
        return Vec::new();
    };
    let mut held = Vec::new();
    for stage in Stage::ALL {
        if let Some(value) = frame.visit.data.get(stage) {
            held.push((Holder::Stage(stage), value.clone()));
        }
    }
    for (name, value) in frame.variables.all() {
        held.push((Holder::Variable(name), value));
    }
    if let Some((fault, _)) = &frame.visit.fault {
        held.push((Holder::Error, fault.error_output()));
    }
    held
}

/// Collects the scalars of a value, each with its path.
pub fn leaves(value: &Value, at: &Pointer, found: &mut Vec<(Pointer, Value)>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object.members() {
                leaves(value, &at.child(Step::Member(name.clone())), found);
            }
        }
        Value::Array(array) => {
            for (place, value) in array.items().iter().enumerate() {
                leaves(value, &at.child(Step::Item(place)), found);
            }
        }
        _ => found.push((at.clone(), value.clone())),
    }
}

/// Goes to an event, and makes a frame the focused one.
pub fn travel(session: &mut Session, event: u64, frame: FrameId) {
    if session.view().header.event != event {
        session.tell(Command::Travel(event));
        session.settle();
    }
    if session.machine().frame(frame).is_some() {
        drop(session.apply(Command::Focus(frame)));
    }
}

/// The value at a path inside a holder (a stage, a variable or the error) right after an event; `None` if there is no
/// value.
pub fn held_at(
    session: &mut Session,
    event: u64,
    frame: FrameId,
    holder: &Holder,
    at: &Pointer,
) -> Option<Value> {
    // A run that fails early does not have this event.
    if event > session.event_count() {
        return None;
    }
    travel(session, event, frame);
    let held = holders(session, frame);
    let (_, value) = held.into_iter().find(|(key, _)| key == holder)?;
    at.get(&value).cloned()
}

/// An ItemSelector computed the value at `to`. Returns the place of this value in the input of the item's first state,
/// after this state has been entered.
pub fn entered(session: &mut Session, to: &Site) -> Site {
    let map = session.machine().frame(to.frame);
    let selected = map.and_then(|frame| frame.visit.selected());
    for event in to.event + 1..session.event_count() {
        travel(session, event, to.frame);
        let machine = session.machine();
        let is_child =
            |frame: &&Frame| frame.parent == Some(to.frame) && Some(frame.index) == selected;
        let child = machine
            .frames()
            .filter(is_child)
            .find(|frame| frame.visit.phase != Phase::Enter);
        if let Some(child) = child.map(|frame| frame.id) {
            travel(session, event, child);
            return Site {
                event,
                frame: child,
                holder: Holder::Stage(Stage::Input),
                at: to.at.clone(),
            };
        }
    }
    panic!("the item of {to:?} is not entered");
}
