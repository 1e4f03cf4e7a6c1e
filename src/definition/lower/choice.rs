//! Parses the rules of a Choice into tests.

use super::path::{Need, at_error, compile_path, meant, path_message};
use super::rules::{CHOICE_RULE, CHOICES, CONSTANT, PATTERN, REFERENCE_PATH};
use super::state::StateReader;
use super::{Object, is_opaque, is_reference, opening, text_of};
use crate::definition::rule::LintRule;
use crate::definition::{Choice, Comparator, Comparison, Operand, QueryLanguage, Rule, Test};
use crate::json::Text;
use crate::query::{Path, Pattern, parse_timestamp};
use crate::source::{Member, Node, did_you_mean};

const OPERATORS: [&str; 3] = ["And", "Or", "Not"];

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
            self.required(object, "Choices", CHOICES, "the array of rules");
            return Vec::new();
        };
        let Some(items) = value.items() else {
            self.wrong_type(value, location, "Array", CHOICES);
            return Vec::new();
        };
        if items.is_empty() {
            self.empty(
                value,
                location.clone(),
                CHOICES,
                "a Choice needs at least one rule",
            );
        }
        let mut rules = Vec::with_capacity(items.len());
        for (index, node) in items.iter().enumerate() {
            let location = format!("{location}[{index}]");
            let object = Object {
                node,
                location: &location,
            };
            if node.members().is_none() {
                self.wrong_type(node, location, "Object", CHOICE_RULE);
                continue;
            }
            if object.get("Next").is_none() {
                self.report(
                    CHOICE_RULE
                        .found_reading("The field 'Next' is required but was missing")
                        .at(opening(node), location.as_str())
                        .help("say which state follows when the rule matches"),
                );
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
            return self.bad_test(
                object,
                opening(object.node),
                "The field 'Condition' is required but was missing",
                "a rule in JSONata has a Condition",
            );
        };
        if let Some(flag) = value.as_bool() {
            return Test::Always(flag);
        }
        match self.expression(value, &format!("Choices[{index}]/Condition")) {
            Some(expression) => Test::Condition(expression),
            None if value.as_str().is_some_and(is_opaque) => {
                Test::Broken("Condition holds a placeholder".into())
            }
            None => self.bad_constant(value, object.at("Condition"), "Boolean", CHOICE_RULE),
        }
    }

    /// Parses the test of a rule. `top` is true for a rule in `Choices`, and false for a nested one.
    fn test(&mut self, object: Object<'n, '_>, top: bool) -> Test {
        let Some(members) = object.node.members() else {
            self.report(
                CHOICE_RULE
                    .found_reading("Expected value of type Object")
                    .at(object.node.span, object.location)
                    .help("a rule is an object"),
            );
            return Test::Broken("Expected value of type Object".into());
        };
        if !top && let Some(next) = object.node.member("Next") {
            self.report(
                CHOICE_RULE
                    .found_reading("Field 'Next' is not supported")
                    .at(next.key.span, object.at("Next"))
                    .help("only a rule of Choices has a Next, not one inside And, Or or Not"),
            );
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
            [first, ..] => self.bad_test(
                object,
                first.key.span,
                "a rule has exactly one of And, Or, Not, or a Variable with a comparator",
                "combine them inside one And or Or",
            ),
        }
    }

    fn bad_test(
        &mut self,
        object: Object<'n, '_>,
        span: crate::source::Span,
        message: &str,
        help: &str,
    ) -> Test {
        self.report(
            CHOICE_RULE
                .found_reading(message)
                .at(span, object.location)
                .help(help),
        );
        Test::Broken(message.into())
    }

    fn combined(&mut self, object: Object<'n, '_>, member: &'n Member) -> Test {
        let name = &*member.key.text;
        let location = object.at(name);
        if name == "Not" {
            let inner = self.test(
                Object {
                    node: &member.value,
                    location: &location,
                },
                false,
            );
            return Test::Not(Box::new(inner));
        }
        let Some(items) = member.value.items() else {
            return self.bad_constant(&member.value, location, "Array", CHOICE_RULE);
        };
        if items.is_empty() {
            self.report(
                CHOICE_RULE
                    .found_reading("Value cannot be empty")
                    .at(member.value.span, location)
                    .help(format!("{name} needs at least one rule")),
            );
            return Test::Broken(format!("{name}: Value cannot be empty").into());
        }
        let mut tests = Vec::with_capacity(items.len());
        for (index, node) in items.iter().enumerate() {
            let location = format!("{location}[{index}]");
            tests.push(self.test(
                Object {
                    node,
                    location: &location,
                },
                false,
            ));
        }
        if name == "And" {
            Test::And(tests)
        } else {
            Test::Or(tests)
        }
    }

    fn comparison(&mut self, object: Object<'n, '_>, members: &'n [Member]) -> Test {
        let found: Vec<(&Member, Comparator, bool)> = members
            .iter()
            .filter_map(|member| {
                let (comparator, path) = Comparator::parse(&member.key.text)?;
                Some((member, comparator, path))
            })
            .collect();
        let variable = object.get("Variable");
        let (member, comparator, by_path) = match (found.as_slice(), variable) {
            ([], None) => {
                return self.bad_test(
                    object,
                    opening(object.node),
                    "a rule has exactly one of And, Or, Not, or a Variable with a comparator",
                    "say what the rule tests",
                );
            }
            ([], Some(_)) => return self.no_comparator(object, members),
            ([_, (second, ..), ..], _) => {
                return self.bad_test(
                    object,
                    second.key.span,
                    "a rule has exactly one comparator",
                    "put each comparator into a rule of its own and join them with And",
                );
            }
            ([only], _) => *only,
        };
        let Some(variable) = variable else {
            return self.bad_test(
                object,
                opening(object.node),
                "The field 'Variable' is required but was missing",
                "Variable is the path of what is compared",
            );
        };
        let variable = self.rule_path(variable, "Variable", object.at("Variable"));
        let location = object.at(&member.key.text);
        let operand = if by_path {
            self.rule_path(&member.value, &member.key.text, location)
                .map(Operand::Path)
        } else {
            self.constant(&member.value, comparator, location)
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
        let names: Vec<String> = Comparator::all()
            .flat_map(|comparator| {
                let path = comparator
                    .has_path_form()
                    .then(|| format!("{comparator}Path"));
                std::iter::once(comparator.to_string()).chain(path)
            })
            .collect();
        let known = ["Variable", "Next", "Comment", "Assign"];
        let near = members
            .iter()
            .filter(|member| !known.contains(&&*member.key.text))
            .find_map(|member| did_you_mean(&member.key.text, names.iter().map(String::as_str)));
        self.bad_test(
            object,
            opening(object.node),
            "the rule has no comparator",
            near.as_deref()
                .unwrap_or("such as StringEquals, NumericLessThan or IsPresent"),
        )
    }

    fn rule_path(&mut self, value: &Node, name: &str, location: String) -> Result<Path, Text> {
        let Some(text) = value.as_str() else {
            self.bad_constant(value, location, "String", REFERENCE_PATH);
            return Err(format!("{name} is not a path").into());
        };
        if is_opaque(text) {
            return Err(format!("{name} holds the placeholder {text}").into());
        }
        compile_path(text, Need::Reference).map_err(|error| {
            let (rule, message) = path_message(value, name, Need::Reference, &error);
            let reason = message.clone();
            self.report(at_error(
                rule.found_reading(message),
                value,
                &error,
                location,
            ));
            reason.into()
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
            return Test::Broken("a template's function, which nothing has filled in".into());
        }
        let name = location.rsplit('/').next().unwrap_or_default();
        let help = meant(value, name, self.language())
            .unwrap_or_else(|| format!("found {}", value.type_name()));
        self.report(
            rule.found_reading(message.as_str())
                .at(value.span, location)
                .help(help),
        );
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
                return Err(format!("{comparator} holds the placeholder {text}").into());
            }
            self.bad_constant(value, location, name, CONSTANT);
            return Err(format!("{comparator}: Expected value of type {name}").into());
        }
        let text = text.unwrap_or_default();
        match comparator {
            Comparator::Timestamp(_) if is_opaque(text) => {
                Err(format!("{comparator} holds the placeholder {text}").into())
            }
            Comparator::Timestamp(_) if parse_timestamp(text).is_none() => {
                self.bad_timestamp(value, location);
                Err("String does not match RFC3339 timestamp".into())
            }
            Comparator::StringMatches => match Pattern::parse(text) {
                Ok(pattern) => Ok(Operand::Pattern(text.into(), pattern)),
                Err(error) => {
                    let reason = error.message.clone();
                    let diagnostic = PATTERN.found_reading(reason.as_str());
                    self.report(at_error(diagnostic, value, &error, location));
                    Err(reason.into())
                }
            },
            _ => Ok(Operand::Constant(value.to_value())),
        }
    }
}
