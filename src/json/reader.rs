//! A fast parser for most JSON texts, which shares member names among objects. It does not report errors: texts that it
//! rejects are left to `parse`.

use super::{Number, Text, Value};

/// Maximum nesting depth; deeper texts are left to `parse`.
const DEEPEST: usize = 100;
/// Number of slots of the name cache.
const NAMES: usize = 64;
const NAMELESS: Option<Text> = None;

/// Parses texts. All values parsed by one reader share their member names.
#[derive(Debug)]
pub struct Reader {
    names: [Option<Text>; NAMES],
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            names: [NAMELESS; NAMES],
        }
    }
}

impl Reader {
    /// Parses a whole text. `None` if the text is invalid or uses a form that this parser does not support.
    pub fn read(&mut self, text: &str) -> Option<Value> {
        let mut at = At {
            text,
            place: 0,
            reader: self,
        };
        let value = at.value(0)?;
        at.blanks();
        at.peek().is_none().then_some(value)
    }

    fn name(&mut self, name: &str) -> Text {
        let bytes = name.as_bytes();
        let ends = bytes.first().into_iter().chain(bytes.last());
        let hash = ends.fold(bytes.len(), |sum, byte| sum * 31 + usize::from(*byte));
        match self.names.get_mut(hash % NAMES) {
            Some(Some(known)) if **known == *name => known.clone(),
            Some(place) => place.insert(name.into()).clone(),
            None => name.into(),
        }
    }
}

struct At<'t, 'r> {
    text: &'t str,
    place: usize,
    reader: &'r mut Reader,
}

impl<'t> At<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.place += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.place += 1)
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let found = self.text.get(self.place..)?.starts_with(word);
        found.then(|| {
            self.place += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blanks();
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    /// Parses a number without an exponent.
    fn number(&mut self) -> Option<Value> {
        let start = self.place;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'.')) {
            self.place += 1;
        }
        if matches!(self.peek(), Some(b'e' | b'E' | b'+')) {
            return None;
        }
        Number::parse(self.text.get(start..self.place)?).map(Value::Number)
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take(b'[')?;
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']').is_some() {
            return Some(Value::array(items));
        }
        (depth < DEEPEST).then_some(())?;
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b',').is_none() {
                self.take(b']')?;
                items.shrink_to_fit();
                return Some(Value::array(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take(b'{')?;
        let mut members = Vec::new();
        self.blanks();
        if self.take(b'}').is_some() {
            return Some(Value::object(members));
        }
        (depth < DEEPEST).then_some(())?;
        loop {
            self.blanks();
            let name = match self.plain()? {
                Some(name) => self.reader.name(name),
                None => self.escaped()?.into(),
            };
            self.blanks();
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.take(b',').is_none() {
                self.take(b'}')?;
                members.shrink_to_fit();
                return Some(Value::object(members));
            }
        }
    }

    fn string(&mut self) -> Option<Value> {
        Some(Value::String(match self.plain()? {
            Some(text) => text.into(),
            None => self.escaped()?.into(),
        }))
    }

    /// Reads a quoted string without escapes. Returns `Some(None)`, and consumes nothing, if the string contains an
    /// escape.
    fn plain(&mut self) -> Option<Option<&'t str>> {
        (self.peek()? == b'"').then_some(())?;
        let start = self.place + 1;
        let bytes = self.text.as_bytes().get(start..)?;
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=31);
        let length = bytes.iter().position(special)?;
        match bytes.get(length)? {
            b'"' => {
                self.place = start + length + 1;
                Some(Some(self.text.get(start..start + length)?))
            }
            b'\\' => Some(None),
            _ => None,
        }
    }

    fn escaped(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.place..)?;
            let special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=31);
            let length = rest.bytes().position(special)?;
            out.push_str(rest.get(..length)?);
            self.place += length + 1;
            match rest.as_bytes().get(length)? {
                b'"' => return Some(out),
                b'\\' => out.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.place += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first);
                }
                self.take(b'\\')?;
                self.take(b'u')?;
                let second = self.unit()?;
                let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + low);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.place..self.place + 4)?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.place += 4;
        hex.then(|| u32::from_str_radix(digits, 16).ok())?
    }
}
