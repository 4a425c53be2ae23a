//! Reply stream: from the bytes of a response to deltas, for any protocol over server-sent events.
//!
//! What comes is judged by its first byte, not by what its headers say: a server that was asked to
//! stream may answer in one JSON object, and a gateway may answer with a page.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use serde_json::Value as Json;
use superstep_http::{Chunks, Client};

use crate::{
    Secret,
    delta::{Delta, Deltas},
    error::{ErrorKind, ModelError},
    model_id::ModelId,
    remote::{
        fault::{self, Endpoint, ProviderError},
        forced_tool::ForcedTool,
        http::{HttpCall, MAX_ANSWER, MAX_STREAM, Site},
        sse::{Event, Parser},
    },
};

/// What a protocol makes of events and whole answers.
pub(crate) trait Protocol: Send + Unpin {
    /// An event of the stream.
    fn event(&mut self, event: &Event, out: &mut Out) -> Result<(), Wrong>;

    /// An answer that came in one piece.
    fn whole(&mut self, answer: &Json, out: &mut Out) -> Result<(), Wrong>;

    /// The stream is over, by its own word or by its end.
    fn end(&mut self, out: &mut Out) -> Result<(), Wrong>;
}

/// What a protocol has to say.
#[derive(Debug, Default)]
pub(crate) struct Out {
    deltas: VecDeque<Delta>,
    forced: Option<ForcedTool>,
    is_finished: bool,
    /// The protocol has said that nothing follows.
    is_over: bool,
}

impl Out {
    pub(crate) fn new(forced: Option<ForcedTool>) -> Self {
        Self {
            forced,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, delta: Delta) {
        self.is_finished |= matches!(delta, Delta::Finish(_));
        match &mut self.forced {
            Some(forced) => forced.turn(delta, &mut self.deltas),
            None => self.deltas.push_back(delta),
        }
    }

    /// Whether the reply has said why it stopped.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    pub(crate) fn over(&mut self) {
        self.is_over = true;
    }
}

/// What is wrong with an answer.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// It does not follow the protocol.
    Malformed(String),
    /// It says itself that the call failed.
    Reported(ProviderError),
    /// It ended before its end.
    Cut,
}

impl From<&str> for Wrong {
    fn from(what: &str) -> Self {
        Self::Malformed(what.into())
    }
}

/// On whose behalf an answer is read, for as long as it is.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) host: String,
    pub(crate) key: Option<Secret>,
}

impl Reader {
    /// For a model at a site.
    pub(crate) fn new(id: &ModelId, site: &Site) -> Self {
        Self {
            provider: id.provider.clone(),
            model: id.name.clone(),
            host: site.address.host(),
            key: site.key.clone(),
        }
    }

    pub(crate) fn endpoint(&self) -> Endpoint<'_> {
        Endpoint {
            provider: &self.provider,
            model: &self.model,
            host: &self.host,
            key: self.key.as_ref(),
        }
    }

    fn error(&self, wrong: Wrong) -> ModelError {
        let kind = match wrong {
            Wrong::Malformed(what) => ErrorKind::Malformed {
                what: fault::scrub(&what, self.key.as_ref()),
            },
            Wrong::Reported(reported) => {
                fault::refusal(reported.as_status(), None, &reported, &self.endpoint())
            }
            Wrong::Cut => ErrorKind::Cut,
        };
        kind.into()
    }
}

impl<P: Protocol + 'static> Decoder<P> {
    /// Makes the call and gives the pieces of its answer as they come.
    pub(crate) async fn read(
        self,
        call: &HttpCall<'_>,
        client: &Client,
        body: &Json,
    ) -> Result<Deltas, ModelError> {
        let response = call.post(client, body).await?;
        let chunks = response.into_chunks().map_err(|error| call.failed(error))?;
        Ok(Deltas::new(DeltaStream::new(chunks, self)))
    }
}

/// The pieces of a reply as they come over a connection. Dropping it ends the connection.
struct DeltaStream<P> {
    body: Option<Chunks>,
    decoder: Decoder<P>,
    failed: Option<ModelError>,
}

impl<P: Protocol> DeltaStream<P> {
    pub(crate) fn new(body: Chunks, decoder: Decoder<P>) -> Self {
        Self {
            body: Some(body),
            decoder,
            failed: None,
        }
    }
}

impl<P: Protocol> Stream for DeltaStream<P> {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(delta) = this.decoder.next() {
                return Poll::Ready(Some(Ok(delta)));
            }
            if let Some(error) = this.failed.take() {
                return Poll::Ready(Some(Err(error)));
            }
            let Some(body) = &mut this.body else {
                return Poll::Ready(None);
            };
            let read = Pin::new(body).poll_next(cx);
            if this.decoder.is_over() {
                // The read was for the end of the body, which lets the connection be used again; it
                // is not waited for.
                this.body = None;
                return Poll::Ready(None);
            }
            let taken = match read {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(bytes))) => this.decoder.push(&bytes),
                Poll::Ready(Some(Err(_))) => this.decoder.broken(),
                Poll::Ready(None) => this.decoder.end(),
            };
            if let Err(error) = taken {
                this.body = None;
                this.failed = Some(error);
            }
        }
    }
}

