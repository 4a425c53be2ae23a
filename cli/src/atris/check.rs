//! `superstep atris check`: how questions are read, compared with what they mean.

use std::path::{Path, PathBuf};

use superstep_agent::Console as _;
use superstep_atris::labeled::{LabelCheck, Labeled, Verdict, score_notice};
use superstep_fake_audius::{FakeAudius, Options};

use super::options;
use crate::{app::App, console::TerminalConsole, error::Error, files};

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
    let check = LabelCheck::new(model, fake.address());
    let mut is_right = true;
    for (file, questions) in &sets {
        let mut verdicts = Vec::new();
        for label in questions {
            let checked = tokio::select! {
                checked = check.question(label) => checked?,
                () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
            };
            verdicts.push(checked.verdict);
            if !counts {
                TerminalConsole::new(app).show(&checked.notice())?;
            }
        }
        is_right &= verdicts.iter().all(|it| *it == Verdict::Right);
        TerminalConsole::new(app).show(&score_notice(file, &verdicts))?;
    }
    match is_right {
        true => Ok(()),
        false => Err(Error::Reported { exit: 1 }),
    }
}

fn read(file: &Path) -> Result<(String, Vec<Labeled>), Error> {
    let name = file.display().to_string();
    let text = files::text(file)?;
    let questions = serde_json::from_str(&text);
    let questions = questions.map_err(|error| Error::Usage(format!("{name}: {error}")))?;
    Ok((name, questions))
}
