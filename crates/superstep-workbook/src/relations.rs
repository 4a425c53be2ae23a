//! Which part leads to which: the `.rels` parts and the content types of a package, read and edited.

use std::fmt::Write as _;

use crate::{
    error::Error,
    package::Package,
    xml::{self, Tag, Token, Xml},
};

pub(crate) const TYPES: &str = "[Content_Types].xml";
pub(crate) const OFFICE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// One relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The last word of its type: `worksheet`, `styles`.
    pub(crate) kind: String,
    /// The part that it leads to, or an address if it is external.
    pub(crate) target: String,
    pub(crate) is_external: bool,
}

/// The part that holds the relationships of another.
pub(crate) fn rels_of(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// The relationships of a part; the empty name is the package itself.
pub(crate) fn relations(package: &Package, part: &str) -> Result<Vec<Relation>, Error> {
    let path = rels_of(part);
    let Some(bytes) = package.part(&path)? else {
        return Ok(Vec::new());
    };
    let text = xml::decode(&path, &bytes)?;
    let mut reader = Xml::new(&path, &text);
    let mut found = Vec::new();
    while let Some(token) = reader.next()? {
        let (Token::Open(tag) | Token::Empty(tag)) = token else {
            continue;
        };
        if tag.local() == "Relationship" {
            found.extend(relation(part, &tag));
        }
    }
    Ok(found)
}

fn relation(part: &str, tag: &Tag<'_>) -> Option<Relation> {
    let kind = tag.get("Type")?;
    let is_external = tag.get("TargetMode").as_deref() == Some("External");
    let target = tag.get("Target")?;
    Some(Relation {
        id: tag.get("Id")?.into_owned(),
        kind: kind.rsplit('/').next()?.to_owned(),
        target: match is_external {
            true => target.into_owned(),
            false => resolve(part, &target),
        },
        is_external,
    })
}

/// The part that a target means, seen from another part.
fn resolve(part: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut steps: Vec<&str> = part.split('/').collect();
    steps.pop();
    for step in target.split('/') {
        match step {
            ".." => {
                steps.pop();
            }
            "." | "" => {}
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// Adds a relationship to a part and returns its id. The target is absolute.
pub(crate) fn relate(
    package: &mut Package,
    part: &str,
    kind: &str,
    target: &Target<'_>,
) -> Result<String, Error> {
    relate_as(package, part, &format!("{OFFICE}/{kind}"), target)
}

/// The same with the whole address of its kind.
pub(crate) fn relate_as(
    package: &mut Package,
    part: &str,
    kind: &str,
    target: &Target<'_>,
) -> Result<String, Error> {
    let taken = relations(package, part)?;
    let id = (1..)
        .map(|number| format!("rId{number}"))
        .find(|id| taken.iter().all(|relation| relation.id != *id))
        .unwrap_or_default();
    let mut entry = String::from("<Relationship");
    xml::attribute(&mut entry, "Id", &id);
    xml::attribute(&mut entry, "Type", kind);
    match target {
        Target::Part(name) => xml::attribute(&mut entry, "Target", &format!("/{name}")),
        Target::Address(address) => {
            xml::attribute(&mut entry, "Target", address);
            xml::attribute(&mut entry, "TargetMode", "External");
        }
    }
    entry.push_str("/>");
    let empty = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships \
                 xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";
    insert(package, &rels_of(part), &entry, empty)?;
    Ok(id)
}

/// Where a new relationship leads.
pub(crate) enum Target<'a> {
    Part(&'a str),
    Address(&'a str),
}

/// Removes a relationship by its id.
pub(crate) fn unrelate(package: &mut Package, part: &str, id: &str) -> Result<(), Error> {
    drop_where(package, &rels_of(part), |tag| {
        tag.local() == "Relationship" && tag.get("Id").as_deref() == Some(id)
    })
}

/// Enters the content type of a new part.
pub(crate) fn declare(package: &mut Package, part: &str, content_type: &str) -> Result<(), Error> {
    let mut entry = String::new();
    let _ = write!(entry, "<Override");
    xml::attribute(&mut entry, "PartName", &format!("/{part}"));
    xml::attribute(&mut entry, "ContentType", content_type);
    entry.push_str("/>");
    insert(package, TYPES, &entry, "")
}

/// The content type that is entered for a part; none if that of its ending counts.
pub(crate) fn content_type(package: &Package, part: &str) -> Result<Option<String>, Error> {
    let Some(bytes) = package.part(TYPES)? else {
        return Ok(None);
    };
    let text = xml::decode(TYPES, &bytes)?;
    let mut reader = Xml::new(TYPES, &text);
    while let Some(token) = reader.next()? {
        let (Token::Open(tag) | Token::Empty(tag)) = token else {
            continue;
        };
        let name = tag.get("PartName");
        let name = name.as_deref().and_then(|name| name.strip_prefix('/'));
        if tag.local() == "Override" && name == Some(part) {
            return Ok(tag.get("ContentType").map(String::from));
        }
    }
    Ok(None)
}

/// Takes the content type of a removed part out.
pub(crate) fn undeclare(package: &mut Package, part: &str) -> Result<(), Error> {
    drop_where(package, TYPES, |tag| {
        let name = tag.get("PartName");
        let name = name.as_deref().and_then(|name| name.strip_prefix('/'));
        tag.local() == "Override" && name == Some(part)
    })
}

/// Puts an entry before the end of a part's root element.
fn insert(package: &mut Package, part: &str, entry: &str, empty: &str) -> Result<(), Error> {
    let bytes = package.part(part)?;
    let text = match &bytes {
        Some(bytes) => xml::decode(part, bytes)?.into_owned(),
        None => empty.to_owned(),
    };
    let mut reader = Xml::new(part, &text);
    let mut root: Option<Tag<'_>> = None;
    let mut end = None;
    while let Some(token) = reader.next()? {
        match token {
            Token::Open(tag) if root.is_none() => root = Some(tag),
            // `<Relationships/>` has no end to write before.
            Token::Empty(tag) if root.is_none() => {
                let name = tag.name().to_owned();
                let start = text.get(..reader.end() - 2).unwrap_or_default();
                let text = format!("{start}>{entry}</{name}>");
                package.set(part, text.into_bytes());
                return Ok(());
            }
            Token::Close => end = Some(reader.start()),
            _ => {}
        }
    }
    let (Some(root), Some(end)) = (root, end) else {
        return Err(Error::malformed(part, "it has no content"));
    };
    // A prefix of the root is the prefix of its children.
    let entry = match root.name().split_once(':') {
        Some((prefix, _)) => entry.replacen('<', &format!("<{prefix}:"), 1),
        None => entry.to_owned(),
    };
    let (before, after) = text.split_at_checked(end).unwrap_or((&text, ""));
    let text = format!("{before}{entry}{after}");
    package.set(part, text.into_bytes());
    Ok(())
}

fn drop_where(
    package: &mut Package,
    part: &str,
    is_meant: impl Fn(&Tag<'_>) -> bool,
) -> Result<(), Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(());
    };
    let text = xml::decode(part, &bytes)?.into_owned();
    let mut reader = Xml::new(part, &text);
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    while let Some(token) = reader.next()? {
        let start = reader.start();
        match token {
            Token::Empty(tag) if is_meant(&tag) => {}
            Token::Open(tag) if is_meant(&tag) => reader.skip()?,
            _ => continue,
        }
        kept.push_str(text.get(copied..start).unwrap_or_default());
        copied = reader.end();
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    package.set(part, kept.into_bytes());
    Ok(())
}

/// A name for a new part that no part has: `xl/charts/chart3.xml`.
pub(crate) fn free_name(package: &Package, before: &str, after: &str) -> String {
    (1..)
        .map(|number| format!("{before}{number}{after}"))
        .find(|name| !package.has(name))
        .unwrap_or_default()
}
