//! The API: what all operations have in common.

use super::options::Options;
use super::store::Store;
use super::task::Tasks;
use crate::interpreter::Identity;
use crate::launch::{Given, Mock, mock_in};
use crate::worker::Worker;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A server.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) options: Options,
    identity: Identity,
    store: Mutex<Store>,
    tasks: Mutex<Tasks>,
    /// Told when a worker may find a task.
    pub(super) scheduled: Condvar,
    /// Serves no question of a run: what a task gets that nothing answers needs none.
    pub(super) worker: Arc<Worker>,
    /// The mock file as it was read last, and what it looked like on disk then.
    mock: Mutex<Option<(Stamp, Arc<Mock>)>>,
}

/// Time and length of a file.
type Stamp = Option<(SystemTime, u64)>;

impl Api {
    pub(super) fn new(options: Options) -> Self {
        let identity = Identity {
            region: options.region.as_str().into(),
            account: options.account.as_str().into(),
            ..Identity::default()
        };
        Self {
            options,
            identity,
            store: Mutex::default(),
            tasks: Mutex::default(),
            scheduled: Condvar::new(),
            worker: Arc::new(Worker::new()),
            mock: Mutex::default(),
        }
    }

    /// Region and account of all ARNs.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(0)
    }

    /// The mock file, read again if it has changed.
    ///
    /// # Errors
    /// Why it cannot be read, in a sentence.
    pub(super) fn mock(&self) -> Result<Option<Arc<Mock>>, String> {
        let Some(path) = &self.options.mock else {
            return Ok(None);
        };
        let now = stamp(path);
        let mut known = self.mock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stamp, mock)) = &*known
            && *stamp == now
            && now.is_some()
        {
            return Ok(Some(Arc::clone(mock)));
        }
        let mock = mock_in(&Given::File(path.clone())).map_err(|error| error.to_string())?;
        let mock = Arc::new(mock);
        *known = Some((now, Arc::clone(&mock)));
        Ok(Some(mock))
    }
}

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}
