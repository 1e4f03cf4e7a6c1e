//! The index of all AWS services and their API models. A model is parsed when it is first used.
//!
//! The catalogue has a block for each service. A block has ten parts, each of which is preceded by its length: a text,
//! and nine columns of numbers. The text has four sections separated by empty lines: actions, errors, names of members,
//! and values of enumerations. The columns are: for each action, the type of its input; for each action, the type of
//! its output; for each action, the number of its errors, then the differences between their successive indexes; for
//! each shape, its kind; for each structure and each scalar, the number of its members or values; for each of these,
//! its name or value; for each member, list and map, its type; for each member of a structure, its [`Need`]; for each
//! scalar, its two limits. The name 0 means the next new name, and the type 16 means the next new shape.
//! `tools/services/catalogue.py` writes the blocks.

use super::model::{Action, Kind, Member, Model, Need, Scalar, Shape};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::sync::OnceLock;

/// The first line names the source of the data. After it, each service has a line, in alphabetical order: name, prefix
/// of its errors, botocore's name, API version, number of actions, size of its block, and size of its compressed block.
const INDEX: &str = include_str!("catalogue.txt");
const BLOCKS: &[u8] = include_bytes!("catalogue.bin");

/// A service that SDK integrations can call.
#[derive(Debug)]
pub struct Service {
    /// Name in a Resource: `cloudwatchlogs`.
    pub name: &'static str,
    /// Prefix of the service's error names: `CloudWatchLogs`.
    pub prefix: &'static str,
    /// Name in the AWS command line and in most SDKs: `logs`.
    pub(super) botocore: &'static str,
    block: &'static [u8],
    model: OnceLock<Option<Model>>,
}

impl Service {
    /// The API model of the service; `None` if its data in the catalogue is damaged.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        self.model.get_or_init(|| read(self.block)).as_ref()
    }
}

/// The source of the catalogue: package, version and date.
#[must_use]
pub fn edition() -> &'static str {
    INDEX.lines().next().unwrap_or_default()
}

/// The date of the catalogue.
#[must_use]
pub fn date() -> &'static str {
    edition().rsplit(' ').next().unwrap_or_default()
}

/// All services, sorted by name.
#[must_use]
pub fn services() -> &'static [Service] {
    static SERVICES: OnceLock<Vec<Service>> = OnceLock::new();
    SERVICES.get_or_init(|| {
        let mut blocks = BLOCKS;
        INDEX
            .lines()
            .skip(1)
            .filter_map(|line| {
                let mut cells = line.split(' ');
                let (name, prefix, botocore) = (cells.next()?, cells.next()?, cells.next()?);
                let length = cells.next_back()?.parse().ok()?;
                let (block, rest) = blocks.split_at_checked(length)?;
                blocks = rest;
                Some(Service {
                    name,
                    prefix,
                    botocore,
                    block,
                    model: OnceLock::new(),
                })
            })
            .collect()
    })
}

/// The service with this name.
#[must_use]
pub fn service(name: &str) -> Option<&'static Service> {
    let services = services();
    let place = services
        .binary_search_by(|service| service.name.cmp(name))
        .ok()?;
    services.get(place)
}

/// Maximum size, in bytes, of the decompressed block of one service.
const MOST: usize = 1 << 24;

