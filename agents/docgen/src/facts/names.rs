//! Names in facts, made inert: whoever writes a code base chooses them.

use super::Facts;
use crate::inert::line;

/// Makes all names of facts but paths inert, once they have been compared with each other.
pub(super) fn make_inert(facts: &mut Facts) {
    let plain = |text: &mut String| {
        let clean = line(text);
        if clean != *text {
            *text = clean;
        }
    };
    plain(&mut facts.name);
    for it in &mut facts.dependencies {
        plain(&mut it.name);
        it.wanted.iter_mut().for_each(plain);
        it.locked.iter_mut().for_each(plain);
    }
    for it in &mut facts.components {
        plain(&mut it.name);
        it.version.iter_mut().for_each(plain);
        it.uses.iter_mut().for_each(plain);
    }
    for it in &mut facts.entry_points {
        plain(&mut it.name);
    }
    for file in &mut facts.files {
        for it in &mut file.symbols {
            plain(&mut it.name);
            it.of.iter_mut().for_each(plain);
            it.bases.iter_mut().for_each(plain);
        }
        for it in &mut file.imports {
            plain(&mut it.target);
        }
    }
}
