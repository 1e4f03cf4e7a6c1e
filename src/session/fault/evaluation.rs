//! Explains why a JSONata expression failed: an operator needs numbers, a condition is not a boolean, or a member is
//! missing. For a missing member, shows the value that lacks it. For an array, also shows the items that lack the
//! member or in which it has another type.

use crate::definition::Unit;
use crate::interpreter::{FailedEvaluation, Frame, Machine, Reason, Serve};
use crate::json::Value;
use crate::query::jsonata::{Expression, Failure, Form, Made, Stage as Suffix, Tree};
use crate::query::trace::{Act, Base, Follow, Followed, Provenance, Role, Shown, Spot, Trace};
use crate::session::finding::Finding;
use crate::session::in_state::InState;
use crate::session::place::{MAY_BE_ABSENT, MOST, of_other_type};
use crate::session::values_read::{braced, named, names, no_item};
use crate::source::with_article;
use std::sync::Arc;

/// Explains why an expression of a frame failed. Returns an explanation that is more precise than the text of the
/// error, if there is one, and the list of all explanations.
pub(in crate::session) fn help(
    at: InState<'_>,
    server: Option<&dyn Serve>,
) -> (Option<Finding>, Vec<Finding>) {
    let (expression, failure) = match at.fault().map(|fault| fault.reason.read()) {
        Some(Reason::WrongType {
            wanted: "boolean", ..
        }) => {
            let line = "$count(...) > 0 or $exists(...) tests whether the path finds a value";
            return (None, vec![Finding::new("test-for-presence", line)]);
        }
        Some(Reason::WrongType {
            wanted: "array",
            expression,
            ..
        }) => {
            let single = expression.parsed().and_then(single_value);
            return (None, single.into_iter().collect());
        }
        Some(Reason::Evaluation {
            expression,
            failure,
        }) => (expression, failure),
        _ => return (None, Vec::new()),
    };
    let Some(tree) = expression.parsed() else {
        return (None, Vec::new());
    };
    let again = server.and_then(|server| Again::of(at.frame, (expression, tree), server));
    let mut lines = Vec::new();
    let first = match failure {
        Failure::Undefined => {
            let first = again.as_ref().and_then(Again::no_such_item);
            lines.extend(first.clone());
            lines.extend(again.as_ref().and_then(Again::held));
            let says = optional(tree);
            lines.extend(says.map(|says| Finding::new(MAY_BE_ABSENT, says)));
            return (first, lines);
        }
        Failure::Unsupported | Failure::Internal(_) => None,
        _ => again.as_ref().and_then(Again::other_types),
    };
    if matches!(failure, Failure::Operand { operator: "+", .. }) {
        let says = "+ adds numbers; & joins strings";
        lines.push(Finding::new("plus-adds-numbers", says));
    }
    lines.extend(first.clone());
    (first, lines)
}

/// For an expression that should give an array but gave its only value: the finding `a filter found one value, which
/// JSONata returns without an array: {% [$orders[open]] %} keeps the array`.
fn single_value(tree: &Tree) -> Option<Finding> {
    let Made::Each(operation, _) = tree.made() else {
        return None;
    };
    let text = tree.text();
    let says = format!(
        "{operation} found one value, which JSONata returns without an array: {{% [{text}] %}} keeps the array"
    );
    Some(Finding::new("single-value", says))
}

/// For an expression that only reads a member: suggests how to make the member optional, `$exists(X) ? X : null`.
fn optional(tree: &Tree) -> Option<String> {
    let (text, paths) = (tree.text(), tree.root().paths());
    let [path] = paths.as_slice() else {
        return None;
    };
    let root = 1 + usize::from(path.first().is_some_and(|name| name == "states"));
    let reads_member = matches!(tree.root().form, Form::Path(_)) && path.len() > root;
    reads_member
        .then(|| format!("$exists({text}) ? {text} : null returns null if the value is missing"))
}

/// A failed expression that was evaluated again, with the trace of that evaluation.
struct Again<'a> {
    frame: &'a Frame,
    tree: &'a Tree,
    evaluation: &'a FailedEvaluation,
    trace: &'a Trace,
}

