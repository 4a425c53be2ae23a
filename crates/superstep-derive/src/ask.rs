//! `#[derive(Ask)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Expr, LitStr, Result, Type};

use crate::name::snake_case;

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let mut answer: Option<Type> = None;
    let mut about: Option<Expr> = None;
    let mut kind = LitStr::new(&snake_case(&input.ident.to_string()), input.ident.span());
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("ask"))
    {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("answer") {
                answer = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("kind") {
                kind = meta.value()?.parse()?;
            } else if meta.path.is_ident("about") {
                about = Some(meta.value()?.parse()?);
            } else {
                let message = "unknown attribute: a question has `answer`, `kind` and `about`";
                return Err(meta.error(message));
            }
            Ok(())
        })?;
    }
    let Some(answer) = answer else {
        let message = "say what an answer is: `#[ask(answer = Type)]`";
        return Err(Error::new_spanned(&input.ident, message));
    };
    let about = about.map(|about| {
        quote! {
            fn about(&self) -> ::std::result::Result<
                ::superstep::__private::Json,
                ::superstep::__private::JsonError,
            > {
                ::superstep::__private::to_json(&#about)
            }
        }
    });
    let ident = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::superstep::Ask for #ident #arguments #bounds {
            type Answer = #answer;
            const KIND: &'static str = #kind;

            #[allow(unused_imports, clippy::needless_borrow)]
            fn schema() -> ::std::option::Option<::superstep::__private::Json> {
                use ::superstep::__private::probe::{Known as _, Probe, Unknown as _};
                (&Probe::<#answer>::new()).schema()
            }

            #about
        }
    })
}
