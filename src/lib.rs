//! A debugger for state machines written in the Amazon States Language.
//!
//! A definition is opened as a [`launch::Project`]. Its state machine can be stepped directly:
//!
//! ```
//! use asldbg::interpreter::{Machine, Run, Step};
//! use asldbg::launch::{LaunchConfig, Project};
//! use std::sync::Arc;
//!
//! let setup = Project::open(LaunchConfig::of("samples/intrinsics.asl.json"))?.setup()?;
//! let run = Run::new(Arc::clone(&setup.definition), setup.header);
//! let mut machine = Machine::start(Arc::new(run));
//! while let Step::Event(event) = machine.step(u64::MAX) {
//!     let state = event.state.and_then(|id| setup.definition.state(id));
//!     println!("{:?} {}", event.kind, state.map_or("", |state| &state.name));
//! }
//! # assert!(matches!(machine.status(), asldbg::interpreter::Status::Succeeded(_)));
//! # Ok::<(), asldbg::launch::LaunchError>(())
//! ```
//!
//! or run by a [`session::Session`], which answers tasks from files next to the definition and stops at breakpoints:
//!
//! ```
//! use asldbg::launch::{LaunchConfig, Project};
//! use asldbg::session::{Command, Direction, Stop};
//!
//! let config = LaunchConfig { fresh: true, ..LaunchConfig::of("samples/order.asl.json") };
//! let mut session = Project::open(config)?.session()?;
//! let state = session.definition().find_by_name("ChargeCard").expect("a state of the sample");
//! # let _ =
//! session.apply(Command::ToggleBreak(state));
//! # let _ =
//! session.apply(Command::Continue(Direction::Forward));
//! session.settle();
//! assert!(matches!(session.stop(), Stop::Breakpoint(_)));
//! # Ok::<(), asldbg::launch::LaunchError>(())
//! ```
//!
//! # Data flow
//!
//! ```text
//! text ──parse──▶ Node ──lower──▶ Definition ──start──▶ Machine ──step──▶ Event │ Ask │ Idle │ Done
//! (source)       (spans)         (+ diagnostics)        (a value)              │
//!                                                                              ▼
//!                 panes ◀──view── Session: log, timeline, stops, answers ◀─────┘
//!                 (tui)           (commands in, notices out)     also ▶ headless, dap, history
//! ```
//!
//! [`source`] turns the text into a tree with source ranges, so that every diagnostic and every "current line" refers
//! to the author's text. [`definition`] gives the tree its meaning: it compiles every path, template, rule and
//! expression once. Invalid definitions produce diagnostics and as much of a definition as possible.
//! [`interpreter::Machine`] is a plain value: it is `Clone` and has no I/O, wall clock, threads, callbacks or
//! recursion. `step` executes the smallest observable step and returns what happened; a run is paused by not calling
//! it. [`session`] is a run that a user controls and observes. Front ends ([`tui`], [`headless`], [`dap`]) send
//! commands and display the session's view; they do not depend on each other.
//!
//! # The model of a run
//!
//! - **A run is a definition, a header and a log.** The header contains input, seed, start time, profile and context;
//!   the log contains answers and edits in order. Replaying the log reproduces the run, event for event. Stepping
//!   back, forks and reloads are based on such replays.
//! - **An `Ask` is the machine's only way to request something from outside.** In every front end, the same type
//!   [`session::Answerer`] decides who answers an `Ask`: a server, the user, a recording, a mock file or a child
//!   execution. A session logs the answer under a key that survives a reload (state path, frame indexes, visit,
//!   attempt).
//! - **An unattended run stores nothing.** It is executed by the same steps and the same answerer, but without a
//!   timeline, log and checkpoints, so its memory use does not depend on its length ([`session::unattended`]).
//! - **Time is virtual.** Waits, retry delays, timeouts and heartbeats are deadlines in a single queue. The clock does
//!   not advance while an `Ask` is open.
//! - **Events are small.** Values are reproduced by replaying the run from the nearest checkpoint. Checkpoints are
//!   spaced so that they stay within a memory budget.
//! - **Explanations are computed separately.** A run computes only values. When the user looks at a value, the view
//!   evaluates it again and records the steps.
//! - **A session has a focus frame.** A step runs the whole machine, including sibling frames, until the focus frame
//!   reaches its next stage, its next state or its end. A stop in another frame makes that frame the focus frame, and
//!   the session reports the change.
//!
//! # Layers
//!
//! | layer | module | contents | may import |
//! |---|---|---|---|
//! | 0 | [`json`] | the JSON value | – |
//! | 1 | [`source`] | source text, spans, diagnostics, parsers | 0 |
//! | 2 | [`query`] | the languages inside strings | 0 |
//! | 2 | [`service`] | AWS services: the actions that a Task can call, with their parameters and results | 0–1 |
//! | 3 | [`definition`] | the typed definition; the lint rules | 0–2 |
//! | 3 | [`graph`] | the layout of the state graph | 0, [`definition`] |
//! | 4 | [`interpreter`] | the state machine that executes a definition | 0, 2, [`definition`] |
//! | 5 | [`session`] | a run under the user's control | 0–2, [`definition`], [`interpreter`] |
//! | 5 | [`history`] | execution histories in AWS's format, exported and imported | 0–2, [`definition`], [`interpreter`], [`session`] |
//! | 5 | [`coverage`] | the parts of a definition that runs have reached, and reports about them | 0–4 |
//! | 5 | [`worker`] | JSONata evaluation, item files | 0–2, [`definition`], [`interpreter`] |
//! | 5 | [`target`] | answers tasks outside of this program: HTTP addresses, programs and `aws`, as the user named them | 0–2, [`definition`], [`interpreter`], [`session`] |
//! | 6 | [`wording`] | messages of a session, independent of key bindings | 0–5, [`launch`] |
//! | 6 | [`launch`] | creates a session from files: the definition, files next to it, saved state | 0–5 |
//! | 6 | [`testing`] | test cases: their files, and their results | 0–5, [`launch`] |
//! | 7 | [`tui`], [`headless`], [`dap`] | front ends | 0–6 |
//! | 7 | [`pull`] | executions in an AWS account, read with the `aws` program | 0–2, [`history`], [`headless`], [`target`] |
//! | 7 | [`endpoint`] | `asldbg serve`: the Step Functions API for local programs | 0–6, [`headless`] |
//! | 7 | [`explore`] | `asldbg explore`: every path through a workflow | 0–6, [`headless`] |
//! | 7 | [`suite`] | `asldbg test`: runs test cases in parallel and reports the results | 0–6, [`headless`] |
//! | 8 | [`cli`], [`settings`] | arguments and settings; selects a front end | all |
//!
//! A module may import another one of the same layer only if the table names that module. A test compares this table
//! with the source code.
//!
//! # Invariants
//!
//! - `ratatui` and `crossterm` are only used in `tui`. Files, threads, processes and the wall clock are only used in
//!   `source::{load, store}`, `worker`, `target`, `launch`, `testing`, the front ends, `cli` and `settings`. A test
//!   checks both.
//! - Nothing below `session` returns a Rust error for an invalid definition or a failed state. Errors in a file are
//!   `Diagnostic`s; the failure of a state is a `Fault`, which is data.
//! - No input that a user types, opens or receives can cause a panic. Third-party parsers that may panic or recurse
//!   deeply are guarded.
//! - Only [`pull`] and [`target`] start the `aws` program. They do so without a shell. [`pull`] passes data from
//!   responses only inside a single JSON argument, [`target`] passes data of a run only in files that nobody else may
//!   read.
//! - Definitions, mock files and payloads never cause a program to be started or a connection to be opened. The only
//!   exception is [`target`], for tasks that the user named on the command line or in the settings. It never makes the
//!   same call twice unless the user asks for it.
//! - Only [`endpoint`] and [`dap`] listen for connections, and only locally. Requests to [`endpoint`] never start a
//!   program, read a file or open a connection.
//! - The model of the terminal UI contains focus, scroll position, selection and open folds, but no data of the run.
//! - No data reaches the terminal as control characters: see [`json::visible`].
//!
//! # Tests
//!
//! Most tests are data next to the code that runs them: `tests/flow` (a definition, an input, answers and the expected
//! result; `cargo test --test flow FILE::CASE` runs one), `tests/lint`, `tests/reload`, `tests/dsl`, `tests/template`,
//! `tests/jsonata`, `tests/trace`, `tests/graph`, `tests/faults`, `tests/cli` (arguments and output), `tests/tui`
//! (scripts of keys) and `src/tui/pane/tests/screens` (whole screens). `tests/docs.rs` runs the commands of the
//! documentation and prints its tables. Unit tests are in `mod tests` at the end of a module, or in `tests.rs` if the
//! file would be too long. `BLESS=1 cargo test` replaces expectations by actual results; the diff is reviewed.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic
    )
)]

#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod coverage;
#[doc(hidden)]
pub mod dap;
pub mod definition;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod explore;
pub mod graph;
#[doc(hidden)]
pub mod headless;
pub mod history;
pub mod interpreter;
pub mod json;
pub mod launch;
#[doc(hidden)]
pub mod pull;
pub mod query;
#[doc(hidden)]
pub mod service;
pub mod session;
#[doc(hidden)]
pub mod settings;
pub mod source;
#[doc(hidden)]
pub mod suite;
#[doc(hidden)]
pub mod target;
#[doc(hidden)]
pub mod testing;
#[doc(hidden)]
pub mod tui;
pub mod wording;
#[doc(hidden)]
pub mod worker;
