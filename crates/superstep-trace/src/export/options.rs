//! Options of the exporter.

mod langsmith;

use std::{fmt, sync::Arc, time::Duration};

use superstep_core::error::Category;
use superstep_http::{Backoff, Jitter, RetryAfter};
use superstep_text::{Privacy, Secret};

use crate::otlp::Origin;

/// The longest delay between attempts, also where the collector asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Called with each warning.
pub(super) type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// Where traces go, and how.
#[derive(Clone)]
pub struct ExportOptions {
    /// The URL that takes traces, such as `http://localhost:4318/v1/traces`.
    pub endpoint: String,
    /// Headers of each request: keys, projects.
    pub headers: Vec<(String, Secret)>,
    /// Who sends.
    pub origin: Origin,
    /// What of the content is sent.
    pub privacy: Privacy,
    /// How many finished runs may wait.
    pub queue: usize,
    /// How long a request may take.
    pub timeout: Duration,
    /// How often a request is tried, and the delays between attempts.
    pub backoff: Backoff,
    /// Called with what is dropped and why; it must not block.
    pub warn: Option<Warn>,
}

impl ExportOptions {
    /// Traces to this URL.
    pub fn to(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            headers: Vec::new(),
            origin: Origin::default(),
            privacy: Privacy::default(),
            queue: 1024,
            timeout: Duration::from_secs(10),
            backoff: Backoff {
                attempts: 5,
                initial: Duration::from_millis(500),
                factor: 2,
                cap: LONGEST_WAIT,
                jitter: Jitter::Half,
                retry_after: RetryAfter::ClampTo(LONGEST_WAIT),
                seed: None,
            },
            warn: None,
        }
    }

    /// What the variables of OpenTelemetry say: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_HEADERS` or
    /// `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`.
    ///
    /// Without an endpoint, those of LangSmith count: `LANGSMITH_TRACING=true`, `LANGSMITH_API_KEY`,
    /// `LANGSMITH_PROJECT` and `LANGSMITH_ENDPOINT`, or the same with `LANGCHAIN_`. Nothing if neither is set.
    pub fn from_env() -> Result<Option<Self>, ExportError> {
        Self::from_vars(|name| std::env::var(name).ok())
    }

    /// [`ExportOptions::from_env`] with variables from elsewhere.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ExportError> {
        let var = |name: &str| var(name).filter(|text| !text.trim().is_empty());
        let own = var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let base = || {
            let base = var("OTEL_EXPORTER_OTLP_ENDPOINT")?;
            Some(format!("{}/v1/traces", base.trim_end_matches('/')))
        };
        let Some(endpoint) = own.or_else(base) else {
            let options = langsmith::options(&var)?;
            let service = var("OTEL_SERVICE_NAME");
            return Ok(options.map(|mut options| {
                options.origin.service = service.unwrap_or(options.origin.service);
                options
            }));
        };
        let mut options = Self::to(endpoint);
        let headers = var("OTEL_EXPORTER_OTLP_TRACES_HEADERS");
        let headers = headers.or_else(|| var("OTEL_EXPORTER_OTLP_HEADERS"));
        for pair in headers.iter().flat_map(|text| text.split(',')) {
            if pair.trim().is_empty() {
                continue;
            }
            let (name, value) = pair.split_once('=').ok_or(ExportError::BadHeader {
                name: "OTEL_EXPORTER_OTLP_HEADERS".to_owned(),
            })?;
            let (name, value) = (name.trim().to_owned(), unescaped(value.trim()));
            if name.eq_ignore_ascii_case("langsmith-project") {
                options.origin.project = Some(value.clone());
            }
            options.headers.push((name, value.into()));
        }
        if let Some(service) = var("OTEL_SERVICE_NAME") {
            options.origin.service = service;
        }
        Ok(Some(options))
    }
}

impl fmt::Debug for ExportOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportOptions")
            .field("endpoint", &self.endpoint)
            .field("headers", &self.headers)
            .field("origin", &self.origin)
            .field("privacy", &self.privacy)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

