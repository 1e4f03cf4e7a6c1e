//! Checks that the areas of every arrangement fit together, on screens of different sizes.

use super::*;

const SIZES: [(u16, u16, Arrangement); 10] = [
    (300, 60, Arrangement::Wide),
    (240, 60, Arrangement::Wide),
    (160, 45, Arrangement::Wide),
    (150, 38, Arrangement::Wide),
    (120, 36, Arrangement::Medium),
    (100, 28, Arrangement::Medium),
    (80, 24, Arrangement::Compact),
    (64, 18, Arrangement::Compact),
    (40, 10, Arrangement::Small),
    (30, 8, Arrangement::TooSmall),
];

fn wishes() -> impl Iterator<Item = Wish> {
    Pane::ALL.into_iter().flat_map(|focus| {
        [
            (false, false, 0),
            (true, false, 0),
            (false, true, 0),
            (false, false, 40),
            (false, false, -40),
        ]
        .into_iter()
        .map(move |(zoom, present, grown)| {
            let mut sizes = Sizes::default();
            sizes.grow(focus, grown);
            Wish {
                points: grown > 0,
                whole_banner: grown < 0,
                tour: grown > 0,
                focus,
                tab: Pane::Breakpoints,
                zoom,
                present,
                sizes,
            }
        })
    })
}

#[test]
fn kinds_follow_the_size() {
    for (columns, rows, kind) in SIZES {
        assert_eq!(Arrangement::of(columns, rows), kind);
    }
}

#[test]
fn nothing_overlaps_and_the_focus_is_seen() {
    for (columns, rows, kind) in SIZES {
        for wish in wishes() {
            let screen = Rect::new(0, 0, columns, rows);
            let layout = Layout::of(screen, wish);
            if kind == Arrangement::TooSmall {
                assert!(layout.panes.is_empty());
                continue;
            }
            assert!(
                layout.place(wish.focus).is_some(),
                "{columns}x{rows} {wish:?}"
            );
            let mut areas = vec![layout.header, layout.banner, layout.tour, layout.footer];
            if layout.message != layout.footer {
                areas.push(layout.message);
            }
            // Adjacent panes share a border, but the areas inside their borders must not overlap.
            areas.extend(layout.panes.iter().map(|place| place.inner));
            for (place, area) in areas.iter().enumerate() {
                assert!(screen.union(*area) == screen);
                for other in areas.iter().skip(place + 1) {
                    assert!(area.intersection(*other).is_empty(), "{wish:?}");
                }
            }
            // Every cell must belong to an area. For this check, a row with tabs counts as full.
            let bars = layout.tabs.iter().map(|tab| Rect {
                x: 0,
                width: columns,
                ..tab.area
            });
            let parts = [
                layout.header,
                layout.banner,
                layout.tour,
                layout.message,
                layout.footer,
            ];
            let outer = layout.panes.iter().map(|place| place.outer);
            let all: Vec<Rect> = bars.chain(parts).chain(outer).collect();
            for cell in screen.positions() {
                assert!(
                    all.iter().any(|area| area.contains(cell)),
                    "{columns}x{rows} {wish:?} {cell:?}"
                );
            }
            for place in &layout.panes {
                assert!(
                    place.inner.width >= 4 && place.inner.height >= 3,
                    "{columns}x{rows} {wish:?} {place:?}"
                );
                let middle = place.inner;
                assert_eq!(
                    layout.hit(middle.x, middle.y).map(|hit| hit.pane),
                    Some(place.pane)
                );
            }
        }
    }
}

#[test]
fn every_pane_has_a_tab_where_it_is_not_seen() {
    for (columns, rows, kind) in SIZES {
        let layout = Layout::of(Rect::new(0, 0, columns, rows), Wish::default());
        for pane in Pane::ALL {
            let tab = layout.tabs.iter().any(|tab| tab.pane == pane);
            assert!(
                kind == Arrangement::TooSmall
                    || tab
                    || layout.place(pane).is_some()
                    // In this arrangement, the breakpoints pane has no tab; the user can open it by its number.
                    || (kind == Arrangement::Wide && pane == Pane::Breakpoints),
                "{columns}x{rows} {pane:?}"
            );
        }
    }
}

#[test]
fn data_takes_the_surplus_of_a_very_wide_screen() {
    let width = |columns| {
        Layout::of(Rect::new(0, 0, columns, 60), Wish::default())
            .place(Pane::Source)
            .map(|place| place.outer.width)
    };
    assert_eq!(width(240), width(300));
}
