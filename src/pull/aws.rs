//! Runs the user's `aws` program, without a shell, and reads its responses page by page.

use super::complaint::{Complaint, Kind};
use crate::headless;
use crate::json::{Text, Value, one_line, parse};
use crate::target::{self, Ended, Room, Watch, end_all, find_program, run};
use std::io::ErrorKind::Interrupted;
use std::thread;
use std::time::Duration;

/// Maximum size of a response, in bytes.
const LARGEST_ANSWER: usize = 128 << 20;
/// Maximum pause before a throttled request is repeated, in seconds; pauses start at one second and double.
const LONGEST_PAUSE: u64 = 8;

/// The `aws` program, with the user's options for it and the region to which requests go.
#[derive(Clone, Debug)]
pub(super) struct Aws {
    aws: target::Aws,
    region: Option<String>,
}

impl Aws {
    /// Finds the program `aws` in the folders of PATH that have an absolute path.
    ///
    /// # Errors
    /// If the program is not in any of these folders.
    pub(super) fn find(options: &[String], region: &str) -> Result<Self, Complaint> {
        let aws = target::Aws {
            program: find_program("aws").ok_or_else(Complaint::missing)?,
            options: options.to_vec(),
        };
        headless::before_end(end_all);
        let has_region = aws.option("--region").is_some();
        Ok(Self {
            aws,
            region: (!has_region).then(|| region.to_string()),
        })
    }

    /// The user's option `--profile NAME`, if given.
    pub(super) fn profile(&self) -> Option<&str> {
        self.aws.option("--profile")
    }

    /// Makes one request and returns the response; repeats a throttled request after a pause.
    ///
    /// # Errors
    /// If the program reports an error.
    pub(super) fn call(
        &self,
        service: &str,
        operation: &str,
        input: Vec<(Text, Value)>,
    ) -> Result<Value, Complaint> {
        let input = one_line(&Value::object(input));
        let mut pause = 1;
        loop {
            match self.call_once(service, operation, &input) {
                Err(complaint) if complaint.kind == Kind::Throttled && pause <= LONGEST_PAUSE => {
                    thread::sleep(Duration::from_secs(pause));
                    pause *= 2;
                }
                answered => return answered,
            }
        }
    }

    fn call_once(&self, service: &str, operation: &str, input: &str) -> Result<Value, Complaint> {
        let mut command = self.aws.command();
        command
            .args([service, operation])
            .args(&self.aws.options)
            .args([
                "--cli-input-json",
                input,
                "--no-paginate",
                "--output",
                "json",
            ]);
        if let Some(region) = &self.region {
            command.args(["--region", region]);
        }
        let room = Room {
            limit: LARGEST_ANSWER,
            is_over: &|| false,
        };
        let (status, stdout, stderr) = match run(command, "", &room, &Watch::new(None)) {
            Ended::Itself(status, stdout, stderr) => (status, stdout, stderr),
            Ended::TooLarge => return Err(Complaint::too_large(LARGEST_ANSWER as u64)),
            Ended::Forced => return Err(Complaint::slow(&self.aws.program)),
            Ended::Unstarted(error) if error.kind() == Interrupted => {
                being_ended();
                return Err(Complaint::unstarted(&self.aws.program, &error));
            }
            Ended::Unstarted(error) => return Err(Complaint::unstarted(&self.aws.program, &error)),
        };
        if status.code().is_none() {
            being_ended();
        }
        if !status.success() {
            let said = String::from_utf8_lossy(&stderr);
            return Err(Complaint::of(&said, status, self.profile()));
        }
        let text = String::from_utf8_lossy(&stdout);
        parse(&text).map_err(|error| Complaint::unreadable(&error.to_string()))
    }
}

/// Waits for five seconds. Within this time, the signal that ended the `aws` program normally ends asldbg too, before
/// asldbg reports an error.
fn being_ended() {
    thread::sleep(Duration::from_secs(5));
}

/// Maximum size of the items from all pages of one request, in bytes.
pub(super) const LARGEST: u64 = 512 << 20;
/// Maximum number of pages to fetch for one request.
const MOST: usize = 20_000;

/// A request with a paginated response.
pub(super) struct Question<'q> {
    pub service: &'q str,
    pub operation: &'q str,
    /// Name of the response's member that contains the list of items.
    pub member: &'q str,
    pub input: Vec<(Text, Value)>,
}

/// Decides whether another page is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Page,
    Enough,
}

impl Question<'_> {
    /// Fetches the items of all pages and returns them. After each page, calls `heed` with the items so far; `heed` may
    /// end the requests early.
    ///
    /// # Errors
    /// If `aws` reports an error, or there are too many pages.
    pub(super) fn ask(
        &self,
        aws: &Aws,
        mut heed: impl FnMut(&[Value]) -> Next,
    ) -> Result<Vec<Value>, Complaint> {
        let (mut items, mut size) = (Vec::new(), 0_u64);
        let mut token: Option<Value> = None;
        for _ in 0..MOST {
            let mut input = self.input.clone();
            input.extend(
                token
                    .iter()
                    .map(|token| ("nextToken".into(), token.clone())),
            );
            let answer = aws.call(self.service, self.operation, input)?;
            let page = answer.get(self.member).and_then(Value::as_array);
            let page = page.ok_or_else(|| {
                Complaint::unreadable(&format!(
                    "the output has no list `{list}`",
                    list = self.member
                ))
            })?;
            if let Some(wrong) = page.iter().find(|item| item.as_object().is_none()) {
                let kind = wrong.type_name();
                return Err(Complaint::unreadable(&format!(
                    "the list `{list}` must contain objects, but contains a value of type {kind}",
                    list = self.member
                )));
            }
            size += page.iter().map(Value::size).sum::<u64>();
            if size > LARGEST {
                return Err(Complaint::too_large(LARGEST));
            }
            items.extend(page.iter().cloned());
            let next = answer
                .get("nextToken")
                .filter(|token| token.as_str().is_some());
            if heed(&items) == Next::Enough || next.is_none() {
                return Ok(items);
            }
            if next == token.as_ref() {
                return Err(Complaint::unreadable(
                    "the server returns the same page repeatedly",
                ));
            }
            token = next.cloned();
        }
        Err(Complaint::unreadable(&format!(
            "the output has more than {MOST} pages"
        )))
    }
}
