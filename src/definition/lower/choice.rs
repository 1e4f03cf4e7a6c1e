//! Parses the rules of a Choice into tests.

use super::lowering::{Object, is_opaque, is_reference, opening, text_of};
use super::path::{Need, compile_path, meant, path_message};
use super::rules::{CHOICE_RULE, CHOICES, CONSTANT, PATTERN, REFERENCE_PATH};
use super::state::StateReader;
use crate::definition::rule::LintRule;
use crate::definition::{Choice, Comparator, Comparison, Operand, QueryLanguage, Rule, Test};
use crate::json::Text;
use crate::query::{Path, Pattern, parse_timestamp};
use crate::source::{Member, Node, Span, did_you_mean};

const OPERATORS: [&str; 3] = ["And", "Or", "Not"];
const ONE_TEST: &str = "a rule has exactly one of And, Or, Not, or a Variable with a comparator";

impl<'n> StateReader<'_, 'n> {
    pub(super) fn choice(&mut self, object: Object<'n, '_>) -> Choice {
        Choice {
            rules: self.rules(object),
            default: self.target(object, "Default"),
        }
    }

    fn rules(&mut self, object: Object<'n, '_>) -> Vec<Rule> {
        let location = object.at("Choices");
        let Some(value) = object.get("Choices") else {
            self.required(object, "Choices", CHOICES, "Choices is the array of rules");
            return Vec::new();
        };
        let Some(items) = value.items() else {
            self.wrong_type(value, location, "Array", CHOICES);
            return Vec::new();
        };
        if items.is_empty() {
            let help = "a Choice needs at least one rule";
            self.empty(value, location.clone(), CHOICES, help);
        }
        let mut rules = Vec::with_capacity(items.len());
        for (index, node) in items.iter().enumerate() {
            let location = format!("{location}[{index}]");
            let object = Object::new(node, &location);
            if node.members().is_none() {
                self.wrong_type(node, location, "Object", CHOICE_RULE);
                continue;
            }
            if object.get("Next").is_none() {
                let message = "The field 'Next' is required but was missing";
                let help = "name the state that follows if the rule matches";
                let place = (opening(node), location.as_str());
                self.report(CHOICE_RULE, message, place, help);
            }
            rules.push(Rule {
                span: node.span,
                test: self.rule_test(object, index),
                next: self.target(object, "Next"),
                assign: self.template(object, "Assign"),
                jsonata: self.jsonata(object, &["Output", "Assign"], &format!("Choices[{index}]/")),
                comment: text_of(node, "Comment"),
            });
        }
        rules
    }

    /// Parses the test of a rule in `Choices`.
    fn rule_test(&mut self, object: Object<'n, '_>, index: usize) -> Test {
        if self.language() != QueryLanguage::Jsonata {
            return self.test(object, true);
        }
        let Some(value) = object.get("Condition") else {
            let message = "The field 'Condition' is required but was missing";
            return self.bad_test(object, None, message, "a rule in JSONata has a Condition");
        };
        if let Some(flag) = value.as_bool() {
            return Test::Always(flag);
        }
        match self.expression(value, &format!("Choices[{index}]/Condition")) {
            Some(expression) => Test::Condition(expression),
            None if value.as_str().is_some_and(is_opaque) => Test::Broken(
                "Condition contains a placeholder such as ${Name}, whose value is unknown".into(),
            ),
            None => self.bad_constant(value, object.at("Condition"), "Boolean", CHOICE_RULE),
        }
    }

    /// Parses the test of a rule. `top` is true for a rule in `Choices`, and false for a nested rule.
    fn test(&mut self, object: Object<'n, '_>, top: bool) -> Test {
        let Some(members) = object.node.members() else {
            let message = "Expected value of type Object";
            return self.bad_test(
                object,
                Some(object.node.span),
                message,
                "a rule is an object",
            );
        };
        if !top && let Some(next) = object.node.member("Next") {
            let help = "only a rule directly in Choices can have a Next; a rule inside And, Or or Not cannot";
            let place = (next.key.span, object.at("Next"));
            self.report(CHOICE_RULE, "Field 'Next' is not supported", place, help);
        }
        let operators: Vec<&Member> = members
            .iter()
            .filter(|member| OPERATORS.contains(&&*member.key.text))
            .collect();
        let compares = members.iter().any(|member| {
            &*member.key.text == "Variable" || Comparator::parse(&member.key.text).is_some()
        });
        match operators.as_slice() {
            [] => self.comparison(object, members),
            [only] if !compares => self.combined(object, only),
            [first, ..] => {
                let help = "combine the tests inside one And or Or";
                self.bad_test(object, Some(first.key.span), ONE_TEST, help)
            }
        }
    }

    /// Reports a test that cannot be evaluated, and returns a broken test. The diagnostic is at `span`, or at the
    /// beginning of the rule if `span` is `None`.
    fn bad_test(
        &mut self,
        object: Object<'n, '_>,
        span: Option<Span>,
        message: &str,
        help: &str,
    ) -> Test {
        let span = span.unwrap_or_else(|| opening(object.node));
        self.report(CHOICE_RULE, message, (span, object.location), help);
        Test::Broken(message.into())
    }

    fn combined(&mut self, object: Object<'n, '_>, member: &'n Member) -> Test {
        let name = &*member.key.text;
        let location = object.at(name);
        if name == "Not" {
            let inner = self.test(Object::new(&member.value, &location), false);
            return Test::Not(Box::new(inner));
        }
        let Some(items) = member.value.items() else {
            return self.bad_constant(&member.value, location, "Array", CHOICE_RULE);
        };
        if items.is_empty() {
            let help = format!("{name} needs at least one rule");
            let place = (member.value.span, location);
            self.report(CHOICE_RULE, "Value cannot be empty", place, help);
            return Test::Broken(format!("{name}: Value cannot be empty").into());
        }
        let mut tests = Vec::with_capacity(items.len());
        for (index, node) in items.iter().enumerate() {
            let location = format!("{location}[{index}]");
            tests.push(self.test(Object::new(node, &location), false));
        }
        match name {
            "And" => Test::And(tests),
            _ => Test::Or(tests),
        }
    }

    fn comparison(&mut self, object: Object<'n, '_>, members: &'n [Member]) -> Test {
        let comparators: Vec<(&Member, Comparator, bool)> = members
            .iter()
            .filter_map(|member| {
                let (comparator, path) = Comparator::parse(&member.key.text)?;
                Some((member, comparator, path))
            })
            .collect();
        let variable = object.get("Variable");
        let (member, comparator, by_path) = match (comparators.as_slice(), variable) {
            ([], None) => {
                return self.bad_test(
                    object,
                    None,
                    ONE_TEST,
                    "add a test: a Variable with a comparator, or And, Or or Not",
                );
            }
            ([], Some(_)) => return self.no_comparator(object, members),
            ([_, (second, ..), ..], _) => {
                let message = "a rule has exactly one comparator";
                let help =
                    "put each comparator into a rule of its own, and join the rules with And";
                return self.bad_test(object, Some(second.key.span), message, help);
            }
            ([only], _) => *only,
        };
        let Some(variable) = variable else {
            let message = "The field 'Variable' is required but was missing";
            let help = "Variable is the path of the value to compare";
            return self.bad_test(object, None, message, help);
        };
        let variable = self.rule_path(variable, "Variable", object.at("Variable"));
        let location = object.at(&member.key.text);
        let (name, value) = (&member.key.text, &member.value);
        let operand = match by_path {
            true => self.rule_path(value, name, location).map(Operand::Path),
            false => self.constant(value, comparator, location),
        };
        match (variable, operand) {
            (Ok(variable), Ok(operand)) => Test::Compare(Box::new(Comparison {
                span: object.node.span,
                variable,
                comparator,
                operand,
            })),
            (Err(reason), _) | (_, Err(reason)) => Test::Broken(reason),
        }
    }

    fn no_comparator(&mut self, object: Object<'n, '_>, members: &[Member]) -> Test {
        let names = Comparator::names();
        let known = ["Variable", "Next", "Comment", "Assign"];
        let near = members
            .iter()
            .filter(|member| !known.contains(&&*member.key.text))
            .find_map(|member| did_you_mean(&member.key.text, names.iter().map(String::as_str)));
        let help = near.as_deref();
        let help =
            help.unwrap_or("add a comparator such as StringEquals, NumericLessThan or IsPresent");
        self.bad_test(object, None, "the rule has no comparator", help)
    }

    fn rule_path(&mut self, value: &Node, name: &str, location: String) -> Result<Path, Text> {
        let Some(text) = value.as_str() else {
            self.bad_constant(value, location, "String", REFERENCE_PATH);
            return Err(format!("{name} is not a path").into());
        };
        if is_opaque(text) {
            return Err(format!("{name} contains the placeholder {text}").into());
        }
        compile_path(text, Need::Reference).map_err(|error| {
            let (rule, message) = path_message(value, name, Need::Reference, &error);
            self.report_syntax(rule, message.as_str(), (value, location), &error);
            message.into()
        })
    }

    fn bad_constant(
        &mut self,
        value: &Node,
        location: String,
        wanted: &str,
        rule: LintRule,
    ) -> Test {
        let message = format!("Expected value of type {wanted}");
        if is_reference(value) {
            return Test::Broken("the value is an unresolved template function".into());
        }
        let name = location.rsplit('/').next().unwrap_or_default();
        let help = meant(value, name, self.language())
            .unwrap_or_else(|| format!("found {}", value.type_name()));
        self.report(rule, message.as_str(), (value.span, location), help);
        Test::Broken(message.into())
    }

    fn constant(
        &mut self,
        value: &Node,
        comparator: Comparator,
        location: String,
    ) -> Result<Operand, Text> {
        let text = value.as_str();
        let wanted = match comparator {
            Comparator::String(_) | Comparator::StringMatches | Comparator::Timestamp(_) => {
                (text.is_some(), "String")
            }
            Comparator::Numeric(_) => (value.as_number().is_some(), "Number"),
            _ => (value.as_bool().is_some(), "Boolean"),
        };
        if let (false, name) = wanted {
            if let Some(text) = text.filter(|text| is_opaque(text)) {
                return Err(format!("{comparator} contains the placeholder {text}").into());
            }
            self.bad_constant(value, location, name, CONSTANT);
            return Err(format!("{comparator}: Expected value of type {name}").into());
        }
        let text = text.unwrap_or_default();
        match comparator {
            Comparator::Timestamp(_) if is_opaque(text) => {
                Err(format!("{comparator} contains the placeholder {text}").into())
            }
            Comparator::Timestamp(_) if parse_timestamp(text).is_none() => {
                self.bad_timestamp(value, location);
                Err("String does not match RFC3339 timestamp".into())
            }
            Comparator::StringMatches => match Pattern::parse(text) {
                Ok(pattern) => Ok(Operand::Pattern(text.into(), pattern)),
                Err(error) => {
                    let message = error.message.as_str();
                    self.report_syntax(PATTERN, message, (value, location), &error);
                    Err(message.into())
                }
            },
            _ => Ok(Operand::Constant(value.to_value())),
        }
    }
}
