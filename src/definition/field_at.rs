//! Identifies a field within its state: by the object that contains the field, and by the field's name.

use crate::source::Node;
use std::fmt;

/// The object within a state that contains a field. Indexes count from 0, as in the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// The state itself, which contains fields such as `Next`.
    State,
    /// A rule in `Choices`, by its index.
    Rule(u32),
    /// A retrier in `Retry`, by its index.
    Retrier(u32),
    /// A catcher in `Catch`, by its index.
    Catcher(u32),
    /// The object in `ItemReader`.
    Reader,
    /// The object in `ItemReader.ReaderConfig`.
    ReaderConfig,
    /// The object in `ItemBatcher`.
    Batcher,
    /// The object in `ResultWriter`.
    Writer,
}

impl Owner {
    /// All kinds of owners (objects that contain fields). An owner with an index has index 0 here.
    pub const ALL: [Self; 8] = [
        Self::State,
        Self::Rule(0),
        Self::Retrier(0),
        Self::Catcher(0),
        Self::Reader,
        Self::ReaderConfig,
        Self::Batcher,
        Self::Writer,
    ];

    /// Finds the owner's object inside the object of its state; `None` if the object is missing.
    #[must_use]
    pub fn node(self, state: &Node) -> Option<&Node> {
        let (members, index) = self.members();
        let node = members
            .iter()
            .try_fold(state, |node, name| node.get(name))?;
        match index {
            Some(index) => node.items()?.get(index as usize),
            None => Some(node),
        }
    }

    /// The path from the state's object to the owner's object: the member names, outermost first. If the last member is
    /// an array (of rules, retriers or catchers), also the owner's index in it.
    fn members(self) -> (&'static [&'static str], Option<u32>) {
        match self {
            Self::State => (&[], None),
            Self::Rule(index) => (&["Choices"], Some(index)),
            Self::Retrier(index) => (&["Retry"], Some(index)),
            Self::Catcher(index) => (&["Catch"], Some(index)),
            Self::Reader => (&["ItemReader"], None),
            Self::ReaderConfig => (&["ItemReader", "ReaderConfig"], None),
            Self::Batcher => (&["ItemBatcher"], None),
            Self::Writer => (&["ResultWriter"], None),
        }
    }
}

/// A field within a state, identified by its owner and name. `Display` prints the form `Catch[0].ResultPath`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldAt {
    /// The object within the state that contains the field.
    pub owner: Owner,
    /// The field's name, as in the table of the language's fields.
    pub name: &'static str,
}

impl FieldAt {
    /// Identifies the field `name` of the state itself.
    #[must_use]
    pub const fn state(name: &'static str) -> Self {
        Self {
            owner: Owner::State,
            name,
        }
    }

    /// True if the field does not belong to a single rule or catcher.
    pub(super) fn is_of_state(self) -> bool {
        !matches!(self.owner, Owner::Rule(_) | Owner::Catcher(_))
    }

    /// The name of the state's field that is or contains this field: `Catch` for `Catch[0].ResultPath`.
    #[must_use]
    pub fn outermost(self) -> &'static str {
        let (members, _) = self.owner.members();
        members.first().copied().unwrap_or(self.name)
    }

    /// The value of the field inside the state's object; `None` if the field is missing.
    #[must_use]
    pub fn node(self, state: &Node) -> Option<&Node> {
        self.owner.node(state)?.get(self.name)
    }

    /// The field as AWS names it in a Cause, for example `Choices[1]/Condition`.
    #[must_use]
    pub fn aws(self) -> String {
        self.joined("/")
    }

    fn joined(self, separator: &str) -> String {
        let (members, index) = self.owner.members();
        let mut text = members.join(separator);
        if let Some(index) = index {
            text.push_str(&format!("[{index}]"));
        }
        if !text.is_empty() {
            text.push_str(separator);
        }
        text.push_str(self.name);
        text
    }
}

impl fmt::Display for FieldAt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.joined("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_printed_in_the_project_s_and_in_aws_s_form() {
        for (owner, name, dotted, aws) in [
            (Owner::State, "Output", "Output", "Output"),
            (
                Owner::Rule(1),
                "Condition",
                "Choices[1].Condition",
                "Choices[1]/Condition",
            ),
            (
                Owner::Rule(0),
                "Variable",
                "Choices[0].Variable",
                "Choices[0]/Variable",
            ),
            (
                Owner::Catcher(2),
                "ResultPath",
                "Catch[2].ResultPath",
                "Catch[2]/ResultPath",
            ),
            (
                Owner::ReaderConfig,
                "MaxItems",
                "ItemReader.ReaderConfig.MaxItems",
                "ItemReader/ReaderConfig/MaxItems",
            ),
        ] {
            let field = FieldAt::named(owner, name).expect(name);
            assert_eq!(
                (field.to_string().as_str(), field.aws().as_str()),
                (dotted, aws)
            );
        }
        assert_eq!(FieldAt::named(Owner::State, "Condition"), None);
    }

    #[test]
    fn every_field_of_every_owner_can_be_named() {
        for owner in Owner::ALL {
            for spec in owner.fields() {
                assert!(
                    FieldAt::named(owner, spec.name).is_some(),
                    "{owner:?} {}",
                    spec.name
                );
            }
        }
    }
}
