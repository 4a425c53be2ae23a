//! Results of MCP calls as content that a model reads.

use serde_json::Value as Json;
use superstep_model::{Content, Part};

use crate::tool::{ToolError, ToolOutput};

/// What a result says. A tool that reports an error says in its own words what became of the call;
/// the model gets to read them.
pub(super) fn output(result: &Json) -> Result<ToolOutput, ToolError> {
    let blocks = result.get("content").and_then(Json::as_array);
    let mut parts: Vec<Part> = blocks.into_iter().flatten().map(part).collect();
    let has_text = parts.iter().any(|part| matches!(part, Part::Text { .. }));
    if !has_text && let Some(data) = result.get("structuredContent") {
        parts.push(text(data.to_string()));
    }
    let content = joined(parts);
    if result.get("isError").and_then(Json::as_bool) == Some(true) {
        let said = content.text();
        return Err(ToolError::Failed(said));
    }
    Ok(ToolOutput { content })
}

fn part(block: &Json) -> Part {
    let get = |at: &str| block.pointer(at).and_then(Json::as_str);
    match get("/type") {
        Some("text") => text(get("/text").unwrap_or_default()),
        Some("image") => match (get("/mimeType"), get("/data")) {
            (Some(media_type), Some(data)) => Part::Image {
                media_type: media_type.into(),
                data: data.into(),
            },
            _ => text("[a picture that cannot be read]"),
        },
        Some("resource") => {
            let uri = get("/resource/uri").unwrap_or("a resource");
            match get("/resource/text") {
                Some(said) => text(format!("[{uri}]\n{said}")),
                None => text(format!("[{uri}: not text, left out]")),
            }
        }
        Some("resource_link") => {
            let uri = get("/uri").unwrap_or("somewhere");
            let name = get("/name").unwrap_or("a resource");
            text(format!("[{name}: {uri}]"))
        }
        Some("audio") => text("[sound, left out]"),
        _ => text("[content of an unknown kind, left out]"),
    }
}

fn text(text: impl Into<String>) -> Part {
    Part::Text { text: text.into() }
}

/// Text alone, where there is nothing else.
fn joined(parts: Vec<Part>) -> Content {
    let texts = parts.iter().map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    match texts.collect::<Option<Vec<_>>>() {
        Some(texts) => texts.join("\n").into(),
        None => Content::Parts(parts),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(result: Json) -> Option<String> {
        output(&result).ok().map(|output| output.content.text())
    }

    #[test]
    fn every_kind_of_content_is_read() {
        let result = json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "two"}},
            {"type": "resource", "resource": {"uri": "file:///b", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "file:///c", "name": "three"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "hologram"},
        ]});
        let expected = "one\n[file:///a]\ntwo\n[file:///b: not text, left out]\n\
                        [three: file:///c]\n[sound, left out]\n\
                        [content of an unknown kind, left out]";
        assert_eq!(said(result).as_deref(), Some(expected));
        let picture =
            json!({"content": [{"type": "image", "data": "AA", "mimeType": "image/png"}]});
        let picture = output(&picture).map(|output| output.content);
        assert!(matches!(picture, Ok(Content::Parts(parts)) if parts.len() == 1));
    }

    #[test]
    fn data_is_read_where_there_is_no_text() {
        let both =
            json!({"content": [{"type": "text", "text": "5"}], "structuredContent": {"n": 5}});
        assert_eq!(said(both).as_deref(), Some("5"));
        let alone = json!({"content": [], "structuredContent": {"n": 5}});
        assert_eq!(said(alone).as_deref(), Some("{\"n\":5}"));
        assert_eq!(said(json!({})).as_deref(), Some(""));
    }

    #[test]
    fn a_result_that_is_an_error_is_one() {
        let result = json!({"isError": true, "content": [{"type": "text", "text": "no disk"}]});
        assert!(matches!(output(&result), Err(ToolError::Failed(why)) if why == "no disk"));
    }
}
