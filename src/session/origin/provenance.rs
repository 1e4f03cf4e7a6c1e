//! Finds how an expression produced a part of its value, from the trace of its evaluation.

use super::document::{Code, Documents, value_at};
use super::{How, Note, Site};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::Expression;
use crate::query::jsonata::{Form, Node, Operator, Tree};
use crate::query::trace::{Act, Base, Follow, Followed, Provenance, Role, Shown, Spot, Trace};
use crate::session::place::of_other_type;
use std::ops::Range;

/// Maximum number of places to list as the sources of one value.
const PLACES: usize = 1_000;
/// Maximum nesting depth of conditionals and objects to follow in an expression.
const DEEPEST: usize = 64;
/// Maximum number of compared values to list for a condition.
const COMPARED: usize = 6;

/// The values from which an expression produced a part of its value.
pub(super) enum Sources {
    /// The expression read the values at these places. The search for the origin continues with the first place.
    Read(Vec<Site>, How),
    /// Different parts of the expression produced these members or items of the value. The number counts the further
    /// members or items that are literals.
    Parts(Vec<Step>, usize),
    /// The expression read this position of a document, and found no value there.
    Nothing(Base, Pointer),
    /// The expression built an object without this member.
    LeftOut,
    /// No place: the value is a literal, or not known.
    None,
}

/// How an expression produced a part of its value.
pub(super) struct Made {
    pub sources: Sources,
    pub way: Way,
    /// Set if the expression used only some items of an array.
    pub note: Option<Note>,
}

/// The nested parts of an expression that lead from the whole expression down to the part that produced a value.
#[derive(Default)]
pub(super) struct Way {
    /// Conditions, such as `c` in `c ? a : b`, that selected the part of the expression which produced the value; the
    /// innermost first.
    pub conditions: Vec<super::Condition>,
    /// Byte ranges of `conditions` in the expression.
    pub asked: Vec<Range<usize>>,
    /// Byte range of the part that produced the value; `None` for the whole expression.
    pub part: Option<Range<usize>>,
    /// Number of steps at the start of the sought position that object constructors in the expression name. The
    /// remaining steps lead into the value of the part.
    pub inside: usize,
    /// The place that a condition read in vain, if the condition found no value at all.
    lack: Option<Spot>,
    act: Option<u32>,
}

/// Finds how an expression produced the part of its value at the path `rest`. `from` says which values the trace shows
/// as the source of that part.
pub(super) fn made(
    documents: &Documents<'_>,
    code: Code<'_>,
    (trace, from): (&Trace, Provenance),
    rest: &[Step],
) -> Made {
    let walk = Walk::new(documents, Some(code), trace);
    let from = trace.part(&from, &[]);
    let mut way = walk.way(rest, &from);
    let is_plain = match code {
        Code::Path(_) | Code::Expression(Expression::Path(_)) => true,
        Code::Expression(Expression::Intrinsic(_)) => false,
        Code::Jsonata(_) => way.act.is_some_and(|act| walk.is_plain(act)),
    };
    let (sources, is_literal) = match &from {
        Provenance::Literal(_) => (Sources::None, true),
        _ => (walk.sources(&from, &way, rest, is_plain), false),
    };
    // If a condition selected a literal because a value is missing, the origin is the missing value.
    let sources = match (sources, way.lack.take()) {
        (Sources::None, Some(lack)) if is_literal => Sources::Nothing(lack.base, lack.at),
        (sources, _) => sources,
    };
    let literal = match from {
        Provenance::Literal(Some(node)) => walk.node(node.node).map(|node| node.range.clone()),
        _ => None,
    };
    way.part = literal.or(way.part);
    let gap = walk.gap(way.part.as_ref());
    Made {
        note: gap.or_else(|| walk.kept(&from, way.act, code)),
        sources,
        way,
    }
}

