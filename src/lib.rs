//! A debugger for state machines written in the Amazon States Language.
//!
//! A definition is opened as a [`launch::Project`], and the machine that runs it is stepped by hand:
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
//! or watched by a [`session::Session`], which answers its tasks from what lies beside the definition and stops where a
//! person wants it to:
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
//! # One way in
//!
//! ```text
//! text ──parse──▶ Node ──lower──▶ Definition ──start──▶ Machine ──step──▶ Event │ Ask │ Idle │ Done
//! (source)       (spans)         (+ diagnostics)        (a value)              │
//!                                                                              ▼
//!                 panes ◀──view── Session: log, timeline, stops, answers ◀─────┘
//!                 (tui)           (commands in, notices out)     also ▶ headless, dap, history
//! ```
//!
//! [`source`] turns what a person wrote into one spanned tree, so that every diagnostic and every "current line" leads
//! back to the author's text. [`definition`] gives it meaning: every path, template, rule and expression is compiled
//! there, once; bad definitions give diagnostics and as much of a definition as can be had. [`interpreter::Machine`] is
//! a plain value: `Clone`, no I/O, no wall clock, no thread, no callback, no recursion. `step` does the smallest thing
//! worth seeing and says what happened; pausing is not calling it. [`session`] is a person watching a run. Front ends
//! ([`tui`], [`headless`], [`dap`]) send commands and draw what the session's view shows; they know nothing of each other.
//!
//! # What a run is
//!
//! - **A run is a definition, a header and a log.** The header holds input, seed, start time, profile and context; the
//!   log holds answers and edits, in order. Repeating them gives the same run, event for event: that is how going back,
//!   forks and reloads work.
//! - **An `Ask` is the only way out of the machine.** One [`session::Answerer`] decides for every front end how it is
//!   answered: by a server, a person, a recording, a mock file, a child execution. A session logs the answer under a key
//!   that survives a reload (state path, frame indices, visit, attempt).
//! - **A run that nobody watches keeps nothing.** It is taken to its end by the same steps and the same answerer, without
//!   timeline, log and checkpoints, so that its length costs no memory ([`session::unattended`]).
//! - **Time is virtual.** Waits, retry delays, timeouts and heartbeats are deadlines in one queue; the clock stands while
//!   any question is open.
//! - **Events are small** and values are had again by repetition from the nearest checkpoint; checkpoints are spaced so
//!   that they stay within a budget.
//! - **Explanations are a second look**: running computes values only, the view evaluates the one thing again that is
//!   looked at, with its steps.
//! - **A session has a focus frame.** Steps run the machine, siblings included, until the focus frame reaches its next
//!   stage, next state or end; a stop in another frame moves the focus and says so.
//!
//! # Layers
//!
//! | layer | module | what it knows | may import |
//! |---|---|---|---|
//! | 0 | [`json`] | the value that a run carries | – |
//! | 1 | [`source`] | text, spans, diagnostics, front ends | 0 |
//! | 2 | [`query`] | the languages inside strings | 0 |
//! | 2 | [`service`] | AWS's services: what a Task can call, pass and get | 0–1 |
//! | 3 | [`definition`] | what the text means; the lint rules | 0–2 |
//! | 3 | [`graph`] | where the boxes go | 0, [`definition`] |
//! | 4 | [`interpreter`] | what happens next | 0, 2, [`definition`] |
//! | 5 | [`session`] | a person watching a run | 0–2, [`definition`], [`interpreter`] |
//! | 5 | [`history`] | executions in AWS's form: ours, and those that were recorded | 0–2, [`definition`], [`interpreter`], [`session`] |
//! | 5 | [`coverage`] | what runs reached of a definition, and the reports of it | 0–4 |
//! | 5 | [`worker`] | JSONata evaluation, files of items | 0–2, [`definition`], [`interpreter`] |
//! | 5 | [`target`] | who answers tasks outside of this program: addresses and programs that a person named | 0–2, [`definition`], [`interpreter`], [`session`] |
//! | 6 | [`wording`] | what a session says, in sentences that name no key | 0–5, [`launch`] |
//! | 6 | [`launch`] | from a configuration to a session: files beside a definition, children, what is kept | 0–5 |
//! | 6 | [`testing`] | test cases: their files, and what a run of one comes to | 0–5, [`launch`] |
//! | 7 | [`tui`], [`headless`], [`dap`] | front ends | 0–6 |
//! | 7 | [`pull`] | executions as an AWS account has them, by the `aws` program | 0–2, [`history`], [`headless`] |
//! | 7 | [`endpoint`] | `asldbg serve`: the API of Step Functions for programs on this machine | 0–6, [`headless`] |
//! | 7 | [`explore`] | `asldbg explore`: every way that a workflow can go | 0–6, [`headless`] |
//! | 7 | [`suite`] | `asldbg test`: which cases, on which cores, and what is told of them | 0–6, [`headless`] |
//! | 8 | [`cli`], [`settings`] | arguments and settings; picks a front end | all |
//!
//! A module of the same layer is imported only where it is named. A test reads this table and the sources.
//!
//! # Invariants
//!
//! - `ratatui` and `crossterm` are named under `tui` alone; files, threads, processes and the wall clock are named only
//!   in `source::{load, store}`, `worker`, `target`, `launch`, `testing`, the front ends, `cli` and `settings`. A test reads the sources for both.
//! - Nothing below `session` returns a Rust error for a bad definition or a failed state: a wrong file is a
//!   `Diagnostic`, a failed state is a `Fault`, which is data.
//! - Nothing panics on what a person can type, open or receive; parsers of others that can panic or recurse are fenced.
//! - Only [`pull`] starts the `aws` program, without a shell, and gives it nothing from an answer but inside one JSON text.
//! - A definition, a mock file or a payload never causes a program to be run or a connection to be made: only [`target`] does, to
//!   whom a person named for a task on the command line or in the settings. What was called is not called again by itself.
//! - Only [`endpoint`] and [`dap`] listen, and only to this machine. What comes over the wire of [`endpoint`] never starts a
//!   program, reads a file or opens a connection.
//! - The terminal's model holds focus, scroll, selection and open folds, nothing of the run.
//! - No byte of data reaches the terminal as control: see [`json::visible`].
//!
//! # Tests
//!
//! Most are data beside the code that runs them: `tests/flow` (a definition, an input and answers, and what comes of
//! them; each a test of its own, `cargo test --test flow FILE::CASE`), `tests/lint`, `tests/reload`, `tests/dsl`,
//! `tests/template`, `tests/jsonata`, `tests/trace`, `tests/graph`, `tests/cli` (arguments, and what is printed), `tests/tui` (scripts
//! of keys; whole screens, as in `src/tui/pane/screens`), the tables of the README. What else a module's tests are
//! stands at its end in `mod tests`, or, where that would make the file too long, in `tests.rs` of the module's folder. `BLESS=1 cargo test` writes what
//! came in place of what all of them expect; the diff is what one reviews. What a person states by hand stays as it is:
//! bounds, lines that have to stand somewhere in a text, what a script sees on the way.

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
