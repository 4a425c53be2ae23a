//! `superstep new NAME`: a project with an agent of its own, whose program is the example `poet`; `superstep new --agent FILE`: an
//! agent without Rust.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    agent_files,
    agents::Agent,
    args::NewArgs,
    error::{Error, FileError},
    output::{Output, code, faint, plain, strong},
    private, shell_words,
};

/// The program; the tests of superstep run it.
const PROGRAM: &str = include_str!("../examples/poet.rs");

/// The name that the project's own takes the place of.
const EXAMPLE: &str = "poet";

/// Names that Cargo refuses for a package, and those of its dependencies.
const RESERVED: [&str; 56] = [
    "abstract", "as", "async", "await", "become", "box", "break", "build", "const", "continue",
    "core", "crate", "deps", "do", "dyn", "else", "enum", "examples", "extern", "false", "final",
    "fn", "for", "gen", "if", "impl", "in", "incremental", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "proc-macro", "pub", "ref", "return", "self", "serde",
    "static", "std", "struct", "super", "superstep", "test", "tokio", "trait", "true", "try",
    "type", "unsafe", "use",
];

/// The first lines of the program.
const HEAD: &str = "\
//! An agent of your own with the whole command line of superstep:
//!
//! ```sh
//! cargo run -- run NAME the sea
//! cargo run -- threads list
//! cargo run -- serve
//! ```
//!
//! `cargo test` runs it without a model and without a network.
";

pub(crate) fn run(what: &NewArgs, output: &Output) -> Result<(), Error> {
    if let Some(file) = &what.agent {
        return write_file(file, output);
    }
    let name = checked(what.name.as_deref().unwrap_or_default())?;
    let manifest = manifest(name, what.superstep.as_deref())?;
    let folder = PathBuf::from(name);
    fs::create_dir(&folder)
        .map_err(|error| Error::Usage(format!("the folder `{name}` cannot be made: {error}")))?;
    fs::create_dir(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/main.rs"), program(name))?;
    fs::write(folder.join(".gitignore"), "/target\n")?;
    output.data(&[strong(format!("{name}/src/main.rs"))])?;
    output.say(&[
        plain("run it: "),
        code(format!("cd {name} && cargo run -- run {name} the sea")),
    ]);
    output.say(&[faint("its test: "), faint("cargo test")]);
    Ok(())
}

/// Writes an agent without Rust, called like its file if that is a name for one.
fn write_file(file: &Path, output: &Output) -> Result<(), Error> {
    let stem = file
        .file_stem()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let text = match checked(stem) {
        Ok(name) => agent_files::TEMPLATE.replace("my-agent", name),
        Err(_) => agent_files::TEMPLATE.to_owned(),
    };
    private::refuse_existing(file)?;
    fs::write(file, text).map_err(|error| FileError::not_written(file, error))?;
    output.data(&[strong(file.display())])?;
    let line = shell_words::quoted(&file.display().to_string());
    output.say(&[
        plain("run it: "),
        code(format!("superstep run {line} 'Hello'")),
    ]);
    Ok(())
}

/// A name that is one for a crate, an agent and a folder.
fn checked(name: &str) -> Result<&str, Error> {
    let mut letters = name.chars();
    let is_first = letters.next().is_some_and(|it| it.is_ascii_lowercase());
    let is_rest = letters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-');
    if !(is_first && is_rest) {
        let why =
            "a name starts with a lowercase letter and has only lowercase letters, digits and `-`";
        return Err(Error::Usage(why.into()));
    }
    let is_taken = Agent::all().iter().any(|it| it.card().has_graph(name));
    match is_taken || RESERVED.contains(&name) {
        true => Err(Error::Usage(format!(
            "`{name}` is the name of an agent, of a dependency or of the language; choose another one"
        ))),
        false => Ok(name),
    }
}

fn manifest(name: &str, superstep: Option<&Path>) -> Result<String, Error> {
    let version = env!("CARGO_PKG_VERSION");
    let place = |folder: &str| match superstep {
        None => Ok::<_, Error>(format!("\"{version}\"")),
        Some(checkout) => {
            let path = fs::canonicalize(checkout.join(folder)).map_err(|error| {
                let checkout = checkout.display();
                Error::Usage(format!("`{checkout}` is no checkout of superstep: {error}"))
            })?;
            let path = path.display().to_string();
            let path = serde_json::to_string(&path).map_err(std::io::Error::from)?;
            Ok(format!("{{ path = {path} }}"))
        }
    };
    Ok(format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\
         superstep = {}\nsuperstep-agent = {}\nsuperstep-cli = {}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n",
        place("crates/superstep")?,
        place("crates/superstep-agent")?,
        place("cli")?,
    ))
}

fn program(name: &str) -> String {
    let lines = PROGRAM.lines().skip_while(|line| line.starts_with("//!"));
    let body = lines.collect::<Vec<_>>().join("\n");
    let quoted = |name: &str| format!("\"{name}\"");
    let body = body.replace(&quoted(EXAMPLE), &quoted(name));
    format!("{}{body}\n", HEAD.replace("NAME", name))
}
