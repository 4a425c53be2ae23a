//! `Retry-After`, in all the forms that servers write it.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The delay that the server asks for: in milliseconds, in seconds or until a date. How much of it
/// is honored is for [`RetryAfter`](crate::RetryAfter) to decide.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(millis) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let said = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(said) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = httpdate::parse_http_date(said).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let read = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers, now)
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(read("retry-after", "7"), seconds(7));
        assert_eq!(
            read("retry-after", "1.5"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(read("retry-after", "1000000000"), seconds(1_000_000_000));
        assert_eq!(read("retry-after", "1e9"), seconds(1_000_000_000));
        assert_eq!(
            read("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        let date = "Sun, 06 Nov 1994 08:49:47 GMT";
        assert_eq!(read("retry-after", date), seconds(10));
        assert_eq!(
            read("retry-after", "Sat, 05 Nov 1994 08:49:47 GMT"),
            seconds(0)
        );
        for odd in ["-1", "NaN", "inf", "1e300", "soon", ""] {
            assert_eq!(read("retry-after", odd), None, "{odd}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
