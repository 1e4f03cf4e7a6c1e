//! Function calls, including tail calls, which add no level of depth, and transforms, which change parts of a copied
//! value.

use super::account::{NESTING, Outcome, bound, thrown};
use super::builtin::{self, Builtin};
use super::datum::{Datum, Items, Letters};
use super::evaluate::Run;
use super::function::{Frame, Function};
use super::number::index;
use super::pattern::Turn;
use super::plan::{Form, Node, StepForm, TransformPlan};
use super::text::written;
use crate::json::Text;
use crate::query::jsonata::Failure;
use crate::query::jsonata::STACK;
use crate::query::trace::Role;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::rc::Rc;

/// How a function's body ended: with a value or with a tail call.
enum Tail {
    Value(Datum),
    /// The last action of the body is a call, which replaces the call of the function: the called function, its
    /// arguments and its input.
    Call(Rc<Function>, Vec<Datum>, Datum),
}

impl Run {
    /// Evaluates the function and the arguments of a call, without calling. If `first` is given, it becomes the first
    /// argument.
    pub(super) fn prepared(
        &mut self,
        function: &Node,
        arguments: &[Node],
        first: Option<Datum>,
        input: &Datum,
        frame: &Frame,
    ) -> Outcome<(Rc<Function>, Vec<Datum>)> {
        let called = match self.value(function, input, frame)? {
            Datum::Function(called) => called,
            other => {
                if other.is_nothing()
                    && let Some(name) = only_name(function)
                    && (frame.get(name).is_some() || builtin::named(name).is_some())
                {
                    return thrown(format!(
                        "T1005: Attempted to invoke a non-function. Did you mean ${name}?"
                    ));
                }
                return thrown("T1006: Attempted to invoke a non-function");
            }
        };
        let mut given = Vec::with_capacity(arguments.len() + 1);
        given.extend(first);
        for argument in arguments {
            given.push(self.value(argument, input, frame)?);
        }
        Ok((called, given))
    }

    /// Calls a function for the node `part`. Error messages name the function as the node does.
    pub(super) fn call_by(
        &mut self,
        part: &Node,
        function: &Rc<Function>,
        arguments: Vec<Datum>,
        input: &Datum,
    ) -> Outcome {
        self.call(function, arguments, input)
            .map_err(|failure| match failure {
                Failure::Thrown(words) => Failure::Thrown(named_in(words, part)),
                other => other,
            })
    }

    /// Calls a function and returns its result.
    pub(super) fn call(
        &mut self,
        function: &Rc<Function>,
        mut arguments: Vec<Datum>,
        input: &Datum,
    ) -> Outcome {
        self.account.begin_call()?;
        let tracer = self.tracer.as_mut();
        let around = tracer.map(|tracer| tracer.begin_call(function, &mut arguments));
        let value = self.grown(|run| run.called(function, arguments, input));
        if let (Some(tracer), Some(around)) = (&mut self.tracer, around) {
            tracer.end_call(around);
        }
        self.account.end_call();
        value
    }

    fn called(
        &mut self,
        function: &Rc<Function>,
        mut arguments: Vec<Datum>,
        input: &Datum,
    ) -> Outcome {
        let mut function = Rc::clone(function);
        let mut input = input.clone();
        let level = self.account.depth();
        loop {
            self.account.take(1)?;
            let next = match &*function {
                Function::Builtin(builtin) => {
                    return self.builtin(builtin, arguments, &input);
                }
                Function::Lambda {
                    plan,
                    input: input_of_lambda,
                    frame,
                    ..
                } => {
                    let given = match &plan.signature {
                        Some(signature) => signature.arguments("", arguments, &input)?,
                        None => arguments,
                    };
                    self.account.room(0)?;
                    let inner = frame.inner();
                    let mut given = given.into_iter();
                    for name in &plan.parameters {
                        self.bind(&inner, name, given.next().unwrap_or_default())?;
                    }
                    self.tail(&plan.body, input_of_lambda, &inner, level)?
                }
                Function::Partial {
                    function,
                    arguments: bound,
                } => {
                    let mut given = arguments.into_iter();
                    let filled = bound.iter().map(|argument| match argument {
                        Some(value) => value.clone(),
                        None => given.next().unwrap_or_default(),
                    });
                    Tail::Call(Rc::clone(function), filled.collect(), input)
                }
                Function::Chain(first, second) => {
                    self.account.down()?;
                    let value = self.call(first, arguments, &input)?.unwrapped();
                    self.account.up();
                    Tail::Call(Rc::clone(second), vec![value], input)
                }
                Function::Transform { plan, frame } => {
                    return self.transformed(plan, frame, arguments);
                }
                Function::Pattern(pattern) => {
                    let mut given = arguments.into_iter();
                    let Some(Datum::Text(text, _)) = given.next() else {
                        return Ok(Datum::Nothing);
                    };
                    let from = match given.next() {
                        Some(Datum::Number(units, _)) => index(units),
                        _ => 0,
                    };
                    return self.pattern_match(pattern, &text, from, Turn::First);
                }
                Function::Next {
                    pattern,
                    text,
                    from,
                } => return self.pattern_match(pattern, text, *from, Turn::Next),
            };
            match next {
                Tail::Value(value) => return Ok(value),
                Tail::Call(called, given, from) => {
                    function = called;
                    arguments = given;
                    input = from;
                }
            }
        }
    }