/// `%20` and the like as what they stand for.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Why an exporter does not start.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq, superstep_coded::Coded)]
#[non_exhaustive]
pub enum ExportError {
    /// The endpoint is no URL that can be used.
    #[error("traces cannot be sent to `{endpoint}`: {why}")]
    #[coded("SS3510", InvalidInput)]
    BadEndpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        why: String,
    },
    /// A header cannot be sent.
    #[error("header `{name}` cannot be sent")]
    #[coded("SS3511", InvalidInput)]
    BadHeader {
        /// Its name.
        name: String,
    },
    /// The client cannot be made.
    #[error("no client for traces: {why}")]
    #[coded("SS3512", Internal)]
    NoClient {
        /// Why.
        why: String,
    },
    /// Tracing is on, and there is no key.
    #[error("{variable} is on, and there is no key: LANGSMITH_API_KEY is not set")]
    #[coded(
        "SS3514",
        InvalidInput,
        hint = "set LANGSMITH_API_KEY, or LANGSMITH_TRACING=false"
    )]
    NoKey {
        /// The variable that switches tracing on.
        variable: String,
    },
    /// There is no tokio runtime to send on.
    #[error("an exporter starts inside of a tokio runtime")]
    #[coded("SS3513", Internal)]
    NoRuntime,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(vars: &[(&str, &str)]) -> Result<Option<ExportOptions>, ExportError> {
        ExportOptions::from_vars(|name| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn variables_say_where_traces_go() -> Result<(), ExportError> {
        let base = (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "https://api.example.com/otel/",
        );
        let headers = (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "x-api-key=a%20b, Langsmith-Project=p",
        );
        let options = from(&[base, headers])?.unwrap_or_else(|| ExportOptions::to(""));
        assert_eq!(options.endpoint, "https://api.example.com/otel/v1/traces");
        let headers = options.headers.iter();
        let sent: Vec<_> = headers
            .map(|(name, value)| (&**name, value.expose()))
            .collect();
        assert_eq!(sent, [("x-api-key", "a b"), ("Langsmith-Project", "p")]);
        assert_eq!(options.origin.project.as_deref(), Some("p"));
        assert!(!format!("{options:?}").contains("a b"));
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://here/x");
        let options = from(&[base, own])?.map(|options| options.endpoint);
        assert_eq!(options.as_deref(), Some("http://here/x"));
        Ok(())
    }

    #[test]
    fn without_an_endpoint_nothing_is_sent() {
        assert!(matches!(from(&[]), Ok(None)));
        assert!(matches!(
            from(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]),
            Ok(None)
        ));
    }

    #[test]
    fn variables_of_langsmith_switch_export_on() -> Result<(), ExportError> {
        for family in ["LANGSMITH", "LANGCHAIN"] {
            let tracing = match family {
                "LANGSMITH" => "LANGSMITH_TRACING",
                _ => "LANGCHAIN_TRACING_V2",
            };
            let (key, project) = (format!("{family}_API_KEY"), format!("{family}_PROJECT"));
            let on = (tracing, "true");
            let vars = [on, (&*key, "lsv2_key"), (&*project, "mine")];
            let options = from(&vars)?.unwrap_or_else(|| ExportOptions::to(""));
            assert_eq!(
                options.endpoint,
                "https://api.smith.langchain.com/otel/v1/traces"
            );
            let sent: Vec<_> = options
                .headers
                .iter()
                .map(|(name, value)| (&**name, value.expose()))
                .collect();
            assert_eq!(
                sent,
                [("x-api-key", "lsv2_key"), ("Langsmith-Project", "mine")]
            );
            assert_eq!(options.origin.project.as_deref(), Some("mine"));

            let place = format!("{family}_ENDPOINT");
            let eu = (&*place, "https://eu.api.smith.langchain.com/");
            let options = from(&[on, (&*key, "k"), eu])?.map(|options| options.endpoint);
            let expected = "https://eu.api.smith.langchain.com/otel/v1/traces";
            assert_eq!(options.as_deref(), Some(expected));

            assert_eq!(from(&[on]).err().map(|error| error.code()), Some("SS3514"));
            assert!(from(&[(tracing, "false"), (&*key, "k")])?.is_none());
        }
        let collector = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://here");
        let both = from(&[collector, ("LANGSMITH_TRACING", "true")])?;
        let endpoint = both.map(|options| options.endpoint);
        assert_eq!(endpoint.as_deref(), Some("http://here/v1/traces"));
        Ok(())
    }

    #[test]
    fn a_header_without_a_value_is_refused() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://here");
        let refused = from(&[base, ("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key")]);
        assert_eq!(refused.err().map(|error| error.code()), Some("SS3511"));
    }
}
