//! A machine with nothing on it: a home, a folder to work in, and the binary.
//!
//! What a command printed is compared with a file of `tests/snapshots`; run the tests with
//! `BLESS=1` to write them anew, and read the difference.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value as Json;

/// A machine of a test's own.
pub(crate) struct TestEnv {
    folder: tempfile::TempDir,
    vars: Vec<(String, String)>,
    /// What a shell does before the command.
    first: Option<String>,
    /// The program; `superstep` by default.
    program: PathBuf,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    line: String,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            vars: Vec::new(),
            first: None,
            program: env!("CARGO_BIN_EXE_superstep").into(),
        }
        .with("SUPERSTEP_OLLAMA", "")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A machine whose commands are those of another program.
    pub(crate) fn of_program(mut self, program: PathBuf) -> Self {
        self.program = program;
        self
    }

    /// Another machine with the same files.
    #[cfg(unix)]
    pub(crate) fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            copy(&self.path(name), &folder.path().join(name));
        }
        Self {
            folder,
            vars: self.vars.clone(),
            first: self.first.clone(),
            program: self.program.clone(),
        }
    }

    /// A env whose commands run under this umask.
    pub(crate) fn with_umask(mut self, umask: &str) -> Self {
        self.first = Some(format!("umask {umask}"));
        self
    }

    /// A env whose commands get no more memory than so many MiB.
    #[cfg(unix)]
    pub(crate) fn with_memory(mut self, mebibytes: usize) -> Self {
        self.first = Some(format!("ulimit -v {}", mebibytes * 1024));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        // Whatever the umask is, a project is its owner's alone.
        if path.ends_with("superstep.toml") {
            mode(&path, 0o644);
            mode(path.parent().unwrap(), 0o755);
        }
    }

    /// A folder with documents, `work/docs`.
    pub(crate) fn with_documents(self) -> Self {
        self.write(
            "work/docs/plan.md",
            "# Plan\nOne ledger holds all payments.\n",
        );
        self.write("work/docs/deep/notes.txt", "Tom wants two services.\n");
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with(line, "")
    }

    /// Runs a command whose words may be empty or have spaces.
    pub(crate) fn run_words(&self, words: &[&str]) -> Ran {
        let output = self.command("").args(words).output().unwrap();
        self.ran(&words.join(" "), output)
    }

    /// Runs a command line, words apart by spaces, with that on stdin.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Ran {
        let mut child = self.command(line).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that does not read its input may have ended.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        self.ran(line, child.wait_with_output().unwrap())
    }

    /// What a shell is offered for the last of these words.
    pub(crate) fn complete(&self, words: &[&str]) -> String {
        let mut command = self.command("");
        let last = words.len() - 1;
        command
            .env("COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", last.to_string())
            .env("_CLAP_COMPLETE_COMP_TYPE", "9")
            .env("_CLAP_COMPLETE_SPACE", "false")
            .env("_CLAP_IFS", "\n")
            .arg("--")
            .args(words);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    /// A command line for a shell, which has the program and its words as `"$0"` and `"$@"`.
    pub(crate) fn in_shell(&self, script: &str, line: &str) -> Command {
        let wanted = self.command(line);
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .arg(wanted.get_program())
            .args(wanted.get_args())
            .env_clear()
            .current_dir(wanted.get_current_dir().unwrap());
        for (name, value) in wanted.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let words = line.split_whitespace();
        let words = words.map(|word| word.replace("FIXTURES", fixtures.to_str().unwrap()));
        let mut command = Command::new(&self.program);
        if let Some(first) = &self.first {
            command = Command::new("sh");
            command.args(["-c", &format!("{first}; exec \"$BINARY\" \"$@\""), "sh"]);
        }
        command
            .args(words)
            .env_clear()
            .env("BINARY", &self.program)
            .env("HOME", self.path("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What is equal on every machine.
    fn ran(&self, line: &str, output: Output) -> Ran {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let here = self.folder.path().canonicalize().unwrap();
        let plain = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            let text = text.replace(fixtures.to_str().unwrap(), "FIXTURES");
            let text = text.replace(here.to_str().unwrap(), "HERE");
            text.replace(self.folder.path().to_str().unwrap(), "HERE")
        };
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: plain(output.stdout),
            stderr: plain(output.stderr),
            line: line.to_owned(),
        }
    }
}

/// Copies a thread as another program might, under any name.
pub(crate) fn copy_thread(database: &Path, from: &str, to: &str) {
    let database = superstep::sqlite::Database::open(database).unwrap();
    let saver = database.saver();
    let copied = superstep::Saver::copy(&saver, &from.into(), &to.into());
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().unwrap();
    runtime.block_on(copied).unwrap();
}

/// Sets who may do what.
pub(crate) fn mode(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
}

impl Ran {
    /// The thread it told about.
    pub(crate) fn thread(&self) -> String {
        let in_event = |line| {
            let event: Json = serde_json::from_str(line).ok()?;
            let is_thread = event["event"] == "thread";
            let thread = event["thread"].as_str().filter(|_| is_thread)?;
            Some(thread.to_owned())
        };
        thread_in(&self.stderr)
            .or_else(|| self.stdout.lines().find_map(in_event))
            .unwrap_or_else(|| panic!("no thread in {}", self.stderr))
    }

    /// The lines of stdout, each JSON.
    pub(crate) fn events(&self) -> Vec<Json> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        self.stdout.lines().map(read).collect()
    }

    /// Compares all that was printed with a file.
    pub(crate) fn is_like(&self, name: &str) -> &Self {
        let message = format!(
            "$ superstep {}\nexit {}\n--- stdout\n{}--- stderr\n{}",
            self.line,
            self.code,
            nameless(&times(&self.stdout)),
            nameless(&times(&self.stderr))
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/snapshots")
            .join(format!("{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &message).unwrap();
        }
        let wanted = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(message, wanted, "differs from {}", path.display());
        self
    }
}

#[cfg(unix)]
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, entry) = entry.map(|it| (it.path(), it)).unwrap();
        let to = to.join(entry.file_name());
        match path.is_dir() {
            true => copy(&path, &to),
            false => fs::copy(&path, &to).map(|_| ()).unwrap(),
        }
    }
}