    /// Evaluates a function's body. If the body ends with a call, this call is not made but returned as a tail call.
    /// Its function and arguments are evaluated at the depth `level` of the caller.
    fn tail(&mut self, node: &Node, input: &Datum, frame: &Frame, level: u32) -> Outcome<Tail> {
        if !node.is_plain() {
            return self.value(node, input, frame).map(Tail::Value);
        }
        match &node.form {
            Form::Choice {
                condition,
                then,
                other,
            } => {
                self.account.take(1)?;
                self.account.down()?;
                let chosen = if self.holds(condition, input, frame)? {
                    Some(&**then)
                } else {
                    other.as_deref()
                };
                let made = match chosen {
                    Some(chosen) => self.tail(chosen, input, frame, level)?,
                    None => Tail::Value(Datum::Nothing),
                };
                self.account.up();
                Ok(made)
            }
            Form::Block { parts, .. } => {
                self.account.down()?;
                let inner = frame.inner();
                let Some((last, before)) = parts.split_last() else {
                    self.account.up();
                    return Ok(Tail::Value(Datum::Nothing));
                };
                for part in before {
                    self.value(part, input, &inner)?;
                }
                let made = self.tail(last, input, &inner, level)?;
                self.account.up();
                Ok(made)
            }
            Form::Call {
                function,
                arguments,
            } => {
                self.leaf()?;
                let before = self.account.at_depth(level);
                let prepared = self.prepared(function, arguments, None, input, frame);
                self.account.at_depth(before);
                let (called, given) = prepared?;
                Ok(Tail::Call(called, given, input.clone()))
            }
            _ => self.value(node, input, frame).map(Tail::Value),
        }
    }

    /// Calls a built-in function. If an argument that defaults to the context is missing, it becomes the input.
    pub(super) fn builtin(
        &mut self,
        builtin: &'static Builtin,
        arguments: Vec<Datum>,
        input: &Datum,
    ) -> Outcome {
        let count = arguments.len();
        let arguments = match builtin.signature()? {
            Some(signature) => signature.arguments(builtin.name, arguments, input)?,
            None => arguments,
        };
        if let Some(tracer) = &mut self.tracer {
            tracer.runs(builtin.name);
            if arguments.len() > count {
                tracer.reads(input, Role::Operand);
            }
        }
        (builtin.run)(self, &arguments)
    }

    /// Calls a callback with as many of the given arguments as it accepts, but with at least one.
    pub(super) fn call_back(&mut self, function: &Rc<Function>, given: &[Datum]) -> Outcome {
        let count = function.arity().max(1).min(given.len());
        let given = given.get(..count).unwrap_or_default().to_vec();
        self.call(function, given, &Datum::null())
    }

