//! `#[node(State, Nodes)]`: a function stays as it is, and what does not fit is named.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Error, FnArg, ItemFn, Result, ReturnType, Token, Type,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

/// The graph a function is a node of.
pub(crate) struct Graph {
    state: Type,
    nodes: Type,
}

impl Parse for Graph {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.is_empty() {
            return Err(input.error("name the graph: `#[node(State, Nodes)]`"));
        }
        let state = input.parse()?;
        input.parse::<Token![,]>()?;
        let nodes = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self { state, nodes })
    }
}

const MOST: usize = 8;

pub(crate) fn expand(graph: &Graph, function: &ItemFn) -> TokenStream {
    let checks = checks(graph, function).unwrap_or_else(|error| error.to_compile_error());
    quote! {
        #function
        #checks
    }
}

fn checks(graph: &Graph, function: &ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        return Err(Error::new_spanned(
            signature.fn_token, "a node is an `async fn`",
        ));
    }
    if let Some(parameter) = signature.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "a node has no parameters of its own",
        ));
    }
    if let Some(extra) = signature.inputs.iter().nth(MOST) {
        return Err(Error::new_spanned(
            extra,
            "a node takes at most eight arguments",
        ));
    }
    let mut types = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Typed(argument) => types.push(&*argument.ty),
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(receiver, "a node is a free function"));
            }
        }
    }
    let Graph { state, nodes } = graph;
    let arguments = types.iter().map(|ty| {
        quote_spanned! {ty.span()=> ::superstep::__private::is_argument::<#state, #nodes, #ty>();}
    });
    let result = match &signature.output {
        ReturnType::Default => quote! {},
        ReturnType::Type(_, ty) => {
            quote_spanned! {ty.span()=> ::superstep::__private::is_result::<#state, #nodes, #ty>();}
        }
    };
    let names: Vec<_> = (0..types.len())
        .map(|at| format_ident!("argument{at}"))
        .collect();
    let name = &signature.ident;
    let future = quote_spanned! {name.span()=>
        ::superstep::__private::is_send(#name(#(#names),*));
    };
    Ok(quote! {
        const _: () = {
            #[allow(dead_code, clippy::too_many_arguments)]
            fn check(#(#names: #types),*) {
                #(#arguments)*
                #result
                #future
            }
        };
    })
}
