//! Decodes bytes from the terminal into keys, mouse events and pastes. Stops waiting for the rest of an incomplete
//! sequence after a moment.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use std::collections::VecDeque;
use std::time::Duration;

/// Maximum time to wait for the rest of an escape sequence. If nothing follows the Esc byte in this time, it is the Esc
/// key.
const REST_OF_SEQUENCE: Duration = Duration::from_millis(40);
/// Maximum time to wait for the rest of a paste.
const REST_OF_PASTE: Duration = Duration::from_millis(700);
/// Maximum length of an escape sequence, in bytes; a longer one is ignored.
const LONGEST_SEQUENCE: usize = 64;
/// Maximum length of a paste, in bytes; further bytes are dropped.
const LONGEST_PASTE: usize = 4 << 20;
/// The bytes with which the terminal marks the end of a paste.
const PASTE_END: &[u8] = b"\x1b[201~";
/// The byte for Ctrl-C.
const CONTROL_C: u8 = 3;

/// Decodes bytes from the terminal into events; keeps the bytes that are not a complete event yet.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The start of an escape sequence or character whose rest has not arrived yet.
    begun: Vec<u8>,
    /// During a paste, the text that was pasted so far; otherwise `None`.
    paste: Option<Vec<u8>>,
}

/// Result of decoding the event at the start of the received bytes.
enum Found {
    /// The bytes begin with this event; the number is the event's length in bytes.
    Event(Event, usize),
    /// The bytes begin with bytes that mean nothing; the number is their count.
    Nothing(usize),
    /// The bytes are only the start of an escape sequence or character.
    Unfinished,
}

impl Decoder {
    /// Maximum time to wait until [`Self::give_up`] should be called; `None` if no sequence or paste is incomplete.
    pub(super) fn patience(&self) -> Option<Duration> {
        if self.paste.is_some() {
            Some(REST_OF_PASTE)
        } else {
            (!self.begun.is_empty()).then_some(REST_OF_SEQUENCE)
        }
    }

    /// Decodes bytes that were received together.
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) {
        // A user who presses Ctrl-C during a paste wants to cancel the paste.
        let wants_out = bytes.iter().all(|byte| *byte == CONTROL_C);
        if wants_out {
            self.give_up_paste(events);
        }
        self.begun.extend_from_slice(bytes);
        self.decode(events);
    }

    /// Ends an incomplete sequence or paste, because its rest did not arrive in time.
    pub(super) fn give_up(&mut self, events: &mut VecDeque<Event>) {
        if self.paste.is_some() {
            self.give_up_paste(events);
            return;
        }
        let key = match self.begun.as_slice() {
            [0x1b] => Some(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)),
            [0x1b, b'['] => Some(KeyEvent::new(KeyCode::Char('['), KeyModifiers::ALT)),
            [0x1b, b'O'] => Some(KeyEvent::new(
                KeyCode::Char('O'),
                KeyModifiers::ALT | KeyModifiers::SHIFT,
            )),
            _ => None,
        };
        self.begun.clear();
        events.extend(key.map(Event::Key));
    }

    fn decode(&mut self, events: &mut VecDeque<Event>) {
        loop {
            if self.paste.is_some() {
                if !self.take_paste(events) {
                    return;
                }
                continue;
            }
            match first(&self.begun) {
                Found::Unfinished if self.begun.len() > LONGEST_SEQUENCE => self.begun.clear(),
                Found::Unfinished => return,
                Found::Nothing(length) => self.drop_first(length),
                Found::Event(Event::Paste(_), length) => {
                    self.drop_first(length);
                    self.paste = Some(Vec::new());
                }
                Found::Event(event, length) => {
                    self.drop_first(length);
                    events.push_back(event);
                }
            }
        }
    }

    /// Moves received bytes into the paste; returns whether the paste has ended.
    fn take_paste(&mut self, events: &mut VecDeque<Event>) -> bool {
        let end = position(&self.begun, PASTE_END);
        // The number of bytes at the end of `begun` that do not belong to the text: the end marker, or the start of it
        // that has arrived so far.
        let kept = match end {
            Some(_) => PASTE_END.len(),
            None => {
                let is_begun = |length: &usize| {
                    let part = PASTE_END.get(..*length);
                    part.is_some_and(|part| self.begun.ends_with(part))
                };
                (1..PASTE_END.len()).rev().find(is_begun).unwrap_or(0)
            }
        };
        let length = end.unwrap_or(self.begun.len().saturating_sub(kept));
        let pasted: Vec<u8> = self.begun.drain(..length.min(self.begun.len())).collect();
        if let Some(paste) = &mut self.paste {
            let room = LONGEST_PASTE.saturating_sub(paste.len());
            paste.extend(pasted.into_iter().take(room));
        }
        if end.is_some() {
            self.drop_first(PASTE_END.len());
            self.end_paste(events);
        }
        end.is_some()
    }

    fn end_paste(&mut self, events: &mut VecDeque<Event>) {
        if let Some(paste) = self.paste.take() {
            let text = String::from_utf8_lossy(&paste).into_owned();
            events.push_back(Event::Paste(text));
        }
    }

    /// Ends the paste because its rest did not arrive. Bytes that looked like the start of the end marker become part
    /// of the text.
    fn give_up_paste(&mut self, events: &mut VecDeque<Event>) {
        if let Some(paste) = &mut self.paste {
            paste.append(&mut self.begun);
        }
        self.end_paste(events);
    }

    fn drop_first(&mut self, length: usize) {
        self.begun.drain(..length.min(self.begun.len()));
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted)
}

