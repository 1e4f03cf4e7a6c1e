//! Random machines that always end: every state type, nested scopes, retries, catchers, answers.

use super::Random;
use serde_json::{Map, Value as Json, json};

/// A machine with its input and the answers of its tasks.
pub(crate) struct Made {
    pub(crate) definition: Json,
    pub(crate) answers: Json,
    pub(crate) input: Json,
}

struct Maker<'r> {
    random: &'r mut Random,
    rich: bool,
    answers: Map<String, Json>,
    count: usize,
}

const ERRORS: [&str; 4] = ["Made.Busy", "Made.Refused", "States.Timeout", "Made.Rare"];

/// Creates a machine with JSONPath states only.
pub(crate) fn machine(random: &mut Random) -> Made {
    make(random, false)
}

/// Creates a machine with states in both query languages, variables, files to read and write, batches and tokens.
pub(crate) fn rich(random: &mut Random) -> Made {
    make(random, true)
}

/// The files that rich machines read, from a bucket named `bucket`.
pub(crate) const FILES: [(&str, &str); 4] = [
    ("list.json", "[1, 2, 3]"),
    ("members.json", r#"{"in": {"a": {"x": 1}, "b": 2}}"#),
    ("rows.jsonl", "1\n{\"a\": 2}\n\"three\"\n"),
    ("table.csv", "id,n\n1,2\n3,4\n5,\n"),
];

fn make(random: &mut Random, rich: bool) -> Made {
    let mut maker = Maker {
        random,
        rich,
        answers: Map::new(),
        count: 0,
    };
    let mut definition = maker.scope(0);
    if maker.random.one_in(12) {
        definition["TimeoutSeconds"] = json!(1 + maker.random.below(60));
    }
    let input = json!({
        "n": maker.random.below(10),
        "list": (0..maker.random.below(5)).collect::<Vec<_>>(),
        "text": "made",
        "seconds": maker.random.below(20),
        "inner": { "flag": maker.random.one_in(2) },
    });
    Made {
        definition,
        answers: maker.answers.into(),
        input,
    }
}

impl Maker<'_> {
    fn scope(&mut self, depth: usize) -> Json {
        let names: Vec<String> = (0..=self.random.below(if depth == 0 { 6 } else { 3 }))
            .map(|_| {
                self.count += 1;
                format!("S{}", self.count)
            })
            .collect();
        let mut states = Map::new();
        if self.rich && depth == 0 {
            // This first state sets the variables that inner scopes read in both languages.
            states.insert(
                "Begin".to_string(),
                json!({ "Type": "Pass", "Assign": { "total": 1, "known.$": "$.list" }, "Next": names[0] }),
            );
        }
        for (place, name) in names.iter().enumerate() {
            let later = &names[place + 1..];
            states.insert(name.clone(), self.state(name, later, depth));
        }
        let first = if self.rich && depth == 0 {
            "Begin"
        } else {
            &*names[0]
        };
        json!({ "StartAt": first, "States": states })
    }

    fn state(&mut self, name: &str, later: &[String], depth: usize) -> Json {
        if self.rich && self.random.one_in(2) {
            return self.rich_state(name, later, depth);
        }
        if !later.is_empty() && self.random.one_in(5) {
            return self.choice(later);
        }
        let deepest = if depth < 2 { 8 } else { 5 };
        let mut state = match self.random.below(deepest) {
            0 => self.pass(),
            1 => self.wait(),
            2 if later.is_empty() && self.random.one_in(2) => return self.fail(),
            2..=4 => self.task(name),
            5 => {
                let branches: Vec<Json> = (0..=self.random.below(3))
                    .map(|_| self.scope(depth + 1))
                    .collect();
                json!({ "Type": "Parallel", "Branches": branches })
            }
            _ => self.map(depth),
        };
        if ["Parallel", "Map", "Task"]
            .iter()
            .any(|kind| state["Type"] == *kind)
        {
            self.handling(&mut state, later);
        }
        follow(&mut state, later);
        state
    }

    /// A state in JSONata, or one that uses files.
    fn rich_state(&mut self, name: &str, later: &[String], depth: usize) -> Json {
        let mut state = match self.random.below(if depth < 2 { 8 } else { 5 }) {
            0 => {
                json!({ "Type": "Pass", "Assign": { format!("w{}", self.count): "{% $total + 1 %}", format!("id{}", self.count): "{% $uuid() %}" },
                "Output": "{% $merge([$type($states.input) = 'object' ? $states.input : {}, {'r': $random(), 'at': $states.context.State.Name}]) %}" })
            }
            1 => json!({ "Type": "Wait", "Seconds": "{% $total * 3 %}" }),
            2 if !later.is_empty() => {
                return json!({ "Type": "Choice", "QueryLanguage": "JSONata", "Default": later[0],
                    "Choices": [{ "Condition": "{% $states.input.n > 4 %}", "Next": self.random.of(later), "Assign": { format!("c{}", self.count): 1 } },
                        { "Condition": "{% $count($known) = 2 %}", "Next": self.random.of(later), "Output": "{% $merge([$states.input, {'two': true}]) %}" }] });
            }
            2 => json!({ "Type": "Pass", "Output": { "n": "{% $states.input.n %}" } }),
            3 | 4 => {
                let mut state = self.task(name);
                for field in ["Parameters", "ResultPath", "ResultSelector"] {
                    drop_field(&mut state, field);
                }
                state["TimeoutSeconds"] = json!("{% 10 * ($total + 1) %}");
                state["Arguments"] = json!({ "n": "{% $states.input.n %}", "tries": "{% $states.context.State.RetryCount %}", "draw": "{% $random() %}" });
                state["Output"] = json!(
                    "{% $merge([$type($states.input) = 'object' ? $states.input : {}, {'result': $states.result}]) %}"
                );
                state["Assign"] = json!({ format!("r{}", self.count): "{% $states.result %}" });
                state
            }
            5 => {
                json!({ "Type": "Map", "Items": "{% $append($known, [7]) %}", "MaxConcurrency": "{% $total + 1 %}",
                "ItemSelector": { "n": "{% $states.context.Map.Item.Value %}", "seconds": "{% $states.context.Map.Item.Index %}", "list": [1], "text": "item", "inner": { "flag": true } },
                "ItemProcessor": self.scope(depth + 1) })
            }
            _ => return self.files(later, depth),
        };
        state["QueryLanguage"] = json!("JSONata");
        if ["Map", "Task"].iter().any(|kind| state["Type"] == *kind) {
            self.handling(&mut state, later);
            for catcher in state
                .get_mut("Catch")
                .and_then(Json::as_array_mut)
                .into_iter()
                .flatten()
            {
                drop_field(catcher, "ResultPath");
                catcher["Output"] = json!(
                    "{% $merge([$type($states.input) = 'object' ? $states.input : {}, {'caught': $states.errorOutput}]) %}"
                );
            }
        }
        follow(&mut state, later);
        state
    }

    /// A Map that reads its items from a file, in batches, and writes its results to a file.
    fn files(&mut self, later: &[String], depth: usize) -> Json {
        let formats = [
            ("list.json", json!({ "InputType": "JSON" })),
            (
                "members.json",
                json!({ "InputType": "JSON", "ItemsPointer": "/in" }),
            ),
            ("rows.jsonl", json!({ "InputType": "JSONL", "MaxItems": 2 })),
            (
                "table.csv",
                json!({ "InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW" }),
            ),
        ];
        let (key, config) = self.random.of(&formats).clone();
        let mut processor = self.scope(depth + 1);
        processor["ProcessorConfig"] =
            json!({ "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" });
        let mut state = json!({ "Type": "Map", "ItemProcessor": processor, "ResultPath": "$.inner.result",
            "ItemReader": { "Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": config,
                "Parameters": { "Bucket": "bucket", "Key": key } } });
        match self.random.below(3) {
            0 => {}
            1 => state["ToleratedFailurePercentage"] = json!(100),
            _ => {
                state["ToleratedFailureCount"] = json!(1);
                state["ItemBatcher"] = json!({ "MaxItemsPerBatch": 2, "BatchInput": { "n": 3, "list": [1], "seconds": 2, "text": "batch" } });
            }
        }
        match self.random.below(3) {
            0 => {}
            1 => {
                state["ResultWriter"] =
                    json!({ "WriterConfig": { "OutputType": "JSON", "Transformation": "COMPACT" } })
            }
            _ => {
                state["ResultWriter"] = json!({ "Resource": "arn:aws:states:::s3:putObject", "Parameters": { "Bucket": "out", "Prefix.$": "$$.State.Name" } });
            }
        }
        self.handling(&mut state, later);
        follow(&mut state, later);
        state
    }

    fn pass(&mut self) -> Json {
        let mut state = json!({ "Type": "Pass" });
        match self.random.below(4) {
            0 => state["Result"] = json!({ "made": self.random.below(100) }),
            1 => {
                state["Parameters"] = json!({ "at.$": "$$.State.Name", "all.$": "$", "r.$": "States.MathRandom(0, 1000)" })
            }
            2 => state["Assign"] = json!({ format!("v{}", self.count): self.random.below(9) }),
            _ => {}
        }
        self.result_path(&mut state);
        state
    }

    fn wait(&mut self) -> Json {
        match self.random.below(3) {
            0 => json!({ "Type": "Wait", "SecondsPath": "$.seconds" }),
            1 => json!({ "Type": "Wait", "Timestamp": "1970-01-01T00:00:30Z" }),
            _ => json!({ "Type": "Wait", "Seconds": self.random.below(40) }),
        }
    }

    fn fail(&mut self) -> Json {
        match self.random.below(3) {
            0 => json!({ "Type": "Fail" }),
            1 => json!({ "Type": "Fail", "Error": self.error(), "CausePath": "$.text" }),
            _ => json!({ "Type": "Fail", "Error": self.error(), "Cause": "made to fail" }),
        }
    }

    fn error(&mut self) -> &'static str {
        ERRORS[self.random.below(ERRORS.len())]
    }

    fn choice(&mut self, later: &[String]) -> Json {
        let tests = [
            json!({ "Variable": "$.n", "NumericGreaterThan": 4 }),
            json!({ "Variable": "$.inner.flag", "BooleanEquals": true }),
            json!({ "Not": { "Variable": "$.text", "IsPresent": true } }),
            json!({ "And": [{ "Variable": "$.n", "IsPresent": true }, { "Variable": "$.n", "NumericLessThan": 3 }] }),
        ];
        let choices: Vec<Json> = (0..=self.random.below(2))
            .map(|_| {
                let mut rule = self.random.of(&tests).clone();
                rule["Next"] = json!(self.random.of(later));
                rule
            })
            .collect();
        let mut state = json!({ "Type": "Choice", "Choices": choices });
        if !self.random.one_in(8) {
            state["Default"] = json!(self.random.of(later));
        }
        state
    }

    fn task(&mut self, name: &str) -> Json {
        let mut list = Vec::new();
        for _ in 0..=self.random.below(5) {
            list.push(self.answer());
        }
        list.push(json!({ "Return": { "last": true } }));
        self.answers.insert(name.to_string(), list.into());
        let token = self.rich && self.random.one_in(2);
        let resources = [
            "arn:aws:lambda:us-east-1:123456789012:function:made",
            "arn:aws:states:::lambda:invoke.waitForTaskToken",
            "arn:aws:states:us-east-1:123456789012:activity:made",
            "arn:aws:states:::sqs:sendMessage",
        ];
        let mut state =
            json!({ "Type": "Task", "Resource": self.random.of(&resources), "TimeoutSeconds": 20 });
        if self.random.one_in(3) {
            state["HeartbeatSeconds"] = json!(5);
        }
        if self.random.one_in(3) {
            state["Parameters"] =
                json!({ "tries.$": "$$.State.RetryCount", "data.$": "$", "id.$": "States.UUID()" });
        } else if token {
            state["Resource"] = json!("arn:aws:states:::sqs:sendMessage.waitForTaskToken");
            state["Parameters"] =
                json!({ "token.$": "$$.Task.Token", "total.$": "$total", "first.$": "$known[:1]" });
        }
        if self.random.one_in(4) {
            state["ResultSelector"] = json!({ "picked.$": "$" });
        }
        self.result_path(&mut state);
        state
    }

    fn answer(&mut self) -> Json {
        let mut answer = match self.random.below(5) {
            0 | 1 => json!({ "Throw": { "Error": self.error(), "Cause": "made" } }),
            2 => json!({ "Never": true }),
            _ => json!({ "Return": { "made": self.random.below(100) } }),
        };
        match self.random.below(4) {
            0 => answer["Delay"] = json!(self.random.below(30)),
            1 => answer["Heartbeats"] = json!([1, 4, 9]),
            _ => {}
        }
        answer
    }

    fn result_path(&mut self, state: &mut Json) {
        match self.random.below(4) {
            0 => state["ResultPath"] = Json::Null,
            1 | 2 => state["ResultPath"] = json!("$.inner.result"),
            _ => {}
        }
    }

    fn map(&mut self, depth: usize) -> Json {
        let mut state =
            json!({ "Type": "Map", "ItemsPath": "$.list", "ItemProcessor": self.scope(depth + 1) });
        if self.random.one_in(2) {
            state["MaxConcurrency"] = json!(1 + self.random.below(2));
        }
        if self.random.one_in(3) {
            state["ToleratedFailureCount"] = json!(1);
        }
        if self.random.one_in(2) {
            state["ItemSelector"] = json!({
                "n.$": "$$.Map.Item.Index", "text": "item", "seconds.$": "$$.Map.Item.Value", "list": [7],
                "inner": { "flag": true },
            });
        }
        self.result_path(&mut state);
        state
    }

    fn handling(&mut self, state: &mut Json, later: &[String]) {
        if self.random.one_in(2) {
            let mut retriers = vec![json!({
                "ErrorEquals": [self.error()], "IntervalSeconds": 1 + self.random.below(4),
                "MaxAttempts": self.random.below(3), "BackoffRate": 1.5,
            })];
            if self.random.one_in(2) {
                retriers.push(json!({ "ErrorEquals": ["States.ALL"], "MaxAttempts": 1, "JitterStrategy": "FULL" }));
            }
            state["Retry"] = retriers.into();
        }
        if let Some(next) = later.last().filter(|_| self.random.one_in(2)) {
            state["Catch"] = json!([
                { "ErrorEquals": [self.error()], "ResultPath": "$.caught", "Next": later[0] },
                { "ErrorEquals": ["States.ALL"], "ResultPath": "$.inner.caught", "Next": next },
            ]);
        }
    }
}

/// Makes a state lead to the next state, or to the end if there is none.
fn follow(state: &mut Json, later: &[String]) {
    match later.first() {
        Some(next) => state["Next"] = json!(next),
        None => state["End"] = json!(true),
    }
}

fn drop_field(state: &mut Json, field: &str) {
    if let Some(members) = state.as_object_mut() {
        members.remove(field);
    }
}
