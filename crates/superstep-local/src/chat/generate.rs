//! Generation of one reply: prompt processing, then decoding token by token.

use std::time::{Duration, Instant};

use superstep_model::{Delta, Finish, Request, Usage};

use super::engine::{Job, Loaded};
use super::error::ChatError;
use super::grammar::Guide;
use super::model::Options;
use super::net::Net;
use super::prefix_cache::CachedPrefix;
use super::reply::ReplyParser;
use super::sampler::{Choice, Sampler};
use super::template::RenderError;
use super::tokenizer::{Spelling, Token, Tokenizer};

/// Tokens read in one go. Between two, a call can be cancelled.
const CHUNK: usize = 64;

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Tokens of the conversation.
    pub prompt: usize,
    /// Those that were known from an earlier call.
    pub cached: usize,
    /// How long the others took to read.
    pub reading: Duration,
    /// Tokens of the reply.
    pub written: usize,
    /// Those that the grammar left no choice about.
    pub forced: usize,
    /// How long the reply took to write.
    pub writing: Duration,
    /// How many threads computed.
    pub threads: usize,
    /// Whether the caller went away before the end.
    pub is_cancelled: bool,
}

/// Answers a call.
pub(super) fn generate(
    loaded: &mut Loaded,
    job: &Job,
    options: &Options,
) -> Result<Figures, ChatError> {
    let request = &job.request;
    let tokenizer = &loaded.tokenizer;
    let prompt = loaded
        .template
        .render(request, |text| tokenizer.defuse(text))
        .map_err(|error| match error {
            RenderError::Refused(why) => ChatError::Template(why),
            RenderError::Runaway(why) => ChatError::Runaway(why),
        })?;
    let prompt = tokenizer.encode(&prompt);
    let limit = reply_limit(request, options, prompt.len(), loaded.context)?;
    let guide = loaded.grammars.guide(request)?;
    let shape = loaded.net.shape();
    let Some(prefix) = loaded.prefixes.take(&prompt, shape) else {
        return Err(ChatError::Gone(
            "there is no room for the conversation".to_owned(),
        ));
    };
    let mut figures = Figures {
        prompt: prompt.len(),
        cached: prefix.len(),
        threads: rayon::current_num_threads(),
        ..Figures::default()
    };
    let started = Instant::now();
    let Some(ratings) = read(&loaded.net, prefix, &prompt, job) else {
        figures.is_cancelled = true;
        return Ok(figures);
    };
    figures.reading = started.elapsed();
    job.pieces.send(Ok(job.from.clone()));
    let writer = Writer {
        net: &loaded.net,
        tokenizer,
        prefix,
        job,
        guide,
        sampler: Sampler::new(Choice {
            temperature: request.temperature.unwrap_or(0.0),
            top_p: options.top_p,
            seed: request.seed.unwrap_or(0),
        }),
        pieces: match request.output.is_some() && !must_call(request) {
            true => ReplyParser::data(),
            false => ReplyParser::words(&request.stop),
        },
        spelling: Spelling::default(),
        usage: Usage {
            input: figures.prompt as u64,
            cached: figures.cached as u64,
            ..Usage::default()
        },
        figures,
    };
    writer.write(ratings, limit)
}

fn must_call(request: &Request) -> bool {
    use superstep_model::ToolChoice::{Required, Tool};
    matches!(request.tool_choice, Required | Tool(_))
}

/// How many tokens the reply may have.
fn reply_limit(
    request: &Request,
    options: &Options,
    prompt: usize,
    context: usize,
) -> Result<usize, ChatError> {
    let room = context.saturating_sub(prompt);
    let wanted = match request.max_tokens {
        Some(wanted) => wanted as usize,
        None => (options.max_tokens as usize).min(room),
    };
    if prompt == 0 || wanted == 0 || wanted > room {
        return Err(ChatError::TooLong {
            prompt,
            reply: wanted,
            context,
        });
    }
    Ok(wanted)
}

