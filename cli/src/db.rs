//! `superstep db`: integrity check, backup, compaction, encryption.

#[cfg(feature = "encryption")]
mod encrypt;

use std::path::Path;

use serde_json::json;
use superstep::{
    SaverError,
    sqlite::{Database, OpenMode},
};

use crate::{
    app::App,
    args::DbCommand,
    database,
    error::Error,
    output::{Form, bad, count, faint, good, plain, strong},
    private,
};

pub(crate) async fn run(command: DbCommand, app: &App<'_>) -> Result<(), Error> {
    match command {
        DbCommand::Check { quick } => check(quick, app).await,
        DbCommand::Backup { file } => backup(&file, app).await,
        DbCommand::Compact => compact(app).await,
        #[cfg(feature = "encryption")]
        DbCommand::Encrypt { file, key_file } => encrypt::run(&file, &key_file, app).await,
    }
}

async fn check(quick: bool, app: &App<'_>) -> Result<(), Error> {
    let database = database::existing(app.global, OpenMode::ReadOnly)?;
    let report = match quick {
        true => database.quick_check().await?,
        false => database.check().await?,
    };
    let path = database.path().display();
    let found = report.problems.len() + report.unlisted;
    if app.output.form == Form::Json {
        let problems = report.problems.iter();
        let problems: Vec<_> = problems
            .map(|problem| json!({"place": problem.place, "what": problem.what}))
            .collect();
        app.output.json(&json!({
            "path": path.to_string(), "clean": report.is_clean(), "threads": report.threads,
            "rows": report.rows, "events": report.entries, "texts": report.blobs,
            "memories": report.items, "files": report.files,
            "problems": problems, "unlisted": report.unlisted,
        }))?;
    } else if report.is_clean() {
        let threads = count(report.threads, "thread");
        let rows = count(report.rows, "record");
        let items = count(report.items, "item") + " of memory";
        let files = count(report.files, "file");
        app.output.data(&[
            good("ok  "),
            strong(path),
            faint(format!("  {threads}, {rows}, {items}, {files}")),
        ])?;
    } else {
        for problem in &report.problems {
            app.output.data(&[bad("damaged  "), plain(problem)])?;
        }
    }
    match found {
        0 => Ok(()),
        _ => Err(Error::Damaged {
            found: count(found, "problem"),
        }),
    }
}

async fn backup(file: &Path, app: &App<'_>) -> Result<(), Error> {
    private::refuse_existing(file)?;
    let path = match database::existing(app.global, OpenMode::ReadOnly) {
        Ok(database) => {
            database.backup(file).await?;
            database.path().to_owned()
        }
        // A backup is what is wanted before a new format, not after it.
        Err(Error::Saver(SaverError::Older { .. })) => {
            let path = database::path(app.global)?.value;
            Database::backup_as_is(&path, file)?;
            path
        }
        Err(error) => return Err(error),
    };
    let bytes = std::fs::metadata(file)?.len();
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "path": path.display().to_string(), "backup": file.display().to_string(),
            "bytes": bytes,
        }));
    }
    app.output.data(&[plain(file.display())])?;
    let size = megabytes(bytes);
    app.output
        .say(&[faint(format!("checked and fsync'd, {size}"))]);
    Ok(())
}

async fn compact(app: &App<'_>) -> Result<(), Error> {
    let database = database::existing(app.global, OpenMode::Existing)?;
    let before = database.size()?;
    let pages = database.compact().await?;
    let after = database.size()?;
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "path": database.path().display().to_string(), "pages": pages,
            "bytes_before": before, "bytes_after": after,
        }));
    }
    let (before, after) = (megabytes(before), megabytes(after));
    let line = format!("{pages} pages returned: {before} before, {after} now");
    app.output.say(&[plain(line)]);
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