/// Parses the compressed block of a service; `None` if it is damaged.
fn read(block: &[u8]) -> Option<Model> {
    let bytes = decompress_to_vec_with_limit(block, MOST).ok()?;
    let mut rest = Column(&bytes);
    let text = String::from_utf8(rest.part()?.0.to_vec()).ok()?;
    // The text is leaked, because names are used until the program ends. Each block is parsed only once.
    let text: &'static str = Box::leak(text.into_boxed_str());
    let mut parts = text.splitn(4, "\n\n").map(|part| part.split('\n'));
    let (actions, errors) = (parts.next()?, parts.next()?);
    let (mut names, mut values) = (Names::new(parts.next()?), Names::new(parts.next()?));
    let mut inputs = rest.part()?;
    let mut outputs = rest.part()?;
    let mut raised = rest.part()?;
    let mut kinds = rest.part()?;
    let mut lengths = rest.part()?;
    let mut members = rest.part()?;
    let mut types = rest.part()?;
    let mut needs = rest.part()?;
    let mut limits = rest.part()?;

    let mut shapes_seen = 0;
    let actions = actions
        .map(|name| {
            let (input, output) = (
                inputs.kind(&mut shapes_seen)?,
                outputs.kind(&mut shapes_seen)?,
            );
            let mut at = 0;
            let count = raised.next()?;
            let errors = (0..count).map(|_| {
                at += raised.next()?;
                Some(at)
            });
            Some(Action {
                name,
                input,
                output,
                errors: errors.collect::<Option<_>>()?,
            })
        })
        .collect::<Option<_>>()?;
    let mut shapes = Vec::new();
    while let Some(code) = kinds.next() {
        shapes.push(match code {
            7 => Shape::List(types.kind(&mut shapes_seen)?),
            8 => Shape::Map(types.kind(&mut shapes_seen)?),
            9 => {
                let members_of_shape = (0..lengths.next()?).map(|_| {
                    let name = names.get(members.next()?)?;
                    let (sdk, plain) = name.split_once('=').unwrap_or((name, name));
                    Some(Member {
                        sdk,
                        plain,
                        kind: types.kind(&mut shapes_seen)?,
                        need: match needs.next()? {
                            0 => Need::Optional,
                            1 => Need::Required,
                            _ => Need::Token,
                        },
                    })
                });
                Shape::Structure(members_of_shape.collect::<Option<_>>()?)
            }
            _ => {
                let members_of_shape = (0..lengths.next()?).map(|_| values.get(members.next()?));
                Shape::Scalar(Scalar {
                    kind: built_in(code)?,
                    values: members_of_shape.collect::<Option<_>>()?,
                    least: limits.limit()?,
                    most: limits.limit()?,
                })
            }
        });
    }
    Some(Model {
        actions,
        errors: errors.filter(|name| !name.is_empty()).collect(),
        shapes,
    })
}

fn built_in(code: usize) -> Option<Kind> {
    Some(match code {
        0 => Kind::Text,
        1 => Kind::Blob,
        2 => Kind::Timestamp,
        3 => Kind::Integer,
        4 => Kind::Float,
        5 => Kind::Boolean,
        6 => Kind::Any,
        15 => Kind::Nothing,
        _ => return None,
    })
}

/// A part of a block: numbers in a variable-length encoding, with seven bits per byte, lowest bits first.
struct Column<'b>(&'b [u8]);

impl<'b> Column<'b> {
    fn next(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 127) << shift;
            if *byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// Reads the next part of a block; the length of the part comes first.
    fn part(&mut self) -> Option<Self> {
        let length = self.next()?;
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Column(part))
    }

    /// Reads a type. `seen` is the number of different shapes that types have referred to so far.
    fn kind(&mut self, seen: &mut usize) -> Option<Kind> {
        match self.next()? {
            16 => {
                *seen += 1;
                Some(Kind::Shape(*seen - 1))
            }
            code @ 17.. => Some(Kind::Shape(code - 17)),
            code => built_in(code),
        }
    }

    /// Reads a limit of a length or value. The code 0 means that there is no limit; any other code stands for a number,
    /// which may be negative.
    fn limit(&mut self) -> Option<Option<i64>> {
        Some(match self.next()? {
            0 => None,
            code => {
                let half = i64::try_from((code - 1) / 2).ok()?;
                Some(if code % 2 == 1 { half } else { -half - 1 })
            }
        })
    }
}

/// Decodes references to names, which are stored in the order of their first use.
struct Names<I> {
    new: I,
    known: Vec<&'static str>,
}

impl<I: Iterator<Item = &'static str>> Names<I> {
    fn new(new: I) -> Self {
        let known = Vec::new();
        Self { new, known }
    }

    fn get(&mut self, code: usize) -> Option<&'static str> {
        match code.checked_sub(1) {
            Some(place) => self.known.get(place).copied(),
            None => {
                let name = self.new.next()?;
                self.known.push(name);
                Some(name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_can_be_read() {
        let services = services();
        assert!(services.len() > 400, "{}", services.len());
        assert!(services.is_sorted_by_key(|service| service.name));
        let rows = INDEX.lines().skip(1);
        let mut taken = 0;
        for (service, row) in services.iter().zip(rows) {
            let model = service
                .model()
                .unwrap_or_else(|| panic!("{}", service.name));
            let count = row.split(' ').nth(4).unwrap();
            assert_eq!(model.actions.len().to_string(), count, "{}", service.name);
            assert!(model.actions.is_sorted_by_key(|action| action.name));
            taken += service.block.len();
        }
        assert_eq!(taken, BLOCKS.len());
    }
}
