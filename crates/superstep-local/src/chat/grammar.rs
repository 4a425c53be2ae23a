//! Constrained decoding: a grammar that masks every token a reply may not have.
//!
//! A small model left to itself breaks JSON and invents tools; held to a grammar it cannot. Where
//! the grammar leaves no choice (keys, quotes, brackets) tokens are not computed one by one but
//! given in one go.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{
    InferenceCapabilities, SimpleVob, TokEnv, TokRxInfo, TokTrie, TokenizerEnv,
};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value as Json, json};
use superstep_model::{Request, ToolChoice, ToolSpec};

use super::error::ChatError;
use super::template::CALL;
use super::tokenizer::{Token, Tokenizer};

/// Makes grammars for one model. Building it sorts all tokens of the model, which takes a while.
pub(super) struct Grammars {
    factory: ParserFactory,
}

/// One reply on its way through a grammar.
pub(super) struct Guide(Matcher);

impl Grammars {
    pub(super) fn new(tokenizer: &Arc<Tokenizer>) -> Result<Self, ChatError> {
        let words: Vec<Vec<u8>> = tokenizer
            .tokens()
            .iter()
            .map(|token| match token {
                Token::Text(bytes) => bytes.clone(),
                Token::Mark(text) => {
                    let mut bytes = vec![TokTrie::SPECIAL_TOKEN_MARKER];
                    bytes.extend_from_slice(text.as_bytes());
                    bytes
                }
            })
            .collect();
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        let trie = TokTrie::from(&TokRxInfo::new(count, tokenizer.end()), &words);
        let environment: TokEnv = Arc::new(Environment {
            trie,
            tokenizer: Arc::clone(tokenizer),
        });
        Self::with(&environment)
    }

    fn with(environment: &TokEnv) -> Result<Self, ChatError> {
        let abilities = InferenceCapabilities {
            ff_tokens: true,
            ..InferenceCapabilities::default()
        };
        let slices = llguidance::earley::SlicedBiasComputer::general_slices();
        let mut factory = ParserFactory::new(environment, abilities, &slices)
            .map_err(|error| ChatError::Schema(error.to_string()))?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory })
    }

    /// The grammar of the reply to a request, if it is not free.
    pub(super) fn guide(&self, request: &Request) -> Result<Option<Guide>, ChatError> {
        let Some(grammar) = grammar(request)? else {
            return Ok(None);
        };
        let parser = self.factory.create_parser(grammar);
        let parser = parser.map_err(|error| ChatError::Schema(error.to_string()))?;
        let matcher = Matcher::new(Ok(parser));
        match matcher.get_error() {
            Some(error) => Err(ChatError::Schema(error)),
            None => Ok(Some(Guide(matcher))),
        }
    }
}

impl Guide {
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
    use llguidance::toktrie::ApproximateTokEnv;
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

    /// Whether the grammar takes the whole of `text`, byte by byte.
    fn takes(request: &Request, text: &str) -> bool {
        let grammars = Grammars::with(&ApproximateTokEnv::single_byte_env()).unwrap();
        let mut guide = grammars.guide(request).unwrap().unwrap();
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
        let grammars = Grammars::with(&ApproximateTokEnv::single_byte_env()).unwrap();
        assert!(grammars.guide(&Request::default()).unwrap().is_none());
        let none = request(ToolChoice::None);
        assert!(grammars.guide(&none).unwrap().is_none());
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
        let grammars = Grammars::with(&ApproximateTokEnv::single_byte_env()).unwrap();
        let unknown = request(ToolChoice::Tool("sing".to_owned()));
        assert!(matches!(grammars.guide(&unknown), Err(ChatError::NoTool)));
        let bad = Request {
            output: Some(OutputSchema {
                name: "data".to_owned(),
                schema: json!({"type": "no such type"}),
            }),
            ..Request::default()
        };
        assert!(matches!(grammars.guide(&bad), Err(ChatError::Schema(_))));
    }
}
