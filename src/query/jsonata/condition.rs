//! Whether one condition holds wherever another does, as far as the texts of the two tell.
//!
//! It must not know the data; where the texts do not tell, the answer is no.

use super::tree::{Form, Node, Operator, Tree};

/// Longer conditions are not read, in bytes: they are compared as trees, which may be as deep as they are long.
const LONGEST: usize = 2_000;

/// What a condition asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Ask);

#[derive(Clone, Debug, PartialEq)]
enum Ask {
    All(Vec<Ask>),
    Any(Vec<Ask>),
    /// A part of it against a constant.
    Compare(Node, Operator, Constant),
    /// `$not`.
    Not(Box<Ask>),
    /// Anything else: it follows from the same alone.
    Other(Node),
}

#[derive(Clone, Debug, PartialEq)]
enum Constant {
    Number(f64),
    Text(String),
    Flag(bool),
}

impl Condition {
    /// Reads the text between the delimiters; `None` where it does not parse.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let tree = Tree::parse(text).ok()?;
        Some(Self(Ask::of(tree.root())))
    }

    /// Whether `wide` surely holds wherever this one does.
    #[must_use]
    pub fn implies(&self, wide: &Self) -> bool {
        self.0.implies(&wide.0)
    }

    /// Whether `wide` surely holds wherever this one is false.
    #[must_use]
    pub fn fails(&self, wide: &Self) -> bool {
        self.0.fails(&wide.0)
    }

    /// The conditions of which it is enough that one holds; none where it is one alone.
    #[must_use]
    pub fn alternatives(&self) -> Vec<Self> {
        match &self.0 {
            Ask::Any(any) => any.iter().cloned().map(Self).collect(),
            _ => Vec::new(),
        }
    }
}

impl Ask {
    fn of(node: &Node) -> Self {
        match &node.form {
            Form::Block(items) => match items.as_slice() {
                [only] => Self::of(only),
                _ => Self::other(node),
            },
            Form::Path(steps) => match steps.as_slice() {
                [only] if only.stages.is_empty() => Self::of(&only.node),
                _ => Self::other(node),
            },
            Form::Binary(op, lhs, rhs) => match op {
                Operator::And => Self::All(vec![Self::of(lhs), Self::of(rhs)]),
                Operator::Or => Self::Any(vec![Self::of(lhs), Self::of(rhs)]),
                Operator::In => among(lhs, rhs).unwrap_or_else(|| Self::other(node)),
                _ => compared(*op, lhs, rhs).unwrap_or_else(|| Self::other(node)),
            },
            Form::Function {
                name, arguments, ..
            } if name == "not" => match arguments.as_slice() {
                [only] => Self::Not(Box::new(Self::of(only))),
                _ => Self::other(node),
            },
            _ => Self::other(node),
        }
    }

    fn other(node: &Node) -> Self {
        Self::Other(node.clone())
    }

    fn implies(&self, wide: &Self) -> bool {
        match (self, wide) {
            (_, Self::All(all)) => all.iter().all(|one| self.implies(one)),
            (Self::Any(any), _) => any.iter().all(|one| one.implies(wide)),
            (Self::Not(one), Self::Not(other)) if other.implies(one) => true,
            (_, Self::Not(wide)) => self.refutes(wide),
            (_, Self::Any(any)) if any.iter().any(|one| self.implies(one)) => true,
            (Self::All(all), _) => all.iter().any(|one| one.implies(wide)),
            (Self::Not(narrow), _) => narrow.fails(wide),
            (Self::Compare(of, relation, constant), Self::Compare(own, wide, other)) => {
                of == own && within((*relation, constant), (*wide, other))
            }
            _ => self == wide,
        }
    }

    /// Whether `wide` surely does not hold wherever this does.
    fn refutes(&self, wide: &Self) -> bool {
        match (self, wide) {
            (_, Self::Not(wide)) => self.implies(wide),
            (Self::Any(any), _) => any.iter().all(|one| one.refutes(wide)),
            (_, Self::Any(any)) => any.iter().all(|one| self.refutes(one)),
            (_, Self::All(all)) if all.iter().any(|one| self.refutes(one)) => true,
            (Self::All(all), _) => all.iter().any(|one| one.refutes(wide)),
            (Self::Not(narrow), _) => wide.implies(narrow),
            (Self::Compare(of, relation, constant), Self::Compare(own, wide, other)) => {
                of == own && apart((*relation, constant), (*wide, other))
            }
            _ => false,
        }
    }

