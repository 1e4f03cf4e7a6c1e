//! The drawings of the graph pane. Chooses a drawing that fits the pane, and keeps it until the graph or the pane
//! changes. A large definition takes long to draw, so its drawing is made in the background.

use super::Paint;
use crate::definition::{Definition, StateId, StateKind};
use crate::graph::{Boxes, Layout, Options, Sketch, layout, layout_sketch};
use crate::source::Node;
use crate::tui::glyph::Glyphs;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A definition with more states than this, or with more than four times as many edges, is large. By default its
/// drawing shows names without frames, and it is made in the background.
const LARGE: usize = 250;
/// If a definition has more states or edges than this, its drawing does not depend on the width of the pane.
const HUGE: usize = 1_500;

/// The amount of detail with which the graph draws each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// As much as fits into the pane.
    #[default]
    Fitting,
    /// Boxes with borders; each has the state's name, what it calls, and its outcome.
    Full,
    /// Boxes with borders, with names only.
    Normal,
    /// Only the names of the states, without borders.
    Names,
    /// All states at once in the pane, with a few cells for each state.
    Overview,
}

impl Detail {
    /// The next finer level of detail if `finer` is true, otherwise the next coarser one. If this level is `Fitting`,
    /// starts from `fitting`, the level at which the graph is now drawn.
    #[must_use]
    pub fn turned(self, finer: bool, fitting: Self) -> Self {
        let order = [Self::Overview, Self::Names, Self::Normal, Self::Full];
        let now = if self == Self::Fitting { fitting } else { self };
        let place = order.iter().position(|level| *level == now).unwrap_or(1);
        let next = if finer {
            place + 1
        } else {
            place.saturating_sub(1)
        };
        order.get(next).copied().unwrap_or(Self::Full)
    }

    /// Name of the level of detail, for the title of the pane.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fitting => "",
            Self::Full => "with details",
            Self::Normal => "with borders",
            Self::Names => "names only",
            Self::Overview => "overview",
        }
    }
}

/// Everything that a drawing of the graph depends on. Equal parameters give equal drawings.
#[derive(Clone, Debug)]
struct Parameters {
    of: Arc<Node>,
    folded: BTreeSet<StateId>,
    ascii: bool,
    detail: Detail,
    /// Columns and rows of the pane, as far as they matter. For a large definition only the columns matter, and the
    /// rows are 0; for a huge one neither matters, and this is `None`.
    size: Option<(u16, u16)>,
}

impl Parameters {
    fn new(
        paint: &Paint,
        folded: &BTreeSet<StateId>,
        size: Option<(u16, u16)>,
        detail: Detail,
    ) -> Self {
        Self {
            of: paint.definition.node.clone(),
            folded: folded.clone(),
            ascii: paint.glyphs.ascii,
            detail,
            size,
        }
    }

    fn options(&self, width: Option<u16>, boxes: Boxes, details: bool) -> Options {
        Options {
            width: width.map(i32::from),
            boxes,
            glyphs: Glyphs::of(self.ascii).characters(),
            folded: self.folded.clone(),
            live: true,
            details,
        }
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of)
            && self.folded == other.folded
            && (self.ascii, self.size, self.detail) == (other.ascii, other.size, other.detail)
    }
}

/// A finished drawing, with the parameters for which it was made.
#[derive(Clone, Debug)]
struct Cache {
    parameters: Parameters,
    layout: Arc<Layout>,
}

impl Cache {
    /// True if the drawing is also right for a pane with the columns in `parameters`: it fits into these columns, and
    /// it would not become wider if more columns were free.
    fn serves(&self, parameters: &Parameters) -> bool {
        let same = Parameters {
            size: self.parameters.size,
            ..parameters.clone()
        };
        let (Some((drawn_for, _)), Some((columns, _))) = (self.parameters.size, parameters.size)
        else {
            return false;
        };
        let wide = self.layout.width;
        let is_free = columns <= drawn_for || wide + SPARE <= i32::from(drawn_for);
        same == self.parameters && wide <= i32::from(columns) && is_free
    }
}

/// If a drawing leaves this many columns free, it would not become wider in a wider pane.
const SPARE: i32 = 8;

/// A drawing that is being made in the background.
#[derive(Clone, Debug)]
struct Pending {
    number: u64,
    parameters: Parameters,
}

