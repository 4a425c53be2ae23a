//! `superstep doctor`: checks of this machine, with hints.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::json;
use superstep::{
    SaverError,
    model::{
        ErrorKind,
        config::PROJECT_FILE,
        did_you_mean,
        select::{DataOwner, Outcome},
    },
    sqlite::OpenMode,
};
use superstep_sheets::sandbox::Availability;

use crate::{
    app::App,
    args::{AccountArgs, Global},
    database, dirs, environment,
    error::Error,
    mail,
    output::{Form, Output, bad, count, faint, good, plain, strong},
    private::{self, Loose},
    settings, sheet, trust,
};

/// Result of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Good,
    /// Missing, which is not an error.
    Absent,
    /// It works, but needs attention.
    Warning,
    Broken,
}

/// One line of the report.
struct Finding {
    what: &'static str,
    health: Health,
    text: String,
    hint: Option<String>,
}

impl Finding {
    fn good(what: &'static str, text: impl Into<String>) -> Self {
        Self {
            what,
            health: Health::Good,
            text: text.into(),
            hint: None,
        }
    }

    fn absent(what: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            health: Health::Absent,
            hint: Some(hint.into()),
            ..Self::good(what, text)
        }
    }

    fn warning(what: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            health: Health::Warning,
            ..Self::absent(what, text, hint)
        }
    }

    fn broken(what: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            health: Health::Broken,
            ..Self::absent(what, text, hint)
        }
    }
}

pub(crate) async fn run(app: &App<'_>) -> Result<(), Error> {
    let mut findings = vec![build(), machine()];
    findings.extend(clock());
    let settings = settings(app.global);
    // What a broken file breaks is said once.
    let is_readable = environment::load(app.global).is_ok();
    let is_usable = settings.iter().all(|it| it.health != Health::Broken);
    findings.extend(settings);
    findings.push(rights(app.global));
    findings.extend(places(app.global));
    if is_readable {
        findings.extend(project(app.global));
        findings.push(storage(app.global).await);
        findings.extend(model(app.global).await);
    }
    if is_usable {
        findings.extend(mail_account(app.global));
    }
    findings.push(weights_here());
    findings.extend(sandboxes().await);
    for finding in &findings {
        tell(finding, app.output)?;
    }
    let broken = findings.iter().filter(|it| it.health == Health::Broken);
    match broken.count() {
        0 => Ok(()),
        failed => Err(Error::Checks {
            failed,
            all: findings.len(),
        }),
    }
}

fn tell(finding: &Finding, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        let health = match finding.health {
            Health::Good => "good",
            Health::Absent => "absent",
            Health::Warning => "warning",
            Health::Broken => "broken",
        };
        return output.json(&json!({
            "check": finding.what, "health": health, "text": finding.text, "told": finding.text,
            "hint": finding.hint,
        }));
    }
    let mark = match finding.health {
        Health::Good => good("ok  "),
        Health::Absent => faint("-   "),
        Health::Warning => bad("!   "),
        Health::Broken => bad("bad "),
    };
    let what = format!("{:<10}", finding.what);
    output.data(&[mark, strong(what), plain(&finding.text)])?;
    if let Some(hint) = &finding.hint {
        output.data(&[faint(format!("              {hint}"))])?;
    }
    Ok(())
}

fn build() -> Finding {
    let parts = [
        ("remote models", cfg!(feature = "remote")),
        ("local model", cfg!(feature = "local")),
    ];
    let parts = parts.map(|(name, is_in)| match is_in {
        true => name.to_owned(),
        false => format!("no {name}"),
    });
    let version = env!("CARGO_PKG_VERSION");
    let kind = if cfg!(debug_assertions) {
        ", debug build"
    } else {
        ""
    };
    Finding::good("build", format!("{version}, {}{kind}", parts.join(", ")))
}