/// Turns the bytes of an answer into pieces, without a connection.
pub(crate) struct Decoder<P> {
    protocol: P,
    reader: Reader,
    shape: Shape,
    out: Out,
    taken: usize,
    is_over: bool,
}

enum Shape {
    /// Not known yet: nothing came but white space.
    Unknown(Vec<u8>),
    Events(Parser),
    Whole(Vec<u8>),
}

impl<P: Protocol> Decoder<P> {
    pub(crate) fn new(protocol: P, reader: Reader, forced: Option<ForcedTool>) -> Self {
        Self {
            protocol,
            reader,
            shape: Shape::Unknown(Vec::new()),
            out: Out::new(forced),
            taken: 0,
            is_over: false,
        }
    }

    /// The next piece that is there.
    pub(crate) fn next(&mut self) -> Option<Delta> {
        self.out.deltas.pop_front()
    }

    /// Whether no more pieces come.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over || self.out.is_over
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        self.taken = self.taken.saturating_add(bytes.len());
        let limit = match self.shape {
            Shape::Events(_) => MAX_STREAM,
            Shape::Unknown(_) | Shape::Whole(_) => MAX_ANSWER,
        };
        if self.taken > limit {
            let what = format!("more than {limit} bytes");
            return Err(ErrorKind::TooLarge { what }.into());
        }
        match &mut self.shape {
            Shape::Events(parser) => {
                let mut events = Vec::new();
                let parsed = parser.push(bytes, &mut events);
                self.events(&events)?;
                // What follows the end is nobody's business, whatever it is.
                if self.out.is_over { Ok(()) } else { parsed }
            }
            Shape::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Shape::Unknown(seen) => {
                seen.extend_from_slice(bytes);
                let Some(shape) = shape(seen) else {
                    return Ok(());
                };
                let seen = std::mem::take(seen);
                self.shape = shape.map_err(|wrong| self.reader.error(wrong))?;
                self.taken = 0;
                self.push(&seen)
            }
        }
    }

    /// The answer has ended.
    pub(crate) fn end(&mut self) -> Result<(), ModelError> {
        self.is_over = true;
        let Self {
            protocol,
            reader,
            shape,
            out,
            ..
        } = self;
        let ended = match shape {
            Shape::Unknown(_) => Err(Wrong::Cut),
            Shape::Events(_) => protocol.end(out),
            Shape::Whole(body) => match serde_json::from_slice::<Json>(body) {
                Ok(answer) => match ProviderError::of(&answer) {
                    Some(reported) => Err(Wrong::Reported(reported)),
                    None => protocol.whole(&answer, out),
                },
                Err(error) if error.is_eof() => Err(Wrong::Cut),
                Err(error) => Err(Wrong::Malformed(error.to_string())),
            },
        };
        ended.map_err(|wrong| reader.error(wrong))
    }

    /// The connection broke. A reply that had said why it stopped is whole nevertheless.
    pub(crate) fn broken(&mut self) -> Result<(), ModelError> {
        self.is_over = true;
        if self.out.is_finished() {
            return Ok(());
        }
        Err(ErrorKind::Cut.into())
    }

    fn events(&mut self, events: &[Event]) -> Result<(), ModelError> {
        for event in events {
            if self.out.is_over {
                break;
            }
            let taken = self.protocol.event(event, &mut self.out);
            taken.map_err(|wrong| self.reader.error(wrong))?;
        }
        Ok(())
    }
}

/// What the first byte that is not white space, nor part of a byte order mark, says.
fn shape(seen: &[u8]) -> Option<Result<Shape, Wrong>> {
    let skipped = |byte: &&u8| !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf);
    let first = seen.iter().find(skipped)?;
    Some(match first {
        b'{' | b'[' => Ok(Shape::Whole(Vec::new())),
        b'<' => Err("a page of HTML instead of a reply".into()),
        _ => Ok(Shape::Events(Parser::new())),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    //! What protocols are tested with.

    use super::*;
    use crate::{Assembly, ModelId, Reply};

    /// Decodes an answer that comes in parts, as a caller would get it.
    pub(crate) fn decode<'a, P: Protocol>(
        protocol: P,
        forced: Option<ForcedTool>,
        parts: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Reply, ModelError> {
        let reader = Reader {
            provider: "p".into(),
            model: "m".into(),
            host: "h".into(),
            key: None,
        };
        let mut decoder = Decoder::new(protocol, reader, forced);
        let mut reply = Assembly::new(&ModelId::new("p", "m"));
        for part in parts {
            let pushed = decoder.push(part);
            while let Some(delta) = decoder.next() {
                reply.add(delta)?;
            }
            pushed?;
            if decoder.is_over() {
                return reply.finish();
            }
        }
        let ended = decoder.end();
        while let Some(delta) = decoder.next() {
            reply.add(delta)?;
        }
        ended?;
        reply.finish()
    }
}
