//! Error messages of the `aws` program, with advice for the user, and reasons why an execution cannot be fetched.

use crate::json::{on_line, visible};
use crate::target::UNREACHED;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

/// The kind of error, from which asldbg decides whether to repeat the request, to continue without the data, or to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No request can succeed, because of a problem with the program, the credentials, the region or the connection.
    Everything,
    /// AWS refuses requests for now, because there were too many of them.
    Throttled,
    /// The execution, state machine or log group does not exist.
    Absent,
    /// The credentials do not permit this request.
    Denied,
    /// The request does not apply to a state machine of this type.
    WrongType,
    /// The token with which the next page of a list is requested is no longer valid.
    Token,
    /// Any other error.
    Other,
}

/// An error of the `aws` program, with advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    pub kind: Kind,
    /// The problem, as a clause of a sentence, for example `access is denied`.
    what: String,
    /// The error message that `aws` printed; may be empty.
    said: String,
    /// Advice for the user.
    way_out: String,
}

/// A row of the table of known errors: texts of which the error message contains one, the kind of error, a description,
/// and advice. The first row with a matching text is used.
type Row = (&'static [&'static str], Kind, &'static str, &'static str);

const LOG_IN: &str = "log in again with `aws sso login{profile}`, or put fresh credentials into the environment or ~/.aws/credentials; `aws sts get-caller-identity{profile}` shows whether the credentials work";
const CREDENTIALS: &str = "set up credentials with `aws configure`, `aws configure sso` or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile: `asldbg pull ARN -- --profile NAME`";
const LOST: &str = "the server cannot be reached, or ended the connection";
const REACH: &str =
    "check the network, the region of the ARN and --endpoint-url, then call `asldbg pull` again";

const KNOWN: &[Row] = &[
    (
        &[
            "ExpiredToken",
            "ExpiredTokenException",
            "RequestExpired",
            "security token included in the request is expired",
        ],
        Kind::Everything,
        "the credentials have expired",
        LOG_IN,
    ),
    (
        &[
            "Error loading SSO Token",
            "SSO session associated with this profile",
            "Token has expired and refresh failed",
            "sso login",
            "UnauthorizedSSOToken",
        ],
        Kind::Everything,
        "you are not logged in, or the login has expired",
        LOG_IN,
    ),
    (
        &[
            "Unable to locate credentials",
            "Partial credentials found",
            "CredentialRetrievalError",
        ],
        Kind::Everything,
        "there are no credentials",
        CREDENTIALS,
    ),
    (
        &[
            "UnrecognizedClientException",
            "InvalidClientTokenId",
            "security token included in the request is invalid",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "IncompleteSignature",
            "InvalidAccessKeyId",
        ],
        Kind::Everything,
        "the credentials are not accepted",
        CREDENTIALS,
    ),
    (
        &["config profile (", "ProfileNotFound"],
        Kind::Everything,
        "there is no such profile",
        "`aws configure list-profiles` lists the profiles that exist",
    ),
    (
        &["must specify a region"],
        Kind::Everything,
        "no region is known",
        "name a region: `asldbg pull ARN -- --region eu-west-1`",
    ),
    (UNREACHED, Kind::Everything, LOST, REACH),
    (
        &[
            "EndpointConnectionError",
            "Name or service not known",
            "IncompleteRead",
            "ConnectionError",
            "(500)",
            "(502)",
            "(503)",
            "(504)",
            "InternalFailure",
            "ServiceUnavailable",
            "InternalServerError",
        ],
        Kind::Everything,
        LOST,
        REACH,
    ),
    (
        &[
            "ThrottlingException",
            "Throttling",
            "TooManyRequests",
            "Rate exceeded",
            "RequestLimitExceeded",
        ],
        Kind::Throttled,
        "the account's limit of requests is reached",
        "wait a minute and call `asldbg pull` again",
    ),
    (
        &[
            "AccessDenied",
            "UnauthorizedOperation",
            "not authorized to perform",
            "Forbidden",
        ],
        Kind::Denied,
        "access is denied",
        "another profile may be allowed (`asldbg pull ARN -- --profile NAME`); the profile needs states:DescribeExecution, states:DescribeStateMachineForExecution, states:GetExecutionHistory, for --children states:ListMapRuns, states:DescribeMapRun and states:ListExecutions, for express executions states:DescribeStateMachine and logs:FilterLogEvents, and kms:Decrypt if one of your keys encrypts the executions",
    ),
    (
        &["ExecutionDoesNotExist"],
        Kind::Absent,
        "there is no such execution",
        "check the name, region and account of the ARN and the profile; AWS deletes executions 90 days after their end",
    ),
    (
        &["StateMachineDoesNotExist"],
        Kind::Absent,
        "there is no such state machine",
        "check the name, region and account of the ARN and the profile; `aws stepfunctions list-state-machines` lists the state machines that exist",
    ),
    (
        &["ResourceNotFound"],
        Kind::Absent,
        "the named resource does not exist",
        "check the region, account and profile",
    ),
    (
        &["StateMachineTypeNotSupported"],
        Kind::WrongType,
        "AWS does not support this request for this type of state machine",
        "AWS keeps nothing of express executions except log lines",
    ),
    (
        &["InvalidArn", "InvalidParameterValue", "ValidationException"],
        Kind::Other,
        "the server does not accept the ARN",
        "check the ARN and --endpoint-url; `aws stepfunctions list-executions` prints valid ARNs",
    ),
    (
        &["InvalidToken"],
        Kind::Token,
        "AWS can no longer return the next page of the list",
        "call `asldbg pull` again: the fetch starts over",
    ),
    (
        &[
            "Unknown options",
            "the following arguments are required",
            "argument ",
            "usage: aws",
            "Invalid choice",
        ],
        Kind::Everything,
        "`aws` does not accept the given options",
        "everything after `--` is passed to `aws` unchanged, so write only options of `aws` there, such as --profile NAME, --region NAME, --endpoint-url URL",
    ),
];

