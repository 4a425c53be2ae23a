//! `cargo xtask docs`: the docs site, built by mdBook from pages where they are.
//!
//! The source of the book is a copy of the listed pages below `target/book`, in the folders of the repository, so
//! that links between them hold. Links to other files lead to the repository. `docs/decisions/docs-site.md` says why.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::contents;
use crate::error::Error;
use crate::markdown;
use crate::tidy;
use crate::tree::{File, Tree};
use crate::workspace::Workspace;

/// How to get mdBook.
pub(crate) const INSTALL: &str = "not installed; cargo install mdbook --version 0.5.4 --locked --no-default-features --features search";
const SETTINGS: &str = "docs/book.toml";
/// The pages that are docs of Rust items too.
const GUIDES: &str = "crates/superstep/src/docs";

/// Checks the pages, then builds the site where mdBook is installed, and checks its links.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let tree = Tree::load(&workspace.root)?;
    tidy::run_pages(&tree)?;
    let pages = contents::pages(&tree);
    let count = pages.len();
    if !is_installed() {
        return Ok(format!(
            "{count} pages are fine; the site is NOT BUILT: mdBook is {INSTALL}"
        ));
    }
    let folder = workspace.target.join("book");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|source| failed(&folder, source))?;
    }
    write_source(&tree, &pages, &folder)?;
    build(&folder)?;
    let links = check_site(&folder.join("html"))?;
    let index = folder.join("html").join("index.html");
    Ok(format!(
        "{count} pages, {links} links between them: {}",
        index.display()
    ))
}

/// Whether mdBook is on the path.
pub(crate) fn is_installed() -> bool {
    let version = Command::new("mdbook")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    version.is_ok_and(|output| output.status.success())
}

fn write_source(tree: &Tree, pages: &[String], folder: &Path) -> Result<(), Error> {
    let settings = tree.get(SETTINGS).map(|file| file.text.as_str());
    write(&folder.join("book.toml"), settings.unwrap_or_default())?;
    let source = folder.join("src");
    let mut summary = tree
        .get(contents::PAGE)
        .map(|file| file.text.clone())
        .unwrap_or_default();
    let links: Vec<_> = markdown::links(&summary)
        .into_iter()
        .map(|link| (link.whole, link.text.to_owned(), link.target.to_owned()))
        .collect();
    for (whole, text, target) in links.into_iter().rev() {
        let path = markdown::resolved(contents::PAGE, &target);
        summary.replace_range(whole, &format!("[{text}]({path})"));
    }
    write(&source.join("SUMMARY.md"), &summary)?;
    let site = Site {
        pages: pages.iter().map(String::as_str).collect(),
        repository: repository(tree).unwrap_or_default(),
    };
    let mut pictures = BTreeSet::new();
    for page in pages.iter().filter_map(|path| tree.get(path)) {
        let (text, shown) = site.page(page);
        write(&source.join(&page.path), &text)?;
        pictures.extend(shown);
    }
    for picture in pictures.iter().filter_map(|path| tree.get(path)) {
        write(&source.join(&picture.path), &picture.text)?;
    }
    Ok(())
}

/// The address in the root manifest.
fn repository(tree: &Tree) -> Option<&str> {
    let manifest = tree.get("Cargo.toml")?.text.as_str();
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix("repository = \""))?;
    line.split('"').next()
}

struct Site<'a> {
    pages: BTreeSet<&'a str>,
    repository: &'a str,
}

impl Site<'_> {
    /// A page as the book has it, and the pictures on it.
    fn page(&self, page: &File) -> (String, Vec<String>) {
        let is_guide = page.path.starts_with(GUIDES);
        let mut text =
            markdown::with_fences(&page.text, |info| match info.split([',', ' ']).next() {
                Some("rust") => "rust".to_owned(),
                Some("" | "no_run" | "ignore") if is_guide => "rust".to_owned(),
                _ => info.to_owned(),
            });
        let mut pictures = Vec::new();
        let links: Vec<_> = markdown::links(&text)
            .into_iter()
            .filter_map(|link| {
                let link_text = link.text.to_owned();
                let now = match self.leads_to(&page.path, link.target)? {
                    Leads::Item => link_text,
                    Leads::Address(address) => format!("[{link_text}]({address})"),
                    Leads::Picture(path) => {
                        pictures.push(path);
                        return None;
                    }
                };
                Some((link.whole, now))
            })
            .collect();
        for (whole, now) in links.into_iter().rev() {
            text.replace_range(whole, &now);
        }
        (text, pictures)
    }

    /// Where a link leads that is no link in the book as it is.
    fn leads_to(&self, page: &str, target: &str) -> Option<Leads> {
        if let Some(item) = target.strip_prefix("crate::") {
            let guide = item
                .strip_prefix("guide::")
                .map(|path| path.replace("::", "/"));
            let guide = guide.map(|path| format!("{GUIDES}/{path}.md"));
            let guide = guide.filter(|path| self.pages.contains(path.as_str()));
            return Some(guide.map_or(Leads::Item, |path| Leads::Address(relative(page, &path))));
        }
        let (path, _) = markdown::destination(page, target)?;
        if self.pages.contains(path.as_str()) {
            // mdBook makes each `README.md` the index of its folder, and leaves links to it as they are.
            let index = target.replace("README.md", "index.md");
            return (index != target).then_some(Leads::Address(index));
        }
        if path.ends_with(".svg") {
            return Some(Leads::Picture(path));
        }
        Some(Leads::Address(format!(
            "{}/tree/main/{path}",
            self.repository
        )))
    }
}