    /// Whether `wide` surely holds wherever this is false.
    fn fails(&self, wide: &Self) -> bool {
        match (self, wide) {
            (_, Self::All(all)) => all.iter().all(|one| self.fails(one)),
            (Self::All(all), _) => all.iter().all(|one| one.fails(wide)),
            (Self::Not(narrow), _) => narrow.implies(wide),
            (_, Self::Not(wide)) => wide.implies(self),
            (_, Self::Any(any)) if any.iter().any(|one| self.fails(one)) => true,
            (Self::Any(any), _) => any.iter().any(|one| one.fails(wide)),
            (Self::Compare(of, relation, constant), Self::Compare(own, wide, other)) => {
                // Of what is missing no equality holds, nor its opposite; to ask for its order gives nothing.
                let other_side = complement(*relation);
                let is_number = matches!(
                    (constant, other),
                    (Constant::Number(_), Constant::Number(_))
                );
                of == own
                    && is_number
                    && other_side.is_some_and(|side| within((side, constant), (*wide, other)))
            }
            _ => false,
        }
    }
}

/// What holds of a number where a relation of order does not.
fn complement(relation: Operator) -> Option<Operator> {
    match relation {
        Operator::Less => Some(Operator::GreaterOrEqual),
        Operator::LessOrEqual => Some(Operator::Greater),
        Operator::Greater => Some(Operator::LessOrEqual),
        Operator::GreaterOrEqual => Some(Operator::Less),
        _ => None,
    }
}

/// Whether nothing stands in the first relation to its constant and in the second to its own.
fn apart(narrow: (Operator, &Constant), wide: (Operator, &Constant)) -> bool {
    match wide.0 {
        Operator::Equal if narrow.0 == Operator::Equal => narrow.1 != wide.1,
        Operator::Equal => within(narrow, (Operator::NotEqual, wide.1)),
        Operator::NotEqual => within(narrow, (Operator::Equal, wide.1)),
        order => {
            let is_number = matches!(
                (narrow.1, wide.1),
                (Constant::Number(_), Constant::Number(_))
            );
            let side = complement(order).filter(|_| is_number);
            side.is_some_and(|side| within(narrow, (side, wide.1)))
        }
    }
}

/// A comparison with a constant on either side.
fn compared(relation: Operator, lhs: &Node, rhs: &Node) -> Option<Ask> {
    use Operator::{Greater, GreaterOrEqual, Less, LessOrEqual};
    if !relation.compares() {
        return None;
    }
    if let Some(constant) = constant(rhs) {
        return Some(Ask::Compare(lhs.clone(), relation, constant));
    }
    let turned = match relation {
        Less => Greater,
        LessOrEqual => GreaterOrEqual,
        Greater => Less,
        GreaterOrEqual => LessOrEqual,
        same => same,
    };
    Some(Ask::Compare(rhs.clone(), turned, constant(lhs)?))
}

/// `in` a written array: equal to one of its items.
fn among(lhs: &Node, rhs: &Node) -> Option<Ask> {
    let Form::Array(items) = &rhs.form else {
        return None;
    };
    let of = lhs.clone();
    let equal = |item| Some(Ask::Compare(of.clone(), Operator::Equal, constant(item)?));
    let any: Option<Vec<Ask>> = items.iter().map(equal).collect();
    any.filter(|any| !any.is_empty()).map(Ask::Any)
}

fn constant(node: &Node) -> Option<Constant> {
    match &node.form {
        Form::Number(number) => Some(Constant::Number(*number)),
        Form::Text(text) => Some(Constant::Text(text.clone())),
        Form::Bool(flag) => Some(Constant::Flag(*flag)),
        _ => None,
    }
}

