//! Tests that each sample ends with the expected result.

use super::*;

/// Each row: the name of a sample, its status or error (in the form `specification | AWS` if they differ), the last
/// state entered, and the clock in seconds (`None` if it depends on random numbers).
const ENDS: [(&str, &str, &str, Option<f64>); 18] = [
    ("backoff", "SUCCEEDED", "Unannounced", None),
    ("callback", "SUCCEEDED", "PayOut", Some(13365.0)),
    ("cart", "SUCCEEDED", "PlaceOrder", Some(1.35)),
    ("context", "SUCCEEDED", "Keep", Some(1.0)),
    ("demo", "SUCCEEDED", "Delivered", None),
    ("fanout", "SUCCEEDED", "Offer", Some(6.0)),
    ("import", "SUCCEEDED", "Report", None),
    ("intrinsics", "SUCCEEDED", "Show", Some(0.0)),
    ("nested", "SUCCEEDED", "Send", Some(1.7)),
    ("onboarding", "SUCCEEDED", "Welcome", Some(270_060.0)),
    ("order", "SUCCEEDED", "Refund", Some(6.961)),
    ("poll", "SUCCEEDED", "MailReport", Some(94.4)),
    ("readings", "SUCCEEDED", "Tell", Some(4.2)),
    ("routing", "SUCCEEDED", "Logged", Some(0.0)),
    ("saga", "Car.SoldOut", "TripFailed", None),
    ("timeouts", "Training.WorkerLost", "WorkerLost", None),
    (
        "tour",
        "States.ParameterPathFailure|States.Runtime",
        "TellCustomer",
        Some(2.0),
    ),
    ("variables", "SUCCEEDED", "CloseSale", Some(2.2)),
];

#[test]
fn samples_end_as_they_should() {
    let all = samples();
    let names: Vec<&str> = all.iter().map(|sample| sample.name.as_str()).collect();
    assert_eq!(
        names,
        ENDS.map(|(name, ..)| name),
        "a sample without a line here, or the other way round"
    );
    let mut wrong = Vec::new();
    for (sample, (name, end, last, seconds)) in all.iter().zip(ENDS) {
        for profile in [Profile::Spec, Profile::Aws] {
            let mut session = sample.session(profile);
            let stop = go(&mut session);
            let ended = match session.machine().status() {
                Status::Succeeded(_) => "SUCCEEDED".to_string(),
                Status::Failed(fault) => fault.name().to_string(),
                Status::TimedOut => "TIMED_OUT".to_string(),
                Status::Running => format!("{stop:?}"),
            };
            let entered = trace(&session).pop().unwrap_or_default();
            let clock = session.machine().now() as f64 / 1000.0;
            let is_meant = end.split('|').any(|end| end == ended);
            if !is_meant || entered != last || seconds.is_some_and(|seconds| seconds != clock) {
                wrong.push(format!(
                    "{name} {profile:?}: {ended} in {entered} at {clock}: {:?}\n{:?}",
                    session.machine().status(),
                    trace(&session)
                ));
            }
        }
        let readme = support::read("samples/README.md");
        assert!(
            readme.contains(&format!("- `{name}`: ")),
            "{name} has no line in samples/README.md"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_cases_of_the_callback_sample() {
    let sample = sample("callback");
    let mocks = support::read("samples/callback.mock.json");
    for (case, seconds) in [("Rejected", 600), ("Forgotten", 3600 + 7200)] {
        let mut session = session(
            &sample.definition,
            Header::new(sample.input.clone(), Profile::Aws),
            Some(support::mock("callback", &mocks, Some(case))),
        );
        assert_eq!(go(&mut session), Stop::End);
        assert_eq!(
            trace(&session),
            ["AskForApproval", "TellEmployee"],
            "{case}"
        );
        assert_eq!(session.machine().now(), seconds * 1000, "{case}");
    }
}
