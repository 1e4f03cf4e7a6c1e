//! Determines the steps of a state from the field table. Each step describes a value that the state produces.

use super::field::{Content, Effect, FieldSpec};
use super::step::{Make, Makes, Source, StageStep, Steps};
use super::{FieldAt, Owner, QueryLanguage, Stage, State, StateKind};
use crate::source::{Node, Span};

impl State {
    /// The stages of the state, in order.
    pub fn stages(&self) -> impl Iterator<Item = Stage> {
        std::iter::successors(Some(Stage::Input), |stage| self.stage_after(*stage))
    }

    /// The next stage after `stage` that the state has.
    #[must_use]
    pub fn stage_after(&self, stage: Stage) -> Option<Stage> {
        self.steps.next(stage)
    }

    /// The step that produces a stage if the state exits normally.
    #[must_use]
    pub fn step(&self, stage: Stage) -> Option<&StageStep> {
        self.steps.usual(stage)
    }

    /// The step that produces a stage if the state exits by `way`: by a rule, by a catcher, or normally (the state
    /// itself). If the rule or catcher has no step for the stage, the step of a normal exit.
    #[must_use]
    pub fn step_by(&self, stage: Stage, way: Owner) -> Option<&StageStep> {
        let mut steps = self.steps.iter();
        let step = steps.find(|step| step.makes == Makes::Stage(stage) && step.field.owner == way);
        step.filter(|_| way != Owner::State)
            .or_else(|| self.step(stage))
    }

    /// The step of the Assign that takes effect if the state exits by `way`: the Assign of that rule or catcher, or of
    /// the state itself.
    #[must_use]
    pub fn assign_by(&self, way: Owner) -> Option<&StageStep> {
        let mut steps = self.steps.iter();
        steps.find(|step| step.makes == Makes::Assign && step.field.owner == way)
    }

    /// The step whose value the field produces.
    #[must_use]
    pub fn step_of(&self, field: FieldAt) -> Option<&StageStep> {
        self.steps.iter().find(|step| step.field == field)
    }

    /// The steps whose values only the state itself uses, such as a timeout.
    pub fn work_steps(&self) -> impl Iterator<Item = &StageStep> {
        self.steps.iter().filter(|step| step.makes == Makes::Work)
    }

    /// The first step whose field is the state's field `name`, or is inside the value of that field.
    #[must_use]
    pub fn step_within(&self, name: &str) -> Option<&StageStep> {
        self.steps
            .iter()
            .find(|step| step.field.outermost() == name)
    }

    /// Span of the text that produces a stage: the value of the field or, if the field is missing, the object to which
    /// the field belongs.
    #[must_use]
    pub fn written(&self, stage: Stage) -> Option<Span> {
        let is_given = |step: &&StageStep| step.make == Make::Batch || !is_work(step.make);
        let step = self.step(stage).filter(is_given)?;
        let around = || self.field(step.field.outermost()).map(|field| field.value);
        step.written.or_else(around)
    }
}

/// True if the state's work (its task, branches or items) makes the value, rather than a field.
fn is_work(make: Make) -> bool {
    matches!(make, Make::Call | Make::Write | Make::Collect | Make::Batch)
}

/// Determines the steps of a state from the field table. The steps that produce the stages come first, in order. Then
/// follow the values that only the state itself uses, and the values of each exit: of the state itself, of its rules
/// and of its catchers.
pub(super) fn steps_of(state: &State, node: &Node) -> Steps {
    let mut table = Table {
        state,
        node,
        stages: Vec::new(),
        steps: Vec::new(),
    };
    table.stages();
    table.work();
    table.ways_out();
    Steps::new(table.steps)
}

struct Table<'s> {
    state: &'s State,
    node: &'s Node,
    /// The stages found so far.
    stages: Vec<Stage>,
    steps: Vec<StageStep>,
}

