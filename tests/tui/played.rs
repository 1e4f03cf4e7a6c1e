//! Tests of playing a run: a token moves along the edge to the next state, and the next step waits for it.

use super::{Input, Screen};
use ratatui::style::{Color, Modifier};

/// Position of the token on the screen.
fn token(screen: &Screen) -> Option<(u16, u16)> {
    let buffer = screen.terminal.backend().buffer();
    let area = buffer.area;
    let mut places =
        (area.top()..area.bottom()).flat_map(|y| (area.left()..area.right()).map(move |x| (x, y)));
    places.find(|at| {
        let cell = &buffer[*at];
        cell.symbol() == "O" && cell.fg == Color::Yellow && cell.modifier.contains(Modifier::BOLD)
    })
}

#[test]
fn what_is_played_moves_along_its_edge() {
    let mut screen = Screen::new(Some("Happy"));
    screen.step("line play 0.05").expect("a step");
    let travel = |screen: &Screen| screen.app.model().play.and_then(|play| play.travel);
    for _ in 0..40 {
        screen.input(Input::Deadline);
        if travel(&screen).is_some() {
            break;
        }
        assert_eq!(token(&screen), None);
    }
    assert!(travel(&screen).is_some(), "no state was left");
    let (events, place) = (screen.app.session().event_count(), token(&screen));
    assert!(place.is_some(), "{}", screen.text());
    // The task takes 18 seconds, so nothing else happens until then.
    screen.input(Input::Deadline);
    assert_eq!(screen.app.session().event_count(), events);
    assert!(token(&screen).is_some());
    // When the user pauses, the screen shows the current state of the run.
    screen.key("Space");
    assert_eq!(token(&screen), None);
    assert_eq!(screen.app.session().event_count(), events);
}
