//! Files of builds that are programs of their own, `build.gradle` and `CMakeLists.txt`, read as text: what names
//! dependencies and projects.

use super::{Manifests, Package, folder};
use crate::facts::DependencyKind;

/// How the names of Gradle's configurations end that ask for something.
const CONFIGURATIONS: [&str; 8] = [
    "implementation", "api", "compileonly", "compileonlyapi", "runtimeonly", "annotationprocessor",
    "compile", "runtime",
];

/// Reads a build of Gradle. Its project is called as the settings beside it say, or else as its folder.
pub(super) fn gradle(
    path: &str,
    text: &str,
    settings: Option<&str>,
    root: &str,
    manifests: &mut Manifests,
) {
    let own = folder(path).rsplit('/').next().filter(|it| !it.is_empty());
    let name = settings.and_then(root_name).or(own).unwrap_or(root);
    let mut package = Package {
        name: name.to_owned(),
        manifest: path.to_owned(),
        ..Package::default()
    };
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        let end = line.find(|c: char| !c.is_alphanumeric());
        let Some((word, rest)) = end.and_then(|end| line.split_at_checked(end)) else {
            continue;
        };
        let lower = word.to_lowercase();
        let is_asked = CONFIGURATIONS.iter().any(|it| lower.ends_with(it));
        if !is_asked || !rest.starts_with([' ', '(', '\t']) {
            continue;
        }
        let quoted = quoted(rest);
        if rest.contains("project(") {
            // A project of the same build, such as `:libs:core`.
            let project = quoted.first().and_then(|it| it.rsplit(':').next());
            package.asks.extend(project.map(str::to_owned));
            continue;
        }
        let (name, version) = match &*quoted {
            [_, name, version, ..] if named(rest) == ["group", "name", "version"] => {
                (*name, Some(*version))
            }
            [_, name, ..] if named(rest) == ["group", "name"] => (*name, None),
            [all, ..] => {
                let mut parts = all.split(':').skip(1);
                (parts.next().unwrap_or_default(), parts.next())
            }
            [] => continue,
        };
        let kind = match lower.contains("test") {
            true => DependencyKind::Dev,
            false => DependencyKind::Runtime,
        };
        package.asks.insert(name.to_owned());
        manifests.asks(path, Some(number), name, version, kind);
    }
    manifests.builds.push(package);
}

/// What a line has in quotes.
fn quoted(line: &str) -> Vec<&str> {
    let parts = line.split(['"', '\'']);
    parts.skip(1).step_by(2).collect()
}

/// The words before values: `group: 'a', name: 'b'` or `group = "a", name = "b"`.
fn named(line: &str) -> Vec<&str> {
    let before = line.split(['"', '\'']).step_by(2);
    let words = before.filter_map(|it| {
        let word = it.trim_end().strip_suffix([':', '='])?.trim_end();
        word.rsplit([' ', ',', '(']).next()
    });
    words.collect()
}

fn root_name(settings: &str) -> Option<&str> {
    let line = settings
        .lines()
        .find(|line| line.trim_start().starts_with("rootProject.name"))?;
    quoted(line).into_iter().next()
}

/// Reads a build of CMake: a project if it says so.
pub(super) fn cmake(path: &str, text: &str, manifests: &mut Manifests) {
    let name = text.lines().find_map(|line| {
        let line = line.trim_start();
        let (command, rest) = line.split_once('(')?;
        let is_project = command.trim_end().eq_ignore_ascii_case("project");
        let name = rest.split([' ', ')', '\t']).find(|it| !it.is_empty())?;
        is_project.then(|| name.trim_matches('"'))
    });
    if let Some(name) = name.filter(|it| !it.is_empty() && !it.contains("${")) {
        manifests.builds.push(Package {
            name: name.to_owned(),
            manifest: path.to_owned(),
            ..Package::default()
        });
    }
}
