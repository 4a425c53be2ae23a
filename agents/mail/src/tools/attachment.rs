//! The text of a file that came with a mail.

use superstep::tools::ToolError;

use super::context::CallContext;
use crate::{
    parse::{clipped, one_line},
    prompt::gutter,
};

/// The most bytes of a file's text that a model reads.
const MOST: usize = 24 << 10;

pub(super) async fn read(name: &str, context: &CallContext) -> Result<String, ToolError> {
    let about = &context.input.mail.attachments;
    if about.is_empty() {
        return Err(ToolError::failed("the mail has no attachments"));
    }
    let failed = |error: crate::MailError| ToolError::Failed(error.to_string());
    let files = context.attached().await.map_err(failed)?;
    let is_it = |file: &&crate::AttachedFile| file.name.as_deref().unwrap_or("(no name)") == name;
    let Some(file) = files.into_iter().find(|file| is_it(&file)) else {
        let names = about
            .iter()
            .map(|it| it.name.as_deref().unwrap_or("(no name)"));
        return Err(ToolError::Failed(format!(
            "there is no attachment `{}`; there are: {}",
            one_line(name, 100),
            names.collect::<Vec<_>>().join(", ")
        )));
    };
    let text = tokio::task::spawn_blocking(move || file.text()).await;
    let text = text.map_err(|error| ToolError::Failed(error.to_string()))?;
    let text = text.map_err(|why| {
        ToolError::Failed(format!("`{}` cannot be read: {why}", one_line(name, 100)))
    })?;
    let shown = clipped(&text, MOST);
    // Each line is marked, so that none can be taken for one of ours.
    let marked = gutter(shown);
    Ok(match shown.len() < text.len() {
        true => format!("{marked}\n(cut: {} of {} bytes)", shown.len(), text.len()),
        false => marked,
    })
}
