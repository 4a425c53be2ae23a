//! LangSmith as the collector, by its own variables.

use super::{ExportError, ExportOptions};

/// Where LangSmith takes traces, unless a variable says otherwise: another region, or a server of one's own.
const ENDPOINT: &str = "https://api.smith.langchain.com";

/// Variables that switch tracing on, the newest first.
const SWITCHES: [&str; 4] = [
    "LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING",
];

/// The options that the variables lead to; nothing if tracing is not on.
pub(super) fn options(
    var: &impl Fn(&str) -> Option<String>,
) -> Result<Option<ExportOptions>, ExportError> {
    let set = SWITCHES
        .into_iter()
        .find_map(|name| Some((name, var(name)?)));
    let Some((variable, _)) = set.filter(|(_, value)| is_on(value)) else {
        return Ok(None);
    };
    let either = |name: &str| {
        let newer = var(&format!("LANGSMITH_{name}"));
        newer.or_else(|| var(&format!("LANGCHAIN_{name}")))
    };
    let Some(key) = either("API_KEY") else {
        let variable = variable.to_owned();
        return Err(ExportError::NoKey { variable });
    };
    let endpoint = either("ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
    let endpoint = endpoint.trim().trim_end_matches('/');
    let mut options = ExportOptions::to(format!("{endpoint}/otel/v1/traces"));
    let key = key.trim().to_owned();
    options.headers.push(("x-api-key".to_owned(), key.into()));
    if let Some(project) = either("PROJECT") {
        let header = ("Langsmith-Project".to_owned(), project.clone().into());
        options.headers.push(header);
        options.origin.project = Some(project);
    }
    Ok(Some(options))
}

fn is_on(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !matches!(&*value, "" | "0" | "false" | "no" | "off")
}