impl Table<'_> {
    fn is_jsonata(&self) -> bool {
        self.state.language == QueryLanguage::Jsonata
    }

    /// The latest stage found so far, but none later than `most`; the raw input if there is no such stage.
    fn latest(&self, most: Stage) -> Source {
        let mut stages = self.stages.iter().rev();
        let stage = stages.find(|stage| **stage <= most);
        Source::Stage(stage.copied().unwrap_or(Stage::Input))
    }

    /// The fields that an object may have in a state of this type and language; none if the object is missing.
    fn fields(&self, owner: Owner) -> impl Iterator<Item = (&'static FieldSpec, FieldAt)> + use<> {
        let language = self.state.language;
        let [first, second] = match owner {
            _ if owner.node(self.node).is_none() => [&[][..], &[]],
            Owner::State => [FieldSpec::of_type(self.state.type_name()), &[]],
            _ => owner.specs(),
        };
        let specs = first.iter().chain(second);
        let specs = specs.filter(move |spec| spec.languages.has(language));
        specs.map(move |spec| {
            let name = spec.name;
            (spec, FieldAt { owner, name })
        })
    }

    fn is_written(&self, field: FieldAt) -> bool {
        field.node(self.node).is_some()
    }

    fn stages(&mut self) {
        let owners = [Owner::State, Owner::Reader, Owner::Batcher];
        let fields = owners.into_iter().flat_map(|owner| self.fields(owner));
        let made = fields.filter_map(|(spec, field)| match self.state.effect_of(spec) {
            Effect::Stage(stage) if self.has(stage, field) => {
                Some((stage, field, self.make(stage, spec)))
            }
            _ => None,
        });
        let mut made: Vec<(Stage, FieldAt, Make)> = made.chain(self.work_result()).collect();
        made.sort_by_key(|(stage, ..)| *stage);
        self.stages.push(Stage::Input);
        for (stage, field, make) in made {
            let step = self.step(Makes::Stage(stage), field, make);
            self.stages.push(stage);
            self.steps.push(step);
        }
    }

    /// True if the field produces the stage in this state. Most stages exist even if their field is missing.
    fn has(&self, stage: Stage, field: FieldAt) -> bool {
        let StateKind::Map(map) = &self.state.kind else {
            return true;
        };
        match stage {
            // The fields inside the ItemReader produce this stage, so the reader must exist.
            Stage::AfterItemReader => field.owner == Owner::Reader && map.reader.is_some(),
            Stage::AfterBatchInput => map.batch_input().is_some(),
            Stage::AfterItemBatcher => map.batcher.is_some(),
            Stage::AfterItemSelector => {
                let newer = FieldAt::state("ItemSelector");
                map.has_selector() && (field == newer) == self.is_written(newer)
            }
            _ => true,
        }
    }

    fn make(&self, stage: Stage, spec: &FieldSpec) -> Make {
        let reads = matches!(&self.state.kind, StateKind::Map(map) if map.reader.is_some());
        match (stage, spec.content) {
            (Stage::AfterItemsPath, _) if reads => Make::Read,
            (Stage::AfterItemBatcher, _) => Make::Batch,
            (_, Content::Target) => Make::Insert,
            (_, Content::Data) => Make::Literal,
            (_, Content::Path) => Make::Path,
            _ => self.filled(),
        }
    }

    fn filled(&self) -> Make {
        match self.state.language {
            QueryLanguage::JsonPath => Make::Template,
            QueryLanguage::Jsonata => Make::Jsonata,
        }
    }

    /// The result of a Task, Parallel or Map: the stage, the field to which the result belongs, and the operation that
    /// makes it. `None` for other states.
    fn work_result(&self) -> Option<(Stage, FieldAt, Make)> {
        let (field, make) = match &self.state.kind {
            StateKind::Task(_) => (FieldAt::state("Resource"), Make::Call),
            StateKind::Parallel { .. } => (FieldAt::state("Branches"), Make::Collect),
            StateKind::Map(map) => {
                let writer = map.writer.as_ref();
                match writer.is_some_and(|writer| writer.resource.is_some()) {
                    true => (FieldAt::state("ResultWriter"), Make::Write),
                    false if self.is_written(FieldAt::state("Iterator")) => {
                        (FieldAt::state("Iterator"), Make::Collect)
                    }
                    false => (FieldAt::state("ItemProcessor"), Make::Collect),
                }
            }
            _ => return None,
        };
        Some((Stage::Result, field, make))
    }

    fn step(&self, makes: Makes, field: FieldAt, make: Make) -> StageStep {
        let dollar = self.dollar(makes, field, make);
        StageStep {
            makes,
            field,
            written: field.node(self.node).map(|node| node.span),
            make,
            dollar,
            replaced: self.replaced(makes, field, make, dollar),
            otherwise: self.otherwise(makes, field, make, dollar),
        }
    }

    fn dollar(&self, makes: Makes, field: FieldAt, make: Make) -> Source {
        match (makes, field.owner) {
            _ if make == Make::Read => Source::Answer,
            // `$` stands here for the input of the task, of the branches or of the items.
            (Makes::Stage(stage), _) if is_work(make) => self.latest(stage),
            _ if self.is_jsonata() => Source::Stage(Stage::Input),
            (_, Owner::Catcher(_)) => Source::Error,
            (Makes::Stage(stage), _) if stage > Stage::AfterArguments => self.latest(stage),
            (Makes::Assign, _) if self.stages.contains(&Stage::Result) => {
                Source::Stage(Stage::Result)
            }
            _ => self.latest(Stage::AfterInputPath),
        }
    }

    fn replaced(
        &self,
        makes: Makes,
        field: FieldAt,
        make: Make,
        dollar: Source,
    ) -> [Option<Source>; 2] {
        let input = Source::Stage(Stage::Input);
        match (makes, make) {
            (Makes::Assign, _) => [Some(Source::Variable), None],
            (Makes::Test | Makes::Work, _) => [None, None],
            (_, Make::Insert) => [Some(input), None],
            (_, Make::Read | Make::Literal) => [None, None],
            _ if is_work(make) => [None, None],
            (Makes::Stage(Stage::AfterItemReader | Stage::AfterBatchInput), _) => [None, None],
            (Makes::Stage(Stage::AfterItemSelector), _) => [Some(Source::Item), None],
            (Makes::Stage(Stage::Output), Make::Jsonata) => {
                let other = self.otherwise(makes, field, make, dollar);
                [Some(input), other.filter(|other| *other != input)]
            }
            _ => [Some(dollar), None],
        }
    }

    fn otherwise(
        &self,
        makes: Makes,
        field: FieldAt,
        make: Make,
        dollar: Source,
    ) -> Option<Source> {
        let Makes::Stage(stage) = makes else {
            return None;
        };
        match (stage, make) {
            _ if is_work(make) => None,
            (Stage::AfterItemReader | Stage::AfterBatchInput, _) => None,
            (Stage::AfterItemSelector, _) => Some(Source::Item),
            (_, Make::Jsonata) => match field.owner {
                Owner::Catcher(_) => Some(Source::Error),
                Owner::State if stage == Stage::Output => Some(self.latest_result()),
                _ => Some(dollar),
            },
            _ => Some(dollar),
        }
    }

    /// The result of the state as a document; for a state without a result, its raw input.
    fn latest_result(&self) -> Source {
        let has_result = self.stages.contains(&Stage::Result);
        Source::Stage(if has_result {
            Stage::Result
        } else {
            Stage::Input
        })
    }

    /// Adds the values that only the state itself uses, such as a timeout.
    fn work(&mut self) {
        let owners = [
            Owner::State,
            Owner::ReaderConfig,
            Owner::Batcher,
            Owner::Writer,
        ];
        let fields = owners.into_iter().flat_map(|owner| self.fields(owner));
        let made = fields.filter_map(|(spec, field)| {
            let is_work = matches!(
                spec.effect,
                Effect::Call | Effect::Wait | Effect::Failure | Effect::Items | Effect::Results
            );
            let make = match spec.content {
                Content::Path => Make::Path,
                _ => self.filled(),
            };
            let made = is_work && self.is_written(field) && self.state.compiled(field).is_some();
            made.then(|| self.step(Makes::Work, field, make))
        });
        let made: Vec<StageStep> = made.collect();
        self.steps.extend(made);
    }

    /// Adds the values of each exit of the state: the normal exit, the rules and the catchers.
    fn ways_out(&mut self) {
        let rules = match &self.state.kind {
            StateKind::Choice(choice) => choice.rules.len(),
            _ => 0,
        };
        let rules = (0_u32..).take(rules).map(Owner::Rule);
        let catchers = (0_u32..).take(self.state.catch.len()).map(Owner::Catcher);
        for owner in std::iter::once(Owner::State).chain(rules).chain(catchers) {
            let tests = self
                .fields(owner)
                .filter(|(spec, _)| spec.effect == Effect::Test);
            let tests: Vec<FieldAt> = tests.map(|(_, field)| field).collect();
            let written = tests.iter().find(|field| self.is_written(**field));
            if let Some(field) = written.or(tests.last()) {
                let make = match self.state.language {
                    QueryLanguage::JsonPath => Make::Compare,
                    QueryLanguage::Jsonata => Make::Jsonata,
                };
                self.steps.push(self.step(Makes::Test, *field, make));
            }
            for (spec, field) in self.fields(owner) {
                let makes = match spec.effect {
                    Effect::Assignment if self.is_written(field) => Makes::Assign,
                    Effect::Stage(stage) if owner != Owner::State => Makes::Stage(stage),
                    _ => continue,
                };
                let make = match spec.content {
                    Content::Target => Make::Insert,
                    _ => self.filled(),
                };
                self.steps.push(self.step(makes, field, make));
            }
        }
    }
}
