//! The cases to run: the test files that were read, each with the definition that it tests.

use crate::headless::Refusal;
use crate::launch::{Given, LaunchConfig, Prepared};
use crate::query::Profile;
use crate::testing::{Answering, Case, Found, TestFile, Written, histories_of, test_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A test file with its definition, loaded once for each profile that its cases use.
pub(super) struct Unit {
    pub(super) file: TestFile,
    pub(super) prepared: Vec<(Profile, Arc<Prepared>)>,
}

impl Unit {
    /// The definition with which a case is run: the one loaded for the case's profile; `None` if there is none.
    pub(super) fn of(&self, case: &Case) -> Option<&Arc<Prepared>> {
        let profile = case.profile();
        let mut all = self.prepared.iter();
        all.find(|(known, _)| *known == profile)
            .map(|(_, prepared)| prepared)
    }

    /// All files that the unit depends on; a change to one of them makes its cases run again.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.file.program.file.clone()];
        match self.file.written {
            Written::Histories => {
                let cases = self.file.cases.iter();
                files.extend(cases.map(|case| self.file.path.join(&*case.name)));
            }
            _ => files.push(self.file.path.clone()),
        }
        for (_, prepared) in &self.prepared {
            let named = prepared.definition.sources.named();
            files.extend(named.map(|file| PathBuf::from(&*file.name)));
            let mock = prepared.mock.as_ref().and_then(|mock| mock.path.clone());
            files.extend(mock);
        }
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// The test file, and the files that it names.
fn read_by(file: &TestFile) -> Vec<PathBuf> {
    let mut files = vec![file.path.clone(), file.program.file.clone()];
    files.extend(file.mock.clone());
    files.extend(file.children.iter().map(|(_, child)| child.clone()));
    files
}

/// All test files to run, and the problems that were found while reading them.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) units: Vec<Unit>,
    pub(super) problems: Vec<Refusal>,
    /// Files with problems. Once the user has fixed them, there may be more cases to run.
    pub(super) broken: Vec<PathBuf>,
    pub(super) files: Found,
}

impl Plan {
    /// Reads the tests in files and folders.
    pub(super) fn read(paths: &[PathBuf]) -> Self {
        let files = test_files(paths);
        let mut plan = Self::default();
        for path in &files.tests {
            match TestFile::load(path) {
                Ok(file) => plan.prepare(file),
                Err(error) => plan.problems.push(error.into()),
            }
        }
        for (definition, mock, machine) in &files.mocks {
            plan.read_mock(definition, mock, machine);
        }
        plan.read_histories(&files);
        for folder in &files.orphans {
            let text = format!(
                "no definition lies beside {folder}, so asldbg cannot repeat the executions in this folder",
                folder = folder.display()
            );
            plan.problems.push(Refusal::new(text));
        }
        plan.files = files;
        plan
    }

    /// Adds a problem, with the files in which the user can fix it. A problem that is already known is not added again.
    fn refuse(&mut self, problem: Refusal, files: impl IntoIterator<Item = PathBuf>) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        self.broken.extend(files);
    }

    /// Loads the definition of a test file, once for each profile that the file's cases use.
    fn prepare(&mut self, file: TestFile) {
        let mut prepared = Vec::new();
        for profile in file.profiles() {
            match file.prepare(profile) {
                Ok((_, loaded)) => prepared.push((profile, Arc::new(loaded))),
                Err(error) => return self.refuse(error.into(), read_by(&file)),
            }
        }
        if let Some((_, loaded)) = prepared.first() {
            let unknown = file.unknown_states(&loaded.definition);
            if !unknown.is_empty() {
                return self.refuse(Refusal::of(&unknown, &file.sources), read_by(&file));
            }
        }
        self.units.push(Unit { file, prepared });
    }

    /// Reads the recorded executions that belong to each definition; a run of the definition must repeat them.
    fn read_histories(&mut self, files: &Found) {
        let mut definitions: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
        for (definition, file) in &files.histories {
            definitions
                .entry(definition)
                .or_default()
                .push(file.clone());
        }
        for (definition, files) in definitions {
            let folder = histories_of(definition);
            let file = TestFile::of_histories(definition, &folder, &files);
            self.prepare(file);
        }
    }

    /// Reads the cases of a mock file that no test file uses.
    fn read_mock(&mut self, definition: &Path, mock: &Path, machine: &str) {
        let config = LaunchConfig {
            mock: Some(Given::File(mock.to_path_buf())),
            ..LaunchConfig::of(definition)
        };
        let prepared = match Prepared::of(&config) {
            Ok(prepared) => prepared,
            Err(error) => {
                let files = [definition.to_path_buf(), mock.to_path_buf()];
                return self.refuse(error.into(), files);
            }
        };
        let Some(read) = &prepared.mock else { return };
        let mut file = TestFile::of_mock(definition, mock, &read.file, machine);
        let units = self.units.iter().map(|unit| &unit.file);
        let same = units.filter(|unit_file| unit_file.program.file == definition);
        let used = same.flat_map(|unit_file| &unit_file.cases);
        let used = used.filter_map(|case| match &case.answers {
            Answering::Beside => Some(&case.name),
            Answering::Case(name) => Some(name),
            Answering::Inline(_) => None,
        });
        let used: BTreeSet<_> = used.collect();
        file.cases.retain(|case| !used.contains(&case.name));
        if !file.cases.is_empty() {
            let profile = Profile::default();
            self.units.push(Unit {
                file,
                prepared: vec![(profile, Arc::new(prepared))],
            });
        }
    }
}