/// Decodes the event at the start of the bytes.
fn first(bytes: &[u8]) -> Found {
    match bytes {
        [] | [0x1b] => Found::Unfinished,
        [0x1b, 0x1b, ..] => key(KeyCode::Esc, KeyModifiers::NONE, 1),
        [0x1b, b'[', rest @ ..] => control_sequence(rest),
        [0x1b, b'O', rest @ ..] => match rest.first() {
            None => Found::Unfinished,
            Some(last) => {
                let key = named(*last).map(|code| pressed(code, KeyModifiers::NONE));
                decoded(key, 3)
            }
        },
        [0x1b, rest @ ..] => match character(rest) {
            Found::Event(Event::Key(key), length) => {
                let modifiers = key.modifiers | KeyModifiers::ALT;
                Found::Event(Event::Key(KeyEvent { modifiers, ..key }), length + 1)
            }
            Found::Nothing(length) => Found::Nothing(length + 1),
            other => other,
        },
        _ => character(bytes),
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers, length: usize) -> Found {
    Found::Event(pressed(code, modifiers), length)
}

fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

/// Decodes a key that sends a single byte or character.
fn character(bytes: &[u8]) -> Found {
    let Some(first) = bytes.first() else {
        return Found::Unfinished;
    };
    let control = |base: u8, from: u8| {
        let c = char::from(base + (first - from));
        key(KeyCode::Char(c), KeyModifiers::CONTROL, 1)
    };
    match first {
        0 => key(KeyCode::Char(' '), KeyModifiers::CONTROL, 1),
        b'\r' => key(KeyCode::Enter, KeyModifiers::NONE, 1),
        b'\t' => key(KeyCode::Tab, KeyModifiers::NONE, 1),
        0x7f => key(KeyCode::Backspace, KeyModifiers::NONE, 1),
        1..=0x1a => control(b'a', 1),
        0x1b => Found::Unfinished,
        0x1c..=0x1f => control(b'4', 0x1c),
        _ => {
            let length = match first {
                0..=0x7f => 1,
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Found::Nothing(1),
            };
            let Some(bytes) = bytes.get(..length) else {
                // The bytes received so far may already show that they cannot form a character.
                let mut rest = bytes.iter().skip(1);
                return match rest.all(|byte| (0x80..0xc0).contains(byte)) {
                    true => Found::Unfinished,
                    false => Found::Nothing(1),
                };
            };
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            match text.chars().next() {
                Some(c) => key(KeyCode::Char(c), shifted(c), length),
                None => Found::Nothing(1),
            }
        }
    }
}

fn shifted(c: char) -> KeyModifiers {
    if c.is_uppercase() {
        KeyModifiers::SHIFT
    } else {
        KeyModifiers::NONE
    }
}

/// Decodes an escape sequence that begins with `ESC [`. `rest` is the text after these two bytes.
fn control_sequence(rest: &[u8]) -> Found {
    const BEFORE: usize = 2;
    // The Linux console sends `ESC [ [` and a letter for F1 to F5.
    if let [b'[', last, ..] = rest {
        let code = match last {
            b'A'..=b'E' => KeyCode::F(last - b'A' + 1),
            _ => return Found::Nothing(BEFORE + 2),
        };
        return key(code, KeyModifiers::NONE, BEFORE + 2);
    }
    if rest == b"[" {
        return Found::Unfinished;
    }
    let is_part = |byte: &u8| (0x20..0x40).contains(byte);
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    let (Some(parts), Some(last)) = (rest.get(..length), rest.get(length)) else {
        return Found::Unfinished;
    };
    if !(0x40..0x7f).contains(last) {
        // Another escape sequence began before this one was complete, so this one is ignored.
        return Found::Nothing(BEFORE + length);
    }
    let whole = BEFORE + length + 1;
    if parts.is_empty() && *last == b'M' {
        return match rest.get(1..4) {
            Some(&[button, column, row]) => {
                let place = |byte: u8| u16::from(byte.saturating_sub(33));
                let button = u16::from(button.saturating_sub(32));
                let event = mouse(button, place(column), place(row), false);
                decoded(event, whole + 3)
            }
            _ => Found::Unfinished,
        };
    }
    decoded(sequence(parts, *last), whole)
}

/// The event for a complete escape sequence with these parameters and this last byte; `None` if the sequence has no
/// meaning.
fn sequence(parts: &[u8], last: u8) -> Option<Event> {
    let text = std::str::from_utf8(parts).ok()?;
    if let Some(text) = text.strip_prefix('<') {
        let numbers = numbers(text)?;
        let &[button, column, row] = numbers.as_slice() else {
            return None;
        };
        let place = |number: u16| number.saturating_sub(1);
        let is_release = match last {
            b'M' => false,
            b'm' => true,
            _ => return None,
        };
        return mouse(button, place(column), place(row), is_release);
    }
    let numbers = numbers(text)?;
    let number = |place: usize| numbers.get(place).copied();
    let modifiers = modifiers(number(1).unwrap_or(1));
    let code = match (last, number(0)) {
        (b'I', None) => return Some(Event::FocusGained),
        (b'O', None) => return Some(Event::FocusLost),
        (b'Z', _) => return Some(pressed(KeyCode::BackTab, KeyModifiers::SHIFT)),
        (b'~', Some(200)) => return Some(Event::Paste(String::new())),
        (b'~', Some(number)) => numbered(number)?,
        (b'u', Some(code)) => coded(code)?,
        (b'M', Some(button)) => {
            let place = |at: usize| number(at).unwrap_or(1).saturating_sub(1);
            let button = button.saturating_sub(32);
            return mouse(button, place(1), place(2), false);
        }
        (last, None | Some(1)) => named(last)?,
        _ => return None,
    };
    Some(pressed(code, modifiers))
}

fn decoded(event: Option<Event>, length: usize) -> Found {
    match event {
        Some(event) => Found::Event(event, length),
        None => Found::Nothing(length),
    }
}

/// The parameters of an escape sequence: numbers separated by `;`. Of `1:2`, only the 1 counts.
fn numbers(text: &str) -> Option<Vec<u16>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let number = |part: &str| match part.split(':').next().unwrap_or("") {
        "" => Some(1),
        digits => digits.parse().ok(),
    };
    text.split(';').map(number).collect()
}

