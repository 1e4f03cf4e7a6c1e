//! Parses and formats timestamps as Step Functions does, in a strict profile of RFC 3339.

use chrono::{DateTime, SecondsFormat, Utc};

/// A moment in time, without the UTC offset that the timestamp was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    /// Seconds since 1970 (UTC).
    pub seconds: i64,
    /// Nanoseconds after that second.
    pub nanos: u32,
}

impl Instant {
    /// Milliseconds since 1970 (UTC), rounded down.
    #[must_use]
    pub fn millis(self) -> i64 {
        self.seconds
            .saturating_mul(1000)
            .saturating_add(i64::from(self.nanos / 1_000_000))
    }
}

/// Parses a timestamp such as `2024-01-01T12:00:00.5+02:00`, with upper-case `T` and either upper-case `Z` or a numeric
/// offset.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<Instant> {
    let bytes = text.as_bytes();
    let last = bytes.last()?;
    if bytes.get(10) != Some(&b'T') || !(*last == b'Z' || last.is_ascii_digit()) {
        return None;
    }
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(Instant {
        seconds: time.timestamp(),
        nanos: time.timestamp_subsec_nanos(),
    })
}

/// Formats milliseconds since 1970 as `2024-01-01T12:00:00.000Z`. The year is clamped to the range 0000 to 9999.
#[must_use]
pub fn format_timestamp(millis: i64) -> String {
    let earliest = -62_167_219_200_000;
    let latest = 253_402_300_799_999;
    DateTime::<Utc>::from_timestamp_millis(millis.clamp(earliest, latest))
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading() {
        fn check(text: &str, millis: Option<i64>) {
            assert_eq!(parse_timestamp(text).map(Instant::millis), millis, "{text}");
        }
        check("2024-01-01T12:00:00Z", Some(1_704_110_400_000));
        check("2024-01-01T14:00:00+02:00", Some(1_704_110_400_000));
        check("2024-01-01T12:00:00.1239Z", Some(1_704_110_400_123));
        check("1969-12-31T23:59:59.999Z", Some(-1));
        check("2023-02-24 12:15:56.832957", None);
        check("2024-01-01 12:00:00Z", None);
        check("2024-01-01t12:00:00Z", None);
        check("2024-01-01T12:00:00z", None);
        check("2024-01-01T12:00:00", None);
        check("2024-01-01T12:00:00+0200", None);
        check("2024-01-01", None);
        check("2024-13-01T12:00:00Z", None);
        check("", None);
        check("20240101é120000Z", None);
        assert!(
            parse_timestamp("2024-01-01T12:00:00.000000001Z")
                > parse_timestamp("2024-01-01T12:00:00Z")
        );
    }

    #[test]
    fn writing() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_704_110_400_123, "2024-01-01T12:00:00.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
            (i64::MIN, "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(format_timestamp(millis), text);
        }
    }
}
