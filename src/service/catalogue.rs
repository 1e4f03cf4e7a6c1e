//! The index of all services and their API models. Each model is parsed on first use.

use super::block;
use super::model::Model;
use std::sync::OnceLock;

/// The first line names the source of the data. Then there is a line for each service, in alphabetical order: name,
/// prefix of its errors, botocore's name, API version, number of actions, size of its block, and deflated size of its
/// block.
const INDEX: &str = include_str!("catalogue.txt");
const BLOCKS: &[u8] = include_bytes!("catalogue.bin");

/// A service that SDK integrations can call.
#[derive(Debug)]
pub struct Service {
    /// Name in a Resource: `cloudwatchlogs`.
    pub name: &'static str,
    /// Prefix of its error names: `CloudWatchLogs`.
    pub prefix: &'static str,
    /// Name in the AWS command line and in most SDKs: `logs`.
    pub(super) botocore: &'static str,
    block: &'static [u8],
    model: OnceLock<Option<Model>>,
}

impl Service {
    /// The API model; `None` if the block is damaged.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        self.model.get_or_init(|| block::read(self.block)).as_ref()
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
    let place = services.binary_search_by(|one| one.name.cmp(name)).ok()?;
    services.get(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_can_be_read() {
        let services = services();
        assert!(services.len() > 400, "{}", services.len());
        assert!(services.is_sorted_by_key(|one| one.name));
        let rows = INDEX.lines().skip(1);
        let mut taken = 0;
        for (one, row) in services.iter().zip(rows) {
            let model = one.model().unwrap_or_else(|| panic!("{}", one.name));
            let count = row.split(' ').nth(4).unwrap();
            assert_eq!(model.actions.len().to_string(), count, "{}", one.name);
            assert!(model.actions.is_sorted_by_key(|action| action.name));
            taken += one.block.len();
        }
        assert_eq!(taken, BLOCKS.len());
    }
}
