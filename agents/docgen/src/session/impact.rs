//! The impact of a change as front ends show it.

use std::path::Path;

use serde_json::json;
use superstep_agent::{Block, Notice, Span, Weight, faint, plain, strong};

use super::code_question::scanned;
use crate::{Error, query};

/// The impact of a change of a file, which is named below a folder or from the working directory.
pub fn impact_notice(file: &str, path: &Path) -> Result<Notice, Error> {
    let (request, facts) = scanned(path)?;
    let name = below(file, &request.root);
    let found = query::impact(&facts, &name).ok_or_else(|| Error::UnknownFile {
        path: superstep::text::single_line(file),
        root: request.root.display().to_string(),
    })?;
    let mut blocks = Vec::new();
    let mut add = |spans: Vec<Span>| blocks.push(Block::Line(Weight::Data, spans));
    let component = found.component.as_deref().unwrap_or("no component");
    let part = plain(format!(", part of {component}"));
    add(vec![strong(&found.path), part]);
    let indirect = found
        .indirect
        .iter()
        .map(|(path, away)| format!("{path} ({away} imports away)"));
    let defines = format!(
        "defines: {}, {} of them public",
        found.symbols.len(),
        found.public
    );
    add(vec![plain(defines)]);
    for symbol in &found.symbols {
        add(vec![faint("  "), plain(symbol)]);
    }
    let lists = [
        ("imported by, as far as it is seen", found.direct.clone()),
        ("reached through them", indirect.collect()),
        ("components", found.components.clone()),
        ("entry points", found.entry_points.clone()),
        ("tests", found.tests.clone()),
    ];
    for (title, items) in lists {
        add(vec![plain(format!("{title}: {}", items.len()))]);
        for item in items {
            add(vec![faint("  "), plain(item)]);
        }
    }
    add(vec![plain("uses that are not seen:")]);
    for kind in &found.unseen {
        add(vec![faint("  "), plain(kind)]);
    }
    Ok(Notice::event(json!(found)).with(blocks))
}

/// The path of a file below the root, whether it is given so or from the working directory.
fn below(file: &str, root: &Path) -> String {
    let real = std::fs::canonicalize(file).ok();
    let below = real
        .as_deref()
        .and_then(|real| real.strip_prefix(root).ok());
    match below {
        Some(path) if Path::new(file).is_absolute() || !root.join(file).is_file() => {
            path.to_string_lossy().replace('\\', "/")
        }
        _ => file.trim_start_matches("./").to_owned(),
    }
}
