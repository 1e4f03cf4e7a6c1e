//! Remarks on how requests were answered, and reasons why a request has no answer.
//!
//! A reason is formatted as a sentence, because it becomes the Cause of the task that fails without an answer.

use super::answers::RunOut;
use super::no_items::NoItems;
use crate::interpreter::NoWait;
use crate::json::Text;
use std::fmt;

/// Why a request has no answer; determines whether `--unmocked` applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// No source has an answer for the task.
    Nowhere,
    /// No folder, file or other source has what the ItemReader refers to.
    Unread,
    /// The child execution that should give the answer cannot be run, or ended without a result.
    Child(Box<ChildProblem>),
    /// The mock file has answers for the task, but none for this call.
    RunOut(RunOut),
    /// The task's real target was called before, but with another input. The target is not called again automatically.
    OtherData,
    /// The task was really called and waits for its token to be sent back.
    Token,
    /// An expression exceeded the time limit but none of the limits of JSONata; another evaluation may succeed.
    Overdue,
}

/// The reason why a child execution has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildProblem {
    /// No state machine was given for the ARN that the task requests.
    Unknown {
        /// ARN of the requested state machine.
        machine: Text,
        /// The name most similar to the requested one, among the given names.
        near: Option<Text>,
        /// Names of the state machines that the user gave for child executions.
        given: Vec<Text>,
    },
    /// The execution would exceed the maximum nesting depth.
    TooDeep {
        /// Maximum nesting depth.
        most: usize,
        /// Path of the state that starts the execution.
        state: Text,
    },
    /// The values of the child execution use too much memory.
    TooLarge {
        /// Name of the child's state machine.
        child: Text,
        /// Memory limit in bytes.
        limit: u64,
    },
    /// All child executions together exceeded this number of entered states and retries.
    TooLong(u64),
    /// A task of this child's state machine never gets an answer and has no TimeoutSeconds.
    NeverEnds(Text),
    /// The child ended without sending the token that the task waits for.
    NoToken {
        /// Name of the child's state machine.
        child: Text,
        /// Why the child failed, if the child failed.
        failure: Option<Text>,
    },
    /// A request of the child has no answer.
    Blocked {
        /// Name of the child's state machine.
        child: Text,
        /// Path of the state that makes the request.
        state: Text,
        /// Resource of the state, if it is a Task.
        resource: Option<Text>,
        /// Test cases of the child's state machine if none of them is used; empty if one is used.
        unused_cases: Vec<Text>,
        /// Why the request has no answer.
        why: NoAnswer,
    },
    /// The child execution has already ended.
    Over,
}

impl NoAnswer {
    /// Wraps the problem of a child execution.
    #[must_use]
    pub fn of_child(problem: ChildProblem) -> Self {
        Self::Child(Box::new(problem))
    }

    /// True if `--unmocked` applies. Mistakes in the mock file and exceeded limits are reported instead.
    #[must_use]
    pub fn follows_unmocked(&self) -> bool {
        match self {
            Self::Nowhere | Self::Unread => true,
            Self::Child(problem) => problem.follows_unmocked(),
            Self::RunOut(_) | Self::OtherData | Self::Token | Self::Overdue => false,
        }
    }
}

impl ChildProblem {
    fn follows_unmocked(&self) -> bool {
        match self {
            Self::Unknown { .. } | Self::NeverEnds(_) | Self::NoToken { .. } | Self::Over => true,
            Self::TooDeep { .. } | Self::TooLarge { .. } | Self::TooLong(_) => false,
            Self::Blocked { why, .. } => why.follows_unmocked(),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => write!(out, "the task has no answer"),
            Self::Unread => write!(out, "the ItemReader has nothing to read"),
            Self::RunOut(run_out) => write!(out, "{run_out}"),
            Self::OtherData => write!(
                out,
                "the task was called before with another input and is not called again automatically"
            ),
            Self::Token => write!(
                out,
                "the task was called and waits for its token to be sent back, for example to asldbg serve"
            ),
            Self::Child(problem) => write!(out, "{problem}"),
            Self::Overdue => write!(
                out,
                "an expression did not finish within a minute: the expression never ends, or this computer is too busy"
            ),
        }
    }
}