/// The places that a failed expression read. These are the places that the operands of the failed part read. If those
/// operands read nothing, these are the places that the parts around the failed part read.
pub(super) fn failed(
    documents: &Documents<'_>,
    code: Option<Code<'_>>,
    trace: &Trace,
) -> Vec<Site> {
    let walk = Walk::new(documents, code, trace);
    let mut act = trace.failed.or(Some(0));
    while let Some(index) = act {
        let mut spots = Followed::up_to(PLACES);
        walk.follow(Follow::Below(index), &mut spots);
        if spots.found.is_empty() && trace.failed.is_none() {
            walk.follow(Follow::Act(index), &mut spots);
        }
        let places = walk.places(spots.found.into_iter().chain(spots.missing));
        if !places.is_empty() {
            return others(documents, places);
        }
        act = trace.act(index).and_then(|act| act.parent);
    }
    walk.places(trace.reads())
}

/// The place at which a failed expression found nothing. Prefers places in the part that failed; if no part failed,
/// places outside of conditions.
pub(super) fn lacking(documents: &Documents<'_>, code: Code<'_>, trace: &Trace) -> Option<Spot> {
    let (tree, nodes) = Walk::new(documents, Some(code), trace).nodes?;
    let bound = tree.root().bound();
    let unset = |act: &Act| {
        let node = nodes.get(usize::try_from(act.node.node).ok()?)?;
        let base = match &node.form {
            Form::Path(steps) => &steps.first()?.node,
            _ => node,
        };
        let name = base.variable().filter(|name| !bound.contains(name))?;
        // `$` and `$states` are reserved names, not variables of the run.
        let name = Some(name).filter(|name| !matches!(*name, "" | "states"))?;
        let base = Base::Variable(name.into());
        documents.value(&base).is_none().then(|| Spot::root(base))
    };
    let missed = |act: &Act| {
        let spot = act.miss.as_ref()?.spot()?;
        let behind = names_behind(&nodes, act.node.node, spot.at.0.last()?);
        Some(spot.below(&behind))
    };
    let acts = (0_u32..).zip(&trace.acts);
    let mut acts: Vec<(u32, &Act)> = acts
        .filter(|(_, act)| act.value == Shown::Nothing)
        .collect();
    acts.sort_by_key(|(index, act)| match trace.failed {
        Some(failed) => *index < failed,
        None => trace.decides(act),
    });
    let mut acts = acts.into_iter();
    acts.find_map(|(_, act)| unset(act).or_else(|| missed(act)))
}

/// The names that follow the name `step` in a path of the expression, such as `c` and `d` after `b` in `a.b.c.d`.
/// `node` is the number of the syntax node of the step or of the whole path.
fn names_behind(nodes: &[&Node], node: u32, step: &Step) -> Vec<Step> {
    let named = |step_node: &Node| match (&step_node.form, step) {
        (Form::Name(name), Step::Member(step)) => **name == **step,
        _ => false,
    };
    let behind = nodes.iter().find_map(|path| {
        let Form::Path(steps) = &path.form else {
            return None;
        };
        let of_path =
            |step_node: &Node| step_node.id == node || path.id == node && named(step_node);
        let place = steps.iter().position(|step| of_path(&step.node))?;
        steps.get(place + 1..)
    });
    let names = behind
        .unwrap_or_default()
        .iter()
        .map_while(|step| match &step.node.form {
            Form::Name(name) if step.is_plain() => Some(Step::Member(name.as_str().into())),
            _ => None,
        });
    names.collect()
}

/// The places whose values have another type than most of the values. If there are none, returns all places.
fn others(documents: &Documents<'_>, places: Vec<Site>) -> Vec<Site> {
    let values: Option<Vec<Value>> = places
        .iter()
        .map(|site| value_at(site, documents.machine))
        .collect();
    let values = values.unwrap_or_default();
    let others = of_other_type(&values.iter().collect::<Vec<_>>());
    let others = others.map(|(others, _)| others).unwrap_or_default();
    let others: Vec<Site> = others
        .into_iter()
        .filter_map(|index| places.get(index).cloned())
        .collect();
    if others.is_empty() { places } else { others }
}

/// Nodes of a syntax tree, sorted by number.
fn nodes(tree: &Tree) -> Vec<&Node> {
    let mut nodes = Vec::new();
    tree.root().each(&mut |node| nodes.push(node));
    nodes.sort_by_key(|node| node.id);
    nodes
}

