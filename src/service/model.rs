//! The API of a service: its actions, and the shapes of their inputs and outputs.

/// The API of a service.
#[derive(Debug, Default)]
pub struct Model {
    /// The actions, sorted by name.
    pub(super) actions: Vec<Action>,
    /// Error names without their prefix, sorted.
    pub(super) errors: Vec<&'static str>,
    pub(super) shapes: Vec<Shape>,
}

/// An action of a service.
#[derive(Debug)]
pub(super) struct Action {
    /// Name in a Resource: `getObject`.
    pub(super) name: &'static str,
    pub(super) input: Kind,
    pub(super) output: Kind,
    /// Indexes of the errors that the model lists for the action.
    pub(super) errors: Vec<usize>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of any content.
    Text,
    /// Bytes, which state machines represent as text.
    Blob,
    /// A time.
    Timestamp,
    /// An integer.
    Integer,
    /// Any number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value.
    Any,
    /// No value: the action has no input or output.
    Nothing,
    /// A type that the model describes, given by the index of its shape in the model.
    Shape(usize),
}

/// A type that the model describes.
#[derive(Debug)]
pub enum Shape {
    /// A text, bytes or a number, with its limits.
    Scalar(Scalar),
    /// A list of items of one type.
    List(Kind),
    /// An object whose member names are arbitrary and whose values have one type.
    Map(Kind),
    /// An object with these members.
    Structure(Vec<Member>),
}

/// A type for a text, bytes or a number, with limits.
#[derive(Debug)]
pub struct Scalar {
    /// The basic type: Text, Blob, Integer or Float.
    pub kind: Kind,
    /// The allowed values if the type is an enumeration; otherwise empty.
    pub values: Vec<&'static str>,
    /// Minimum value, or minimum length in characters. Only known for results.
    pub least: Option<i64>,
    /// Maximum value, or maximum length in characters. Only known for results.
    pub most: Option<i64>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name of the member in SDK integrations.
    pub(super) sdk: &'static str,
    /// Name of the member in optimized integrations.
    pub(super) plain: &'static str,
    /// Type of the value.
    pub kind: Kind,
    /// Tells if the member is required.
    pub need: Need,
}

/// Tells if a member is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The member may be missing.
    Optional,
    /// The member must always be present.
    Required,
    /// An idempotency token. It is required, but optimized integrations fill it in.
    Token,
}

/// A spelling of member names. The two kinds of integrations use different spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// The spelling in SDK integrations, which is that of the SDK for Java: `DbInstanceIdentifier`, `Bool`.
    Sdk,
    /// The spelling in optimized integrations, which is that of the API with a capital first letter:
    /// `DBInstanceIdentifier`, `BOOL`.
    Optimized,
}

impl Model {
    pub(super) fn action(&self, name: &str) -> Option<&Action> {
        let place = self
            .actions
            .binary_search_by(|action| action.name.cmp(name));
        place.ok().and_then(|place| self.actions.get(place))
    }

    /// The shape to which a type refers; `None` for a built-in type.
    #[must_use]
    pub fn shape(&self, kind: Kind) -> Option<&Shape> {
        match kind {
            Kind::Shape(index) => self.shapes.get(index),
            _ => None,
        }
    }

    /// The members of a type; empty if it is not a structure.
    pub(super) fn members(&self, kind: Kind) -> &[Member] {
        match self.shape(kind) {
            Some(Shape::Structure(members)) => members,
            _ => &[],
        }
    }
}

impl Member {
    /// Name of the member in an integration with this spelling.
    #[must_use]
    pub fn name(&self, naming: Naming) -> &'static str {
        match naming {
            Naming::Sdk => self.sdk,
            Naming::Optimized => self.plain,
        }
    }

    /// True if `name` is a valid name of the member in an integration with this spelling. If the SDK for Java renames a
    /// member, both the old and the new name are valid.
    #[must_use]
    pub fn is(&self, name: &str, naming: Naming) -> bool {
        let renamed = !self.sdk.eq_ignore_ascii_case(self.plain);
        self.name(naming) == name || renamed && self.plain == name
    }

    /// True if an integration with this spelling requires the member.
    #[must_use]
    pub fn is_required(&self, naming: Naming) -> bool {
        match self.need {
            Need::Optional => false,
            Need::Required => true,
            Need::Token => naming == Naming::Sdk,
        }
    }
}
