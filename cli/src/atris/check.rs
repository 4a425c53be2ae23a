//! `superstep atris check`: how questions are read, compared with what they mean.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::{Backends, MemorySaver, Secret};
use superstep_atris::{
    Atris, Settings,
    labeled::{self, Labeled, Verdict},
};
use superstep_fake_audius::{FakeAudius, Options};

use super::options;
use crate::{
    app::App,
    error::Error,
    files,
    output::{Form, Output, bad, faint, plain, strong},
};

/// The token of orders that are read; it goes to the fake alone.
const TOKEN: &str = "token-of-nobody";

pub(super) async fn run(
    files: &[PathBuf],
    no_model: bool,
    counts: bool,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let sets = files.iter().map(|file| read(file));
    let sets: Vec<(String, Vec<Labeled>)> = sets.collect::<Result<_, Error>>()?;
    let model = match no_model {
        true => None,
        false => options::model(app).await?,
    };
    let fake = FakeAudius::start(Options::default()).await?;
    let mut settings = Settings::default();
    settings.client.hosts = vec![fake.address()];
    settings.role = options::reader(model.as_deref());
    let mut wrong = 0;
    for (file, questions) in &sets {
        let mut verdicts = Vec::new();
        for label in questions {
            // A thread that nobody keeps.
            let backends = Backends::on(MemorySaver::default());
            // An order is read with writes switched on; none is made, as nobody approves it.
            settings.writes = label.is_order();
            settings.client.token = settings.writes.then(|| Secret::from(TOKEN));
            let agent = Atris::new(model.clone(), settings.clone(), backends)?;
            let read = tokio::select! {
                read = labeled::read(&agent, "check", &label.question) => read?,
                () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
            };
            let faults = read.faults(label);
            verdicts.push(read.verdict(label));
            if !counts {
                one(label, &faults, app.output)?;
            }
        }
        let count = |wanted: Verdict| verdicts.iter().filter(|it| **it == wanted).count();
        let [right, refused, told, silent] = [
            Verdict::Right,
            Verdict::Refused,
            Verdict::Told,
            Verdict::Silent,
        ]
        .map(count);
        let all = questions.len();
        wrong += all - right;
        match app.output.form {
            Form::Json => app.output.json(&json!({
                "file": file, "right": right, "all": all,
                "refused": refused, "told": told, "silent": silent,
            }))?,
            Form::Text => {
                let count = strong(format!("{right} of {all}"));
                let mut line = format!(" right in {file}");
                if right < all {
                    line.push_str(&format!(
                        "; of the others {refused} refused, {told} misread with a remark, {silent} without"
                    ));
                }
                app.output.data(&[count, plain(line)])?;
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Error::Reported { exit: 1 }),
    }
}

fn read(file: &Path) -> Result<(String, Vec<Labeled>), Error> {
    let name = file.display().to_string();
    let text = files::text(file)?;
    let questions = serde_json::from_str(&text);
    let questions = questions.map_err(|error| Error::Usage(format!("{name}: {error}")))?;
    Ok((name, questions))
}

/// What is wrong with the reading of a question.
fn one(label: &Labeled, faults: &[String], output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&json!({"question": label.question, "faults": faults}));
    }
    if faults.is_empty() {
        output.say(&[faint(format!("right: {}", label.question))]);
        return Ok(());
    }
    output.data(&[bad("wrong: "), plain(&label.question)])?;
    for fault in faults {
        output.data(&[faint("  "), plain(fault)])?;
    }
    Ok(())
}
