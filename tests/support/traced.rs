//! Random machines in both languages whose values are derived from each other in every way: through paths, templates,
//! functions, items, branches, retries, catchers and variables.

use super::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(crate) struct Maker<'r> {
    random: &'r mut Random,
    pub(crate) answers: BTreeMap<String, Vec<Json>>,
    count: usize,
    /// Depth of the outermost scope whose variables the current scope can see. A DISTRIBUTED Map hides the variables of
    /// the scopes around it.
    seen: usize,
}

/// Members that every state passes on to the next one.
const KEPT: [&str; 4] = ["n", "text", "list", "inner"];

impl<'r> Maker<'r> {
    pub(crate) fn new(random: &'r mut Random) -> Self {
        Self {
            random,
            answers: BTreeMap::new(),
            count: 0,
            seen: 0,
        }
    }
}

impl Maker<'_> {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("S{}", self.count)
    }

    pub(crate) fn scope(&mut self, length: usize, depth: usize) -> Json {
        let names: Vec<String> = (0..=length).map(|_| self.name()).collect();
        let mut states = serde_json::Map::new();
        for (place, name) in names.iter().enumerate() {
            let next = names.get(place + 1);
            let made = match (place, next) {
                (0, Some(next)) => self.begin(next, depth),
                _ => self.state(name, next, depth),
            };
            states.insert(name.clone(), made);
        }
        json!({ "StartAt": names[0], "States": states })
    }

    /// The first state of a scope, which sets the scope's variables: a number that is incremented and a text that
    /// grows.
    fn begin(&mut self, next: &str, depth: usize) -> Json {
        let (count, text) = (format!("c{depth}"), format!("t{depth}"));
        match self.random.one_in(2) {
            true => json!({ "Type": "Pass", "Next": next, "Assign": {
                format!("{count}.$"): "States.MathAdd($.n, 1)", format!("{text}.$"): "States.Format('{}!', $.text)" } }),
            false => {
                json!({ "Type": "Pass", "QueryLanguage": "JSONata", "Next": next, "Assign": {
                    count: "{% $states.input.n * 2 %}", text: "{% $states.input.list[0].id & '!' %}" } })
            }
        }
    }

    /// Fields for a state that read the variables of one of the visible scopes.
    fn reads(&mut self, depth: usize, jsonata: bool) -> Vec<(String, Json)> {
        let scope = self.seen + self.random.below(depth - self.seen + 1);
        let all = match jsonata {
            true => [
                ("cv", json!(format!("{{% $c{scope} %}}"))),
                ("tv", json!(format!("{{% $t{scope} & '-' %}}"))),
            ],
            false => [
                ("cv.$", json!(format!("$c{scope}"))),
                (
                    "tv.$",
                    json!(format!("States.Format('{{}}-{{}}', $t{scope}, $c{scope})")),
                ),
            ],
        };
        let chosen = all.into_iter().filter(|_| self.random.one_in(2));
        chosen
            .map(|(name, value)| (name.to_string(), value))
            .collect()
    }

    /// An Assign that sets the variables of a scope. Its expressions read these variables, and `number` and `text`.
    fn assign(&mut self, depth: usize, jsonata: bool, number: &str, text: &str) -> Json {
        let (count, grown) = (format!("c{depth}"), format!("t{depth}"));
        let (mut all, counted, longer) = match jsonata {
            true => (
                serde_json::Map::new(),
                format!("{{% ${count} + {number} %}}"),
                format!("{{% ${grown} & {text} %}}"),
            ),
            false => (
                serde_json::Map::new(),
                format!("States.MathAdd(${count}, {number})"),
                format!("States.Format('{{}}{{}}', ${grown}, {text})"),
            ),
        };
        let name = |name: String| match jsonata {
            true => name,
            false => format!("{name}.$"),
        };
        if self.random.one_in(2) {
            all.insert(name(count), json!(counted));
        }
        let anew = match (jsonata, text.starts_with('$')) {
            (true, _) => format!("{{% {text} & '' %}}"),
            (false, true) => text.to_string(),
            (false, false) => longer.clone(),
        };
        let set = if self.random.one_in(2) { longer } else { anew };
        all.insert(name(grown), json!(set));
        all.into()
    }

    fn state(&mut self, name: &str, next: Option<&String>, depth: usize) -> Json {
        let jsonata = self.random.one_in(3);
        let kind = self.random.below(if depth < 2 { 9 } else { 6 });
        let mut state = match (jsonata, kind) {
            (false, 0) => self.shape(name, depth),
            (false, 1) => json!({ "Type": "Pass", "Result": { "lit": [1, { "k": "x" }], "n": 7 },
                "ResultPath": format!("$.r{name}") }),
            (false, 2 | 3) => self.task(name, depth),
            (false, 4) => {
                json!({ "Type": "Pass", "InputPath": "$.inner", "ResultPath": format!("$.p{name}") })
            }
            (false, 5) => self.choice(next, depth),
            (false, 6 | 7) => self.map(name, depth),
            (false, _) => self.parallel(name, depth),
            (true, 0) => self.jsonata_pass(depth),
            (true, 4) => self.jsonata_choice(next, depth),
            (true, 1..=3) => self.jsonata_task(name, depth),
            (true, 5) => json!({ "Type": "Pass", "Assign": { "v": "{% $states.input.text %}" } }),
            (true, 6 | 7) => self.jsonata_map(depth),
            (true, _) => self.jsonata_pass(depth),
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

    /// The members that every state passes on.
    fn kept(&self) -> serde_json::Map<String, Json> {
        let kept = KEPT.iter();
        kept.map(|name| (format!("{name}.$"), json!(format!("$.{name}"))))
            .collect()
    }

    fn shape(&mut self, name: &str, depth: usize) -> Json {
        let mut fields = self.kept();
        fields.extend(self.reads(depth, false));
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
            (
                "merged.$",
                json!("States.JsonMerge($.inner, $.list[0], false)"),
            ),
            ("unique.$", json!("States.ArrayUnique($.list[*].v)")),
            ("parts.$", json!("States.ArrayPartition($.list, 2)")),
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
            _ => state["Assign"] = self.assign(depth, false, "$.n", "$.text"),
        }
        state
    }

    fn task(&mut self, name: &str, depth: usize) -> Json {
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
        let fails = self.random.one_in(3);
        if fails {
            state["Catch"] =
                json!([{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.failed", "Next": "" }]);
        }
        self.answers.insert(name.into(), list);
        if state.get("Catch").is_some() && self.random.one_in(2) {
            state["Catch"][0]["Assign"] = self.assign(depth, false, "3", "$.Cause");
        }
        if self.random.one_in(2) {
            let mut fields = json!({ "a.$": "$.n", "b": { "c.$": "$.inner" }, "d": "lit" });
            let object = fields.as_object_mut().unwrap();
            object.extend(self.reads(depth, false));
            state["Parameters"] = fields;
        }
        if fails {
            let expressions = [
                "States.ArrayGetItem($.list, $.n)".to_string(),
                "States.ArrayGetItem($.list, 9)".to_string(),
                "States.StringToJson($.inner)".to_string(),
                "States.StringToJson($.text)".to_string(),
                "States.MathAdd($.n, $.text)".to_string(),
                format!("States.MathAdd($t{depth}, $c{depth})"),
                "States.ArrayLength($.inner.deep)".to_string(),
            ];
            let expression = expressions[self.random.below(7)].clone();
            state["Parameters"] = json!({ "n.$": "$.n", "f": { "fails.$": expression } });
        }
        if self.random.one_in(2) {
            let mut fields = json!({ "rid.$": "$.id", "n.$": "$.n", "all.$": "$",
                "text": "sel", "list.$": "$.list", "inner.$": "$.inner", "fix": 3 });
            let object = fields.as_object_mut().unwrap();
            object.extend(self.reads(depth, false));
            state["ResultSelector"] = fields;
        }
        if self.random.one_in(2) {
            state["Assign"] = self.assign(depth, false, "$.n", "$.id");
        }
        match self.random.below(4) {
            0 => {}
            1 => state["ResultPath"] = Json::Null,
            _ => state["ResultPath"] = json!(format!("$.t{name}")),
        }
        state
    }

    fn choice(&mut self, next: Option<&String>, depth: usize) -> Json {
        let Some(next) = next else {
            return json!({ "Type": "Pass" });
        };
        let rule = self.assign(depth, false, "$.n", "$.text");
        let otherwise = self.assign(depth, false, "2", "$.text");
        json!({ "Type": "Choice", "Default": next, "Assign": otherwise,
            "Choices": [{ "Variable": "$.n", "NumericGreaterThan": 4, "Assign": rule, "Next": next }] })
    }

    fn jsonata_choice(&mut self, next: Option<&String>, depth: usize) -> Json {
        let Some(next) = next else {
            return self.jsonata_pass(depth);
        };
        let mut output = self.jsonata_kept();
        output.extend(self.reads(depth, true));
        let (rule, otherwise) = (
            self.assign(depth, true, "$states.input.n", "$states.input.text"),
            self.assign(depth, true, "2", "'x1'"),
        );
        json!({ "Type": "Choice", "Default": next, "Assign": otherwise,
            "Choices": [{ "Condition": format!("{{% $c{depth} > 9 %}}"), "Assign": rule, "Output": output, "Next": next }] })
    }

    fn map(&mut self, name: &str, depth: usize) -> Json {
        let length = 1 + self.random.below(2);
        let mut state =
            json!({ "Type": "Map", "ItemsPath": "$.list", "ResultPath": format!("$.m{name}") });
        let mut selector = self.kept();
        selector.extend(self.reads(depth, false));
        selector.insert("item.$".into(), json!("$$.Map.Item.Value"));
        selector.insert("id.$".into(), json!("$$.Map.Item.Value.id"));
        selector.insert("index.$".into(), json!("$$.Map.Item.Index"));
        state["ItemSelector"] = selector.into();
        let (seen, distributed) = (self.seen, self.random.one_in(4));
        if distributed {
            self.seen = depth + 1;
        }
        let mut processor = self.scope(length, depth + 1);
        self.seen = seen;
        if distributed {
            processor["ProcessorConfig"] =
                json!({ "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" });
            if self.random.one_in(2) {
                let pass = json!({ "Type": "Pass", "End": true });
                processor = json!({ "StartAt": format!("B{name}"), "States": { format!("B{name}"): pass },
                    "ProcessorConfig": processor["ProcessorConfig"] });
                state["ItemBatcher"] =
                    json!({ "MaxItemsPerBatch": 2, "BatchInput": { "t.$": "$.text" } });
            }
            if self.random.one_in(3) {
                self.read_items(name, &mut state);
            }
        }
        state["ItemProcessor"] = processor;
        state
    }

    /// Makes a Map take its items from a file. The content of the file is a mocked answer, like that of a task.
    fn read_items(&mut self, name: &str, state: &mut Json) {
        state.as_object_mut().unwrap().remove("ItemsPath");
        state["ItemReader"] = json!({ "Resource": "arn:aws:states:::s3:getObject",
            "ReaderConfig": { "InputType": "JSON" },
            "Parameters": { "Bucket": "items", "Key.$": "$.text" } });
        let rows = (0..1 + self.random.below(3))
            .map(|row| json!({ "id": format!("{name}-{row}"), "v": row }));
        let rows: Json = rows.collect();
        let answers = (0..12).map(|_| json!({ "Return": rows })).collect();
        self.answers.insert(name.into(), answers);
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

    fn jsonata_pass(&mut self, depth: usize) -> Json {
        let mut state = self.jsonata_shape(depth);
        if self.random.one_in(2) {
            state["Assign"] = self.assign(depth, true, "$states.input.n", "$states.input.text");
        }
        state
    }

    fn jsonata_shape(&mut self, depth: usize) -> Json {
        if self.random.one_in(4) {
            let output = "{% $merge([$states.input, { 'j': $states.input.text & 'x' }]) %}";
            return json!({ "Type": "Pass", "Output": output });
        }
        let mut fields = self.jsonata_kept();
        fields.extend(self.reads(depth, true));
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
            (
                "way",
                json!(
                    "{% $states.input.n > 4 ? $states.input.text : $states.input.inner.deep.x %}"
                ),
            ),
            (
                "both",
                json!("{% $states.input.n > 2 and $states.input.inner.deep.x > 1 %}"),
            ),
            (
                "either",
                json!("{% $states.input.n > 8 or $states.input.inner.deep.x > 3 %}"),
            ),
            (
                "kept",
                json!("{% $filter($states.input.list, function($one) { $one.v >= 3 }).id %}"),
            ),
            (
                "mapped",
                json!("{% $map($states.input.list, function($one, $i) { $one.v + $i }) %}"),
            ),
            (
                "folded",
                json!("{% $reduce($states.input.list.v, function($a, $b) { $a + $b }, 0) %}"),
            ),
            (
                "sorted",
                json!("{% $sort($states.input.list, function($a, $b) { $a.v < $b.v }).id %}"),
            ),
            ("ordered", json!("{% $states.input.list^(>v).id %}")),
            ("most", json!("{% $max($states.input.list.v) %}")),
            ("grouped", json!("{% $states.input.list{id: v} %}")),
            (
                "altered",
                json!("{% $states.input.list[0] ~> |$|{'w': $states.input.n}, ['v']| %}"),
            ),
            (
                "doubled",
                json!("{% ($double := function($x) { $x * 2 }; $double($states.input.n)) %}"),
            ),
            ("joined", json!("{% $join($states.input.list.id, '-') %}")),
        ];
        for (field, value) in more {
            if self.random.one_in(3) {
                fields.insert(field.into(), value);
            }
        }
        json!({ "Type": "Pass", "Output": fields })
    }

    fn jsonata_task(&mut self, name: &str, depth: usize) -> Json {
        let mut state = self.task(name, depth);
        let object = state.as_object_mut().unwrap();
        for field in ["Parameters", "ResultSelector", "ResultPath", "Assign"] {
            object.remove(field);
        }
        let mut output = self.jsonata_kept();
        output.insert("got".into(), json!("{% $states.result %}"));
        output.insert("gotn".into(), json!("{% $states.result.n * 2 %}"));
        output.extend(self.reads(depth, true));
        state["Arguments"] = json!({ "a": "{% $states.input.n %}", "b": "lit" });
        if self.random.one_in(4) {
            state["Assign"] = json!({ "w": "{% $states.result.inner %}" });
        } else if self.random.one_in(2) {
            state["Assign"] = self.assign(depth, true, "$states.result.n", "$states.result.id");
        }
        state["Output"] = output.into();
        if state["Catch"][0]["ResultPath"] == "$.failed" {
            let expressions = [
                "{% $states.input.n + $states.input.text %}",
                "{% $sum($states.input.list.id) %}",
                "{% $number($states.input.text) %}",
                "{% $uppercase($states.input.inner.deep) %}",
            ];
            let expression = expressions[self.random.below(4)];
            state["Arguments"] =
                json!({ "n": "{% $states.input.n %}", "f": { "fails": expression } });
        }
        if state.get("Catch").is_some() {
            let mut output = self.jsonata_kept();
            output.insert("e".into(), json!("{% $states.errorOutput.Cause %}"));
            output.extend(self.reads(depth, true));
            let assign = self.assign(depth, true, "3", "$states.errorOutput.Error");
            state["Catch"] = json!([{ "ErrorEquals": ["States.ALL"], "Output": output,
                "Assign": assign, "Next": "" }]);
        }
        state
    }

    fn jsonata_map(&mut self, depth: usize) -> Json {
        let mut selector = self.jsonata_kept();
        selector.insert("item".into(), json!("{% $states.context.Map.Item.Value %}"));
        let mut output = self.jsonata_kept();
        output.insert("done".into(), json!("{% $states.result.n %}"));
        let mut state = json!({ "Type": "Map", "Items": "{% $states.input.list %}", "ItemSelector": selector,
            "ItemProcessor": self.scope(1, depth + 1), "Output": output });
        if self.random.one_in(4) {
            state["Items"] = json!("{% $states.input.list[v >= 0] %}");
        }
        state
    }
}

/// Makes each catcher lead to the same state as its state's `Next`.
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
