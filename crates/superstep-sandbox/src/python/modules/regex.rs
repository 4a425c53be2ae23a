//! What `re` needs: one search, with the places of all groups.

use std::rc::Rc;

use fancy_regex::{Captures, Regex, RegexBuilder};

use super::pattern::translated;
use crate::python::{
    fault::Res,
    value::{Args, Function, Key, Value},
    vm::Vm,
};

/// How often a pattern may go back in one search.
const BACKTRACKS: usize = 1_000_000;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("search", search),
    ("check", |vm, args| {
        let pattern = compiled(vm, &args)?;
        let mut names = crate::python::value::Dict::new();
        for (at, name) in pattern.capture_names().enumerate() {
            if let Some(name) = name {
                names.insert(Key::Str(name.into()), (Value::str(name), Value::int(at)));
            }
        }
        Ok(Value::tuple(vec![
            Value::int(pattern.captures_len() - 1),
            Value::dict(names),
        ]))
    }),
];

/// The pattern for these flags, which has to begin where the search does (`match`), and to end with the text
/// (`fullmatch`).
fn compiled(vm: &mut Vm, args: &Args) -> Res<Rc<Regex>> {
    let pattern = vm.text_argument(args, 0)?;
    let flags = vm.text_argument(args, 1)?;
    let mode = args.get(4).as_str().unwrap_or_else(|| "search".into());
    let known = (Rc::clone(&pattern), Rc::from(format!("{flags} {mode}")));
    if let Some(known) = vm.patterns.get(&known) {
        return Ok(Rc::clone(known));
    }
    let built = translated(&pattern, &flags).and_then(|text| {
        let flags = match flags.is_empty() {
            true => String::new(),
            false => format!("(?{flags})"),
        };
        let text = match &*mode {
            "match" => format!("{flags}\\G(?:{text})"),
            "fullmatch" => format!("{flags}\\G(?:{text})\\z"),
            _ => flags + &text,
        };
        let built = RegexBuilder::new(&text)
            .backtrack_limit(BACKTRACKS)
            .delegate_size_limit(1 << 20)
            .build();
        built.map_err(|error| error.to_string())
    });
    match built {
        Ok(built) => {
            let built = Rc::new(built);
            vm.patterns.insert(known, Rc::clone(&built));
            Ok(built)
        }
        Err(why) => {
            let shown = crate::python::text::quoted(&pattern);
            let message = format!("the pattern {shown} cannot be used: {why}");
            Err(vm.error("ValueError", message))
        }
    }
}

/// Groups of the first match from a place on, as places in characters; `None` without a match.
fn search(vm: &mut Vm, args: Args) -> Res<Value> {
    let pattern = compiled(vm, &args)?;
    let text = vm.text_argument(&args, 2)?;
    let start = vm.int_argument(&args.get(3))?;
    let start = usize::try_from(start).unwrap_or(0);
    let Some(from) = byte_of(&text, start) else {
        return Ok(Value::None);
    };
    let found: Result<Option<Captures<'_>>, _> = pattern.captures_from_pos(&text, from);
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let message = format!("the pattern took too long: {error}");
            return Err(vm.error("RuntimeError", message));
        }
    };
    let Some(captures) = found else {
        return Ok(Value::None);
    };
    let is_ascii = text.is_ascii();
    let place = |at: usize| match is_ascii {
        true => Value::int(at),
        false => Value::int(text.get(..at).unwrap_or_default().chars().count()),
    };
    let spans = (0..captures.len()).map(|group| match captures.get(group) {
        Some(found) => Value::tuple(vec![
            place(found.start()),
            place(found.end()),
            Value::str(found.as_str()),
        ]),
        None => Value::None,
    });
    Ok(Value::list(spans.collect()))
}

fn byte_of(text: &str, place: usize) -> Option<usize> {
    if text.is_ascii() {
        return (place <= text.len()).then_some(place);
    }
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.nth(place)
}
