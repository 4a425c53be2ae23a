//! Pages of a documentation: index, one per agent, recommendations, changelog.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    agent::DocAgent,
    analysis, diagrams,
    facts::{Facts, Stated},
    inert::{code, counted, place, words},
    links,
    metadata::Metadata,
    result::{AgentResult, Earlier, Status},
};

/// Pages besides those of agents.
pub(crate) const OWN: [&str; 3] = ["index.md", "recommendations.md", "changelog.md"];

/// All pages by their names. `prefix` leads from the documentation to the code base, if it is below it.
pub(crate) fn pages(
    metadata: &Metadata,
    agents: &[std::sync::Arc<dyn DocAgent>],
    facts: &Facts,
    prefix: Option<&str>,
) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for agent in agents {
        if let Some(result) = metadata.agent(agent.name()) {
            let page = format!("# {}\n\n{}", words(&agent.title()), result.markdown);
            pages.insert(format!("{}.md", agent.name()), page);
        }
    }
    pages.insert("index.md".into(), index(metadata, agents, facts));
    pages.insert(
        "recommendations.md".into(),
        recommendations(metadata, agents),
    );
    pages.insert("changelog.md".into(), changelog(metadata));
    for page in pages.values_mut() {
        *page = links::cited(page, facts, prefix);
    }
    pages
}

/// The page of an agent without its title: what a reader must know first, facts, analysis. How it was made is in the metadata.
pub(crate) fn page(agent: &dyn DocAgent, facts: &Facts, result: &AgentResult) -> String {
    let mut page = String::new();
    if let Some(Earlier { revision, why }) = &result.metadata.earlier {
        let _written = writeln!(
            page,
            "The analysis is of revision {revision}. For the code base as it is now the agent could not run: {}\n",
            crate::clean::clean(why).0
        );
    }
    for note in result.notes() {
        let note = superstep::text::single_line(note);
        let _written = writeln!(page, "- Note: {}", crate::clean::clean(&note).0);
    }
    if result.notes().next().is_some() {
        page.push('\n');
    }
    let said = agent.markdown(&result.data);
    if !said.is_empty() {
        page.push_str("## Analysis\n\n");
        page.push_str(&deeper(&said));
        page.push_str("\n\n");
    }
    let missing = &result.metadata.missing_information;
    if !missing.is_empty() {
        page.push_str("## Still missing\n\n");
        for item in missing {
            let _written = writeln!(page, "- {}", crate::clean::clean(item).0);
        }
        page.push('\n');
    }
    page.push_str(&agent.facts_markdown(facts));
    page.trim_end().to_owned() + "\n"
}