/// The key that an escape sequence with this final letter stands for.
fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The key that an escape sequence with this number before `~` stands for.
fn numbered(number: u16) -> Option<KeyCode> {
    let function = |from: u16, first: u8| {
        let place = u8::try_from(number.saturating_sub(from)).unwrap_or(0);
        KeyCode::F(first + place)
    };
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => function(11, 1),
        17..=21 => function(17, 6),
        23..=26 => function(23, 11),
        28..=29 => function(28, 15),
        31..=34 => function(31, 17),
        _ => return None,
    })
}

/// The key that an escape sequence with this number before `u` stands for.
fn coded(number: u16) -> Option<KeyCode> {
    Some(match number {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        _ => KeyCode::Char(char::from_u32(u32::from(number)).filter(|c| !c.is_control())?),
    })
}

fn modifiers(number: u16) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
    ] {
        if bits & bit != 0 {
            modifiers |= modifier;
        }
    }
    modifiers
}

/// The mouse event with this code, at this cell of the screen.
fn mouse(code: u16, column: u16, row: u16, is_release: bool) -> Option<Event> {
    let button = match code & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let moves = code & 32 != 0;
    let kind = match (code & 0xc0, button) {
        (0, Some(button)) if moves => MouseEventKind::Drag(button),
        (0, None) if moves => MouseEventKind::Moved,
        (0, Some(button)) if is_release => MouseEventKind::Up(button),
        (0, Some(button)) => MouseEventKind::Down(button),
        (0, None) => MouseEventKind::Up(MouseButton::Left),
        (0x40, Some(MouseButton::Left)) => MouseEventKind::ScrollUp,
        (0x40, Some(MouseButton::Middle)) => MouseEventKind::ScrollDown,
        (0x40, Some(MouseButton::Right)) => MouseEventKind::ScrollLeft,
        (0x40, None) => MouseEventKind::ScrollRight,
        _ => return None,
    };
    // Bits 2 to 4 of the code are the modifier keys. The sequence of a key has the same three bits as a number that
    // starts at 1.
    let modifiers = modifiers((code >> 2 & 7) + 1);
    Some(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(event: &Event) -> String {
        match event {
            Event::Key(key) => {
                let mut text = String::new();
                for (modifier, name) in [
                    (KeyModifiers::CONTROL, "C-"),
                    (KeyModifiers::ALT, "A-"),
                    (KeyModifiers::SHIFT, "S-"),
                ] {
                    if key.modifiers.contains(modifier) {
                        text += name;
                    }
                }
                text + &match key.code {
                    KeyCode::Char(c) => c.to_string(),
                    code => format!("{code:?}"),
                }
            }
            Event::Mouse(mouse) => {
                format!("{:?}@{},{}", mouse.kind, mouse.column, mouse.row)
            }
            Event::Paste(text) => format!("paste {text:?}"),
            other => format!("{other:?}"),
        }
    }

    /// Decodes chunks of bytes and prints the events; the chunk `...` stands for a timeout.
    fn decoded(chunks: &[&[u8]]) -> String {
        let (mut decoder, mut events) = (Decoder::default(), VecDeque::new());
        for chunk in chunks {
            match *chunk {
                b"..." => decoder.give_up(&mut events),
                bytes => decoder.feed(bytes, &mut events),
            }
        }
        let shown: Vec<String> = events.iter().map(shown).collect();
        let rest = if decoder.patience().is_some() {
            " +"
        } else {
            ""
        };
        shown.join(" ") + rest
    }

    #[test]
    fn keys_are_what_terminals_send_for_them() {
        let cases: &[(&[u8], &str)] = &[
            (b"aQ~ ", "a S-Q ~  "),
            ("é漢🦀".as_bytes(), "é 漢 🦀"),
            (
                b"\x03\r\n\t\x7f\x00\x1f",
                "C-c Enter C-j Tab Backspace C-  C-7",
            ),
            (
                b"\x1b[A\x1b[D\x1bOB\x1bOR\x1b[H\x1b[4~",
                "Up Left Down F(3) Home End",
            ),
            (b"\x1b[1;5C\x1b[3;2~\x1b[Z", "C-Right S-Delete S-BackTab"),
            (b"\x1b[15~\x1b[17~\x1b[24~\x1b[[B", "F(5) F(6) F(12) F(2)"),
            (b"\x1bx\x1bX\x1b\x1b[A", "A-x A-S-X Esc Up"),
            (b"\x1b[97;5u\x1b[I\x1b[O", "C-a FocusGained FocusLost"),
            (
                b"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<65;1;1M",
                "Down(Left)@2,3 Up(Left)@2,3 ScrollDown@0,0",
            ),
            (b"\x1b[M #$\x1b[<32;9;9M", "Down(Left)@2,3 Drag(Left)@8,8"),
            (
                b"\x1b[200~a\x1b[A\nb\x1b[201~q",
                "paste \"a\\u{1b}[A\\nb\" q",
            ),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(decoded(&[bytes]), *wanted, "{bytes:?}");
            // Checks that the events do not depend on how the bytes are split.
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            if !bytes.starts_with(b"\x1b[200~") {
                assert_eq!(decoded(&single), *wanted, "{bytes:?} byte by byte");
            }
        }
    }

    #[test]
    fn what_is_unfinished_takes_nothing_away() {
        let cases: &[(&[&[u8]], &str)] = &[
            (&[b"\x1b", b"..."], "Esc"),
            (&[b"\x1b[", b"...", b"q"], "A-[ q"),
            (&[b"\x1b[<", b"...", b"?"], "?"),
            (&[b"\x1b[<", b"\x03"], "C-c"),
            (&[b"\x1b[12;", b"\x1b[A"], "Up"),
            (&[b"\xc3", b"...", b"q"], "q"),
            (&[b"\xffq"], "q"),
            (&[b"\xe6\x03"], "C-c"),
            (&[b"\x1b[200~abc", b"...", b"q"], "paste \"abc\" q"),
            (&[b"\x1b[200~abc", b"\x03"], "paste \"abc\" C-c"),
            (&[b"\x1b[200~ab\x1b[20", b"1~q"], "paste \"ab\" q"),
            (&[b"\x1b[200~ab\x1b[20", b"..."], "paste \"ab\\u{1b}[20\""),
            (&[b"\x1b[200~ab"], " +"),
            (&[b"\x1b[99z\x1b[?1;2cq"], "q"),
        ];
        for (chunks, wanted) in cases {
            assert_eq!(decoded(chunks), *wanted, "{chunks:?}");
        }
        let long = [b"\x1b[".as_slice(), &[b'1'; 100]].concat();
        assert_eq!(decoded(&[&long, b"q"]), "q");
    }

    #[test]
    fn bytes_of_any_kind_end_in_a_state_that_can_be_left() {
        let mut seed = 7_u32;
        for _ in 0..20_000 {
            let (mut decoder, mut events) = (Decoder::default(), VecDeque::new());
            for _ in 0..4 {
                let chunk: Vec<u8> = (0..5)
                    .map(|_| {
                        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        let likely = b"\x1b[<;1Mm~OA\x03\xc3\xa9";
                        let place = (seed >> 16) as usize % (likely.len() + 4);
                        likely.get(place).copied().unwrap_or((seed >> 24) as u8)
                    })
                    .collect();
                decoder.feed(&chunk, &mut events);
            }
            decoder.give_up(&mut events);
            assert_eq!(decoder.patience(), None);
            decoder.feed(b"q", &mut events);
            assert_eq!(events.back().map(shown).as_deref(), Some("q"));
        }
    }
}
