//! Generation of one reply: prompt processing, then decoding token by token.

use std::time::Instant;

use superstep_model::{Cached, Delta, Finish, Request, Usage};

use super::draft::Drafts;
use super::error::ChatError;
use super::figures::Figures;
use super::grammar::Guide;
use super::job::Job;
use super::loaded::Loaded;
use super::net::Net;
use super::options::Options;
use super::pools::Pools;
use super::prefix_cache::CachedPrefix;
use super::reply::ReplyParser;
use super::sampler::{Choice, Sampler};
use super::spelling::Spelling;
use super::template::RenderError;
use super::tensor::is_faster_together;
use super::token_table::{Token, TokenTable};

/// Tokens read in one go. Between two, a call can be cancelled.
const CHUNK: usize = 64;

/// Answers a call.
pub(super) fn generate(
    loaded: &mut Loaded,
    job: &Job,
    options: &Options,
    pools: &mut Pools,
) -> Result<Figures, ChatError> {
    let request = &job.request;
    let prompt = tokens(loaded, request)?;
    let limit = reply_limit(request, options, prompt.len(), loaded.context)?;
    let fixed = match &loaded.files {
        Some(_) => fixed(loaded, request, &prompt)?,
        None => None,
    };
    let shape = loaded.net.shape();
    let Some(prefix) = loaded.prefixes.take(&prompt, shape) else {
        return Err(ChatError::Gone(
            "there is no room for the conversation".to_owned(),
        ));
    };
    let stored = loaded.files.as_ref().zip(fixed);
    if let Some((files, fixed)) = stored
        && prefix.len() < fixed.len()
    {
        files.load(fixed, prefix);
    }
    let early = loaded.grammars.guide_if_ready(request)?;
    let mut figures = Figures {
        prompt: prompt.len(),
        cached: prefix.len(),
        ..Figures::default()
    };
    let started = Instant::now();
    let ratings = read(&loaded.net, prefix, &prompt, job, pools)?;
    figures.threads = pools.count();
    let Some(ratings) = ratings else {
        figures.is_cancelled = true;
        return Ok(figures);
    };
    if let Some((files, fixed)) = stored {
        files.store(fixed, prefix);
    }
    figures.reading = started.elapsed();
    let guide = match early {
        Some(guide) => guide,
        None => loaded.grammars.guide(request)?,
    };
    job.pieces.send(Ok(job.from.clone()));
    let writer = Writer {
        net: &loaded.net,
        pools,
        table: &loaded.table,
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
        drafts: Drafts::new(&prompt),
        usage: Usage {
            input: figures.prompt as u64,
            cached: figures.cached as u64,
            ..Usage::default()
        },
        figures,
    };
    writer.write(ratings, limit)
}

/// The tokens of a conversation, up to where the reply begins.
fn tokens(loaded: &Loaded, request: &Request) -> Result<Vec<u32>, ChatError> {
    let text = loaded
        .template
        .render(request, |text| loaded.table.defuse(text))
        .map_err(|error| match error {
            RenderError::Refused(why) => ChatError::Template(why),
            RenderError::Runaway(why) => ChatError::Runaway(why),
        })?;
    Ok(loaded.tokenizer.encode(&text))
}

/// The tokens of a prompt that every call of its kind begins with, if the request says that there are some.
fn fixed<'a>(
    loaded: &Loaded,
    request: &Request,
    prompt: &'a [u32],
) -> Result<Option<&'a [u32]>, ChatError> {
    let Some((_, first)) = request
        .messages
        .split_last()
        .filter(|(_, first)| request.cached == Cached::Examples && !first.is_empty())
    else {
        return Ok(None);
    };
    let first = Request {
        messages: first.to_vec(),
        ..request.clone()
    };
    let first = tokens(loaded, &first)?;
    let same = prompt.iter().zip(&first).take_while(|(a, b)| a == b);
    Ok(prompt.get(..same.count().min(prompt.len().saturating_sub(1))))
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
fn read(
    net: &Net,
    prefix: &mut CachedPrefix,
    prompt: &[u32],
    job: &Job,
    pools: &mut Pools,
) -> Result<Option<Vec<f32>>, ChatError> {
    let unread = prompt.get(prefix.len()..).unwrap_or_default();
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
            return Ok(None);
        }
        pools.pass(chunk.len(), || net.read_tokens(chunk, prefix))?;
        tell(prefix.len());
    }
    if !job.pieces.is_open() {
        return Ok(None);
    }
    let ratings = pools.pass(last.len(), || net.rate_next(last, 1, prefix))?;
    tell(prompt.len());
    Ok(Some(ratings))
}

