//! Bytes as text: UTF-8, UTF-16 and what a Windows shell redirects.
//!
//! It must not know what the text says.

/// A text, and what a person should know of its encoding.
pub(super) struct Decoded {
    pub text: String,
    pub note: Option<String>,
}

/// The characters of Windows-1252 from 0x80 on; what it leaves open stands for itself.
const CP1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let plain = |text: String| Decoded { text, note: None };
    if let Some(rest) = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        return decode(rest);
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
        // Cut off within a character.
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            plain(String::from_utf8_lossy(whole).into_owned())
        }
        Err(_) => Decoded {
            text: bytes.iter().map(|byte| windows(*byte)).collect(),
            note: Some("it is not UTF-8 and was read as Windows-1252".to_string()),
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
        [one, other] => unit([*one, *other]),
        _ => 0,
    });
    let decoded = char::decode_utf16(units);
    decoded
        .map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