fn machine() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut text = format!("{system} {arch}, {cores} cores");
    let Some(free) = free_memory() else {
        return Finding::good("machine", text);
    };
    text.push_str(&format!(", {:.1} GB of memory free", free as f64 / 1e9));
    // What the default model needs, with some room.
    if free < 1_500_000_000 {
        return Finding::absent(
            "machine",
            text,
            "the local default model needs 1.5 GB: `superstep model pull tiny` downloads a smaller one",
        );
    }
    Finding::good("machine", text)
}

/// Available memory, where the system reports it.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024)
}

/// Checkpoints are ordered by the clock, so a clock that is far behind is an error.
fn clock() -> Option<Finding> {
    const BUILT_AFTER: Duration = Duration::from_secs(1_767_225_600);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    match now.unwrap_or_default() {
        now if now > BUILT_AFTER => None,
        _ => Some(Finding::broken(
            "clock", "is before 2026", "set the time of this machine",
        )),
    }
}

/// How to correct a setting, by the file that an error names.
fn correct(error: &Error) -> &'static str {
    match error.to_string().contains(PROJECT_FILE) {
        true => "correct it in the project's file; commands that need no settings work",
        false => "`superstep config edit` opens your file",
    }
}

/// The files, or each setting that a command would refuse.
fn settings(global: &Global) -> Vec<Finding> {
    let finding = match environment::load(global) {
        Ok(environment) if environment.config.files.is_empty() => {
            let place = environment::user_file().map(|path| path.display().to_string());
            let hint = format!("yours would be {}", place.unwrap_or_default());
            Finding::absent("settings", "no file", hint)
        }
        Ok(environment) => {
            let problems = settings::problems(&environment.config);
            if !problems.is_empty() {
                let broken = |it: &Error| Finding::broken("settings", it.to_string(), correct(it));
                return problems.iter().map(broken).collect();
            }
            let files = environment.config.files.iter();
            let files: Vec<_> = files.map(|file| file.path.display().to_string()).collect();
            Finding::good("settings", files.join(", "))
        }
        Err(error) => Finding::broken("settings", error.to_string(), correct(&error)),
    };
    vec![finding]
}

/// Whether the project's file is in force.
fn project(global: &Global) -> Option<Finding> {
    let project = environment::load(global).ok()?.config.project?;
    // Refused by whatever uses it, with or without a consent.
    if let Some(error) = trust::outside(&project).into_iter().next() {
        let hint = error.hint().unwrap_or("correct the file");
        let text = format!("{} is refused: {error}", project.path.display());
        return Some(Finding::broken("project", text, hint));
    }
    let text = format!(
        "{}: {}",
        project.path.display(),
        trust::state(project.trust)
    );
    Some(match project.trust.is_in_force() {
        true => Finding::good("project", text),
        false => Finding::absent(
            "project",
            format!("{text}, not in force"),
            "`superstep trust` shows what it asks for",
        ),
    })
}

/// Whether others on this machine can read what is kept.
fn rights(global: &Global) -> Finding {
    let database = database::path(global).ok().map(|setting| setting.value);
    let loose = private::loose(database.as_deref());
    if loose.is_empty() {
        return Finding::good("privacy", "private to you");
    }
    let shown = |it: &Loose| format!("{} ({:03o})", it.path.display(), it.mode);
    let shown: Vec<String> = loose.iter().map(shown).collect();
    Finding::warning(
        "privacy",
        format!(
            "other users of this machine can access {}",
            shown.join(", ")
        ),
        "if that is not intended: `chmod go= FILE`",
    )
}

