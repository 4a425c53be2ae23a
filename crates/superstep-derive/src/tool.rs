//! `#[tool(...)]`: a type beside a function, which describes it to models and calls it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Meta, Pat, PatType, Path, Result,
    ReturnType, Token, Type,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

use crate::name::camel_case;

/// Capabilities by their constants.
const CAPABILITIES: [&str; 5] = ["read", "net", "write", "send", "exec"];

/// The types of arguments that come from the agent.
const FROM_AGENT: [&str; 6] = ["ToolCtx", "Res", "Context", "Caller", "Store", "Snap"];

/// The attribute's arguments.
pub(crate) struct Access {
    /// `pure` is none of them.
    capabilities: Vec<Ident>,
    idempotent: bool,
    trusted_output: bool,
    json: bool,
}

impl Parse for Access {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let span = input.span();
        let mut is_pure = false;
        let mut access = Self {
            capabilities: Vec::new(),
            idempotent: false,
            trusted_output: false,
            json: false,
        };
        for word in Punctuated::<Ident, Token![,]>::parse_terminated(input)? {
            match word.to_string().as_str() {
                "idempotent" => access.idempotent = true,
                "trusted_output" => access.trusted_output = true,
                "json" => access.json = true,
                "pure" => is_pure = true,
                known if CAPABILITIES.contains(&known) => access.capabilities.push(word),
                _ => {
                    let message = "a tool is `pure`, or it can `read`, `net`, `write`, `send` or \
                                   `exec`; `idempotent`, `trusted_output` and `json` say more about \
                                   it";
                    return Err(Error::new_spanned(word, message));
                }
            }
        }
        if access.capabilities.is_empty() && !is_pure {
            let message = "say what the tool can do: `pure`, `read`, `net`, `write`, `send` or \
                           `exec`";
            return Err(Error::new(span, message));
        }
        Ok(access)
    }
}

