//! `superstep new NAME`: a project with an agent of its own. Its program is the example `poet`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    args::NewArgs,
    error::Error,
    output::{Output, code, faint, plain, strong},
};

/// The program; the tests of superstep run it.
const PROGRAM: &str = include_str!("../examples/poet.rs");

/// The name that the project's own takes the place of.
const EXAMPLE: &str = "poet";

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
    let name = checked(&what.name)?;
    let folder = PathBuf::from(name);
    fs::create_dir(&folder)
        .map_err(|error| Error::Usage(format!("the folder `{name}` cannot be made: {error}")))?;
    fs::create_dir(folder.join("src"))?;
    fs::write(
        folder.join("Cargo.toml"),
        manifest(name, what.superstep.as_deref())?,
    )?;
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

/// A name that is one for a crate, an agent and a folder.
fn checked(name: &str) -> Result<&str, Error> {
    let mut letters = name.chars();
    let is_first = letters.next().is_some_and(|it| it.is_ascii_lowercase());
    let is_rest = letters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-');
    match is_first && is_rest {
        true => Ok(name),
        false => Err(Error::Usage(
            "a name begins with a small letter, and has small letters, digits and `-`".into(),
        )),
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
