//! `#[derive(Coded)]`: stable codes and hints of errors, as attributes of their variants.
//!
//! ```
//! use superstep_coded::Coded;
//!
//! #[derive(Debug, PartialEq)]
//! enum Category {
//!     Conflict,
//!     NotFound,
//! }
//!
//! #[derive(Coded)]
//! enum ThreadError {
//!     #[coded("SS2001", Conflict, hint = "wait for the other run", transient)]
//!     Busy,
//!     #[coded("SS2003", NotFound)]
//!     NoThread { name: String },
//!     #[coded(transparent)]
//!     Other(Box<ThreadError>),
//! }
//!
//! let error = ThreadError::Other(Box::new(ThreadError::Busy));
//! assert_eq!(error.code(), "SS2001");
//! assert_eq!(error.hint(), Some("wait for the other run"));
//! assert!(error.is_transient());
//! assert_eq!(error.category(), Category::Conflict);
//! ```
//!
//! The methods are as visible as the type. `hint` is made if a variant has one, `is_transient` if a
//! variant is; `transparent` forwards all of them to the only field. `category` is made if the variants have
//! one, which is a variant of the `Category` in scope; then all of them must.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, Token, Variant, parse::ParseStream,
    parse_macro_input, spanned::Spanned as _,
};

/// Methods `code`, `hint`, `is_transient` and `category` from `#[coded(…)]` on each variant.
#[proc_macro_derive(Coded, attributes(coded))]
pub fn coded(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// What an attribute says of its variant.
enum Code {
    Own {
        code: LitStr,
        category: Option<Ident>,
        hint: Option<LitStr>,
        transient: bool,
    },
    Transparent,
}

fn expand(input: &DeriveInput) -> Result<Tokens, Error> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(
            input.span(),
            "codes are given to the variants of an enum",
        ));
    };
    let mut variants = Vec::new();
    for variant in &data.variants {
        variants.push((variant, Code::of(variant)?));
    }
    let (name, vis) = (&input.ident, &input.vis);
    let (generics, types, bounds) = input.generics.split_for_impl();
    let arms = |method: &str, own: &dyn Fn(&Code) -> Tokens| -> Vec<Tokens> {
        let method = Ident::new(method, name.span());
        let arm = |(variant, code): &(&Variant, Code)| arm(variant, code, &method, own(code));
        variants.iter().map(arm).collect()
    };
    let codes = arms("code", &|code| match code {
        Code::Own { code, .. } => quote!(#code),
        Code::Transparent => Tokens::new(),
    });
    let has = |is: fn(&Code) -> bool| variants.iter().any(|(_, code)| is(code));
    let hints = has(|code| matches!(code, Code::Own { hint: Some(_), .. })).then(|| {
        let arms = arms("hint", &|code| match code {
            Code::Own {
                hint: Some(hint), ..
            } => quote!(::core::option::Option::Some(#hint)),
            _ => quote!(::core::option::Option::None),
        });
        quote! {
            /// What to do about it, where there is something to say.
            #vis fn hint(&self) -> ::core::option::Option<&'static str> {
                match self { #(#arms)* }
            }
        }
    });
    let transients = has(|code| {
        matches!(
            code,
            Code::Own {
                transient: true,
                ..
            }
        )
    })
    .then(|| {
        let arms = arms("is_transient", &|code| match code {
            Code::Own {
                transient: true, ..
            } => quote!(true),
            _ => quote!(false),
        });
        quote! {
            /// Whether trying again may help.
            #vis fn is_transient(&self) -> bool {
                match self { #(#arms)* }
            }
        }
    });
    let categories = has_category(&variants)?.then(|| {
        let arms = arms("category", &|code| match code {
            Code::Own {
                category: Some(category),
                ..
            } => quote!(Category::#category),
            _ => Tokens::new(),
        });
        quote! {
            /// What kind of fault it is.
            #vis fn category(&self) -> Category {
                match self { #(#arms)* }
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl #generics #name #types #bounds {
            /// The stable code.
            #vis fn code(&self) -> &'static str {
                match self { #(#codes)* }
            }
            #hints
            #transients
            #categories
        }
    })
}

/// Whether the variants have categories: all of them, or none.
fn has_category(variants: &[(&Variant, Code)]) -> Result<bool, Error> {
    let missing = variants
        .iter()
        .find(|(_, code)| matches!(code, Code::Own { category: None, .. }));
    let has = |(_, code): &(&Variant, Code)| {
        matches!(
            code,
            Code::Own {
                category: Some(_),
                ..
            }
        )
    };
    match (variants.iter().any(has), missing) {
        (true, Some((variant, _))) => {
            let message = "a category is missing: #[coded(\"SSnnnn\", NotFound)]";
            Err(Error::new(variant.ident.span(), message))
        }
        (has, _) => Ok(has),
    }
}

fn arm(variant: &Variant, code: &Code, method: &Ident, own: Tokens) -> Tokens {
    let name = &variant.ident;
    match code {
        Code::Own { .. } => quote!(Self::#name { .. } => #own,),
        Code::Transparent => quote!(Self::#name(inner) => inner.#method(),),
    }
}

impl Code {
    fn of(variant: &Variant) -> Result<Self, Error> {
        let mut attributes = variant
            .attrs
            .iter()
            .filter(|it| it.path().is_ident("coded"));
        let attribute = attributes.next().ok_or_else(|| {
            let message = "a code is missing: #[coded(\"SSnnnn\", hint = \"…\")]";
            Error::new(variant.ident.span(), message)
        })?;
        let code = attribute.parse_args_with(Self::parse)?;
        if matches!(code, Self::Transparent) {
            check_transparent(variant, attribute)?;
        }
        Ok(code)
    }

    fn parse(input: ParseStream<'_>) -> Result<Self, Error> {
        if input.peek(Ident) {
            let word: Ident = input.parse()?;
            return match word == "transparent" {
                true => Ok(Self::Transparent),
                false => Err(Error::new(word.span(), "a code or `transparent`")),
            };
        }
        let code: LitStr = input.parse()?;
        let (mut category, mut hint, mut transient) = (None, None, false);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let word: Ident = input.parse()?;
            if word == "hint" {
                input.parse::<Token![=]>()?;
                hint = Some(input.parse()?);
            } else if word == "transient" {
                transient = true;
            } else if category.is_none() && word.to_string().starts_with(char::is_uppercase) {
                category = Some(word);
            } else {
                let message = "a category, `hint = \"…\"` or `transient`";
                return Err(Error::new(word.span(), message));
            }
        }
        Ok(Self::Own {
            code,
            category,
            hint,
            transient,
        })
    }
}

fn check_transparent(variant: &Variant, attribute: &Attribute) -> Result<(), Error> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(()),
        _ => {
            let message = "`transparent` forwards to the only field of a tuple variant";
            Err(Error::new(attribute.span(), message))
        }
    }
}
