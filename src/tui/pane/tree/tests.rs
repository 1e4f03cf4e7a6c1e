//! Tests that the rows show changes and folds, that a large value is not examined as a whole, and that any requested
//! range of rows equals this range of all rows.

use super::*;
use crate::json::diff;
use crate::json::parse;
use proptest::prelude::*;

fn text(rows: &[Row]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let mark = match row.change {
                Some(ChangeKind::Added) => '+',
                Some(ChangeKind::Removed) => '-',
                Some(ChangeKind::Changed) => '~',
                None => ' ',
            };
            let fold = match row.fold {
                Fold::Leaf => ' ',
                Fold::Open => 'v',
                Fold::Closed => '>',
            };
            format!("{mark}{}{fold}{}", "  ".repeat(row.depth - 1), row.name)
        })
        .collect()
}

#[test]
fn shows_what_changed() {
    let old = parse(r#"{"a":{"x":1,"y":[1,2]},"b":1}"#).expect("json");
    let new = parse(r#"{"a":{"x":1,"y":[1,3,4]},"c":1,"t":"{\"k\":[1]}"}"#).expect("json");
    let marks = Marks::new(&diff(&old, &new, 99), &old, false);
    let mut folds = Folds::default();
    let rows = Tree::new(&new, &folds, &marks).rows(0, 99);
    let shown = [
        " va",
        "    x",
        "   vy",
        "      [0]",
        "~     [1]",
        "+     [2]",
        "+ c",
        "+vt",
        "   vk",
        "      [0]",
        "- b",
    ];
    assert_eq!(text(&rows), shown);
    assert_eq!(marks.counts(), [3, 1, 1]);
    folds.set(&rows[0].place, false);
    let tree = Tree::new(&new, &folds, &marks);
    assert_eq!(text(&tree.rows(0, 2)), ["~>a", "+ c"]);
    for (row, node) in tree.rows(0, 99).iter().enumerate() {
        assert_eq!(tree.row_of(&node.place), Some(row), "{:?}", node.place);
    }
    assert!(rows[8].place.is_in_text());
    assert_eq!(rows[8].place.pointer().to_string(), "$.t");
    assert_eq!(rows[9].place.get(&new), Some(Value::from(1)));
}

#[test]
fn a_hundred_thousand_nodes_are_not_walked() {
    let items = (0..100_000_i64)
        .map(|n| Value::object(vec![("n".into(), Value::from(n))]))
        .collect();
    let value = Value::array(items);
    let mut folds = Folds::default();
    folds.set(&Place(vec![Hop::Into(Step::Item(50_000))]), true);
    let marks = Marks::default();
    let tree = Tree::new(&value, &folds, &marks);
    assert_eq!(tree.len(), 100_001);
    let rows = tree.rows(50_000, 3);
    assert_eq!(text(&rows), [" v[50000]", "    n", " >[50001]"]);
    assert_eq!(rows[0].name_width, 7);
    let began = std::time::Instant::now();
    for _ in 0..10 {
        assert_eq!(tree.rows(99_990, 40).len(), 11);
    }
    assert!(began.elapsed().as_secs() < 5);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        Just(Value::from("[1,{\"a\":2}]")),
        ".{0,6}".prop_map(|text| Value::string(text.as_str())),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::array),
            prop::collection::vec(("[a-e]", inner), 0..5).prop_map(|members| {
                Value::object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.as_str().into(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn every_window_is_a_part_of_all_rows(
        old in any_value(),
        new in any_value(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..8),
        skip in 0_usize..30,
        take in 0_usize..30,
        small: bool,
    ) {
        let marks = Marks::new(&diff(&old, &new, 99), &old, false);
        let mut folds = Folds::default();
        for (place, open) in flips {
            let mut tree = Tree::new(&new, &folds, &marks);
            tree.small = small;
            let rows = tree.rows(0, usize::MAX);
            if let Some(row) = rows.get(place.index(rows.len().max(1))) {
                folds.set(&row.place, open);
            }
        }
        let mut tree = Tree::new(&new, &folds, &marks);
        tree.small = small;
        let all = tree.rows(0, usize::MAX);
        prop_assert_eq!(tree.len(), all.len());
        let part = text(&tree.rows(skip, take));
        let whole: Vec<String> = text(&all).into_iter().skip(skip).take(take).collect();
        prop_assert_eq!(part, whole);
        for (row, node) in all.iter().enumerate() {
            prop_assert_eq!(tree.row_of(&node.place), Some(row));
        }
    }
}
