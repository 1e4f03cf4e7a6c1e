//! The API of one service: its actions, and the shapes of what they take and return.

/// The API of one service.
#[derive(Debug, Default)]
pub struct Model {
    /// Its actions, sorted by name.
    pub(super) actions: Vec<Action>,
    /// Names of its errors without their prefix, sorted.
    pub(super) errors: Vec<&'static str>,
    pub(super) shapes: Vec<Shape>,
}

/// An action of a service.
#[derive(Debug)]
pub(super) struct Action {
    /// Its name as a Resource has it: `getObject`.
    pub(super) name: &'static str,
    pub(super) input: Kind,
    pub(super) output: Kind,
    /// Indices of the errors that the model lists for it.
    pub(super) errors: Vec<usize>,
}

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of any content.
    Text,
    /// Bytes, which a state machine passes as text.
    Blob,
    /// A time.
    Timestamp,
    /// A whole number.
    Integer,
    /// Any number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value.
    Any,
    /// Nothing: the action has no input or output.
    Nothing,
    /// A shape of the model, by index.
    Shape(usize),
}

/// A type that the model describes.
#[derive(Debug)]
pub enum Shape {
    /// Text, bytes or a number with limits.
    Scalar(Scalar),
    /// A list of items of one type.
    List(Kind),
    /// An object whose names are data and whose values are of one type.
    Map(Kind),
    /// An object with these members.
    Structure(Vec<Member>),
}

/// Text, bytes or a number with limits.
#[derive(Debug)]
pub struct Scalar {
    /// Text, Blob, Integer or Float.
    pub kind: Kind,
    /// The values that it can have; empty if it is not an enumeration.
    pub values: Vec<&'static str>,
    /// Least value, or least length in characters. Known only for results.
    pub least: Option<i64>,
    /// Greatest value, or greatest length in characters. Known only for results.
    pub most: Option<i64>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name in SDK integrations.
    pub(super) sdk: &'static str,
    /// Its name in optimized integrations.
    pub(super) plain: &'static str,
    /// Type of its value.
    pub kind: Kind,
    /// Whether it has to be given.
    pub need: Need,
}

/// Whether a member has to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It may be absent.
    Optional,
    /// It is always there.
    Required,
    /// It is required and makes a repeated call harmless; optimized integrations fill it in.
    Token,
}

/// The two ways of writing the names of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// As Java's SDK: `DbInstanceIdentifier`, `Bool`.
    Sdk,
    /// As the API with a capital first letter: `DBInstanceIdentifier`, `BOOL`.
    Optimized,
}

impl Model {
    pub(super) fn action(&self, name: &str) -> Option<&Action> {
        let place = self.actions.binary_search_by(|one| one.name.cmp(name));
        place.ok().and_then(|place| self.actions.get(place))
    }

    /// The shape that a type refers to; `None` if it is built in.
    #[must_use]
    pub fn shape(&self, kind: Kind) -> Option<&Shape> {
        match kind {
            Kind::Shape(index) => self.shapes.get(index),
            _ => None,
        }
    }

    /// The members of a type; none if it is not a structure.
    pub(super) fn members(&self, kind: Kind) -> &[Member] {
        match self.shape(kind) {
            Some(Shape::Structure(members)) => members,
            _ => &[],
        }
    }
}

impl Member {
    /// Its name in an integration of this kind.
    #[must_use]
    pub fn name(&self, naming: Naming) -> &'static str {
        match naming {
            Naming::Sdk => self.sdk,
            Naming::Optimized => self.plain,
        }
    }

    /// True if an integration of this kind may call it so. Java's SDK renames some members: both names are accepted then.
    #[must_use]
    pub fn is(&self, name: &str, naming: Naming) -> bool {
        let renamed = !self.sdk.eq_ignore_ascii_case(self.plain);
        self.name(naming) == name || renamed && self.plain == name
    }

    /// True if an integration of this kind has to be given it.
    #[must_use]
    pub fn is_required(&self, naming: Naming) -> bool {
        match self.need {
            Need::Optional => false,
            Need::Required => true,
            Need::Token => naming == Naming::Sdk,
        }
    }
}
