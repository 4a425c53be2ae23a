//! How the page of an agent came about.

use std::path::Path;

use superstep::model::did_you_mean;
use superstep_docgen::{Metadata, Request};

use crate::{
    error::Error,
    output::{Form, Output, count, faint, plain, strong},
};

pub(super) fn run(
    agent: &str,
    path: &Path,
    folder: Option<&Path>,
    output: &Output,
) -> Result<(), Error> {
    let request = Request::new(path, folder)?;
    let nothing = |why: String| superstep_docgen::Error::NoDocumentation {
        path: request.output.display().to_string(),
        why,
    };
    let metadata =
        Metadata::read(&request.output)?.ok_or_else(|| nothing("there is none".into()))?;
    let result = metadata.agent(agent).ok_or_else(|| {
        let known: Vec<&str> = metadata
            .agents
            .iter()
            .map(|it| it.agent_name.as_str())
            .collect();
        let agent = superstep::text::single_line(agent);
        let near = did_you_mean::hint(&agent, known.iter().copied());
        nothing(match known.is_empty() {
            true => format!("no agent has written there, so there is nothing of `{agent}`"),
            false => format!(
                "there is no page of `{agent}`{near}; there are {}",
                known.join(", ")
            ),
        })
    })?;
    if output.form == Form::Json {
        let history = metadata.history.get(agent);
        return output.json(&serde_json::json!({"result": result, "history": history}));
    }
    let about = &result.metadata;
    let grade = result
        .confidence
        .map_or("not graded".to_owned(), |it| format!("confidence {it:.2}"));
    output.data(&[
        strong(agent),
        plain(format!(
            ": {}, {grade}, {}",
            result.status.as_str(),
            count(about.iterations as usize, "refinement")
        )),
    ])?;
    output.data(&[plain(&result.summary)])?;
    if let Some(threshold) = about.threshold {
        output.data(&[faint(format!(
            "the grade that was good enough: {threshold}"
        ))])?;
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
        output.data(&[
            strong(format!("version {}", score.iteration)),
            plain(format!(
                ": grade {value}{grades}, {} refuted",
                count(score.refuted as usize, "claim")
            )),
        ])?;
        for gap in &score.missing {
            output.data(&[faint("  missing: "), plain(gap)])?;
        }
    }
    for question in &about.self_questions {
        output.data(&[faint("asked: "), plain(question)])?;
    }
    for note in &result.warnings {
        output.data(&[faint("note: "), plain(note)])?;
    }
    let claims = &about.claims;
    output.data(&[plain(format!(
        "claims: {} made, {} verified, {} fixed, {} removed, {} unverified",
        claims.made, claims.verified, claims.fixed, claims.removed, claims.unverified
    ))])?;
    for problem in &claims.problems {
        let now = problem
            .now
            .as_deref()
            .map_or("taken out".to_owned(), |now| format!("now {now}"));
        output.data(&[
            faint("  "),
            plain(format!("{}: {}; {now}", problem.claim, problem.why)),
        ])?;
    }
    let grades = metadata.history.get(agent).into_iter().flatten();
    let grades: Vec<String> = grades.map(|it| format!("{it:.0}")).collect();
    if !grades.is_empty() {
        output.data(&[faint(format!("grades of runs: {}", grades.join(", ")))])?;
    }
    Ok(())
}
