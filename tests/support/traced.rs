//! Random machines of both languages whose values are made of one another in every way: paths, templates, functions,
//! items, branches, retries, catchers, variables.

use super::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(crate) struct Maker<'r> {
    random: &'r mut Random,
    pub(crate) answers: BTreeMap<String, Vec<Json>>,
    count: usize,
}

/// What every document between states holds.
const KEPT: [&str; 4] = ["n", "text", "list", "inner"];

impl<'r> Maker<'r> {
    pub(crate) fn new(random: &'r mut Random) -> Self {
        Self {
            random,
            answers: BTreeMap::new(),
            count: 0,
        }
    }
}

impl Maker<'_> {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("S{}", self.count)
    }

    pub(crate) fn scope(&mut self, length: usize, depth: usize) -> Json {
        let names: Vec<String> = (0..length).map(|_| self.name()).collect();
        let mut states = serde_json::Map::new();
        for (place, name) in names.iter().enumerate() {
            let next = names.get(place + 1);
            let made = self.state(name, next, depth);
            states.insert(name.clone(), made);
        }
        json!({ "StartAt": names[0], "States": states })
    }

    fn state(&mut self, name: &str, next: Option<&String>, depth: usize) -> Json {
        let jsonata = self.random.one_in(3);
        let kind = self.random.below(if depth < 2 { 9 } else { 6 });
        let mut state = match (jsonata, kind) {
            (false, 0) => self.shape(name),
            (false, 1) => json!({ "Type": "Pass", "Result": { "lit": [1, { "k": "x" }], "n": 7 },
                "ResultPath": format!("$.r{name}") }),
            (false, 2 | 3) => self.task(name),
            (false, 4) => {
                json!({ "Type": "Pass", "InputPath": "$.inner", "ResultPath": format!("$.p{name}") })
            }
            (false, 5) => self.choice(next),
            (false, 6 | 7) => self.map(name, depth),
            (false, _) => self.parallel(name, depth),
            (true, 0 | 4) => self.jsonata_pass(),
            (true, 1..=3) => self.jsonata_task(name),
            (true, 5) => json!({ "Type": "Pass", "Assign": { "v": "{% $states.input.text %}" } }),
            (true, 6 | 7) => self.jsonata_map(depth),
            (true, _) => self.jsonata_pass(),
        };
        if jsonata {
            state["QueryLanguage"] = json!("JSONata");
        }
        if state["Type"] != "Choice" {
            match next {
                Some(next) => state["Next"] = json!(next),
                None => state["End"] = json!(true),
            }
        }
        state
    }

    /// What every state may be sure of goes on, besides what is new.
    fn kept(&self) -> serde_json::Map<String, Json> {
        let kept = KEPT.iter();
        kept.map(|name| (format!("{name}.$"), json!(format!("$.{name}"))))
            .collect()
    }

    fn shape(&mut self, name: &str) -> Json {
        let mut fields = self.kept();
        let more = [
            ("fmt.$", json!("States.Format('{}-{}', $.text, $.n)")),
            ("lit", json!({ "k": 5, "s": ["x", true] })),
            ("sum.$", json!("States.MathAdd($.n, 3)")),
            ("first.$", json!("States.ArrayGetItem($.list, 0)")),
            ("ids.$", json!("$.list[*].id")),
            ("big.$", json!("$.list[?(@.v > 4)].id")),
            ("last.$", json!("$.list[-1].id")),
            (
                "deep",
                json!({ "x.$": "$.inner.deep.x", "list.$": "States.Array($.n, $.text)" }),
            ),
            ("who.$", json!("$$.Execution.Input.text")),
            ("uuid.$", json!("States.UUID()")),
            ("split.$", json!("States.StringSplit($.text, ' ')")),
        ];
        for (field, value) in more {
            if self.random.one_in(3) {
                fields.insert(field.into(), value);
            }
        }
        let mut state = json!({ "Type": "Pass", "Parameters": fields });
        match self.random.below(3) {
            0 => state["ResultPath"] = json!(format!("$.s{name}")),
            1 => {
                state["Assign"] = json!({ "v.$": "$.text", "w.$": "$.inner" });
            }
            _ => {}
        }
        state
    }

    fn task(&mut self, name: &str) -> Json {
        let answer = |number: usize| {
            json!({ "Return": { "id": format!("{name}-{number}"), "n": 10 + number, "text": "t",
                "list": [{ "id": "q", "v": number }], "inner": { "deep": { "x": number } } } })
        };
        let mut list: Vec<Json> = (0..12).map(answer).collect();
        let mut state =
            json!({ "Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:f" });
        match self.random.below(4) {
            0 => {
                list[0] = json!({ "Throw": { "Error": "Made.Busy", "Cause": "at first" } });
                state["Retry"] = json!([{ "ErrorEquals": ["Made.Busy"], "MaxAttempts": 3 }]);
            }
            1 => {
                list[0] = json!({ "Throw": { "Error": "Made.Refused", "Cause": "no" } });
                let path = ["$.err", "$.inner.err"][self.random.below(2)];
                state["Catch"] =
                    json!([{ "ErrorEquals": ["States.ALL"], "ResultPath": path, "Next": "" }]);
            }
            _ => {}
        }
        self.answers.insert(name.into(), list);
        if self.random.one_in(2) {
            state["Parameters"] = json!({ "a.$": "$.n", "b": { "c.$": "$.inner" }, "d": "lit" });
        }
        if self.random.one_in(2) {
            state["ResultSelector"] = json!({ "rid.$": "$.id", "n.$": "$.n", "all.$": "$",
                "text": "sel", "list.$": "$.list", "inner.$": "$.inner", "fix": 3 });
        }
        match self.random.below(4) {
            0 => {}
            1 => state["ResultPath"] = Json::Null,
            _ => state["ResultPath"] = json!(format!("$.t{name}")),
        }
        state
    }

    fn choice(&mut self, next: Option<&String>) -> Json {
        match next {
            None => json!({ "Type": "Pass" }),
            Some(next) => json!({ "Type": "Choice", "Default": next,
                "Choices": [{ "Variable": "$.n", "NumericGreaterThan": 4, "Next": next }] }),
        }
    }

    fn map(&mut self, name: &str, depth: usize) -> Json {
        let length = 1 + self.random.below(2);
        let mut state =
            json!({ "Type": "Map", "ItemsPath": "$.list", "ResultPath": format!("$.m{name}") });
        let mut selector = self.kept();
        selector.insert("item.$".into(), json!("$$.Map.Item.Value"));
        selector.insert("id.$".into(), json!("$$.Map.Item.Value.id"));
        selector.insert("index.$".into(), json!("$$.Map.Item.Index"));
        state["ItemSelector"] = selector.into();
        let mut processor = self.scope(length, depth + 1);
        if self.random.one_in(4) {
            processor["ProcessorConfig"] =
                json!({ "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" });
            if self.random.one_in(2) {
                let one = json!({ "Type": "Pass", "End": true });
                processor = json!({ "StartAt": format!("B{name}"), "States": { format!("B{name}"): one },
                    "ProcessorConfig": processor["ProcessorConfig"] });
                state["ItemBatcher"] =
                    json!({ "MaxItemsPerBatch": 2, "BatchInput": { "t.$": "$.text" } });
            }
        }
        state["ItemProcessor"] = processor;
        state
    }

    fn parallel(&mut self, name: &str, depth: usize) -> Json {
        let branches = [self.scope(1, depth + 1), self.scope(2, depth + 1)];
        json!({ "Type": "Parallel", "Branches": branches, "ResultPath": format!("$.pa{name}") })
    }

    fn jsonata_kept(&self) -> serde_json::Map<String, Json> {
        let kept = KEPT.iter();
        kept.map(|name| {
            (
                name.to_string(),
                json!(format!("{{% $states.input.{name} %}}")),
            )
        })
        .collect()
    }

    fn jsonata_pass(&mut self) -> Json {
        if self.random.one_in(4) {
            let output = "{% $merge([$states.input, { 'j': $states.input.text & 'x' }]) %}";
            return json!({ "Type": "Pass", "Output": output });
        }
        let mut fields = self.jsonata_kept();
        let more = [
            ("ids", json!("{% $states.input.list.id %}")),
            ("big", json!("{% $states.input.list[v > 4].id %}")),
            ("total", json!("{% $sum($states.input.list.v) %}")),
            (
                "deep",
                json!({ "x": "{% $states.input.inner.deep.x + 1 %}", "lit": "y" }),
            ),
            ("upper", json!("{% $uppercase($states.input.text) %}")),
            (
                "obj",
                json!("{% {'a': $states.input.n, 'b': [$states.input.text, 1]} %}"),
            ),
            ("from", json!("{% $states.context.Execution.Input.text %}")),
            ("random", json!("{% $random() %}")),
        ];
        for (field, value) in more {
            if self.random.one_in(3) {
                fields.insert(field.into(), value);
            }
        }
        json!({ "Type": "Pass", "Output": fields })
    }

    fn jsonata_task(&mut self, name: &str) -> Json {
        let mut state = self.task(name);
        let object = state.as_object_mut().unwrap();
        for field in ["Parameters", "ResultSelector", "ResultPath"] {
            object.remove(field);
        }
        let mut output = self.jsonata_kept();
        output.insert("got".into(), json!("{% $states.result %}"));
        output.insert("gotn".into(), json!("{% $states.result.n * 2 %}"));
        state["Arguments"] = json!({ "a": "{% $states.input.n %}", "b": "lit" });
        if self.random.one_in(4) {
            state["Assign"] = json!({ "w": "{% $states.result.inner %}" });
        }
        state["Output"] = output.into();
        if state.get("Catch").is_some() {
            let mut output = self.jsonata_kept();
            output.insert("e".into(), json!("{% $states.errorOutput.Cause %}"));
            state["Catch"] =
                json!([{ "ErrorEquals": ["States.ALL"], "Output": output, "Next": "" }]);
        }
        state
    }

    fn jsonata_map(&mut self, depth: usize) -> Json {
        let mut selector = self.jsonata_kept();
        selector.insert("item".into(), json!("{% $states.context.Map.Item.Value %}"));
        let mut output = self.jsonata_kept();
        output.insert("done".into(), json!("{% $states.result.n %}"));
        json!({ "Type": "Map", "Items": "{% $states.input.list %}", "ItemSelector": selector,
            "ItemProcessor": self.scope(1, depth + 1), "Output": output })
    }
}

/// A catcher leads where the state does.
pub(crate) fn aim_catchers(scope: &mut Json) {
    for state in scope["States"].as_object_mut().unwrap().values_mut() {
        let next = state.get("Next").cloned();
        if let Some(catchers) = state.get_mut("Catch") {
            match next {
                Some(next) => catchers[0]["Next"] = next,
                None => {
                    state.as_object_mut().unwrap().remove("Catch");
                }
            }
        }
        if let Some(processor) = state.get_mut("ItemProcessor") {
            aim_catchers(processor);
        }
        for branch in state
            .get_mut("Branches")
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
        {
            aim_catchers(branch);
        }
    }
}
