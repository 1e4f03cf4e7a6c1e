//! The API: the parts that all operations share.

use super::options::Options;
use super::store::Store;
use super::task::Tasks;
use crate::interpreter::Identity;
use crate::launch::{Given, Mock, mock_in};
use crate::worker::Worker;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The state of a server.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) options: Options,
    identity: Identity,
    store: Mutex<Store>,
    tasks: Mutex<Tasks>,
    /// Notified when a worker may find a task.
    pub(super) scheduled: Condvar,
    /// Worker for `--unmocked` answers; never evaluates anything, because these answers do not require it.
    pub(super) worker: Arc<Worker>,
    /// The mock file as last read, with its stamp at that time.
    mock: Mutex<Option<(Stamp, Arc<Mock>)>>,
}

/// Modification time and length of a file.
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

    /// Region and account for all ARNs.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current time in milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(0)
    }

    /// Returns the mock file; reads it again if it has changed.
    ///
    /// # Errors
    /// A sentence that says why the file cannot be read.
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