/// Whether what stands in the first relation to its constant stands in the second to its own.
fn within(narrow: (Operator, &Constant), wide: (Operator, &Constant)) -> bool {
    use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    if narrow == wide {
        return true;
    }
    let (Constant::Number(a), Constant::Number(b)) = (narrow.1, wide.1) else {
        let apart = std::mem::discriminant(narrow.1) == std::mem::discriminant(wide.1)
            && narrow.1 != wide.1;
        return narrow.0 == Equal && wide.0 == NotEqual && apart;
    };
    match (narrow.0, wide.0) {
        (Equal, Equal) => a == b,
        (Equal, NotEqual) => a != b,
        (Equal | Less | LessOrEqual, Less) if narrow.0 != Less => a < b,
        (Equal | Less | LessOrEqual, LessOrEqual) | (Less, Less) => a <= b,
        (Equal | GreaterOrEqual, Greater) => a > b,
        (Equal | Greater | GreaterOrEqual, GreaterOrEqual) | (Greater, Greater) => a >= b,
        (Less, NotEqual) => b >= a,
        (LessOrEqual, NotEqual) => b > a,
        (Greater, NotEqual) => b <= a,
        (GreaterOrEqual, NotEqual) => b < a,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_the_texts() {
        let implies = |narrow: &str, wide: &str| {
            let read = |text| Condition::read(text).unwrap_or_else(|| panic!("{text}"));
            read(narrow).implies(&read(wide))
        };
        for (narrow, wide, wanted) in [
            ("$x > 20000", "$x > 2500", true),
            ("$x > 2500", "$x > 20000", false),
            ("$x > 5", "$x >= 5", true),
            ("$x >= 5", "$x > 5", false),
            ("$x <= 5", "$x < 5", false),
            ("$x < 5", "$x < 5", true),
            ("$x <= 4", "$x < 5", true),
            ("5 < $x", "$x > 4", true),
            ("$x = 7", "$x > 5", true),
            ("$x = 7", "$x != 8", true),
            ("$x = 'a'", "$x != 'b'", true),
            ("$x = 'a'", "$x != 7", false),
            ("$x > 20000 or ($x > 2500 and $y > 2)", "$x > 2500", true),
            ("$x > 20000 or $y > 2", "$x > 2500", false),
            ("$x = 'a' and $y", "$y", true),
            ("$x in ['a', 'b']", "$x in ['c', 'b', 'a']", true),
            ("$x in ['a', 'b']", "$x = 'a'", false),
            ("$states.input.a.b = 1", "$states.input.a.b < 2", true),
            ("$states.input.a[0] = 1", "$states.input.a[1] = 1", false),
            ("$not($x)", "$not($x)", true),
            ("$not($x > 1)", "$not($x > 2)", true),
            ("$not($x > 2)", "$not($x > 1)", false),
            ("$x = 'c'", "$not($x in ['a', 'b'])", true),
            ("$x = 'a'", "$not($x in ['a', 'b'])", false),
            ("$x = 7", "$not($x = 'a')", true),
            ("$x in ['c', 'd']", "$not($x in ['a', 'b'])", true),
            ("$x = 'c'", "$not($x = 'a' or $x = 'b')", true),
            ("$not($x in ['a', 'b'])", "$not($x = 'a')", true),
            ("$not($x = 'a')", "$not($x in ['a', 'b'])", false),
            ("$not($x = 'a')", "$x != 'a'", false),
            ("$x != 'a'", "$not($x = 'a')", true),
            ("$x > 5", "$not($x < 3)", true),
            ("$x > 2", "$not($x < 3)", false),
            ("$not($x < 3)", "$x > 2", true),
            ("$not($not($x = 1))", "$x = 1", true),
            ("$y and $x = 'c'", "$not($x = 'a' and $z)", true),
            ("$not($x = 'a' and $z)", "$not($x = 'a')", false),
        ] {
            assert_eq!(implies(narrow, wide), wanted, "{narrow} -> {wide}");
        }
    }

    #[test]
    fn numbers_agree_with_the_operators() {
        let holds = |relation: &str, x: i32, y: i32| match relation {
            "=" => x == y,
            "!=" => x != y,
            "<" => x < y,
            "<=" => x <= y,
            ">" => x > y,
            _ => x >= y,
        };
        let all = ["=", "!=", "<", "<=", ">", ">="];
        for (one, a) in all.iter().flat_map(|one| (0..4).map(move |a| (one, a))) {
            for (other, b) in all.iter().flat_map(|other| (0..4).map(move |b| (other, b))) {
                let read = |text: String| Condition::read(&text).expect("parses");
                let said = read(format!("$x {one} {a}")).implies(&read(format!("$x {other} {b}")));
                // Halves too: a number need not be whole.
                let truth = (-4..20).all(|x| !holds(one, x, a * 2) || holds(other, x, b * 2));
                assert_eq!(said, truth, "$x {one} {a} -> $x {other} {b}");
            }
        }
    }
}
