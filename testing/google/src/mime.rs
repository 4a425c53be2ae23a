//! The tree of a mail's parts, as `format=full` gives it.

use base64::{
    Engine as _,
    engine::{
        DecodePaddingMode, GeneralPurposeConfig,
        general_purpose::{GeneralPurpose, URL_SAFE},
    },
};
use serde_json::{Value as Json, json};

use crate::header;

/// How deep parts may lie in each other; what is deeper is one part.
const DEEPEST: usize = 20;

/// Which of it is shown.
#[derive(Clone, Copy)]
pub(crate) enum Shown {
    /// Headers, parts and what they say.
    All,
    /// Headers alone.
    Headers,
}

/// The tree of a mail.
pub(crate) fn tree(raw: &[u8], shown: Shown) -> Json {
    part(raw, "", 0, shown)
}

/// The bytes of a part that is not shown in the tree.
pub(crate) fn attachment(raw: &[u8], id: &str) -> Option<Json> {
    let mut at = raw.to_vec();
    let number = id.strip_prefix("ANGj")?;
    for index in number.split('.').filter(|piece| !piece.is_empty()) {
        let index: usize = index.parse().ok()?;
        at = parts(&at)?.into_iter().nth(index)?;
    }
    let bytes = body(&at);
    Some(json!({"size": bytes.len(), "data": URL_SAFE.encode(bytes)}))
}

fn part(raw: &[u8], number: &str, depth: usize, shown: Shown) -> Json {
    let headers: Vec<Json> = header::all(raw)
        .into_iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    let kind = header::value(raw, "Content-Type").unwrap_or_else(|| "text/plain".into());
    let mime = kind.split(';').next().unwrap_or_default().trim();
    let disposition = header::value(raw, "Content-Disposition").unwrap_or_default();
    let file = parameter(&disposition, "filename").or_else(|| parameter(&kind, "name"));
    let file = file.unwrap_or_default();
    let mut shown_body = json!({
        "partId": number, "mimeType": mime.to_ascii_lowercase(), "filename": file,
        "headers": headers,
    });
    let Json::Object(fields) = &mut shown_body else {
        return shown_body;
    };
    if matches!(shown, Shown::Headers) {
        return shown_body;
    }
    if depth < DEEPEST
        && let Some(parts) = parts(raw)
    {
        let child = |(index, raw): (usize, &Vec<u8>)| {
            let number = match number {
                "" => index.to_string(),
                above => format!("{above}.{index}"),
            };
            part(raw, &number, depth + 1, shown)
        };
        fields.insert("body".into(), json!({"size": 0}));
        let parts: Vec<Json> = parts.iter().enumerate().map(child).collect();
        fields.insert("parts".into(), parts.into());
        return shown_body;
    }
    let bytes = body(raw);
    let said = if file.is_empty() {
        json!({"size": bytes.len(), "data": URL_SAFE.encode(bytes)})
    } else {
        json!({"size": bytes.len(), "attachmentId": format!("ANGj{number}")})
    };
    fields.insert("body".into(), said);
    shown_body
}

fn parts(raw: &[u8]) -> Option<Vec<Vec<u8>>> {
    let kind = header::value(raw, "Content-Type")?;
    if !kind.to_ascii_lowercase().starts_with("multipart/") {
        return None;
    }
    let boundary = format!("--{}", parameter(&kind, "boundary")?);
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut is_inside = false;
    for line in after_head(raw).split_inclusive(|byte| *byte == b'\n') {
        let bare = line.trim_ascii_end();
        let Some(rest) = bare.strip_prefix(boundary.as_bytes()) else {
            if is_inside && let Some(part) = found.last_mut() {
                part.extend_from_slice(line);
            }
            continue;
        };
        is_inside = rest != b"--";
        if is_inside {
            found.push(Vec::new());
        }
    }
    Some(found)
}

fn after_head(raw: &[u8]) -> &[u8] {
    let ends = |pattern: &[u8]| {
        let at = raw
            .windows(pattern.len())
            .position(|piece| piece == pattern);
        at.map(|at| at + pattern.len())
    };
    let at = match (ends(b"\r\n\r\n"), ends(b"\n\n")) {
        (Some(one), Some(other)) => one.min(other),
        (one, other) => one.or(other).unwrap_or(raw.len()),
    };
    raw.get(at..).unwrap_or_default()
}

fn body(raw: &[u8]) -> Vec<u8> {
    let encoding = header::value(raw, "Content-Transfer-Encoding").unwrap_or_default();
    let body = after_head(raw);
    match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => {
            let packed: Vec<u8> = body.iter().copied().filter(u8::is_ascii_graphic).collect();
            lenient().decode(packed).unwrap_or_default()
        }
        "quoted-printable" => unquoted(body),
        _ => body.to_vec(),
    }
}

fn lenient() -> GeneralPurpose {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&base64::alphabet::STANDARD, config)
}

fn unquoted(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = body;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'=' {
            bytes.push(*byte);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"\r\n").or(rest.strip_prefix(b"\n")) {
            rest = after;
            continue;
        }
        let code = rest
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = rest.get(2..).unwrap_or_default();
        } else {
            bytes.push(b'=');
        }
    }
    bytes
}

fn parameter(value: &str, name: &str) -> Option<String> {
    let found = value.split(';').skip(1).find_map(|field| {
        let (known, value) = field.split_once('=')?;
        let is_it = known.trim().eq_ignore_ascii_case(name);
        is_it.then(|| value.trim().trim_matches('"').to_owned())
    });
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "Subject: s\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\nx\r\n--b\r\n\
        Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nna=C3=AFve=\r\n!\r\n\
        --b\r\nContent-Type: text/plain; name=a.txt\r\nContent-Transfer-Encoding: base64\r\n\r\naGV5\r\n--b--\r\n";

    #[test]
    fn parts_are_decoded_and_attachments_are_fetched_by_their_id() {
        let tree = tree(MAIL.as_bytes(), Shown::All);
        let text = tree.pointer("/parts/0/body/data").and_then(Json::as_str);
        assert_eq!(text, Some(URL_SAFE.encode("naïve!\r\n").as_str()));
        let id = tree.pointer("/parts/1/body/attachmentId");
        let id = id.and_then(Json::as_str).unwrap_or_default();
        let file = attachment(MAIL.as_bytes(), id).unwrap_or_default();
        assert_eq!(file.pointer("/data"), Some(&json!("aGV5")));
        assert!(tree.pointer("/parts/1/body/data").is_none());
    }
}
