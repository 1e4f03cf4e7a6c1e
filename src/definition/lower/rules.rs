//! The rules that are checked while a definition is parsed. Some of them are also checked later.

use crate::definition::rule::{Severities, lint_rules};

lint_rules! {
    // The first two rules are checked when the text is opened and parsed, before lowering.
    JSON = 1, "json", "INVALID_JSON_DESCRIPTION", Severities::ERROR,
        "the text is not JSON or YAML, or an object contains the same name twice" {
            JSON_READ = Severities::WARNING, "if asldbg accepts the definition, but some parsers reject it";
        };
    EMPTY = 2, "empty", "MISSING_DESCRIPTION", Severities::ERROR, "the text is empty" {
        BLANK("SCHEMA_VALIDATION_FAILED") = Severities::ERROR, "if the text is blank";
    };
    REQUIRED = 3, "required", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "StartAt or States is missing";
    STATES = 4, "states", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "States is empty or not an object" {
        STATES_PLACEHOLDER = Severities::WARNING, "if States is a placeholder";
    };
    START_AT = 5, "start-at", "MISSING_TRANSITION_TARGET", Severities::ERROR, "StartAt does not name a state" {
        START_AT_PLACEHOLDER = Severities::WARNING, "if the name is a placeholder";
    };
    TARGET = 6, "target", "MISSING_TRANSITION_TARGET", Severities::ERROR,
        "Next, Default or a catcher's Next does not name a state" {
            TARGET_PLACEHOLDER = Severities::WARNING, "if the name is a placeholder";
        };
    SCOPE = 7, "scope", "MISSING_TRANSITION_TARGET", Severities::ERROR, "a transition leads to a state of another States object";
    TYPE = 13, "type", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "Type is missing or unknown";
    VALUE = 20, "value", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a value has the wrong JSON type or is out of range" {
            PLAIN_TEMPLATE = Severities::WARNING, "if Parameters is not an object";
            PLAIN_PAYLOAD = NO_PAYLOAD,
                "if ResultSelector, ItemSelector, BatchInput or Parameters of an ItemReader is not an object";
        };
    ONLY_ONE = 21, "only-one", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "two fields exclude each other";
    WAIT = 22, "wait", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a Wait has neither a duration nor a time at which it ends";
    RESOURCE = 27, "resource", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a Task has no Resource, or its Resource is not a plain string";
    REFERENCE_PATH = 32, "reference-path", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a value must be a Reference Path, but is not valid as a Reference Path" {
            SEVERAL_ITEMS = Severities::WARNING, "if ItemsPath can select several values";
        };
    PATH = 33, "path", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a path is not valid";
    DYNAMIC_FIELD = 34, "dynamic-field", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "the value of a field whose name ends in .$ is neither a path nor an intrinsic function";
    DUPLICATE_FIELD = 35, "duplicate-field", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "two fields of a template produce the same name";
    RESULT_PATH = 38, "result-path", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "ResultPath uses the context object or a variable, or can select several places";
    INTRINSIC = 39, "intrinsic", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "an intrinsic function is unknown, misspelt or nested too deeply" {
            ARGUMENT_COUNT = ARGUMENTS, "if the function has the wrong number of arguments, which AWS reports only at run time";
        };
    CHOICES = 42, "choices", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "Choices is missing or empty";
    CHOICE_RULE = 43, "choice-rule", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a choice rule does not have exactly one test, or Next is missing or misplaced";
    CONSTANT = 44, "constant", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a comparator's constant has the wrong type, or is not a valid timestamp";
    PATTERN = 45, "pattern", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a StringMatches pattern contains a lone backslash";
    BRANCHES = 49, "branches", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "Branches is missing or empty";
    ITEM_PROCESSOR = 50, "item-processor", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "a Map has neither ItemProcessor nor Iterator";
    RETRY_CATCH = 59, "retry-catch", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "Retry or Catch is malformed";
    RETRIER = 64, "retrier", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a retrier's number is out of range" {
        UNKNOWN_JITTER = Severities::REFUSED_BY_AWS, "if JitterStrategy is unknown";
    };
}

const NO_PAYLOAD: Severities = ARGUMENTS;
const ARGUMENTS: Severities = Severities {
    aws: crate::source::Severity::Warning,
    spec: crate::source::Severity::Error,
};