/// The drawings that a graph pane keeps or waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawings {
    cache: Option<Cache>,
    /// The drawing that is being made in the background. There is at most one. If the parameters change meanwhile,
    /// another drawing is requested after it is finished.
    pending: Option<Pending>,
    /// The request for the drawing that the field `pending` describes; `None` after the caller has taken the request.
    request: Option<DrawingRequest>,
    /// Number of drawings requested so far.
    requests: u64,
    crowded: Option<(Parameters, bool)>,
}

/// A drawing that is more than this many times as high as the pane is too large: containers without the current state
/// are then folded.
const PANES: i32 = 3;

impl Drawings {
    /// True if the drawing without anything folded would be too large for the pane. The caller then folds the
    /// containers that do not contain the current state.
    pub(super) fn is_crowded(&mut self, paint: &Paint, size: (u16, u16), detail: Detail) -> bool {
        if is_large(paint.definition) || size.0 == 0 || detail == Detail::Overview {
            return false;
        }
        let parameters = Parameters::new(paint, &BTreeSet::new(), Some(size), detail);
        if let Some((known, is_crowded)) = &self.crowded
            && *known == parameters
        {
            return *is_crowded;
        }
        let made = fitting(paint, &parameters, size);
        let is_crowded = made.cuts > 0
            || made.width > i32::from(size.0)
            || made.height > PANES * i32::from(size.1);
        if !is_crowded {
            // Keeps this drawing, because the pane usually shows it next.
            self.cache = Some(Cache {
                parameters: parameters.clone(),
                layout: Arc::new(made),
            });
        }
        self.crowded = Some((parameters, is_crowded));
        is_crowded
    }

    /// True if the first drawing of the definition is still being made, so that there is nothing to show.
    pub(super) fn is_awaited(&self) -> bool {
        let shown = self.cache.as_ref().map(|cache| &cache.parameters.of);
        (self.pending.as_ref()).is_some_and(|pending| {
            shown.is_none_or(|shown| !Arc::ptr_eq(shown, &pending.parameters.of))
        })
    }

    /// The drawing to show. For a large definition, requests a new drawing if needed, and returns the old drawing until
    /// the new one is ready; `None` if there is no old drawing.
    pub(super) fn layout(
        &mut self,
        paint: &Paint,
        folded: &BTreeSet<StateId>,
        size: (u16, u16),
        detail: Detail,
    ) -> Option<Arc<Layout>> {
        let large = is_large(paint.definition);
        let detail = match detail {
            Detail::Fitting | Detail::Overview if large => Detail::Names,
            detail => detail,
        };
        let counted = match large {
            true => fits_columns(paint.definition).then_some((size.0, 0)),
            false => Some(size),
        };
        let parameters = Parameters::new(paint, folded, counted, detail);
        let cache = self.cache.as_ref();
        if let Some(cache) = cache.filter(|cache| cache.parameters == parameters) {
            return Some(cache.layout.clone());
        }
        if let Some(kept) = cache.filter(|cache| large && cache.serves(&parameters)) {
            return Some(kept.layout.clone());
        }
        if !large {
            let layout = Arc::new(fitting(paint, &parameters, size));
            let kept = layout.clone();
            self.cache = Some(Cache { parameters, layout });
            return Some(kept);
        }
        let old = (cache.filter(|cache| Arc::ptr_eq(&cache.parameters.of, &parameters.of)))
            .map(|cache| cache.layout.clone());
        if self.pending.is_none() {
            self.requests += 1;
            let number = self.requests;
            let boxes = match parameters.detail {
                Detail::Full | Detail::Normal => Boxes::Frame,
                _ => Boxes::Line,
            };
            let columns = parameters.size.map(|(columns, _)| columns);
            let options = parameters.options(columns, boxes, detail == Detail::Full);
            let sketch = Sketch::of(paint.definition);
            self.request = Some(DrawingRequest::new(number, sketch, options));
            self.pending = Some(Pending { number, parameters });
        }
        old
    }

    /// Returns the new request for a drawing and removes it from here; `None` if there is no new request. The caller
    /// makes the drawing in the background.
    pub(super) fn take_request(&mut self) -> Option<DrawingRequest> {
        self.request.take()
    }

