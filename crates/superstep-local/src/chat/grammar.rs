//! Constrained decoding: a grammar that masks every token a reply may not have.
//!
//! A small model left to itself breaks JSON and invents tools; held to a grammar it cannot. Where
//! the grammar leaves no choice (keys, quotes, brackets) tokens are not computed one by one but
//! given in one go.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use hashbrown::HashSet;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{
    ApproximateTokEnv, InferenceCapabilities, SimpleVob, TokEnv, TokRxInfo, TokTrie, TokenizerEnv,
};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value as Json, json};
use superstep_model::{Request, ToolChoice, ToolSpec};

use super::error::ChatError;
use super::template::CALL;
use super::token_table::{Token, TokenTable};
use super::tokenizer::Tokenizer;

/// Makes grammars for one model. What they are made with takes a while: all tokens of the model are sorted.
pub(super) struct Grammars {
    table: Arc<TokenTable>,
    tokenizer: Arc<Tokenizer>,
    factory: Factory,
}

/// What grammars are made with.
enum Factory {
    Unmade,
    Started(FactoryThread),
    Ready(ParserFactory),
}

impl Factory {
    fn of(started: Option<FactoryThread>, tokenizer: &Arc<Tokenizer>) -> Self {
        let Some(started) = started else {
            return Self::Unmade;
        };
        // A thread that is gone is found out when it is waited for.
        let _gone = started.tokenizer.send(Arc::clone(tokenizer));
        Self::Started(started)
    }
}

/// A thread that sorts the tokens while the tokenizer and the prompt are read.
pub(super) struct FactoryThread {
    thread: JoinHandle<Result<ParserFactory, ChatError>>,
    tokenizer: Sender<Arc<Tokenizer>>,
}

/// One reply on its way through a grammar.
pub(super) struct Guide(Matcher);

impl FactoryThread {
    /// Begins if `request` needs a grammar.
    pub(super) fn start(
        table: &Arc<TokenTable>,
        request: &Request,
    ) -> Result<Option<Self>, ChatError> {
        if grammar(request)?.is_none() {
            return Ok(None);
        }
        let table = Arc::clone(table);
        let (tokenizer, ready) = channel::<Arc<Tokenizer>>();
        let make = move || -> Result<ParserFactory, ChatError> {
            let trie = trie(&table);
            let tokenizer = ready.recv().map_err(|_| gone())?;
            factory(&environment(trie, tokenizer))
        };
        let thread = std::thread::Builder::new()
            .name("superstep-grammars".to_owned())
            .spawn(make)
            .map_err(|error| ChatError::Gone(error.to_string()))?;
        Ok(Some(Self { thread, tokenizer }))
    }
}

fn gone() -> ChatError {
    ChatError::Gone("its grammars could not be made".to_owned())
}

/// Longer tokens are never part of a reply that a grammar holds: a trie has no room for them.
const LONGEST: usize = 1000;

fn trie(table: &TokenTable) -> TokTrie {
    let mut seen = HashSet::with_capacity(table.tokens().len());
    let tokens = table.tokens().iter().rev();
    let mut words: Vec<Vec<u8>> = tokens
        .map(|token| match token {
            // Of tokens that are the same the last counts, as it does for the tokenizer.
            Token::Text(bytes) if bytes.len() > LONGEST || !seen.insert(bytes) => Vec::new(),
            Token::Text(bytes) => bytes.clone(),
            Token::Mark(text) if text.len() > LONGEST => Vec::new(),
            Token::Mark(text) => {
                let mut bytes = vec![TokTrie::SPECIAL_TOKEN_MARKER];
                bytes.extend_from_slice(text.as_bytes());
                bytes
            }
        })
        .collect();
    words.reverse();
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    TokTrie::from(&TokRxInfo::new(count, table.end()), &words)
}

fn environment(trie: TokTrie, tokenizer: Arc<Tokenizer>) -> TokEnv {
    Arc::new(Environment { trie, tokenizer })
}

fn factory(environment: &TokEnv) -> Result<ParserFactory, ChatError> {
    let abilities = InferenceCapabilities {
        ff_tokens: true,
        ..InferenceCapabilities::default()
    };
    // Without sets of tokens that texts of JSON have most of: to make one takes as long as it saves in 200 tokens.
    let mut factory = ParserFactory::new(environment, abilities, &[])
        .map_err(|error| ChatError::Schema(error.to_string()))?;
    factory.quiet();
    factory.limits_mut().verbose_errors = false;
    Ok(factory)
}

impl Grammars {
    pub(super) fn new(
        table: Arc<TokenTable>,
        tokenizer: Arc<Tokenizer>,
        started: Option<FactoryThread>,
    ) -> Self {
        Self {
            table,
            factory: Factory::of(started, &tokenizer),
            tokenizer,
        }
    }