/// Headings one level down, outside of fences, and none above the third: the first two are of the page.
fn deeper(text: &str) -> String {
    let mut in_fence = false;
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let start = line.trim_start();
        let level = start.len() - start.trim_start_matches('#').len();
        match (in_fence, level) {
            (true, _) | (_, 0) => line.to_owned(),
            (false, 1) => format!("##{start}"),
            (false, _) => format!("#{start}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn index(metadata: &Metadata, agents: &[std::sync::Arc<dyn DocAgent>], facts: &Facts) -> String {
    let counts = &facts.counts;
    let length = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let mut page = format!(
        "# {}\n\n{} in {}, {}, {}, {}.{}\n\n",
        words(&facts.name),
        counted(counts.files.into(), "file"),
        counted(counts.folders.into(), "folder"),
        counted(counts.lines, "line"),
        counted(length(facts.components.len()), "component"),
        match facts.dependency_names().len() {
            1 => "1 dependency".to_owned(),
            many => format!("{many} dependencies"),
        },
        match counts.uncounted {
            0 => String::new(),
            many => format!(
                " {} not read, so the lines are those of the others.",
                match many {
                    1 => "1 file was".to_owned(),
                    many => format!("{many} files were"),
                }
            ),
        },
    );
    page.push_str(&about(facts));
    let by = match &metadata.model {
        Some(model) => format!("Analyses by {}.", words(model)),
        None => "Facts alone: no model has written here.".to_owned(),
    };
    let _written = writeln!(page, "{by}\n");
    page.push_str("| page | what |\n|---|---|\n");
    for agent in agents {
        let Some(result) = metadata.agent(agent.name()) else {
            continue;
        };
        let summary = crate::clean::clean(&result.summary)
            .0
            .replace('|', "\\|")
            .replace('\n', " ");
        let state = match (&result.metadata.earlier, result.status) {
            (Some(_), _) | (None, Status::Failed | Status::Partial) => {
                format!(" ({})", result.state())
            }
            _ => String::new(),
        };
        let _written = writeln!(
            page,
            "| [{}]({}.md) | {summary}{state} |",
            words(&agent.title()),
            agent.name(),
        );
    }
    page.push_str(
        "\nSee also [recommendations](recommendations.md) and the [changelog](changelog.md).\n",
    );
    if let Some(diagram) = diagrams::components(facts) {
        let _written = write!(page, "\n## Components\n\n```mermaid\n{}```\n", diagram.text);
        if let Some(note) = diagram.note {
            let _written = writeln!(page, "\n{note}");
        }
    }
    page
}

/// What the code base states of itself.
fn about(facts: &Facts) -> String {
    let about = &facts.about;
    let mut text = String::new();
    for it in [&about.description, &about.readme].into_iter().flatten() {
        let said = crate::clean::clean(&it.text).0;
        if !text.contains(&said) {
            let _written = writeln!(text, "{said}\n");
        }
    }
    let language = about
        .language
        .as_ref()
        .map(|it| (it.name.as_str(), &it.wanted));
    let stated = [
        ("Package", &about.name),
        ("Version", &about.version),
        ("License", &about.license),
    ];
    let stated = stated
        .into_iter()
        .filter_map(|(what, it)| Some((what, it.as_ref()?)));
    let rows: Vec<(&str, &Stated)> = stated.chain(language).collect();
    if !rows.is_empty() {
        text.push_str("| what | as stated | where |\n|---|---|---|\n");
        for (what, it) in rows {
            let place = place(&it.path, it.line);
            let _written = writeln!(text, "| {what} | {} | {place} |", words(&it.text));
        }
        text.push('\n');
    }
    text
}

fn recommendations(metadata: &Metadata, agents: &[std::sync::Arc<dyn DocAgent>]) -> String {
    let mut page = String::from("# Recommendations\n");
    let mut is_empty = true;
    for agent in agents {
        let Some(result) = metadata.agent(agent.name()) else {
            continue;
        };
        let mut items = analysis::recommendations(&result.data).peekable();
        if items.peek().is_none() {
            continue;
        }
        is_empty = false;
        let _written = write!(
            page,
            "\n## {}\n\nFrom [its page]({}.md).\n\n",
            words(&agent.title()),
            agent.name()
        );
        for item in items {
            let _written = writeln!(page, "- {item}");
        }
    }
    if is_empty {
        page.push_str("\nThere are none.\n");
    }
    page
}

fn changelog(metadata: &Metadata) -> String {
    let mut page = String::from("# Changelog\n\nWhat changed from run to run, the newest first.\n");
    for revision in metadata.revisions.iter().rev() {
        let _written = write!(page, "\n## Revision {}\n\n", revision.number);
        let lists = [
            ("Added", &revision.added),
            ("Changed", &revision.changed),
            ("Removed", &revision.removed),
        ];
        for (title, paths) in lists {
            if !paths.is_empty() {
                let paths: Vec<String> = paths.iter().map(|path| code(path)).collect();
                let _written = writeln!(page, "- {title}: {}", paths.join(", "));
            }
        }
        if revision.more > 0 {
            let more = counted(revision.more.into(), "more file");
            let _written = writeln!(page, "- {more}");
        }
        if !revision.agents.is_empty() {
            let _written = writeln!(
                page,
                "- Agents that ran: {}",
                words(&revision.agents.join(", "))
            );
        }
        if !revision.gone.is_empty() {
            let _written = writeln!(
                page,
                "- Pages that are gone: {}",
                words(&revision.gone.join(", "))
            );
        }
    }
    page
}