async fn storage(global: &Global) -> Finding {
    let path = match database::path(global) {
        Ok(path) => path.value,
        Err(error) => return Finding::broken("database", error.to_string(), "use --db"),
    };
    let shown = path.display().to_string();
    let checked = async {
        let database = database::open(&path, OpenMode::ReadOnly)?;
        let report = database.quick_check().await?;
        let threads = superstep::Saver::threads(&database.saver()).await?;
        Ok::<_, Error>((report.is_clean(), threads.len(), database.size()?))
    };
    match checked.await {
        Ok((true, threads, bytes)) => {
            let size = bytes as f64 / 1e6;
            Finding::good(
                "database",
                format!("{shown}: {}, {size:.1} MB", count(threads, "thread")),
            )
        }
        Ok((false, ..)) => Finding::broken(
            "database",
            format!("{shown} is damaged"),
            "restore a backup; see docs/sqlite.md",
        ),
        Err(Error::Saver(SaverError::Missing(_))) => Finding::absent(
            "database",
            format!("{shown}: does not exist"),
            "the first run creates it",
        ),
        Err(error) => {
            let hint = error
                .hints()
                .first()
                .copied()
                .unwrap_or("use another with --db");
            Finding::broken("database", format!("{shown}: {error}"), hint)
        }
    }
}

/// Which model would answer, whether its key can be read, and whether its provider answers.
async fn model(global: &Global) -> Vec<Finding> {
    let resolution = match environment::choose(global, None, &DataOwner::Project).await {
        Ok(resolution) => resolution,
        // That nobody decided yet is no fault.
        Err(Error::Model(error)) if matches!(error.kind(), ErrorKind::Untrusted { .. }) => {
            let hint = error.hint().unwrap_or_default();
            return vec![Finding::absent("model", error.to_string(), hint)];
        }
        Err(error) => {
            return vec![Finding::broken(
                "model",
                error.to_string(),
                "see `superstep model show`",
            )];
        }
    };
    let Outcome::Chosen(choice) = &resolution.outcome else {
        let hint = "`superstep model pull` downloads one, `superstep login anthropic` stores a key";
        return vec![Finding::absent("model", "none", hint)];
    };
    let place = match choice.leaves() {
        Some(host) => format!("content goes to {host}"),
        None => "content stays on this machine".to_owned(),
    };
    let mut found = vec![Finding::good("model", format!("{}, {place}", choice.spec))];
    if choice.origin.is_project() {
        found.push(for_mail(global).await);
    }
    match choice.key.read(&choice.spec.provider) {
        Ok(Some(_)) => found.push(Finding::good("key", format!("there: {}", choice.key))),
        Ok(None) => {}
        Err(error) => {
            found.push(Finding::broken("key", error.to_string(), "set it"));
            return found;
        }
    }
    #[cfg(feature = "remote")]
    if choice.base.is_some() {
        found.push(provider(choice).await);
    }
    found
}

/// Which model mail goes to where a project chose another one.
async fn for_mail(global: &Global) -> Finding {
    let why = mail::NOT_OF_PROJECT;
    let content = DataOwner::Elsewhere(why.into());
    let resolution = environment::choose(global, None, &content).await;
    let chosen = resolution.and_then(|it| Ok(it.choice()?.spec.to_string()));
    match chosen {
        Ok(spec) => Finding::good("mail", format!("{spec}: {why}, so its model is not used")),
        Err(_) => Finding::absent(
            "mail",
            format!("no model: {why}, so its model is not used"),
            "set `model` in your config.toml, or use --model",
        ),
    }
}

/// Whether the provider answers and takes the key: it is asked for the names of its models.
#[cfg(feature = "remote")]
async fn provider(choice: &superstep::model::select::Choice) -> Finding {
    match choice.models().await {
        Ok(models) => {
            let (name, all) = (choice.spec.name.as_deref(), models.len());
            // Names without a date or a tag stand for the newest one.
            let is_there = |name: &str| models.iter().any(|it| it.name.starts_with(name));
            match name.filter(|name| all > 0 && !is_there(name)) {
                None => Finding::good("provider", format!("answers, {}", count(all, "model"))),
                Some(name) => {
                    let near = did_you_mean::hint(name, models.iter().map(|it| it.name.as_str()));
                    let provider = &choice.spec.provider;
                    let text = format!("{provider} does not list a model `{name}`{near}");
                    let hint = format!("`superstep model list {provider}` lists them");
                    Finding::warning("provider", text, hint)
                }
            }
        }
        Err(error) => {
            let hint = error.hint().unwrap_or("see `superstep model show`");
            Finding::broken("provider", error.to_string(), hint)
        }
    }
}

