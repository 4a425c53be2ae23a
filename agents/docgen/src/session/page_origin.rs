//! The origin of an agent's page as front ends show it: grades, questions, claims.

use std::path::Path;

use serde_json::json;
use superstep::model::did_you_mean;
use superstep_agent::{Block, Notice, Span, Weight, count, faint, plain, strong};

use crate::{Error, Metadata, Request};

/// The origin of the page that an agent wrote into the documentation of a folder.
pub fn page_notice(agent: &str, path: &Path, folder: Option<&Path>) -> Result<Notice, Error> {
    let request = Request::new(path, folder)?;
    let nothing = |why: String| Error::NoDocumentation {
        path: request.output.display().to_string(),
        why,
    };
    let metadata =
        Metadata::read(&request.output)?.ok_or_else(|| nothing("there is none".into()))?;
    let result = metadata
        .agent(agent)
        .ok_or_else(|| nothing(unknown(agent, &metadata)))?;
    let mut blocks = Vec::new();
    let mut add = |spans: Vec<Span>| blocks.push(Block::Line(Weight::Data, spans));
    let about = &result.metadata;
    let grade = result
        .confidence
        .map_or("not graded".to_owned(), |it| format!("confidence {it:.2}"));
    add(vec![
        strong(agent),
        plain(format!(
            ": {}, {grade}, {}",
            result.status.as_str(),
            count(about.iterations as usize, "refinement")
        )),
    ]);
    add(vec![plain(&result.summary)]);
    if let Some(threshold) = about.threshold {
        let line = format!("the grade that was good enough: {threshold}");
        add(vec![faint(line)]);
    }
    for score in &about.scores {
        let value = score
            .score
            .map_or("none".to_owned(), |it| format!("{it:.0}"));
        let grades = score.grades.map_or(String::new(), |it| {
            format!(
                " (completeness {:.0}, clarity {:.0}, depth {:.0}, accuracy {:.0})",
                it.completeness, it.clarity, it.depth, it.accuracy
            )
        });
        let refuted = count(score.refuted as usize, "claim");
        add(vec![
            strong(format!("version {}", score.iteration)),
            plain(format!(": grade {value}{grades}, {refuted} refuted")),
        ]);
        for gap in &score.missing {
            add(vec![faint("  missing: "), plain(gap)]);
        }
    }
    for question in &about.self_questions {
        add(vec![faint("asked: "), plain(question)]);
    }
    for note in &result.warnings {
        add(vec![faint("note: "), plain(note)]);
    }
    let claims = &about.claims;
    add(vec![plain(format!(
        "claims: {} made, {} verified, {} fixed, {} removed, {} unverified",
        claims.made, claims.verified, claims.fixed, claims.removed, claims.unverified
    ))]);
    for problem in &claims.problems {
        let now = problem
            .now
            .as_deref()
            .map_or("taken out".to_owned(), |now| format!("now {now}"));
        let line = format!("{}: {}; {now}", problem.claim, problem.why);
        add(vec![faint("  "), plain(line)]);
    }
    for claim in &claims.open {
        add(vec![faint("  unverified: "), plain(claim)]);
    }
    let history = metadata.history.get(agent);
    let grades = history.into_iter().flatten();
    let grades: Vec<String> = grades.map(|it| format!("{it:.0}")).collect();
    if !grades.is_empty() {
        let line = format!("grades of runs: {}", grades.join(", "));
        add(vec![faint(line)]);
    }
    let event = Notice::event(json!({"result": result, "history": history}));
    Ok(event.with(blocks))
}

/// The reason why there is no page of an agent.
fn unknown(agent: &str, metadata: &Metadata) -> String {
    let known = metadata.agents.iter().map(|it| it.agent_name.as_str());
    let known: Vec<&str> = known.collect();
    let agent = superstep::text::single_line(agent);
    let near = did_you_mean::hint(&agent, known.iter().copied());
    match known.is_empty() {
        true => format!("no agent has written there, so there is nothing of `{agent}`"),
        false => format!(
            "there is no page of `{agent}`{near}; there are {}",
            known.join(", ")
        ),
    }
}