impl fmt::Display for ChildProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                machine,
                near,
                given,
            } => {
                write!(out, "no definition was given for {machine}")?;
                if let Some(near) = near {
                    write!(out, "; did you mean \"{near}\"?")?;
                }
                write!(
                    out,
                    "; the given definitions are {names}",
                    names = given.join(", ")
                )
            }
            Self::TooDeep { most, state } => {
                write!(
                    out,
                    "executions are nested more than {most} levels deep at state {state} of the child"
                )
            }
            Self::TooLarge { child, limit } => write!(
                out,
                "the child {child} was stopped: its values take more than {share} MiB of memory, the child's share of the run's limit",
                share = limit >> 20
            ),
            Self::TooLong(most) => write!(
                out,
                "the child executions of this run were stopped after {most} states and retries, because the children may never end; answer the task that started the children, in asldbg or in the mock file"
            ),
            Self::NeverEnds(child) => write!(
                out,
                "the child {child} never ends: a task of the child never gets an answer and has no TimeoutSeconds"
            ),
            Self::NoToken { child, failure } => match failure {
                Some(failure) => write!(
                    out,
                    "the child {child} failed ({failure}) and never sent the token that the task waits for"
                ),
                None => write!(
                    out,
                    "the child {child} ended and never sent the token that the task waits for"
                ),
            },
            Self::Blocked {
                child,
                state,
                resource,
                unused_cases,
                why,
            } => {
                write!(out, "the child {child} cannot continue: ")?;
                match (why, resource) {
                    (NoAnswer::Nowhere, Some(resource)) => {
                        write!(
                            out,
                            "task {resource} of the child's state {state} has no answer"
                        )?;
                        if !unused_cases.is_empty() {
                            let cases = unused_cases.join(", ");
                            write!(
                                out,
                                " (the child's test cases {cases} do not include the run's test case)"
                            )?;
                        }
                        write!(out, "; add an answer under \"{child}\" in the mock file")
                    }
                    (NoAnswer::Nowhere | NoAnswer::Unread, _) => {
                        write!(
                            out,
                            "the ItemReader of the child's state {state} has nothing to read"
                        )
                    }
                    (NoAnswer::Child(problem), _) if problem.follows_unmocked() => {
                        write!(
                            out,
                            "the child's state {state} starts another child: {problem}"
                        )
                    }
                    (NoAnswer::OtherData | NoAnswer::Token, _) => {
                        write!(out, "the child's state {state} has no answer: {why}")
                    }
                    (NoAnswer::Child(_) | NoAnswer::RunOut(_) | NoAnswer::Overdue, _) => {
                        write!(out, "{why}")
                    }
                }
            }
            Self::Over => write!(out, "the child execution has already ended"),
        }
    }
}

/// A remark for the user on an answer, a state or a child execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The state with this path makes a call with another input than before. The old answer is offered to the user, but
    /// not used.
    OtherData(Text),
    /// The state with this path makes a call with another input than in the recording. The recorded answer is not used.
    OtherThanRecorded(Text),
    /// After a reload, a state makes a call with another input, but gets the same mocked answer, because mock files
    /// select answers by call number.
    MockedAlike {
        /// Path of the state.
        state: Text,
        /// Name of the mocked response.
        response: Text,
        /// Number of the call, starting at 0.
        number: u64,
    },
    /// The ItemReader of the state with this path fails: there is nothing to read, and the state has no
    /// input that could be its result.
    NothingToEcho(Text),
    /// A task returns its input, because the child execution that it starts has no result.
    EchoesInstead {
        /// Path of the state.
        state: Text,
        /// Why the child execution has no result.
        why: NoAnswer,
    },
    /// A child execution failed, and no task waits for its result.
    ChildFailed {
        /// Name of the child's state machine.
        child: Text,
        /// Error and cause of the failure.
        failure: Text,
    },
    /// The Wait with this path does not wait.
    NoWait(Text, NoWait),
    /// The Map with this path never had items.
    NoItems(Text, Box<NoItems>),
    /// A rule of a Choice cannot match the data.
    Misfit {
        /// The Choice.
        state: Text,
        /// The line of the rule.
        line: Option<usize>,
        /// The comparison with both values, and why it cannot be true.
        text: String,
    },
    /// AWS behaves differently from the specification at a state, and the run follows the specification.
    Differs {
        /// The state.
        state: Text,
        /// Line of the state's name.
        line: Option<usize>,
        /// The behaviour of AWS, such as `goes on`.
        aws: Text,
    },
    /// A child execution cannot continue, and no task waits for its result.
    ChildAbandoned(NoAnswer),
}
