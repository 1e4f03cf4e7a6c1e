//! Wait: until when (ASL-SEMANTICS 10).
//!
//! It must not know the wall clock: a Wait is a deadline on the virtual one.

use crate::definition::WaitUntil;
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::machine::Machine;
use crate::interpreter::profile::FaultKind;
use crate::interpreter::stage::{Done, Raised};
use crate::json::{Value, bare};
use crate::query::jsonata::Expression;
use crate::query::{Instant, Missed, Path, parse_timestamp};
use std::sync::Arc;

/// AWS refuses to wait longer: 2^31 seconds, in milliseconds.
const LONGEST: i64 = 2_147_483_648_000;

impl Machine {
    pub(super) fn wait(&mut self, id: FrameId, until: &WaitUntil) -> Done {
        if let WaitUntil::SecondsBy(expression) | WaitUntil::TimestampBy(expression) = until {
            return self.wait_by(id, until, expression);
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let millis = self.millis_of(frame, until)?;
        self.wait_for(id, millis)
    }

    /// When the Wait that a frame has entered and not begun will end; `None` where that is evaluated first, or fails.
    #[must_use]
    pub fn wait_forecast(&self, frame: &Frame, until: &WaitUntil) -> Option<Millis> {
        let millis = match until {
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) => return None,
            until => self.millis_of(frame, until).ok()?,
        };
        Some(self.now().saturating_add(Millis::try_from(millis).ok()?))
    }

    /// How long a Wait of a JSONPath state lasts.
    fn millis_of(&self, frame: &Frame, until: &WaitUntil) -> Result<i64, Raised> {
        Ok(match until {
            WaitUntil::Seconds(seconds) => i64::try_from(*seconds).unwrap_or(i64::MAX).saturating_mul(1000),
            WaitUntil::SecondsPath(path) => self.seconds_at(frame, path)?.saturating_mul(1000),
            WaitUntil::Timestamp(text) => self.millis_until(frame, text, &|text| {
                format!("The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: {text}")
            })?,
            WaitUntil::TimestampPath(path) => self.timestamp_at(frame, path)?,
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) | WaitUntil::Nothing => {
                return Err(self.wait_fault(frame, "the Wait state does not say how long it waits".to_string()));
            }
        })
    }

    /// Waits for what an expression gives.
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
                Some(seconds) if seconds >= 0 => self.wait_for(id, seconds.saturating_mul(1000)),
                Some(_) => {
                    let reason = format!("The Seconds field must not be negative: {value}");
                    Err(self.evaluation_fault(id, Some(&expression.location), reason, stage))
                }
                None => Err(self.mistyped(id, expression, "number", &value, stage)),
            };
        }
        let Some(text) = value.as_str() else {
            return Err(self.mistyped(id, expression, "string", &value, stage));
        };
        match parse_timestamp(text) {
            Some(instant) => {
                let millis = self.millis_to(instant);
                self.wait_for(id, millis)
            }
            None => {
                let reason = format!(
                    "The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: {text}"
                );
                Err(self.evaluation_fault(id, Some(&expression.location), reason, stage))
            }
        }
    }

    fn wait_for(&mut self, id: FrameId, millis: i64) -> Done {
        if millis > LONGEST {
            let text = "Wait state delay is too long.".to_string();
            return Err(self.own_fault(id, FaultKind::BadValue, text, None));
        }
        let due = self
            .now()
            .saturating_add(Millis::try_from(millis).unwrap_or(0));
        let due = self.wait_due(id, due);
        self.push(id, EventKind::WaitStarted, 0, true);
        self.park(id);
        self.set_timer(id, due, Timer::Wake);
        Ok(())
    }

    fn wait_fault(&self, frame: &Frame, text: String) -> Raised {
        self.own_fault(frame.id, FaultKind::BadValue, text, None)
    }

    fn look_up(&self, frame: &Frame, path: &Path, field: &str) -> Result<Value, Raised> {
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        path.eval(&self.bindings(frame, &data)).map_err(|_| {
            let text = format!(
                "The {field} parameter does not reference an input value: {}",
                path.text()
            );
            let (mut fault, stage) = self.own_fault(frame.id, FaultKind::PathFailure, text, None);
            fault.missed = Some(Box::new(Missed {
                path: path.text().into(),
                field: Some(field.into()),
            }));
            (fault, stage)
        })
    }

    fn seconds_at(&self, frame: &Frame, path: &Path) -> Result<i64, Raised> {
        let value = self.look_up(frame, path, "SecondsPath")?;
        let number = value.as_number().and_then(crate::json::Number::as_i64);
        let text = path.text();
        match number {
            Some(seconds) if seconds >= 0 => Ok(seconds),
            Some(_) => Err(self.wait_fault(
                frame,
                format!("The SecondsPath parameter references a negative value: {text} == {value}"),
            )),
            None => Err(self.wait_fault(
                frame,
                format!(
                    "The SecondsPath parameter cannot be parsed as a long value: {text} == {}",
                    bare(&value)
                ),
            )),
        }
    }

    fn timestamp_at(&self, frame: &Frame, path: &Path) -> Result<i64, Raised> {
        let value = self.look_up(frame, path, "TimestampPath")?;
        let shown = bare(&value);
        let bad = |_: &str| {
            format!(
                "The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: {} == {shown}",
                path.text()
            )
        };
        match value.as_str() {
            Some(text) => self.millis_until(frame, text, &bad),
            None => Err(self.wait_fault(frame, bad(""))),
        }
    }

    /// Milliseconds from now to a timestamp; 0 for one in the past.
    fn millis_until(
        &self,
        frame: &Frame,
        text: &str,
        bad: &dyn Fn(&str) -> String,
    ) -> Result<i64, Raised> {
        let instant = parse_timestamp(text).ok_or_else(|| self.wait_fault(frame, bad(text)))?;
        Ok(self.millis_to(instant))
    }

    fn millis_to(&self, instant: Instant) -> i64 {
        let now = self
            .run()
            .header
            .start_time
            .saturating_add(i64::try_from(self.now()).unwrap_or(i64::MAX));
        instant.millis().saturating_sub(now).max(0)
    }
}