/// Reads what the prefix does not have yet, telling how far it is, and rates the next token. None if
/// the caller went away.
fn read(net: &Net, prefix: &mut CachedPrefix, prompt: &[u32], job: &Job) -> Option<Vec<f32>> {
    let unread = prompt.get(prefix.len()..)?;
    let (before, last) = unread.split_at(unread.len().saturating_sub(1) / CHUNK * CHUNK);
    let tell = |read: usize| {
        job.pieces.send(Ok(Delta::Reading {
            read: read as u64,
            total: prompt.len() as u64,
        }));
    };
    tell(prefix.len());
    for chunk in before.chunks(CHUNK) {
        if !job.pieces.is_open() {
            return None;
        }
        net.read_tokens(chunk, prefix);
        tell(prefix.len());
    }
    if !job.pieces.is_open() {
        return None;
    }
    let ratings = net.rate_next(last, prefix);
    tell(prompt.len());
    Some(ratings)
}

struct Writer<'a> {
    net: &'a Net,
    tokenizer: &'a Tokenizer,
    prefix: &'a mut CachedPrefix,
    job: &'a Job,
    guide: Option<Guide>,
    sampler: Sampler,
    pieces: ReplyParser,
    spelling: Spelling,
    usage: Usage,
    figures: Figures,
}

/// What comes next in a reply.
enum Next {
    Tokens(Vec<u32>),
    End,
}

impl Writer<'_> {
    fn write(mut self, mut ratings: Vec<f32>, limit: usize) -> Result<Figures, ChatError> {
        let started = Instant::now();
        let finish = loop {
            let Next::Tokens(mut tokens) = self.next(&ratings)? else {
                break Finish::Stop;
            };
            tokens.truncate(limit - self.figures.written);
            self.show(&tokens);
            self.figures.writing = started.elapsed();
            if self.pieces.is_stopped() || self.guide.as_ref().is_some_and(Guide::is_done) {
                break Finish::Stop;
            }
            if self.figures.written >= limit {
                break Finish::Length;
            }
            if !self.job.pieces.is_open() {
                self.figures.is_cancelled = true;
                return Ok(self.figures);
            }
            ratings = self.net.rate_next(&tokens, self.prefix);
        };
        let rest = std::mem::take(&mut self.spelling).finish();
        let mut last = self.pieces.push(&rest);
        last.extend(self.pieces.finish());
        let finish = match finish {
            Finish::Stop if self.pieces.calls() > 0 => Finish::ToolCalls,
            finish => finish,
        };
        self.usage.output = self.figures.written as u64;
        last.push(Delta::Usage(self.usage));
        last.push(Delta::Finish(finish));
        for piece in last {
            self.job.pieces.send(Ok(piece));
        }
        Ok(self.figures)
    }

    fn next(&mut self, ratings: &[f32]) -> Result<Next, ChatError> {
        let Some(guide) = &mut self.guide else {
            return Ok(match self.sampler.choose(ratings, None) {
                Some(token) if !self.ends(token) => Next::Tokens(vec![token]),
                _ => Next::End,
            });
        };
        let mut forced = guide.forced();
        if !forced.is_empty() {
            let end = self.tokenizer.end();
            forced.truncate(
                forced
                    .iter()
                    .position(|token| *token == end)
                    .unwrap_or(forced.len()),
            );
            self.figures.forced += forced.len();
            return Ok(match forced.is_empty() {
                true => Next::End,
                false => Next::Tokens(forced),
            });
        }
        if guide.is_done() {
            return Ok(Next::End);
        }
        let allowed = guide.allowed()?;
        let Some(token) = self.sampler.choose(ratings, Some(&allowed)) else {
            return Err(ChatError::Grammar("it allows nothing".to_owned()));
        };
        if token == self.tokenizer.end() {
            return Ok(Next::End);
        }
        guide.take(token)?;
        Ok(Next::Tokens(vec![token]))
    }

    /// Every mark ends a message: some models have several.
    fn ends(&self, token: u32) -> bool {
        !matches!(
            self.tokenizer.tokens().get(token as usize),
            Some(Token::Text(_))
        )
    }

    fn show(&mut self, tokens: &[u32]) {
        for token in tokens {
            self.figures.written += 1;
            let text = self.spelling.push(self.tokenizer.bytes(*token));
            let was_thinking = self.pieces.is_thinking();
            for piece in self.pieces.push(&text) {
                self.job.pieces.send(Ok(piece));
            }
            if was_thinking {
                self.usage.reasoning += 1;
            }
        }
    }
}