/// The first name of a thread in a text.
pub(crate) fn thread_in(text: &str) -> Option<String> {
    let agents = ["thread archie-", "thread clerk-", "thread sheets-"];
    let start = agents.iter().find_map(|agent| text.find(agent))? + "thread ".len();
    let name = text[start..].split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    name.into_iter().next().map(str::to_owned)
}

/// Names of threads become `archie-ID`: they differ from run to run.
fn nameless(text: &str) -> String {
    const ID: usize = 6;
    let mut parts = text.split("archie-");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_id = |id: &str| id.chars().all(|c| c.is_ascii_alphanumeric());
        match part.split_at_checked(ID) {
            Some((id, rest)) if is_id(id) => plain.push_str(&format!("archie-ID{rest}")),
            _ => plain.push_str(&format!("archie-{part}")),
        }
    }
    plain
}

/// Numbers of seconds and speeds become `T`: they differ from run to run.
fn times(text: &str) -> String {
    let mut plain = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line.to_owned();
        for unit in [" s", " tok/s"] {
            while let Some(at) = rest.match_indices(unit).map(|(at, _)| at).find(|at| {
                let before = &rest[..*at];
                let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                before.len() > number.len()
            }) {
                let before = rest[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                rest = format!("{before}T{}", &rest[at..]);
            }
        }
        // A speed is only there if it can be measured.
        rest = rest.replace(" · T tok/s", "");
        match serde_json::from_str::<Json>(rest.trim_end()) {
            Ok(json @ Json::Object(_)) => plain.push_str(&format!("{}\n", timeless(json))),
            _ => plain.push_str(&rest),
        }
    }
    plain
}

/// JSON without times, its keys sorted: their order depends on what else is built.
fn timeless(json: Json) -> Json {
    const TIMES: [&str; 3] = ["seconds", "first_seconds", "tokens_per_second"];
    match json {
        Json::Object(fields) => {
            let mut fields: Vec<(String, Json)> = fields.into_iter().collect();
            fields.retain(|(key, _)| !TIMES.contains(&key.as_str()));
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            let fields = fields.into_iter();
            Json::Object(fields.map(|(key, value)| (key, timeless(value))).collect())
        }
        Json::Array(items) => items.into_iter().map(timeless).collect(),
        other => other,
    }
}
