//! `#[derive(Nodes)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Variant};

use crate::name::snake_case;

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "the nodes of a graph are an enum",
        ));
    };
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "the nodes of a graph have no parameters",
        ));
    }
    if data.variants.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "a graph has at least one node",
        ));
    }
    let mut named: Vec<(&Ident, LitStr)> = Vec::with_capacity(data.variants.len());
    let mut errors: Option<Error> = None;
    for variant in &data.variants {
        match name_of(variant, &named) {
            Ok(name) => named.push((&variant.ident, name)),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    let ident = &input.ident;
    let (variants, names): (Vec<&Ident>, Vec<LitStr>) = named.into_iter().unzip();
    let indices = 0..variants.len();
    Ok(quote! {
        #[automatically_derived]
        impl ::superstep::Nodes for #ident {
            const ALL: &'static [Self] = &[#(Self::#variants),*];

            fn name(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }

            fn index(self) -> usize {
                match self { #(Self::#variants => #indices),* }
            }
        }
    })
}

fn name_of(variant: &Variant, before: &[(&Ident, LitStr)]) -> Result<LitStr> {
    if !matches!(variant.fields, Fields::Unit) {
        let message = "a node has no fields; what it needs is in the state or in a send's payload";
        return Err(Error::new_spanned(&variant.fields, message));
    }
    let mut name = LitStr::new(
        &snake_case(&variant.ident.to_string()),
        variant.ident.span(),
    );
    for attribute in variant
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("node"))
    {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("unknown attribute: a node has `name = \"...\"`"));
            }
            name = meta.value()?.parse()?;
            Ok(())
        })?;
    }
    let text = name.value();
    if text.is_empty() || text.contains(['|', ':']) || text.starts_with("__") {
        let message = "a node's name is not empty, has no `|` or `:`, and does not begin with `__`";
        return Err(Error::new(name.span(), message));
    }
    if let Some((other, _)) = before.iter().find(|(_, other)| other.value() == text) {
        let message = format!("node `{other}` has the name `{text}` too");
        return Err(Error::new(name.span(), message));
    }
    Ok(name)
}
