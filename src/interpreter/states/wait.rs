//! Wait state (ASL-SEMANTICS 10). A Wait is a deadline on the virtual clock.

use crate::definition::{FieldAt, WaitUntil};
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::{Given, Needs, Reason};
use crate::interpreter::stage::{Done, Raised};
use crate::json::{Text, Value, bare};
use crate::query::jsonata::Expression;
use crate::query::{Instant, Path, parse_timestamp};
use std::sync::Arc;

/// Maximum wait on AWS: 2^31 seconds, in milliseconds.
const LONGEST: i64 = 2_147_483_648_000;

/// Why a Wait does not wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoWait {
    /// The timestamp that is not in the future; `None` if the wait is 0 seconds.
    pub timestamp: Option<Text>,
    /// How far the timestamp is in the past.
    pub past: Millis,
}

/// Duration of a Wait; negative for a timestamp in the past.
struct Length {
    millis: i64,
    timestamp: Option<Text>,
}

impl Length {
    fn of_seconds(seconds: i64) -> Self {
        Self {
            millis: seconds.saturating_mul(1000),
            timestamp: None,
        }
    }

    fn no_wait(&self) -> Option<NoWait> {
        (self.millis <= 0).then(|| NoWait {
            timestamp: self.timestamp.clone(),
            past: self.millis.unsigned_abs(),
        })
    }

    /// The duration in virtual milliseconds, at least 0.
    fn ahead(&self) -> Millis {
        Millis::try_from(self.millis).unwrap_or(0)
    }
}

impl Machine {
    pub(super) fn wait(&mut self, id: FrameId, until: &WaitUntil) -> Done {
        if let WaitUntil::SecondsBy(expression) | WaitUntil::TimestampBy(expression) = until {
            return self.wait_by(id, until, expression);
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let length = self.length_of(frame, until)?;
        self.wait_for(id, &length)
    }

    /// Forecast for a frame that has entered a Wait but not begun it: the end of the wait, and the reason if it will
    /// not wait. `None` if the length needs an evaluation first or cannot be computed.
    #[must_use]
    pub fn wait_forecast(
        &self,
        frame: &Frame,
        until: &WaitUntil,
    ) -> Option<(Millis, Option<NoWait>)> {
        let length = match until {
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) => return None,
            until => self.length_of(frame, until).ok()?,
        };
        Some((self.now().saturating_add(length.ahead()), length.no_wait()))
    }

    /// Duration of a Wait in a JSONPath state.
    fn length_of(&self, frame: &Frame, until: &WaitUntil) -> Result<Length, Raised> {
        Ok(match until {
            WaitUntil::Seconds(seconds) => {
                Length::of_seconds(i64::try_from(*seconds).unwrap_or(i64::MAX))
            }
            WaitUntil::SecondsPath(path) => Length::of_seconds(self.seconds_at(frame, path)?),
            WaitUntil::Timestamp(text) => match parse_timestamp(text) {
                Some(instant) => self.length_to(instant, text),
                None => {
                    let reason = bad_time("Timestamp", Given::Literal, text);
                    return Err(self.own_fault(frame.id, reason, None));
                }
            },
            WaitUntil::TimestampPath(path) => self.timestamp_at(frame, path)?,
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) | WaitUntil::Nothing => {
                let why = "the Wait state does not say how long it waits";
                return Err(self.own_fault(frame.id, Reason::Broken(why.into()), None));
            }
        })
    }

    /// Waits for the duration or timestamp that an expression returns.
    fn wait_by(&mut self, id: FrameId, until: &WaitUntil, expression: &Arc<Expression>) -> Done {
        let asked = vec![Arc::clone(expression)];
        let Some(mut results) = self.evaluate(id, || asked, Beside::default()) else {
            return Ok(());
        };
        let stage = Stage::AfterInputPath;
        let value = self.result_of(id, expression, &mut results, stage)?;
        if matches!(until, WaitUntil::SecondsBy(_)) {
            let number = value.as_number().and_then(crate::json::Number::as_i64);
            return match number {
                Some(seconds) if seconds >= 0 => self.wait_for(id, &Length::of_seconds(seconds)),
                Some(_) => {
                    let field = FieldAt::state("Seconds");
                    let needs = Needs::NotNegative;
                    let reason = Reason::bad_number(field, Given::Expression, &value, needs);
                    Err(self.evaluation_fault(id, reason, stage))
                }
                None => Err(self.mistyped(id, expression, "number", &value, stage)),
            };
        }
        let Some(text) = value.as_str() else {
            return Err(self.mistyped(id, expression, "string", &value, stage));
        };
        match parse_timestamp(text) {
            Some(instant) => {
                let length = self.length_to(instant, text);
                self.wait_for(id, &length)
            }
            None => {
                let reason = bad_time("Timestamp", Given::Expression, text);
                Err(self.evaluation_fault(id, reason, stage))
            }
        }
    }

    fn wait_for(&mut self, id: FrameId, length: &Length) -> Done {
        if length.millis > LONGEST {
            return Err(self.own_fault(id, Reason::WaitTooLong, None));
        }
        let due = self.now().saturating_add(length.ahead());
        let due = self.wait_due(id, due);
        // The recording determines whether the Wait waited.
        let no_wait = length.no_wait().filter(|_| due <= self.now());
        self.with(id, |frame| frame.visit.no_wait = no_wait.map(Box::new));
        self.push(id, EventKind::WaitStarted, 0, true);
        self.park(id);
        self.set_timer(id, due, Timer::Wake);
        Ok(())
    }

    fn look_up(&self, frame: &Frame, path: &Path, name: &'static str) -> Result<Value, Raised> {
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        let field = FieldAt::state(name);
        let given = self.evaluated(frame.id, field, &self.bindings(frame, &data), path);
        given.map_err(|_| {
            let path = path.text().into();
            self.own_fault(frame.id, Reason::Reference { field, path }, None)
        })
    }

    fn seconds_at(&self, frame: &Frame, path: &Path) -> Result<i64, Raised> {
        let name = "SecondsPath";
        let value = self.look_up(frame, path, name)?;
        let number = value.as_number().and_then(crate::json::Number::as_i64);
        let needs = match number {
            Some(seconds) if seconds >= 0 => return Ok(seconds),
            Some(_) => Needs::NotNegative,
            None => Needs::Integer,
        };
        let given = Given::Path(path.text().into());
        let reason = Reason::bad_number(FieldAt::state(name), given, &value, needs);
        Err(self.own_fault(frame.id, reason, None))
    }

    fn timestamp_at(&self, frame: &Frame, path: &Path) -> Result<Length, Raised> {
        let name = "TimestampPath";
        let value = self.look_up(frame, path, name)?;
        let instant = value.as_str().and_then(parse_timestamp);
        match instant {
            Some(instant) => Ok(self.length_to(instant, &bare(&value))),
            None => {
                let reason = bad_time(name, Given::Path(path.text().into()), &bare(&value));
                Err(self.own_fault(frame.id, reason, None))
            }
        }
    }

    /// Duration from now to a timestamp.
    fn length_to(&self, instant: Instant, text: &str) -> Length {
        let now = self
            .run()
            .header
            .start_time
            .saturating_add(i64::try_from(self.now()).unwrap_or(i64::MAX));
        Length {
            millis: instant.millis().saturating_sub(now),
            timestamp: Some(text.into()),
        }
    }
}

fn bad_time(name: &'static str, given: Given, value: &str) -> Reason {
    Reason::BadTime {
        field: FieldAt::state(name),
        given,
        value: value.into(),
    }
}
