//! `superstep atris check`: how questions are read, compared with what they mean.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::{Backends, MemorySaver};
use superstep_atris::{
    Atris, Settings,
    labelled::{self, Labelled},
};
use superstep_fake_audius::{FakeAudius, Options};

use super::options;
use crate::{
    app::App,
    error::Error,
    files,
    output::{Form, Output, bad, faint, plain, strong},
};

pub(super) async fn run(
    files: &[PathBuf],
    no_model: bool,
    counts: bool,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let sets = files.iter().map(|file| read(file));
    let sets: Vec<(String, Vec<Labelled>)> = sets.collect::<Result<_, Error>>()?;
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
        let mut right = 0;
        for label in questions {
            // A thread that nobody keeps.
            let backends = Backends::on(MemorySaver::default());
            let agent = Atris::new(model.clone(), settings.clone(), backends)?;
            let read = tokio::select! {
                read = labelled::read(&agent, "check", &label.question) => read?,
                () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
            };
            let faults = read.faults(label);
            right += usize::from(faults.is_empty());
            if !counts {
                one(label, &faults, app.output)?;
            }
        }
        wrong += questions.len() - right;
        let all = questions.len();
        match app.output.form {
            Form::Json => app
                .output
                .json(&json!({"file": file, "right": right, "all": all}))?,
            Form::Text => {
                let count = strong(format!("{right} of {all}"));
                app.output
                    .data(&[count, plain(format!(" right in {file}"))])?;
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Error::Reported { exit: 1 }),
    }
}

fn read(file: &Path) -> Result<(String, Vec<Labelled>), Error> {
    let name = file.display().to_string();
    let text = files::text(file)?;
    let questions = serde_json::from_str(&text);
    let questions = questions.map_err(|error| Error::Usage(format!("{name}: {error}")))?;
    Ok((name, questions))
}

/// What is wrong with the reading of a question.
fn one(label: &Labelled, faults: &[String], output: &Output) -> Result<(), Error> {
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