/// Where a link leads in the book.
enum Leads {
    /// An item of the library, which has no page in the book.
    Item,
    Address(String),
    Picture(String),
}

/// A path as seen from a page.
fn relative(page: &str, path: &str) -> String {
    let depth = page.matches('/').count();
    format!("{}{path}", "../".repeat(depth))
}

fn build(folder: &Path) -> Result<(), Error> {
    println!("$ mdbook build {}", folder.display());
    let status = Command::new("mdbook")
        .arg("build")
        .arg(folder)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::failed("mdbook build", status.to_string())),
        Err(source) => Err(Error::Start {
            program: "mdbook".to_owned(),
            source,
        }),
    }
}

/// Checks that links of the built pages lead to files and ids, and counts them.
fn check_site(site: &Path) -> Result<usize, Error> {
    let mut pages = Vec::new();
    collect(site, &mut pages)?;
    let (mut count, mut dead) = (0, Vec::new());
    for page in &pages {
        let text = read(page)?;
        for target in text
            .split(" href=\"")
            .skip(1)
            .filter_map(|it| it.split('"').next())
        {
            if target.contains(':') {
                continue;
            }
            count += 1;
            let (path, id) = target.split_once('#').unwrap_or((target, ""));
            let file = match path {
                "" => page.clone(),
                path => page.parent().unwrap_or(site).join(path),
            };
            let has_id = |text: String| id.is_empty() || text.contains(&format!("id=\"{id}\""));
            if !read(&file).is_ok_and(has_id) {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    match dead.is_empty() {
        true => Ok(count),
        false => Err(Error::failed("dead links of the site", dead.join("\n"))),
    }
}

/// All pages below a folder. The page for addresses that are not there knows its place only on a server.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|source| failed(folder, source))?;
    for entry in entries {
        let path = entry.map_err(|source| failed(folder, source))?.path();
        let is_page = path.extension().is_some_and(|it| it == "html");
        if path.is_dir() {
            collect(&path, pages)?;
        } else if is_page && path.file_name().is_some_and(|name| name != "404.html") {
            pages.push(path);
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text))
        .map_err(|source| failed(path, source))
}

fn read(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|source| failed(path, source))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn site() -> Site<'static> {
        Site {
            pages: [
                "docs/a.md",
                "docs/c/README.md",
                "crates/superstep/src/docs/effects.md",
            ]
            .into(),
            repository: "https://example.org/superstep",
        }
    }

    fn page(path: &str, text: &str) -> (String, Vec<String>) {
        let tree = tree::of(&[(path, text)]);
        site().page(&tree.files[0])
    }

    #[test]
    fn links_between_pages_stay_and_links_to_sources_lead_to_the_repository() {
        let links = "[a](a.md#x) [s](../src/lib.rs) [c](c/README.md) ![p](p.svg)\n";
        let (text, pictures) = page("docs/b.md", links);
        let address = "https://example.org/superstep/tree/main/src/lib.rs";
        assert_eq!(
            text,
            format!("[a](a.md#x) [s]({address}) [c](c/index.md) ![p](p.svg)\n")
        );
        assert_eq!(pictures, ["docs/p.svg"]);
    }

    #[test]
    fn a_guide_has_its_code_marked_as_rust_and_its_items_without_links() {
        let guide =
            "[`Ctx`](crate::Ctx), [effects](crate::guide::effects)\n\n```no_run\n# use a;\n```\n";
        let (text, _) = page("crates/superstep/src/docs/cookbook/b.md", guide);
        let effects = "../../../../../crates/superstep/src/docs/effects.md";
        assert_eq!(
            text,
            format!("`Ctx`, [effects]({effects})\n\n```rust\n# use a;\n```\n")
        );
    }
}
