//! What a stored state is compared by: one text per field.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::Type;

use super::parse::{Field, KNOWN, Keep};

/// The shape of a field: its text without and with the paths of types, and whether a stored state
/// may lack it.
pub(super) fn of(field: &Field<'_>) -> TokenStream {
    let (name, ty, reducer) = (&field.name, field.ty, &field.reducer);
    let keep = match field.keep {
        Keep::Stored => "",
        Keep::Ephemeral => ":ephemeral",
        Keep::Untracked => ":untracked",
    };
    let text = |ty: String, reducer: String| format!("{name}:{ty}:{reducer}{keep};");
    let spelled = text(as_written(quote! {#ty}), as_written(quote! {#reducer}));
    let reducer = match without_paths(quote! {#reducer}) {
        // As it was always stored.
        own if KNOWN.contains(&own.as_str()) => format!("::superstep::{own}"),
        other => other,
    };
    let shape = text(without_paths(quote! {#ty}), reducer);
    let optional = field.default || field.keep != Keep::Stored || is_option(ty);
    quote! {
        ::superstep::__private::FieldShape {
            name: #name,
            ty: ::std::any::TypeId::of::<#ty>(),
            shape: #shape,
            spelled: #spelled,
            optional: #optional,
        }
    }
}

fn is_option(ty: &Type) -> bool {
    let Type::Path(ty) = ty else {
        return false;
    };
    let last = ty.path.segments.last();
    last.is_some_and(|segment| segment.ident == "Option")
}

/// How earlier versions wrote the text; threads hold hashes of it.
fn as_written(tokens: TokenStream) -> String {
    tokens.to_string().replace(char::is_whitespace, "")
}

/// `std::vec::Vec<super::Line>` as `Vec<Line>`: a type may be imported or not.
fn without_paths(tokens: TokenStream) -> String {
    let mut text = String::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut word_start = 0;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                text.push_str(open);
                text.push_str(&without_paths(group.stream()));
                text.push_str(close);
                word_start = text.len();
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                let path = tokens
                    .next_if(|next| matches!(next, TokenTree::Punct(p) if p.as_char() == ':'));
                if path.is_none() {
                    text.push(':');
                    word_start = text.len();
                } else if matches!(tokens.peek(), Some(TokenTree::Ident(_))) {
                    text.truncate(word_start);
                }
            }
            TokenTree::Ident(word) => {
                word_start = text.len();
                text.push_str(&word.to_string());
            }
            other => {
                text.push_str(&other.to_string());
                word_start = text.len();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn a_type_reads_the_same_however_its_path_is_written() {
        for tokens in [
            quote! {Vec<Line>},
            quote! {std::vec::Vec<Line>},
            quote! {::std::vec::Vec<super::Line>},
            quote! {Vec::<crate::text::Line>},
        ] {
            assert_eq!(without_paths(tokens), "Vec<Line>");
        }
    }

    #[test]
    fn everything_else_of_a_type_counts() {
        assert_eq!(without_paths(quote! {(a::B, [u8; 4])}), "(B,[u8;4])");
        assert_eq!(
            without_paths(quote! {Map<std::string::String, Option<i64>>}),
            "Map<String,Option<i64>>"
        );
    }

    #[test]
    fn a_type_without_a_path_has_the_text_that_was_always_stored() {
        for tokens in [
            quote! {Option<String>},
            quote! {(u8, [u16; 2])},
            quote! {Box<dyn Any + Send>},
        ] {
            assert_eq!(without_paths(tokens.clone()), as_written(tokens));
        }
    }
}