impl<'a> Again<'a> {
    fn of(
        frame: &'a Frame,
        (expression, tree): (&Arc<Expression>, &'a Tree),
        server: &dyn Serve,
    ) -> Option<Self> {
        let evaluation = frame.visit.failed_evaluation.as_deref()?;
        Some(Self {
            frame,
            tree,
            evaluation,
            trace: evaluation.trace(expression, server)?,
        })
    }

    /// Describes the values whose type differs from the type of the others, such as `$states.input.lines[3].cents is
    /// "90", a string; the other 21 are numbers`.
    fn other_types(&self) -> Option<Finding> {
        let operands = |act| {
            let below = self.trace.below(act);
            let operands = below.filter(|(_, act)| act.role != Role::Decides);
            operands.map(|(index, _)| index).collect()
        };
        let mut read = Followed::up_to(MOST + 1);
        let failed = Follow::Below(self.trace.failed?);
        self.trace.follow(failed, &mut read, &operands);
        let values = read.found.iter().map(|spot| self.evaluation.value(spot));
        let values = values.collect::<Option<Vec<&Value>>>()?;
        let (others, common_type) = of_other_type(&values)?;
        let first = *others.first()?;
        let (path, value) = (name_of(read.found.get(first)?), values.get(first)?);
        let shown = crate::query::abridged(value, 40);
        let rest = values.len() - others.len();
        let says = match others.len() {
            1 => format!(
                "{path} is {shown}, {its_type}; the other {rest} are {common_type}s",
                its_type = with_article(value.type_name())
            ),
            count => format!(
                "{count} of {all} values are not {common_type}s; the first is {path}: {shown}",
                all = values.len()
            ),
        };
        Some(Finding::new("other-type", says))
    }

    /// For an expression that selects an item which its array does not have: `$seals has 5 items, 0 to 4: there is no
    /// item 5 ($states.input.position)`.
    fn no_such_item(&self) -> Option<Finding> {
        let root = self.tree.root();
        let Form::Path(steps) = &root.form else {
            return None;
        };
        let last = steps.last()?;
        let [Suffix::Filter(index)] = last.stages.as_slice() else {
            return None;
        };
        let array = self
            .tree
            .text()
            .get(root.range.start..last.node.range.end)?;
        let mut acts = self.trace.acts.iter();
        let whole = acts.next()?;
        let (asked, written) = match index.literal() {
            Some(value) => (value, String::new()),
            None => match &acts.clone().find(|act| act.node.node == index.id)?.value {
                Shown::Value(value) => (value.clone(), format!(" ({})", self.tree.text_of(index))),
                Shown::Nothing | Shown::Large(..) => return None,
            },
        };
        let asked = asked.as_number()?.as_i64()?;
        // The trace says where the array is: either in the whole expression's record of the value that was missing, or
        // in another act of the same syntax node.
        let within = whole.miss.as_ref().map(|miss| &miss.within);
        let read = || Some(&acts.find(|act| act.node == whole.node)?.from);
        let Provenance::Copy(spot) = within.or_else(read)? else {
            return None;
        };
        let items = self.evaluation.value(spot)?.as_array()?.len();
        let is_there = usize::try_from(asked).map_or_else(
            |_| asked.unsigned_abs() <= items as u64,
            |asked| asked < items,
        );
        if is_there {
            return None;
        }
        // If ItemSelector reads an item for each item of the Map, the author expects both arrays to have the same
        // length.
        let of_map = self.frame.visit.item_to_select().and_then(|_| {
            let count = self.frame.visit.items()?.count();
            Some(format!(
                "; the Map has {items}",
                items = Unit::Item.counted(count)
            ))
        });
        let says = no_item(array, items, asked, &written) + &of_map.unwrap_or_default();
        Some(Finding::new("no-such-item", says))
    }

    /// Describes the value that lacks the first missing member, such as `$states.input.user is 7` if
    /// `$states.input.user.name` is missing.
    fn held(&self) -> Option<Finding> {
        let is_empty = |act: &Act| act.value == Shown::Nothing && !self.trace.decides(act);
        self.trace.acts.iter().find_map(|act| {
            let miss = act.miss.as_ref().filter(|_| is_empty(act))?;
            let Provenance::Copy(spot) = &miss.within else {
                return None;
            };
            let value = self.evaluation.value(spot)?;
            let says = format!(
                "{path} is {value}",
                path = name_of(spot),
                value = instead(value)
            );
            (!value.is_array()).then(|| Finding::new("there-instead", says))
        })
    }
}

/// Text of a place in the notation of JSONata expressions, such as `$states.input.lines[3]`.
fn name_of(spot: &Spot) -> String {
    let root = match &spot.base {
        Base::Variable(name) => name.to_string(),
        Base::States(name) => format!("states.{name}"),
        Base::Context => "states.context".to_owned(),
        Base::Data => String::new(),
    };
    let at = spot.at.to_string();
    format!("${root}{}", at.strip_prefix('$').unwrap_or(&at))
}

/// Short text of a value: for an object, the names of its members; for any other value, its JSON.
fn instead(value: &Value) -> String {
    match value.as_object() {
        None => crate::query::abridged(value, 40),
        Some(_) => braced(&names(value)),
    }
}

/// Remark on a field whose expression is a single path, if the path finds no value in some items of an array: `seals
/// lacks 1 of 6: $states.input.wagons[2] has no seal.number, so later values move up`.
pub(in crate::session) fn remark(
    machine: &Machine,
    frame: &Frame,
    tree: &Tree,
    field: &str,
) -> Option<String> {
    let path: Vec<String> = tree
        .root()
        .names()?
        .into_iter()
        .map(str::to_owned)
        .collect();
    let (frame, null) = (&*frame.before_assign(), Value::Null);
    let item = frame.visit.item_to_select();
    let bindings = machine.inspect(frame, &null).for_item(item.as_ref());
    let (name, array, rest) = (1..path.len()).find_map(|count| {
        let (name, value) = named(path.get(..count)?, frame, &bindings)?;
        let array = value.filter(Value::is_array)?;
        Some((name, array, path.get(count..)?))
    })?;
    let items = array.as_array()?.iter();
    let has: Vec<bool> = items.map(|item| leads(item, rest)).collect();
    let first = has.iter().position(|has| !has)?;
    let missing = has.iter().filter(|has| !**has).count();
    let among = if missing > 1 { ", the first," } else { "" };
    (missing < has.len()).then(|| {
        format!(
            "{field} lacks {missing} of {all}: {array}[{first}]{among} has no {member}, so later values move up",
            all = has.len(),
            array = name,
            member = rest.join(".")
        )
    })
}

/// True if `value` has a value at the path `names`. In an array, it is enough that one item has a value there.
fn leads(value: &Value, names: &[String]) -> bool {
    match (names.split_first(), value) {
        (None, _) => true,
        (Some(_), Value::Array(items)) => items.items().iter().any(|item| leads(item, names)),
        (Some((name, rest)), _) => value.get(name).is_some_and(|inner| leads(inner, rest)),
    }
}