    fn factory(&mut self) -> Result<&ParserFactory, ChatError> {
        let made = match std::mem::replace(&mut self.factory, Factory::Unmade) {
            Factory::Ready(made) => made,
            Factory::Started(started) => started.thread.join().map_err(|_| gone())??,
            Factory::Unmade => {
                let tokenizer = Arc::clone(&self.tokenizer);
                factory(&environment(trie(&self.table), tokenizer))?
            }
        };
        self.factory = Factory::Ready(made);
        match &self.factory {
            Factory::Ready(made) => Ok(made),
            _ => Err(gone()),
        }
    }

    /// Like [`Grammars::guide`], but if what grammars are made with is not ready, nothing: it is being made then. A schema that
    /// is no grammar is an error either way.
    pub(super) fn guide_if_ready(
        &mut self,
        request: &Request,
    ) -> Result<Option<Option<Guide>>, ChatError> {
        let Some(grammar) = grammar(request)? else {
            return Ok(Some(None));
        };
        if matches!(self.factory, Factory::Unmade) {
            let started = FactoryThread::start(&self.table, request)?;
            self.factory = Factory::of(started, &self.tokenizer);
        }
        if let Factory::Ready(factory) = &self.factory {
            return Guide::new(factory, grammar).map(|guide| Some(Some(guide)));
        }
        // Whether it is a grammar does not depend on the tokens.
        Guide::new(&factory(&ApproximateTokEnv::single_byte_env())?, grammar)?;
        Ok(None)
    }

    /// The grammar of the reply to a request, if it is not free.
    pub(super) fn guide(&mut self, request: &Request) -> Result<Option<Guide>, ChatError> {
        let Some(grammar) = grammar(request)? else {
            return Ok(None);
        };
        Guide::new(self.factory()?, grammar).map(Some)
    }
}

impl Guide {
    fn new(factory: &ParserFactory, grammar: TopLevelGrammar) -> Result<Self, ChatError> {
        let parser = factory.create_parser(grammar);
        let parser = parser.map_err(|error| ChatError::Schema(error.to_string()))?;
        let matcher = Matcher::new(Ok(parser));
        match matcher.get_error() {
            Some(error) => Err(ChatError::Schema(error)),
            None => Ok(Self(matcher)),
        }
    }

    /// Tokens that must come next, because nothing else can. They count as taken.
    pub(super) fn forced(&mut self) -> Vec<u32> {
        self.0.consume_ff_tokens()
    }

    /// Tokens that may come next.
    pub(super) fn allowed(&mut self) -> Result<SimpleVob, ChatError> {
        let allowed = self.0.compute_mask_or_eos();
        allowed.map_err(|error| ChatError::Grammar(error.to_string()))
    }

    /// Takes a token.
    pub(super) fn take(&mut self, token: u32) -> Result<(), ChatError> {
        let taken = self.0.consume_token(token);
        taken.map_err(|error| ChatError::Grammar(error.to_string()))
    }

    /// Whether the reply is complete and nothing can follow.
    pub(super) fn is_done(&self) -> bool {
        self.0.is_stopped()
    }
}

/// The model's own way to write a text as tokens, which forced text must follow too: a model that
/// sees its words spelled differently than in training goes astray.
struct Environment {
    trie: TokTrie,
    tokenizer: Arc<Tokenizer>,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        self.trie
            .tokenize_with_greedy_fallback(bytes, |text| self.tokenizer.encode(text))
    }
}

fn grammar(request: &Request) -> Result<Option<TopLevelGrammar>, ChatError> {
    let tools = &request.tools;
    match &request.tool_choice {
        ToolChoice::Required => Ok(Some(one_call(tools.iter())?)),
        ToolChoice::Tool(name) => {
            let tool = tools.iter().filter(|tool| tool.name == *name);
            Ok(Some(one_call(tool)?))
        }
        _ if request.output.is_some() => Ok(request
            .output
            .as_ref()
            .map(|output| TopLevelGrammar::from_json_schema(spaced(output.schema.clone())))),
        ToolChoice::Auto if !tools.is_empty() => {
            let call = call_rule(tools.iter())?;
            let (open, _) = CALL;
            // Text that is no call and has none in it.
            let text = format!("/[^<](.|\\n)*/ & ~/(.|\\n)*{open}(.|\\n)*/");
            Ok(Some(TopLevelGrammar::from_lark(format!(
                "start: TEXT | call\nTEXT: {text}\n{call}"
            ))))
        }
        ToolChoice::Auto | ToolChoice::None => Ok(None),
    }
}

fn one_call<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> Result<TopLevelGrammar, ChatError> {
    let call = call_rule(tools)?;
    Ok(TopLevelGrammar::from_lark(format!("start: call\n{call}")))
}

