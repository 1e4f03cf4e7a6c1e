//! Decodes bytes to text: UTF-8, UTF-16 and the output of redirections in Windows shells.

/// A decoded text, with a note for the user if its encoding was unusual.
pub(super) struct Decoded {
    pub text: String,
    pub note: Option<String>,
}

/// The characters of Windows-1252 for the bytes 0x80 to 0x9F. An undefined byte is mapped to the code point of the same
/// number.
const CP1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The first bytes of compressed files, and the name of each compression format.
const PACKED: [(&[u8], &str); 4] = [
    (&[0x1f, 0x8b], "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"BZh", "bzip2"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
];

/// The compression format of a file; `None` if it is not compressed.
pub(super) fn packed(bytes: &[u8]) -> Option<&'static str> {
    let mut known = PACKED.iter();
    known
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, name)| *name)
}

/// Decodes a file and removes terminal colour codes.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let decoded = decode_all(bytes);
    match decoded.text.contains('\u{1b}') {
        true => Decoded {
            text: without_colours(&decoded.text),
            ..decoded
        },
        false => decoded,
    }
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or_default());
    }
    plain
}

fn decode_all(bytes: &[u8]) -> Decoded {
    let plain = |text: String| Decoded { text, note: None };
    if let Some(rest) = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        return decode_all(rest);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        return plain(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return plain(utf16(rest, u16::from_be_bytes));
    }
    match bytes {
        [_, 0, _, 0, ..] => return plain(utf16(bytes, u16::from_le_bytes)),
        [0, _, 0, _, ..] => return plain(utf16(bytes, u16::from_be_bytes)),
        _ => {}
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => plain(text.to_string()),
        // The file was cut off within a character.
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            plain(String::from_utf8_lossy(whole).into_owned())
        }
        Err(_) => Decoded {
            text: bytes.iter().map(|byte| windows(*byte)).collect(),
            note: Some("the recording is not UTF-8 and was read as Windows-1252".to_string()),
        },
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => CP1252.get(usize::from(byte - 0x80)).copied().unwrap_or('?'),
        _ => char::from(byte),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0,
    });
    let decoded = char::decode_utf16(units);
    decoded
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