fn weights_here() -> Finding {
    let cached = superstep::model::providers().weights();
    if cached.is_empty() {
        let hint = "`superstep model pull` downloads them";
        return Finding::absent("weights", "none in the cache", hint);
    }
    let names: Vec<&str> = cached.keys().map(String::as_str).collect();
    Finding::good("weights", names.join(", "))
}

/// Sandboxes for programs on workbooks: each runs one program before it counts as good.
async fn sandboxes() -> Vec<Finding> {
    let all = match sheet::tried().await {
        Ok(all) => all,
        Err(error) => {
            let hint = "programs on workbooks cannot be run";
            return vec![Finding::broken("sandbox", error.to_string(), hint)];
        }
    };
    let tell = |(name, availability): (&str, Availability)| match availability {
        Availability::Ready { contained_by } => {
            Finding::good("sandbox", format!("{name}: {}", contained_by.join(", ")))
        }
        Availability::Missing { why } => Finding::absent(
            "sandbox",
            format!("{name}: {why}"),
            "programs on workbooks use `embedded`; see docs/sandbox.md",
        ),
    };
    all.into_iter().map(tell).collect()
}

/// Whether the folders that are written to can be, and have room.
fn places(global: &Global) -> Vec<Finding> {
    let mut wanted = vec![("state", dirs::state(), Health::Warning)];
    if let Ok(database) = database::path(global) {
        let folder = database.value.parent().map(Path::to_owned);
        wanted.insert(0, ("data", folder, Health::Broken));
    }
    let mut found = Vec::new();
    for (what, folder, health) in wanted {
        let Some(folder) = folder else {
            found.push(Finding::absent(
                what, "no home folder", "set HOME: nothing is kept",
            ));
            continue;
        };
        let folder = match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder,
        };
        // Nothing is made here: a folder that is missing is made below the nearest one that is there.
        let nearest = folder.ancestors().find(|place| place.exists());
        match nearest.filter(|place| is_writable(place)) {
            Some(place) => found.extend(room(what, place)),
            None => found.push(Finding {
                health,
                ..Finding::broken(
                    what,
                    format!("{} cannot be written to", folder.display()),
                    "check its permissions, or name another database with --db",
                )
            }),
        }
    }
    found
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    folder.is_dir() && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|it| it.is_dir() && !it.permissions().readonly())
}

/// Whether a disk has room for some more threads.
#[cfg(unix)]
fn room(what: &'static str, folder: &Path) -> Option<Finding> {
    const ENOUGH: u64 = 200_000_000;
    let about = rustix::fs::statvfs(folder).ok()?;
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    let text = format!("{}: {} MB free", folder.display(), free / 1_000_000);
    (free < ENOUGH).then(|| Finding::warning(what, text, "make room on this disk"))
}

#[cfg(not(unix))]
fn room(_: &'static str, _: &Path) -> Option<Finding> {
    None
}

/// The mail account of the settings, if there is one; it is not opened.
fn mail_account(global: &Global) -> Option<Finding> {
    let config = environment::load(global).ok()?.config;
    if config.agent("mail").is_empty() {
        return None;
    }
    Some(match mail::account::read(&AccountArgs::default(), global) {
        Ok(account) => match account.missing_folder() {
            None => Finding::good("account", account.about()),
            Some(folder) => Finding::broken(
                "account",
                format!("there is no folder {}", folder.display()),
                "make it, or `superstep config set agents.mail.folder DIR`",
            ),
        },
        Err(error) => {
            let hint = error
                .hints()
                .first()
                .copied()
                .unwrap_or_else(|| correct(&error));
            Finding::broken("account", error.to_string(), hint)
        }
    })
}
