//! Why a question has no answer.
//!
//! It has a sentence as any error has one: a task that fails for it has that as its cause.
//!
//! It must not know who is asked then, nor how an answer is given.

use super::answers::RunOut;
use crate::json::Text;
use std::fmt;

/// The reason, which decides whether `--unmocked` has a say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// No source has one for the task.
    Nowhere,
    /// No folder, no file and no source has what the ItemReader names.
    Unread,
    /// The child execution that would answer cannot be run, or came to no answer.
    Child(Box<ChildProblem>),
    /// The mock file has answers for the task, but none for this call of it.
    RunOut(RunOut),
    /// A real call answered it before, when it was called with other data: it is not called again by itself.
    OtherData,
    /// A real call took the token of the task, which waits for what is sent with it.
    Token,
    /// An expression was ended by the clock, not by a bound of its own: the next time it may come to its end.
    Overdue,
}

/// Why a child execution came to no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildProblem {
    /// No machine was given for what the task starts.
    Unknown {
        /// What it starts, an ARN.
        machine: Text,
        /// The most similar name among those given.
        near: Option<Text>,
        /// The names of the machines that were given.
        given: Vec<Text>,
    },
    /// More executions would run inside each other than may; the state (its path) would start one more.
    TooDeep {
        /// So many may.
        most: usize,
        /// The state.
        state: Text,
    },
    /// The values of the child of this name take more memory than these bytes.
    TooLarge {
        /// The machine's name.
        child: Text,
        /// The bytes.
        limit: u64,
    },
    /// All children of the run together made so many states and retries.
    TooLong(u64),
    /// A task of the child of this name never answers and has no TimeoutSeconds.
    NeverEnds(Text),
    /// The child ended and never sent the token that the task waits for.
    NoToken {
        /// The machine's name.
        child: Text,
        /// How it failed, where it did.
        failure: Option<Text>,
    },
    /// A question of the child has no answer.
    Blocked {
        /// The machine's name.
        child: Text,
        /// The state that asks, its path.
        state: Text,
        /// What it calls, where it is a Task.
        resource: Option<Text>,
        /// The test cases that there are for the child, where none of them is that of the run.
        unused_cases: Vec<Text>,
        /// Why the question has none.
        why: NoAnswer,
    },
    /// It is over already.
    Over,
}

impl NoAnswer {
    /// For this reason of a child execution.
    #[must_use]
    pub fn of_child(problem: ChildProblem) -> Self {
        Self::Child(Box::new(problem))
    }

    /// Whether the question then gets what `--unmocked` says. A mistake in the mock file and a limit are told instead.
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
            Self::Nowhere => write!(out, "it has no answer"),
            Self::Unread => write!(out, "it has nothing to read"),
            Self::RunOut(run_out) => write!(out, "{run_out}"),
            Self::OtherData => write!(
                out,
                "it was really called before, with other data than now, and is not called again by itself"
            ),
            Self::Token => write!(
                out,
                "the call was made, and the task waits for its token to be sent back: asldbg serve takes it"
            ),
            Self::Child(problem) => write!(out, "{problem}"),
            Self::Overdue => write!(
                out,
                "one of its expressions did not finish within a minute: it hangs, or this computer is too busy"
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
                write!(out, "; given are {}", given.join(", "))
            }
            Self::TooDeep { most, state } => {
                write!(
                    out,
                    "executions nest deeper than {most} at its state {state}"
                )
            }
            Self::TooLarge { child, limit } => write!(
                out,
                "the child {child} was stopped: its values take more than {} MiB of memory, its share of the run's limit",
                limit >> 20
            ),
            Self::TooLong(most) => write!(
                out,
                "the child executions of this run were stopped after {most} states and retries: they may never end; answer the task that started them, here or in the mock file"
            ),
            Self::NeverEnds(child) => write!(
                out,
                "the child {child} never ends: one of its tasks never answers and has no TimeoutSeconds"
            ),
            Self::NoToken { child, failure } => {
                write!(out, "the child {child} ")?;
                match failure {
                    Some(failure) => write!(out, "failed ({failure})")?,
                    None => write!(out, "ended")?,
                }
                write!(out, " and never sent the token that the task waits for")
            }
            Self::Blocked {
                child,
                state,
                resource,
                unused_cases,
                why,
            } => {
                write!(out, "the child {child} cannot go on: ")?;
                match (why, resource) {
                    (NoAnswer::Nowhere, Some(resource)) => {
                        write!(out, "task {resource} of its state {state} has no answer")?;
                        if !unused_cases.is_empty() {
                            let cases = unused_cases.join(", ");
                            write!(
                                out,
                                " (none of its test cases {cases} has the name of the run's)"
                            )?;
                        }
                        write!(out, "; the mock file gives one under \"{child}\"")
                    }
                    (NoAnswer::Nowhere | NoAnswer::Unread, _) => {
                        write!(
                            out,
                            "the ItemReader of its state {state} has nothing to read"
                        )
                    }
                    (NoAnswer::Child(problem), _) if problem.follows_unmocked() => {
                        write!(out, "its state {state} starts another: {problem}")
                    }
                    (NoAnswer::OtherData | NoAnswer::Token, _) => {
                        write!(out, "its state {state}: {why}")
                    }
                    (NoAnswer::Child(_) | NoAnswer::RunOut(_) | NoAnswer::Overdue, _) => {
                        write!(out, "{why}")
                    }
                }
            }
            Self::Over => write!(out, "the child execution is over"),
        }
    }
}
