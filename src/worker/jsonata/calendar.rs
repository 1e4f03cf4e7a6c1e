//! JavaScript's calendar: milliseconds since 1970 to days, weeks and parts of a day, and back.

/// Milliseconds in a day.
const DAY: f64 = 86_400_000.0;
/// The latest valid time, in milliseconds.
const FURTHEST: f64 = 8.64e15;

/// A time in milliseconds since 1970; NaN if invalid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time(f64);

/// Days since 1970 of the first day of a month; months count from 0 and may exceed 11.
fn day_of(year: f64, month: f64) -> f64 {
    let year = year + (month / 12.0).floor();
    let month = month.rem_euclid(12.0) + 1.0;
    // Years begin in March here, so that the leap day is the last day.
    let year = if month <= 2.0 { year - 1.0 } else { year };
    let era = (year / 400.0).floor();
    let of_era = year - era * 400.0;
    let shifted = if month > 2.0 {
        month - 3.0
    } else {
        month + 9.0
    };
    let of_year = ((153.0 * shifted + 2.0) / 5.0).floor();
    let days = of_era * 365.0 + (of_era / 4.0).floor() - (of_era / 100.0).floor() + of_year;
    era * 146_097.0 + days - 719_468.0
}

/// The time in milliseconds that these parts denote; years from 0 to 99 mean 1900 to 1999.
pub(super) fn utc(date: [f64; 3], time: [f64; 4]) -> f64 {
    let [year, month, day] = date.map(f64::trunc);
    let [hour, minute, second, fraction] = time.map(f64::trunc);
    let year = if (0.0..=99.0).contains(&year) {
        year + 1900.0
    } else {
        year
    };
    if year.abs() > 400_000.0 || month.abs() > 5_000_000.0 {
        return f64::NAN;
    }
    let days = day_of(year, month) + day - 1.0;
    let within = hour * 3_600_000.0 + minute * 60_000.0 + second * 1000.0 + fraction;
    clip(days * DAY + within)
}

fn clip(millis: f64) -> f64 {
    if millis.abs() <= FURTHEST {
        millis.trunc() + 0.0
    } else {
        f64::NAN
    }
}

fn first_of(year: f64, month: f64) -> f64 {
    utc([year, month, 1.0], [0.0; 4])
}

/// Start of the first week of a month, or of a year if the month is 0: a Monday, in a week with at least four days in
/// it.
fn first_week(year: f64, month: f64) -> f64 {
    let first = first_of(year, month);
    let weekday = Time::new(first).weekday();
    if weekday > 4.0 {
        first + (8.0 - weekday) * DAY
    } else {
        first - (weekday - 1.0) * DAY
    }
}

fn next_month(year: f64, month: f64) -> (f64, f64) {
    if month == 11.0 {
        (year + 1.0, 0.0)
    } else {
        (year, month + 1.0)
    }
}

fn previous_month(year: f64, month: f64) -> (f64, f64) {
    if month == 0.0 {
        (year - 1.0, 11.0)
    } else {
        (year, month - 1.0)
    }
}

fn weeks(start: f64, end: f64) -> f64 {
    (end - start) / (DAY * 7.0) + 1.0
}

impl Time {
    pub(super) fn new(millis: f64) -> Self {
        Self(clip(millis))
    }

    fn days(self) -> f64 {
        (self.0 / DAY).floor()
    }

    fn within(self) -> f64 {
        self.0 - self.days() * DAY
    }

    /// Year, month (from 0) and day (from 1).
    fn date(self) -> (f64, f64, f64) {
        let days = self.days() + 719_468.0;
        let era = (days / 146_097.0).floor();
        let of_era = days - era * 146_097.0;
        let year = ((of_era - (of_era / 1460.0).floor() + (of_era / 36_524.0).floor()
            - (of_era / 146_096.0).floor())
            / 365.0)
            .floor();
        let of_year = of_era - (365.0 * year + (year / 4.0).floor() - (year / 100.0).floor());
        let shifted = ((5.0 * of_year + 2.0) / 153.0).floor();
        let day = of_year - ((153.0 * shifted + 2.0) / 5.0).floor() + 1.0;
        let month = if shifted < 10.0 {
            shifted + 2.0
        } else {
            shifted - 10.0
        };
        let year = year + era * 400.0 + if month <= 1.0 { 1.0 } else { 0.0 };
        (year, month, day)
    }

    /// Day of the week, from 1 for Monday.
    fn weekday(self) -> f64 {
        (self.days() + 3.0).rem_euclid(7.0) + 1.0
    }

    fn hour(self) -> f64 {
        (self.within() / 3_600_000.0).floor()
    }

    /// True from noon on.
    pub(super) fn is_afternoon(self) -> bool {
        self.hour() >= 12.0
    }

    /// Month (from 0) and day of the month for the nth day of a year.
    pub(super) fn of_day_in_year(year: f64, day: f64) -> (f64, f64) {
        let (_, month, day) = Self::new(first_of(year, 0.0) + (day - 1.0) * DAY).date();
        (month, day)
    }

    /// The value of a picture's component letter; `None` if the component is not a number.
    pub(super) fn part(self, letter: char) -> Option<f64> {
        let (year, month, day) = self.date();
        Some(match letter {
            'Y' => year,
            'M' => month + 1.0,
            'D' => day,
            'd' => (utc([year, month, day], [0.0; 4]) - first_of(year, 0.0)) / DAY + 1.0,
            'F' => self.weekday(),
            'W' => {
                let today = utc([year, month, day], [0.0; 4]);
                let week = weeks(first_week(year, 0.0), today);
                if week > 52.0 && today >= first_week(year + 1.0, 0.0) {
                    1.0
                } else if week < 1.0 {
                    weeks(first_week(year - 1.0, 0.0), today).floor()
                } else {
                    week.floor()
                }
            }
            'w' => {
                let today = utc([year, month, day], [0.0; 4]);
                let week = weeks(first_week(year, month), today);
                let (next_year, next) = next_month(year, month);
                let (last_year, last) = previous_month(year, month);
                if week > 4.0 && today >= first_week(next_year, next) {
                    1.0
                } else if week < 1.0 {
                    weeks(first_week(last_year, last), today).floor()
                } else {
                    week.floor()
                }
            }
            'X' => {
                if self.0 < first_week(year, 0.0) {
                    year - 1.0
                } else if self.0 >= first_week(year + 1.0, 0.0) {
                    year + 1.0
                } else {
                    year
                }
            }
            'x' => {
                let (next_year, next) = next_month(year, month);
                if self.0 < first_week(year, month) {
                    previous_month(year, month).1 + 1.0
                } else if self.0 >= first_week(next_year, next) {
                    next + 1.0
                } else {
                    month + 1.0
                }
            }
            'H' => self.hour(),
            'h' => match self.hour() % 12.0 {
                0.0 => 12.0,
                hour => hour,
            },
            'm' => (self.within() / 60_000.0).floor() % 60.0,
            's' => (self.within() / 1000.0).floor() % 60.0,
            'f' => self.within() % 1000.0,
            _ => return None,
        })
    }
}