struct Writer<'a> {
    net: &'a Net,
    pools: &'a mut Pools,
    table: &'a TokenTable,
    prefix: &'a mut CachedPrefix,
    job: &'a Job,
    guide: Option<Guide>,
    sampler: Sampler,
    pieces: ReplyParser,
    spelling: Spelling,
    drafts: Drafts,
    usage: Usage,
    figures: Figures,
}

/// What was read last: tokens that are certain, and a guess of what follows them.
struct Ahead {
    /// A row after what is certain, and one after each guessed token.
    ratings: Vec<f32>,
    guess: Vec<u32>,
    /// How many of the guess were chosen.
    right: usize,
}

impl Ahead {
    fn new(ratings: Vec<f32>, guess: Vec<u32>) -> Self {
        Self {
            ratings,
            guess,
            right: 0,
        }
    }

    /// The ratings of what follows all that was chosen.
    fn ratings(&self) -> &[f32] {
        let row = self.ratings.len() / (self.guess.len() + 1);
        let mut rows = self.ratings.chunks_exact(row.max(1));
        rows.nth(self.right).unwrap_or_default()
    }

    /// Takes chosen tokens, and returns those that are to be read yet.
    fn take<'a>(&mut self, tokens: &'a [u32]) -> &'a [u32] {
        let guess = self.guess.get(self.right..).unwrap_or_default();
        let same = guess.iter().zip(tokens).take_while(|(a, b)| a == b);
        let same = same.count();
        self.right += same;
        tokens.get(same..).unwrap_or_default()
    }

    fn wrong(&self) -> usize {
        self.guess.len() - self.right
    }
}

/// What comes next in a reply.
enum Next {
    Tokens(Vec<u32>),
    End,
}

impl Writer<'_> {
    fn write(mut self, ratings: Vec<f32>, limit: usize) -> Result<Figures, ChatError> {
        let started = Instant::now();
        let mut ahead = Ahead::new(ratings, Vec::new());
        let finish = loop {
            let Next::Tokens(mut tokens) = self.next(ahead.ratings())? else {
                break Finish::Stop;
            };
            tokens.truncate(limit - self.figures.written);
            self.show(&tokens);
            self.drafts.extend(&tokens);
            let unread = ahead.take(&tokens);
            self.figures.guessed += tokens.len() - unread.len();
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
            if !unread.is_empty() {
                self.forget(&ahead);
                self.drafts.judge(ahead.guess.len(), ahead.right);
                ahead = self.read_on(unread, limit - self.figures.written)?;
            }
        };
        self.forget(&ahead);
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

    /// Reads tokens and a guess of at most `most` tokens after them.
    fn read_on(&mut self, tokens: &[u32], most: usize) -> Result<Ahead, ChatError> {
        let guess = match is_faster_together() {
            true => self.drafts.guess(most).to_vec(),
            false => Vec::new(),
        };
        let both = [tokens, &guess].concat();
        let (net, prefix, count) = (self.net, &mut *self.prefix, guess.len() + 1);
        let rate = || net.rate_next(&both, count, prefix);
        let ratings = self.pools.pass(both.len(), rate)?;
        self.figures.threads = self.pools.count();
        Ok(Ahead::new(ratings, guess))
    }

    /// Forgets what was guessed wrongly.
    fn forget(&mut self, ahead: &Ahead) {
        let right = self.prefix.len().saturating_sub(ahead.wrong());
        self.prefix.truncate(right);
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
            let end = self.table.end();
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
        if token == self.table.end() {
            return Ok(Next::End);
        }
        guide.take(token)?;
        Ok(Next::Tokens(vec![token]))
    }

    /// Every mark ends a message: some models have several.
    fn ends(&self, token: u32) -> bool {
        !matches!(
            self.table.tokens().get(token as usize),
            Some(Token::Text(_))
        )
    }

    fn show(&mut self, tokens: &[u32]) {
        for token in tokens {
            self.figures.written += 1;
            let text = self.spelling.push(self.table.bytes(*token));
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
