//! Parses ARNs of Step Functions, as the user types them and as responses contain them.

/// The kind of resource that an ARN names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An execution whose history AWS keeps.
    Execution,
    /// An express execution; AWS keeps only its log lines.
    Express,
    StateMachine,
    MapRun,
}

/// A parsed ARN of Step Functions. The text is printable ASCII, without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arn {
    pub text: String,
    pub kind: Kind,
    pub region: String,
    /// Name of the state machine; for a child execution of a Map Run, `/` and the label of the Map follow the name.
    pub machine: String,
    /// Name of the execution, id of the Map Run, or version of the state machine (its name if the ARN has no version).
    pub name: String,
}

/// Maximum length of an ARN on AWS.
const LONGEST: usize = 2048;

impl Arn {
    /// Parses an ARN, or a URL of the AWS console that ends with an ARN.
    ///
    /// # Errors
    /// If the text is anything else; the message says which form an ARN has.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let arn = match text.split_once("/details/") {
            Some((page, rest)) if page.starts_with("https://") => {
                let rest = rest.split(['?', '#']).next().unwrap_or(rest);
                rest.replace("%3A", ":")
                    .replace("%3a", ":")
                    .replace("%2F", "/")
            }
            _ => text.to_string(),
        };
        let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '\'' | '`');
        if !arn.starts_with("arn:") || arn.len() > LONGEST || !arn.chars().all(is_plain) {
            return Err(format!("`{text}` is not an ARN; {FORM}"));
        }
        let parts: Vec<&str> = arn.split(':').collect();
        let (kind, machine, name) = match parts.as_slice() {
            [_, _, "states", _, _, "execution", machine, name] => (Kind::Execution, machine, name),
            [_, _, "states", _, _, "express", machine, name, _] => (Kind::Express, machine, name),
            [_, _, "states", _, _, "stateMachine", machine] => {
                (Kind::StateMachine, machine, machine)
            }
            [_, _, "states", _, _, "stateMachine", machine, version] => {
                (Kind::StateMachine, machine, version)
            }
            [_, _, "states", _, _, "mapRun", machine, name] => (Kind::MapRun, machine, name),
            _ => return Err(format!("`{text}` is not the ARN of an execution; {FORM}")),
        };
        let region = parts.get(3).copied().unwrap_or_default();
        let is_region = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let whole = parts.iter().all(|part| !part.is_empty());
        if !whole || !region.chars().all(is_region) || region.starts_with('-') {
            return Err(format!("`{text}` is not the ARN of an execution; {FORM}"));
        }
        let (machine, name, region) = (machine.to_string(), name.to_string(), region.to_string());
        Ok(Self {
            kind,
            region,
            machine,
            name,
            text: arn,
        })
    }

    /// Parses the ARN of an execution.
    ///
    /// # Errors
    /// If the text is anything else; the message says what the ARN names instead, and how to find an execution.
    pub(super) fn execution(text: &str) -> Result<Self, String> {
        let arn = Self::parse(text)?;
        match arn.kind {
            Kind::Execution | Kind::Express => Ok(arn),
            Kind::StateMachine => Err(format!(
                "{text} is a state machine: `asldbg pull --last-failed {text}` fetches the last failed execution of the state machine, and `aws stepfunctions list-executions --state-machine-arn {text}` lists them"
            )),
            Kind::MapRun => Err(format!(
                "{text} is a Map Run: `asldbg pull EXECUTION --children` fetches a Map Run with the execution that started the Map Run, and `aws stepfunctions list-executions --map-run-arn {text}` lists the executions of the Map Run"
            )),
        }
    }

    /// Parses the ARN of a state machine.
    ///
    /// # Errors
    /// If the text is anything else; the message says what is expected.
    pub(super) fn state_machine(text: &str) -> Result<Self, String> {
        let arn = Self::parse(text)?;
        match arn.kind {
            Kind::StateMachine => Ok(arn),
            _ => Err(format!(
                "--last-failed takes the ARN of a state machine (arn:aws:states:REGION:ACCOUNT:stateMachine:NAME); `asldbg pull {text}` fetches an execution"
            )),
        }
    }

    /// ARN of the state machine to which the execution belongs, without a version.
    pub(super) fn of_machine(&self) -> String {
        let head: Vec<&str> = self.text.split(':').take(5).collect();
        let machine = self.machine.split('/').next().unwrap_or(&self.machine);
        format!("{}:stateMachine:{machine}", head.join(":"))
    }
}

const FORM: &str = "the ARN of an execution has the form arn:aws:states:REGION:ACCOUNT:execution:STATE_MACHINE:NAME (AWS's console shows the ARN, and `aws stepfunctions list-executions` prints the ARN)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arns_are_read_where_people_copy_them() {
        let plain = "arn:aws:states:eu-west-1:123456789012:execution:Order:run-1";
        let arn = Arn::execution(plain).unwrap();
        assert_eq!(
            (&*arn.machine, &*arn.name, &*arn.region),
            ("Order", "run-1", "eu-west-1")
        );
        assert_eq!(
            arn.of_machine(),
            "arn:aws:states:eu-west-1:123456789012:stateMachine:Order"
        );
        let page = format!(
            "https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1#/v2/executions/details/{plain}?x=1"
        );
        assert_eq!(Arn::execution(&page).unwrap(), arn);
        assert_eq!(
            Arn::execution(&page.replace("arn:", "arn%3A")).unwrap(),
            arn
        );
        let express = "arn:aws:states:eu-west-1:1:express:Order:run-1:0b1c";
        assert_eq!(Arn::execution(express).unwrap().kind, Kind::Express);
        let item = "arn:aws:states:eu-west-1:1:execution:Order/Items:0b1c";
        assert_eq!(
            Arn::execution(item).unwrap().of_machine(),
            "arn:aws:states:eu-west-1:1:stateMachine:Order"
        );
    }

    #[test]
    fn what_is_none_is_told_with_a_way_out() {
        for (text, said) in [
            ("run-1", "`run-1` is not an ARN; the ARN of an execution"),
            ("--profile", "is not an ARN"),
            (
                "arn:aws:states:eu-west-1:1:stateMachine:Order",
                "--last-failed",
            ),
            (
                "arn:aws:states:eu-west-1:1:mapRun:Order/Items:0b1c",
                "--children",
            ),
            (
                "arn:aws:lambda:eu-west-1:1:function:f",
                "is not the ARN of an execution",
            ),
            (
                "arn:aws:states:-x:1:execution:M:n",
                "is not the ARN of an execution",
            ),
            (
                "arn:aws:states:r:1:execution:M:",
                "is not the ARN of an execution",
            ),
            ("arn:aws:states:r:1:execution:M:\u{1b}[2J", "is not"),
            ("arn:aws:states:r:1:execution:M:a\"b", "is not"),
        ] {
            let refused = Arn::execution(text).unwrap_err();
            assert!(refused.contains(said), "{refused}");
        }
        assert!(Arn::state_machine("arn:aws:states:r:1:execution:M:n").is_err());
    }
}
