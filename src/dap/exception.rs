//! The current error of a thread: its name, its cause and how it is handled.

use super::debuggee::Debuggee;
use super::protocol::{ExceptionDetails, ExceptionInfoBody, ThreadArguments};
use super::refusal::Refusal;
use super::scope::retry_rows;
use crate::session::{ErrorMoment, Stop};

impl Debuggee {
    /// Returns the details of the error.
    pub fn exception_info(
        &mut self,
        arguments: &ThreadArguments,
    ) -> Result<ExceptionInfoBody, Refusal> {
        let frame = self.frame_of_thread(arguments.thread_id)?;
        let view = self.look(frame)?;
        if let (Stop::ProfilesDiffer(text), None) = (self.session.stop(), &view.data.fault) {
            return Ok(ExceptionInfoBody {
                exception_id: "AWS differs".to_string(),
                description: Some(format!("AWS: {text}")),
                break_mode: "always",
                details: ExceptionDetails::default(),
            });
        }
        let error = view.data.fault.as_ref();
        let error = error.ok_or_else(|| Refusal::new("no error was raised in this thread"))?;
        let mut lines: Vec<String> = error.because.iter().map(ToString::to_string).collect();
        lines.extend(error.aws.clone());
        let rows = retry_rows(&view, self.session.definition()).into_iter();
        lines.extend(rows.map(|row| format!("{}: {}", row.name, row.text)));
        let name = match error.fault.name() {
            "" => "an error without a name",
            name => name,
        };
        let cause = error.fault.cause_text();
        let break_mode = match self.session.stop() {
            Stop::Error(ErrorMoment::Uncaught, _) => "unhandled",
            _ => "always",
        };
        Ok(ExceptionInfoBody {
            exception_id: name.to_string(),
            description: (!cause.is_empty()).then(|| cause.to_string()),
            break_mode,
            details: ExceptionDetails {
                message: (!cause.is_empty()).then(|| cause.to_string()),
                type_name: name.to_string(),
                evaluate_name: "$error",
                stack_trace: lines.join("\n"),
            },
        })
    }
}