pub(crate) fn expand(access: &Access, mut function: ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        let message = "a tool is an `async fn`";
        return Err(Error::new_spanned(signature.fn_token, message));
    }
    if let Some(parameter) = signature.generics.params.first() {
        let message = "a tool has no parameters of its own";
        return Err(Error::new_spanned(parameter, message));
    }
    let ReturnType::Type(_, returned) = &signature.output else {
        let message = "a tool returns `Result<T, ToolError>`";
        return Err(Error::new_spanned(&signature.ident, message));
    };
    let text = inner(returned).map_or_else(|| returned.span(), Spanned::span);
    let description = docs(&function.attrs);
    if description.is_empty() {
        let message = "describe the tool in its docs: models choose by them";
        return Err(Error::new_spanned(&signature.ident, message));
    }
    let arguments: Vec<Argument> = function
        .sig
        .inputs
        .iter_mut()
        .map(Argument::take)
        .collect::<Result<_>>()?;

    let (name, vis) = (&function.sig.ident, &function.vis);
    let ident = format_ident!("{}", camel_case(&name.to_string()), span = name.span());
    let args = format_ident!("{ident}Args");
    let title = name.to_string();
    let fields = arguments.iter().filter_map(|argument| argument.field());
    let needs = arguments.iter().filter_map(|argument| argument.need());
    let given = arguments.iter().map(|argument| argument.given());
    let capabilities = access.capabilities.iter().map(|word| {
        let word = format_ident!("{}", word.to_string().to_uppercase(), span = word.span());
        quote! {.and(::superstep::tools::Capabilities::#word)}
    });
    let (idempotent, trusted_output) = (access.idempotent, access.trusted_output);
    let output = match access.json {
        true => quote! {::superstep::tools::ToolOutput::json(&output)},
        false => {
            let written = quote_spanned! {text=> __tool::IntoOutput::into_output(output)};
            quote! {::std::result::Result::Ok(#written)}
        }
    };
    let checks = arguments.iter().filter_map(|argument| argument.check());
    let summary = format!("The tool `{title}`: {description}");
    Ok(quote! {
        #function

        #[doc = #summary]
        #[derive(Clone, Copy, Debug, Default)]
        #vis struct #ident;

        const _: () = {
            use ::superstep::tools::__tool;

            #[derive(__tool::serde::Deserialize, __tool::schemars::JsonSchema)]
            #[serde(crate = "::superstep::tools::__tool::serde", deny_unknown_fields)]
            #[schemars(crate = "::superstep::tools::__tool::schemars")]
            struct #args {
                #(#fields,)*
            }

            #[allow(dead_code)]
            fn check() {
                #(#checks)*
            }

            static SPEC: ::std::sync::LazyLock<::superstep::model::ToolSpec> =
                ::std::sync::LazyLock::new(|| __tool::spec::<#args>(#title, #description));

            #[automatically_derived]
            impl ::superstep::tools::Tool for #ident {
                fn spec(&self) -> &::superstep::model::ToolSpec {
                    &SPEC
                }

                fn access(&self) -> ::superstep::tools::Access {
                    ::superstep::tools::Access {
                        capabilities: ::superstep::tools::Capabilities::NONE #(#capabilities)*,
                        idempotent: #idempotent,
                        trusted_output: #trusted_output,
                    }
                }

                fn needs(&self) -> ::std::vec::Vec<::superstep::tools::tool::Need> {
                    let needs: ::std::vec::Vec<::std::option::Option<_>> =
                        ::std::vec![#(#needs),*];
                    needs.into_iter().flatten().collect()
                }

                #[allow(unused_variables)]
                fn parse(
                    &self,
                    args: &__tool::serde_json::Map<::std::string::String, __tool::serde_json::Value>,
                ) -> ::std::result::Result<
                    ::std::boxed::Box<dyn ::superstep::tools::ParsedCall>,
                    ::std::vec::Vec<::std::string::String>,
                > {
                    __tool::parse::<#args>(args, |args, ctx| {
                        ::std::boxed::Box::pin(async move {
                            let output = #name(#(#given),*).await?;
                            #output
                        })
                    })
                }
            }
        };
    })
}

/// One argument of the function.
enum Argument {
    /// A model gives it.
    Given {
        name: Ident,
        ty: Type,
        attributes: Vec<Attribute>,
    },
    /// The agent gives it.
    Agent(Type),
}

impl Argument {
    /// Reads an argument, and takes its docs off it: Rust has none on arguments.
    fn take(input: &mut FnArg) -> Result<Self> {
        let FnArg::Typed(PatType { attrs, pat, ty, .. }) = input else {
            return Err(Error::new_spanned(input, "a tool is a free function"));
        };
        let attributes = std::mem::take(attrs);
        if is_agents(ty) {
            return Ok(Self::Agent((**ty).clone()));
        }
        let Pat::Ident(name) = &**pat else {
            return Err(Error::new_spanned(pat, "an argument of a tool has a name"));
        };
        if docs(&attributes).is_empty() {
            let message = "describe the argument in docs above it: models read them";
            return Err(Error::new_spanned(&name.ident, message));
        }
        Ok(Self::Given {
            name: name.ident.clone(),
            ty: (**ty).clone(),
            attributes,
        })
    }

    fn field(&self) -> Option<TokenStream> {
        match self {
            Self::Given {
                name,
                ty,
                attributes,
            } => Some(quote! {#(#attributes)* #name: #ty}),
            _ => None,
        }
    }

    fn need(&self) -> Option<TokenStream> {
        match self {
            Self::Agent(ty) => Some(quote_spanned! {ty.span()=> <#ty as __tool::FromCall>::need()}),
            Self::Given { .. } => None,
        }
    }

    /// Code that compiles if a model can give the argument.
    fn check(&self) -> Option<TokenStream> {
        match self {
            Self::Given { ty, .. } => Some(quote_spanned! {ty.span()=> __tool::is_given::<#ty>();}),
            Self::Agent(_) => None,
        }
    }

    fn given(&self) -> TokenStream {
        match self {
            Self::Given { name, .. } => quote! {args.#name},
            Self::Agent(ty) => {
                quote_spanned! {ty.span()=> <#ty as __tool::FromCall>::from_call(&ctx)?}
            }
        }
    }
}

/// Whether the agent gives arguments of this type, or of an `Option` of it.
fn is_agents(ty: &Type) -> bool {
    let Some(segment) = last(ty) else {
        return false;
    };
    let is_optional = segment.ident == "Option" && inner(ty).is_some_and(is_agents);
    is_optional || FROM_AGENT.iter().any(|name| segment.ident == name)
}

fn last(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn inner(ty: &Type) -> Option<&Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &last(ty)?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The text of doc comments.
fn docs(attributes: &[Attribute]) -> String {
    let is_doc = |path: &Path| path.is_ident("doc");
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else {
            return None;
        };
        let Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) = &meta.value
        else {
            return None;
        };
        is_doc(&meta.path).then(|| text.value().trim().to_owned())
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