fn call_rule<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> Result<String, ChatError> {
    let calls: Vec<Json> = tools
        .map(|tool| {
            json!({
                "type": "object",
                "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
                "required": ["name", "arguments"],
                "additionalProperties": false,
            })
        })
        .collect();
    if calls.is_empty() {
        return Err(ChatError::NoTool);
    }
    let (open, close) = CALL;
    let schema = spaced(json!({"anyOf": calls}));
    Ok(format!(
        "call: \"{open}\\n\" json \"\\n{close}\"\njson: %json {schema}\n"
    ))
}

/// With a space after commas and colons, as models have seen JSON most.
fn spaced(mut schema: Json) -> Json {
    if let Json::Object(schema) = &mut schema {
        let spacing = json!({
            "whitespace_flexible": false,
            "item_separator": ", ",
            "key_separator": ": ",
        });
        schema.insert("x-guidance".to_owned(), spacing);
    }
    schema
}

#[cfg(test)]
mod tests {
    use superstep_model::OutputSchema;

    use super::*;

    fn request(choice: ToolChoice) -> Request {
        let tool = |name: &str| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({
                "type": "object",
                "properties": {"at": {"type": "integer"}},
                "required": ["at"],
                "additionalProperties": false,
            }),
        };
        Request {
            tools: vec![tool("look"), tool("jump")],
            tool_choice: choice,
            ..Request::default()
        }
    }

    /// The guide of a reply of a model whose tokens are single bytes.
    fn guide(request: &Request) -> Result<Guide, ChatError> {
        let factory = factory(&ApproximateTokEnv::single_byte_env()).unwrap();
        Guide::new(&factory, grammar(request)?.unwrap())
    }

    /// Whether the grammar takes the whole of `text`, byte by byte.
    fn takes(request: &Request, text: &str) -> bool {
        let mut guide = guide(request).unwrap();
        text.bytes().all(|byte| {
            let allowed = guide.allowed().unwrap();
            allowed.is_allowed(u32::from(byte)) && guide.take(u32::from(byte)).is_ok()
        })
    }

    const LOOK: &str =
        "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 3}}\n</tool_call>";

    #[test]
    fn a_call_that_is_required_is_all_that_fits() {
        let required = request(ToolChoice::Required);
        assert!(takes(&required, LOOK));
        assert!(takes(&required, &LOOK.replace("look", "jump")));
        assert!(!takes(&required, &LOOK.replace("look", "sing")));
        assert!(!takes(&required, &LOOK.replace('3', "true")));
        assert!(!takes(&required, "Hello"));
    }

    #[test]
    fn a_named_tool_is_all_that_fits() {
        let named = request(ToolChoice::Tool("jump".to_owned()));
        assert!(takes(&named, &LOOK.replace("look", "jump")));
        assert!(!takes(&named, LOOK));
    }

    #[test]
    fn with_a_choice_words_and_calls_fit_but_no_call_within_words() {
        let auto = request(ToolChoice::Auto);
        assert!(takes(&auto, LOOK));
        assert!(takes(&auto, "Well, 1 < 2.\nSo be it."));
        assert!(!takes(&auto, "Well: <tool_call>"));
    }

    #[test]
    fn without_tools_or_schema_everything_fits() {
        assert!(grammar(&Request::default()).unwrap().is_none());
        let none = request(ToolChoice::None);
        assert!(grammar(&none).unwrap().is_none());
    }

    #[test]
    fn a_schema_keeps_the_order_of_its_fields_and_their_spacing() {
        let data = |schema: Json| Request {
            output: Some(OutputSchema {
                name: "data".to_owned(),
                schema,
            }),
            ..Request::default()
        };
        let schema: Json = serde_json::from_str(
            r#"{"type": "object", "properties": {"why": {"type": "string", "maxLength": 3},
                "answer": {"enum": [1, 2]}}, "required": ["why", "answer"],
                "additionalProperties": false}"#,
        )
        .unwrap();
        let request = data(schema);
        assert!(takes(&request, r#"{"why": "abc", "answer": 2}"#));
        assert!(!takes(&request, r#"{"why": "abcd"#));
        assert!(!takes(&request, r#"{"answer""#));
        assert!(!takes(&request, r#"{"why":"a"#));
    }

    #[test]
    fn what_cannot_be_a_grammar_is_refused() {
        let unknown = request(ToolChoice::Tool("sing".to_owned()));
        assert!(matches!(guide(&unknown), Err(ChatError::NoTool)));
        let bad = Request {
            output: Some(OutputSchema {
                name: "data".to_owned(),
                schema: json!({"type": "no such type"}),
            }),
            ..Request::default()
        };
        assert!(matches!(guide(&bad), Err(ChatError::Schema(_))));
    }
}