    /// Stores a drawing that was made in the background.
    pub(super) fn put(&mut self, drawing: &Drawing) {
        let is_awaited = |pending: &mut Pending| pending.number == drawing.number;
        if let Some(Pending { parameters, .. }) = self.pending.take_if(is_awaited) {
            let layout = drawing.layout.clone();
            self.cache = Some(Cache { parameters, layout });
        }
    }

    /// Number of edges that are not drawn, because the drawing would be too large with them.
    pub(super) fn undrawn(&self) -> usize {
        self.cache.as_ref().map_or(0, |cache| cache.layout.undrawn)
    }

    /// True if the boxes of the drawing have frames.
    pub(super) fn is_framed(&self) -> bool {
        let layout = self.cache.as_ref().map(|cache| &cache.layout);
        layout.is_some_and(|layout| layout.frames == Boxes::Frame)
    }

    /// Columns and rows of the drawing.
    pub(super) fn size(&self) -> (i32, i32) {
        let layout = self.cache.as_ref().map(|cache| &cache.layout);
        layout.map_or((0, 0), |layout| (layout.width, layout.height))
    }
}

/// Makes a drawing at the level of detail in `parameters`. At the level `Fitting`, the boxes have frames if such a
/// drawing fits; otherwise each box is a single line.
fn fitting(paint: &Paint, parameters: &Parameters, size: (u16, u16)) -> Layout {
    let (width, height) = (i32::from(size.0), i32::from(size.1));
    let drawing = |columns, boxes, details| {
        let options = parameters.options(Some(columns), boxes, details);
        layout(paint.definition, &options)
    };
    match parameters.detail {
        Detail::Full => drawing(size.0, Boxes::Frame, true),
        Detail::Normal => drawing(size.0, Boxes::Frame, false),
        Detail::Names => drawing(size.0, Boxes::Line, false),
        Detail::Overview => drawing(size.0.saturating_mul(OVERVIEW), Boxes::Line, false),
        Detail::Fitting => {
            let framed = drawing(size.0, Boxes::Frame, false);
            if framed.width <= width && framed.height <= height && framed.cuts == 0 {
                return framed;
            }
            drawing(size.0, Boxes::Line, false)
        }
    }
}

/// The drawing for an overview may be up to this many times as wide as the pane, because an overview shows the drawing
/// at a reduced scale.
const OVERVIEW: u16 = 4;

/// True if a definition has so many states or edges that its drawing shows only names by default and is made in the
/// background.
fn is_large(definition: &Definition) -> bool {
    let (states, lines) = size_of(definition);
    states > LARGE || lines > 4 * LARGE
}

/// True if a definition is small enough for its drawing to be adapted to the width of the pane, even if the definition
/// is large.
fn fits_columns(definition: &Definition) -> bool {
    let (states, lines) = size_of(definition);
    states.max(lines) <= HUGE
}

/// Approximate numbers of states and of edges between them.
fn size_of(definition: &Definition) -> (usize, usize) {
    let lines = definition.states.iter().map(|state| match &state.kind {
        StateKind::Choice(choice) => choice.rules.len(),
        _ => 1,
    });
    (definition.states.len(), lines.sum())
}

/// A request for a drawing. It contains everything that is needed to make the drawing on any thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawingRequest {
    number: u64,
    sketch: Sketch,
    options: Options,
}

impl DrawingRequest {
    /// Requests the drawing of `sketch`; `number` distinguishes the requests of a pane.
    pub(super) fn new(number: u64, sketch: Sketch, options: Options) -> Self {
        Self {
            number,
            sketch,
            options,
        }
    }

    /// Makes the drawing; takes up to a second for the largest definitions.
    #[must_use]
    pub fn make(&self) -> Drawing {
        Drawing {
            number: self.number,
            layout: Arc::new(layout_sketch(&self.sketch, &self.options)),
        }
    }
}

/// A drawing that was made for a request.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub(super) number: u64,
    pub(super) layout: Arc<Layout>,
}

// Two drawings are equal only if they are the same object. A comparison of their cells would take as much time as the
// background thread saves.
impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && Arc::ptr_eq(&self.layout, &other.layout)
    }
}

impl Eq for Drawing {}