    pub(super) fn partial(
        &mut self,
        function: &Node,
        arguments: &[Option<Node>],
        input: &Datum,
        frame: &Frame,
    ) -> Outcome {
        let called = match self.value(function, input, frame)? {
            Datum::Function(called) => called,
            _ => {
                if let Some(name) = only_name(function)
                    && builtin::named(name).is_some()
                {
                    return thrown(format!(
                        "T1007: Attempted to partially apply a non-function. Did you mean ${name}?"
                    ));
                }
                return thrown("T1008: Attempted to partially apply a non-function");
            }
        };
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(match argument {
                Some(argument) => Some(self.value(argument, input, frame)?),
                None => None,
            });
        }
        let partial = Datum::Function(Rc::new(Function::Partial {
            function: called,
            arguments: given,
        }));
        self.account.bounded(partial)
    }

    /// Evaluates `left ~> right`: calls the right function with the left value, or composes two functions.
    pub(super) fn chained(
        &mut self,
        left: &Node,
        right: &Node,
        input: &Datum,
        frame: &Frame,
    ) -> Outcome {
        if let Form::Call {
            function,
            arguments,
        } = &right.form
        {
            let first = self.value(left, input, frame)?;
            let (called, given) = self.prepared(function, arguments, Some(first), input, frame)?;
            let mut value = self.call_by(function, &called, given, input)?;
            for predicate in &right.predicates {
                value = self.filtered(predicate, value, frame)?;
            }
            if right.keep
                && let Datum::List(list) = &mut value
                && list.sequence
            {
                list.keep = true;
            }
            return Ok(value);
        }
        let first = self.value(left, input, frame)?;
        let Datum::Function(second) = self.value(right, input, frame)? else {
            return thrown(
                "T2006: The right side of the function application operator ~> must be a function",
            );
        };
        match first {
            Datum::Function(first) => self
                .account
                .bounded(Datum::Function(Rc::new(Function::Chain(first, second)))),
            value => self.call(&second, vec![value], &Datum::null()),
        }
    }

    /// Copies the argument and changes the parts that the location selects.
    fn transformed(
        &mut self,
        plan: &TransformPlan,
        frame: &Frame,
        mut arguments: Vec<Datum>,
    ) -> Outcome {
        if arguments.len() > 1 {
            return super::builtin::wrong_argument(2, "");
        }
        let original = match arguments.pop() {
            None | Some(Datum::Nothing) => return Ok(Datum::Nothing),
            Some(value @ (Datum::Record(_, _) | Datum::List(_))) => value,
            Some(_) => return super::builtin::wrong_argument(1, ""),
        };
        let copy = self.copied(&original)?;
        let matches = self.value(&plan.location, &copy, frame)?;
        let mut changed: HashMap<usize, Datum> = HashMap::new();
        for item in matches.items() {
            let update = match self.value(&plan.update, item, frame)? {
                Datum::Nothing => None,
                Datum::Record(update, _) => Some(update),
                other => {
                    let value = self.shown_in_error(&other);
                    return thrown(format!(
                        "T2011: The insert/update clause of the transform expression must evaluate to an object: {value}"
                    ));
                }
            };
            let update = update.as_ref().map(|update| update.members());
            let Datum::Record(record, _) = item else {
                // As in JavaScript, adding a property to a scalar fails; values of other types stay unchanged.
                let name = update.and_then(|update| update.keys().next());
                let (Some(name), kind @ ("number" | "string" | "boolean")) = (name, item.kind())
                else {
                    continue;
                };
                let value = written(item, &mut self.account)?;
                return thrown(format!(
                    "Cannot create property '{}' on {kind} '{value}'",
                    &**name
                ));
            };
            let key = Rc::as_ptr(record).addr();
            let mut members: IndexMap<Letters, Datum> = match changed.get(&key) {
                Some(Datum::Record(before, _)) => before.members().clone(),
                _ => record.members().clone(),
            };
            self.account.take(members.len())?;
            for (name, value) in update.into_iter().flatten() {
                members.insert(name.clone(), value.clone());
            }
            if let Some(delete) = &plan.delete {
                let names = self.value(delete, item, frame)?;
                for name in names.items() {
                    let Datum::Text(name, _) = name else {
                        let value = self.shown_in_error(&names);
                        return thrown(format!(
                            "T2012: The delete clause of the transform expression must evaluate to a string or array of strings: {value}"
                        ));
                    };
                    self.account.take(members.len() / 4 + 1)?;
                    members.shift_remove(&**name);
                }
            }
            let record = self.account.record(members)?;
            changed.insert(key, record);
        }
        self.replaced(&copy, &changed, 0)
    }

    /// Makes a deep copy that shares no list or record with the original. The address of a list or record then
    /// identifies its place in the copy.
    fn copied(&mut self, value: &Datum) -> Outcome {
        self.account.take(1)?;
        match value {
            Datum::List(list) => {
                let mut items = self.account.items(list.len())?;
                for item in list.iter() {
                    items.push(self.grown(|run| run.copied(item))?);
                }
                Ok(self.account.list(items)?.with_tag(list.tag))
            }
            Datum::Record(record, tag) => {
                let mut members = IndexMap::with_capacity(record.members().len());
                for (name, member) in record.members() {
                    let member = self.grown(|run| run.copied(member))?;
                    members.insert(name.clone(), member);
                }
                Ok(self.account.record(members)?.with_tag(*tag))
            }
            other => Ok(other.clone()),
        }
    }

    /// Copies a value with the changed parts in place of the original ones. If a changed part contains itself, the
    /// depth limit ends the endless copy with an error.
    fn replaced(&mut self, value: &Datum, changed: &HashMap<usize, Datum>, depth: u32) -> Outcome {
        self.account.take(1)?;
        if depth > NESTING {
            return bound(STACK);
        }
        match value {
            Datum::List(list) => {
                let mut items = Items::default();
                for item in list.iter() {
                    let item = self.grown(|run| run.replaced(item, changed, depth + 1))?;
                    self.account.push(&mut items, item)?;
                }
                self.account.list(items)
            }
            Datum::Record(record, _) => {
                let key = Rc::as_ptr(record).addr();
                let record = match changed.get(&key) {
                    Some(Datum::Record(after, _)) => after,
                    _ => record,
                };
                let mut members = IndexMap::with_capacity(record.members().len());
                for (name, member) in record.members() {
                    let member = self.grown(|run| run.replaced(member, changed, depth + 1))?;
                    members.insert(name.clone(), member);
                }
                self.account.record(members)
            }
            other => Ok(other.clone()),
        }
    }
}

/// Adds the name of the called function to an error message that lacks the name.
fn named_in(words: Text, part: &Node) -> Text {
    match &part.form {
        Form::Variable(name) if words.starts_with("T041") => {
            let named = format!("function \"{}\"", &**name);
            words.replacen("function undefined", &named, 1).into()
        }
        _ => words,
    }
}

/// The name of the called function if the call was written without the `$` before the name.
fn only_name(function: &Node) -> Option<&str> {
    let Form::Path(path) = &function.form else {
        return None;
    };
    match path.steps.as_slice() {
        [only] => match &only.form {
            StepForm::Map(Node {
                form: Form::Member(name),
                ..
            }) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