/// The trace of an expression, with its syntax tree if it is JSONata.
pub(super) struct Walk<'t> {
    pub(super) documents: &'t Documents<'t>,
    pub(super) trace: &'t Trace,
    nodes: Option<(&'t Tree, Vec<&'t Node>)>,
}

impl<'t> Walk<'t> {
    fn new(documents: &'t Documents<'t>, code: Option<Code<'t>>, trace: &'t Trace) -> Self {
        let tree = match code {
            Some(Code::Jsonata(expression)) => expression.tree.as_deref().ok(),
            Some(Code::Path(_) | Code::Expression(_)) | None => None,
        };
        Self {
            documents,
            trace,
            nodes: tree.map(|tree| (tree, nodes(tree))),
        }
    }

    pub(super) fn node(&self, id: u32) -> Option<&'t Node> {
        let (_, nodes) = self.nodes.as_ref()?;
        nodes.get(usize::try_from(id).ok()?).copied()
    }

    pub(super) fn node_of(&self, act: u32) -> Option<&'t Node> {
        self.node(self.trace.act(act)?.node.node)
    }

    /// True if an act (an evaluated part of the expression) is a path or variable without predicates.
    fn is_plain(&self, act: u32) -> bool {
        let node = self.node_of(act);
        let is_path = node
            .is_some_and(|node| matches!(node.form, Form::Path(_)) || node.variable().is_some());
        let mut below = self.trace.below(act);
        is_path && below.all(|(_, act)| act.role == Role::Operand)
    }

    fn text_of(&self, node: &Node) -> Text {
        let tree = self.nodes.as_ref().map(|(tree, _)| *tree);
        tree.map_or("", |tree| tree.text_of(node)).into()
    }

    /// Converts positions in documents to places in the run, without duplicates.
    fn places(&self, spots: impl IntoIterator<Item = Spot>) -> Vec<Site> {
        let mut sites: Vec<Site> = Vec::new();
        for spot in spots.into_iter().take(PLACES) {
            let site = self.documents.place(&spot.base, spot.at);
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        sites
    }

    fn sources(&self, from: &Provenance, way: &Way, rest: &[Step], is_plain: bool) -> Sources {
        // If object constructors in the expression name every step of the position, a part of the expression computes
        // the value there. If this value is missing, the expression did not leave the member out, but computed no value
        // for it.
        let is_named = way.inside == rest.len();
        if matches!(from, Provenance::Unknown) && !is_named && self.is_left_out(rest) {
            return Sources::LeftOut;
        }
        if let Provenance::Copy(spot) = from {
            let places = self.places([spot.clone()]);
            let how = match is_plain {
                true => How::Copied,
                false => How::Picked(places.first().and_then(|site| self.items_beside(site))),
            };
            return Sources::Read(places, how);
        }
        if let Provenance::Built(parts) = from {
            let is_list = parts.iter().all(|(step, _)| matches!(step, Step::Item(_)));
            let copies = parts.iter().map(|(_, part)| match part {
                Provenance::Copy(spot) => Some(spot.clone()),
                _ => None,
            });
            let copies: Option<Vec<Spot>> = copies.collect();
            if let Some(copies) = copies.filter(|copies| is_list && !copies.is_empty()) {
                return Sources::Read(self.places(copies), How::Copied);
            }
            let (literals, others): (Vec<_>, Vec<_>) = parts
                .iter()
                .partition(|(_, part)| matches!(part, Provenance::Literal(_)));
            let steps = others.into_iter().map(|(step, _)| step.clone());
            return match literals.len() < parts.len() {
                true => Sources::Parts(steps.collect(), literals.len()),
                false => Sources::None,
            };
        }
        let mut spots = Followed::up_to(PLACES);
        self.follow(Follow::From(from), &mut spots);
        if let (Provenance::Unknown, Some(act)) = (from, way.act) {
            self.follow(Follow::Act(act), &mut spots);
        }
        match spots.missing.into_iter().next() {
            Some(lack) if spots.found.is_empty() => Sources::Nothing(lack.base, lack.at),
            _ if spots.found.is_empty() => Sources::None,
            _ => Sources::Read(self.places(spots.found), How::Computed),
        }
    }

    /// Number of items of the innermost array that contains the place.
    fn items_beside(&self, site: &Site) -> Option<usize> {
        let item = (site.at.0.iter()).rposition(|step| matches!(step, Step::Item(_)))?;
        let array = site.at(Pointer(site.at.0.get(..item)?.to_vec()));
        Some(self.documents.value_at(&array)?.as_array()?.len())
    }

    /// True if the expression built the object that should contain the position, but left the position out.
    fn is_left_out(&self, rest: &[Step]) -> bool {
        let mut above = (0..rest.len()).rev().filter_map(|count| rest.get(..count));
        let around = above.find_map(|at| match self.trace.at(at) {
            Provenance::Unknown => None,
            other => Some(other),
        });
        matches!(around, Some(Provenance::Built(_) | Provenance::Made(_)))
    }

    /// Adds to `followed` the places from which the value of `start` was produced. `start` is an act (an evaluated part
    /// of the expression), the acts below an act, or a [`Provenance`] (where a value came from).
    fn follow(&self, start: Follow<'_>, followed: &mut Followed) {
        let order = |index| self.operands(index);
        self.trace.follow(start, followed, &order);
    }

    /// The acts (evaluated parts of the expression) directly inside an act, in the order in which to follow them. For
    /// `and` and `or`, the operand at which the evaluation stopped comes first.
    fn operands(&self, index: u32) -> Vec<u32> {
        let mut acts: Vec<u32> = self.trace.below(index).map(|(act, _)| act).collect();
        match self.node_of(index).map(|node| &node.form) {
            Some(Form::Binary(Operator::And | Operator::Or, ..)) => acts.reverse(),
            // Conditions come last, because the selected value is more informative than the condition that selected it.
            _ => acts.sort_by_key(|act| {
                let act = self.trace.act(*act);
                act.is_some_and(|act| act.role == Role::Decides)
            }),
        }
        acts
    }

    /// Finds the part of the expression that produced the value at the position `rest`, and the conditions that
    /// selected this part.
    fn way(&self, rest: &[Step], from: &Provenance) -> Way {
        let mut way = Way::default();
        let (Some(mut act), Some(_)) = (self.trace.act(0).map(|_| 0), &self.nodes) else {
            return way;
        };
        for _ in 0..DEEPEST {
            let Some(node) = self.node_of(act) else { break };
            way.part = way.act.map(|_| node.range.clone());
            way.act = Some(act);
            let below: Vec<(u32, &Act)> = self.trace.below(act).collect();
            let next = match &node.form {
                Form::Conditional { then, .. } => {
                    let mut deciding = below.iter().filter(|(_, act)| act.role == Role::Decides);
                    let taken = below.iter().rfind(|(_, act)| act.role != Role::Decides);
                    let (Some((decides, _)), Some((taken, _))) = (deciding.next(), taken) else {
                        break;
                    };
                    let holds = self.node_of(*taken).is_some_and(|node| {
                        then.range.start <= node.range.start && node.range.end <= then.range.end
                    });
                    self.ask(*decides, holds, &mut way);
                    Some(*taken)
                }
                Form::Block(_) => below.last().map(|(act, _)| *act),
                Form::Object(pairs) => {
                    let Some(Step::Member(name)) = rest.get(way.inside) else {
                        break;
                    };
                    let mut pairs = pairs.iter();
                    let pair = pairs
                        .rfind(|(key, _)| matches!(&key.form, Form::Text(key_name) if **key_name == **name));
                    let Some((_, value)) = pair else { break };
                    let act_of_value = below.iter().find(|(act, _)| {
                        let node = self.node_of(*act);
                        node.is_some_and(|node| {
                            std::ptr::eq(node, value) || std::ptr::eq(node, value.bare())
                        })
                    });
                    way.inside += usize::from(act_of_value.is_some());
                    act_of_value.map(|(act, _)| *act)
                }
                Form::Path(_) | Form::Variable(_) => None,
                // If a function merges or passes on several values, the value at the position comes from the last of
                // them that has this position.
                _ => self.giving(&below, rest.get(way.inside..).unwrap_or_default(), from),
            };
            match next {
                Some(next) => act = next,
                None => break,
            }
        }
        way
    }

    /// The last operand among `acts` whose value has the source `from` at the position `rest`. If an operand is an
    /// array constructor, searches the acts of its items, too.
    fn giving(&self, acts: &[(u32, &Act)], rest: &[Step], from: &Provenance) -> Option<u32> {
        if *from == Provenance::Unknown {
            return None;
        }
        let operands = acts.iter().filter(|(_, act)| act.role == Role::Operand);
        operands.rev().find_map(|(index, act)| {
            if self.trace.part(&act.from, rest) == *from {
                return Some(*index);
            }
            let node = self.node(act.node.node)?;
            let items: Vec<(u32, &Act)> = match node.form {
                Form::Array(_) => self.trace.below(*index).collect(),
                _ => Vec::new(),
            };
            self.giving(&items, rest, from)
        })
    }

    /// Adds to `way` the condition that the act `act` evaluated; `holds` is true if the condition counts as true.
    fn ask(&self, act: u32, holds: bool, way: &mut Way) {
        let (Some(asked), Some(node)) = (self.trace.act(act), self.node_of(act)) else {
            return;
        };
        let mut tests = Vec::new();
        self.decisive(act, holds, &mut tests);
        let mut compared: Vec<(Text, Option<Value>)> = Vec::new();
        let mut spots = Followed::up_to(PLACES);
        for test in tests {
            self.follow(Follow::Act(test), &mut spots);
            let sides: Vec<u32> = match self.node_of(test).map(|node| &node.form) {
                Some(Form::Binary(sign, ..)) if sign.compares() => {
                    self.trace.below(test).map(|(act, _)| act).collect()
                }
                _ if test != act => vec![test],
                _ => Vec::new(),
            };
            for side in sides {
                let (Some(side), Some(node)) = (self.trace.act(side), self.node_of(side)) else {
                    continue;
                };
                let text = self.text_of(node);
                let is_literal = matches!(side.from, Provenance::Literal(_));
                if !is_literal
                    && compared.len() < COMPARED
                    && compared.iter().all(|(known, _)| *known != text)
                {
                    compared.push((text, value_of(&side.value)));
                }
            }
        }
        way.lack = match spots.found.is_empty() {
            true => spots.missing.into_iter().next(),
            false => None,
        };
        way.asked.insert(0, node.range.clone());
        way.conditions.insert(
            0,
            super::Condition {
                text: self.text_of(node),
                span: None,
                holds,
                value: value_of(&asked.value),
                compared,
                reads: self.places(spots.found),
            },
        );
    }

    /// Collects the operands of `and` and `or` that decided a condition. If the operator stopped at an operand, only
    /// that operand decided; otherwise all operands did.
    fn decisive(&self, act: u32, holds: bool, tests: &mut Vec<u32>) {
        let below: Vec<u32> = self.trace.below(act).map(|(act, _)| act).collect();
        match (self.node_of(act).map(|node| &node.form), below.as_slice()) {
            (Some(Form::Binary(sign @ (Operator::And | Operator::Or), ..)), [.., last]) => {
                if holds == (*sign == Operator::Or) {
                    self.decisive(*last, holds, tests);
                } else {
                    for test in below {
                        self.decisive(test, holds, tests);
                    }
                }
            }
            (Some(Form::Block(_)), [.., last]) => self.decisive(*last, holds, tests),
            (Some(Form::Function { name, .. }), [.., last]) if name == "not" => {
                self.decisive(*last, !holds, tests);
            }
            _ => tests.push(act),
        }
    }
}

fn value_of(shown: &Shown) -> Option<Value> {
    match shown {
        Shown::Value(value) => Some(value.clone()),
        Shown::Nothing | Shown::Large(..) => None,
    }
}
