//! The states, lines and columns to which the explanation of an error leads, read from the session and not from the
//! screen.

use asldbg::definition::StateId;
use asldbg::session::origin::{Absence, Absent};
use asldbg::session::view::{FaultView, StatePane};
use asldbg::session::{Led, Session};
use asldbg::source::{Severity, Span};

/// The places that the explanation at the current event leads to, one per line: `KIND STATE LINE:COLUMN`, with `-` for
/// a missing part.
pub(crate) fn leads(session: &Session) -> Vec<String> {
    let view = session.view();
    let mut leads = Leads {
        session,
        lines: Vec::new(),
    };
    if let Some(state) = view.current {
        leads.put("cursor", Some(state), view.current_span);
    }
    if let Some(fault) = &view.data.fault {
        leads.put_fault("fault", view.data.state, fault);
    }
    if let Some(absent) = &view.missing {
        leads.put_absent(absent);
    }
    if let Some(raised) = &view.raised {
        leads.put_fault("raised", Some(raised.state), &raised.fault);
        if let Some(absent) = &raised.missing {
            leads.put_absent(absent);
        }
    }
    if let Some(led) = &view.led {
        leads.put_led(led);
    }
    if let StatePane::Choice(rules) = &view.state {
        for rule in rules.iter().filter(|rule| rule.taken) {
            leads.put("rule", view.data.state, rule.span);
        }
    }
    if let Some(reason) = view
        .recorded
        .iter()
        .filter_map(|recorded| recorded.difference.as_ref()?.reason.as_ref())
        .next()
    {
        leads.put("difference", None, reason.span);
    }
    if let Some(end) = &view.end {
        for row in &end.errors {
            leads.put_line("error", row.state, row.line);
        }
        for row in &end.no_waits {
            leads.put_line("no-wait", Some(row.state), row.line);
        }
        for row in &end.no_items {
            leads.put_line("no-items", Some(row.state), row.line);
        }
        if let Some(timeout) = &end.timeout {
            leads.put_line("timeout", None, timeout.line);
        }
    }
    leads.lines
}

/// The warnings and errors of the definition, one per line: `finding CODE LINE:COLUMN`.
pub(crate) fn findings(session: &Session) -> Vec<String> {
    let found = session.diagnostics().iter();
    let found = found.filter(|finding| finding.severity != Severity::Info);
    let leads = Leads {
        session,
        lines: Vec::new(),
    };
    found
        .map(|finding| format!("finding {} {}", finding.code, leads.place(finding.span)))
        .collect()
}

struct Leads<'a> {
    session: &'a Session,
    lines: Vec<String>,
}

impl Leads<'_> {
    fn name(&self, state: Option<StateId>) -> String {
        let state = state.and_then(|id| self.session.definition().state(id));
        state.map_or_else(|| "-".to_owned(), |state| state.name.replace(' ', "_"))
    }

    fn place(&self, span: Option<Span>) -> String {
        let place = span.and_then(|span| self.session.sources().place(span));
        place.map_or_else(
            || "-".to_owned(),
            |place| format!("{}:{}", place.line, place.column),
        )
    }

    fn put(&mut self, kind: &str, state: Option<StateId>, span: Option<Span>) {
        let line = format!("{kind} {} {}", self.name(state), self.place(span));
        self.lines.push(line);
    }

    /// Adds the location of an error, the code of the error's finding, and the codes of the notes that explain the
    /// error.
    fn put_fault(&mut self, kind: &str, state: Option<StateId>, fault: &FaultView) {
        let codes = std::iter::once(&fault.finding).chain(&fault.because);
        let codes: Vec<&str> = codes.map(|finding| finding.code).collect();
        let (name, place) = (self.name(state), self.place(fault.span));
        self.lines
            .push(format!("{kind} {name} {place} {}", codes.join(" ")));
    }

    /// Adds a place of which only the line is known.
    fn put_line(&mut self, kind: &str, state: Option<StateId>, line: Option<usize>) {
        let place = line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        self.lines
            .push(format!("{kind} {} {place}", self.name(state)));
    }

    fn put_absent(&mut self, absent: &Absent) {
        let (state, span) = match &absent.absence {
            Absence::Dropped(drop) => (Some(drop.by.state), drop.by.span),
            Absence::Withheld(withheld) => (Some(withheld.by.state), withheld.by.span),
            Absence::Never => match (&absent.assigned, &absent.unrun, &absent.discarded) {
                (Some(assigned), ..) => (Some(assigned.state), Some(assigned.span)),
                (None, Some((state, span)), _) => (Some(*state), Some(*span)),
                (None, None, Some((state, span))) => (Some(*state), *span),
                (None, None, None) => (absent.state, None),
            },
        };
        self.put(absent.code(), state, span);
    }

    fn put_led(&mut self, led: &Led) {
        self.put("led", Some(led.lead.state), led.lead.span);
        if let Some(after) = &led.lead.after {
            self.put("led-after", Some(after.state), after.span);
        }
        if let Some(raised) = &led.raised {
            self.put_fault("led-raised", Some(raised.state), &raised.fault);
            if let Some(absent) = &raised.missing {
                self.put_absent(absent);
            }
        }
    }
}