/// Maximum length of the shown error message of `aws`, in characters.
const LONGEST: usize = 2000;

impl Complaint {
    pub(super) fn of(said: &str, status: ExitStatus, profile: Option<&str>) -> Self {
        let said = said.trim();
        let row = KNOWN
            .iter()
            .find(|(signs, ..)| signs.iter().any(|sign| said.contains(sign)));
        let (kind, what, way_out) = match row {
            Some((_, kind, what, way_out)) => (*kind, (*what).to_string(), *way_out),
            None => (
                Kind::Other,
                format!("`aws` failed ({status})"),
                "`aws sts get-caller-identity` shows whether `aws` is set up, `asldbg pull ARN -- --debug` shows what `aws` does",
            ),
        };
        let profile = profile.map(|name| format!(" --profile {name}"));
        Self {
            kind,
            what,
            said: shortened(said),
            way_out: way_out.replace("{profile}", &profile.unwrap_or_default()),
        }
    }

    pub(super) fn missing() -> Self {
        Self {
            kind: Kind::Everything,
            what: "the program `aws` is not in PATH".to_string(),
            said: String::new(),
            way_out: "install the AWS CLI (`pip install awscli`, or version 2 as AWS describes) and log in with `aws`; asldbg has no credentials of its own".to_string(),
        }
    }

    pub(super) fn unstarted(program: &Path, error: &io::Error) -> Self {
        Self {
            kind: Kind::Everything,
            what: format!(
                "{program} cannot be started: {error}",
                program = program.display()
            ),
            said: String::new(),
            way_out: format!("try `{program} --version`", program = program.display()),
        }
    }

    pub(super) fn slow(program: &Path) -> Self {
        Self {
            kind: Kind::Everything,
            what: format!(
                "{program} did not end within 15 minutes",
                program = program.display()
            ),
            said: String::new(),
            way_out: REACH.to_string(),
        }
    }

    pub(super) fn too_large(limit: u64) -> Self {
        Self {
            kind: Kind::Other,
            what: format!(
                "a response is larger than the limit of {limit} MiB",
                limit = limit >> 20
            ),
            said: String::new(),
            way_out: "responses of AWS are smaller, so check --endpoint-url".to_string(),
        }
    }

    /// The error for a response that is not as expected; `problem` says what is wrong with it.
    pub(super) fn unreadable(problem: &str) -> Self {
        Self {
            kind: Kind::Other,
            what: format!("the output of `aws` is not as expected: {problem}"),
            said: String::new(),
            way_out: "leave out --query and --output after `--`, and check --endpoint-url"
                .to_string(),
        }
    }

    /// True if the connection failed; the next attempt may succeed.
    pub(super) fn is_connection(&self) -> bool {
        self.way_out == REACH
    }

    /// The complete message: first `undone`, which says what asldbg could not do; then the reason, the error message of
    /// `aws` and the advice. Each line is escaped by [`on_line`].
    pub(super) fn message(&self, undone: &str) -> String {
        let said: String = self
            .said
            .lines()
            .filter(|line| !line.trim().is_empty())
            .fold(String::new(), |mut lines, line| {
                lines.push_str("\n  aws: ");
                lines.push_str(&visible(line.trim_end()));
                lines
            });
        let why = format!("{undone}: {}", self.what);
        format!("{}{said}\n  {}", on_line(&why), on_line(&self.way_out))
    }
}

fn shortened(said: &str) -> String {
    match said.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} …", said.get(..at).unwrap_or(said)),
        None => said.to_string(),
    }
}

/// The reason why an execution cannot be fetched.
pub(super) enum Trouble {
    /// An error of the `aws` program.
    Aws(Complaint),
    /// Another reason, as a sentence, with optional advice.
    Told(String, Option<String>),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Aws(complaint)
    }
}

impl Trouble {
    /// The complete message: first `undone`, which says what asldbg could not do; then the reason. Each line is escaped
    /// by [`on_line`].
    pub(super) fn message(&self, undone: &str) -> String {
        match self {
            Self::Aws(complaint) => complaint.message(undone),
            Self::Told(why, way_out) => {
                let why = format!("{undone}: {why}");
                let way_out = way_out.as_ref();
                let way_out = way_out.map(|text| format!("\n  {}", on_line(text)));
                on_line(&why).into_owned() + &way_out.unwrap_or_default()
            }
        }
    }

    /// True if no other execution can be fetched either.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Aws(complaint) if complaint.kind == Kind::Everything)
    }
}
