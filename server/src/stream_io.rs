//! Reading frames from a QUIC stream.

use crate::limits::Limits;
use quinn::{RecvStream, VarInt};
use std::time::Instant;
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{DecodeError, FrameBuffer};

/// Most bytes taken from QUIC at once.
const CHUNK: usize = 4096;

/// A code as QUIC wants it.
pub fn code(code: Code) -> VarInt {
    VarInt::from_u32(code.value())
}

/// The code for bytes that are not a frame.
pub fn code_of(error: &DecodeError) -> Code {
    match error {
        DecodeError::TooLong { .. } => Code::FrameTooLong,
        _ => Code::Malformed,
    }
}

/// The receiving half of a stream, with what has been read and not taken yet.
pub struct FrameReader {
    stream: RecvStream,
    buffer: FrameBuffer,
    allowance: Allowance,
}

impl FrameReader {
    /// Reads frames from `stream` within the limits.
    pub fn new(stream: RecvStream, limits: &Limits) -> FrameReader {
        FrameReader { stream, buffer: FrameBuffer::default(), allowance: Allowance::new(limits) }
    }

    /// Waits for bytes. False at the end of the stream or of its connection. Dropping the future
    /// loses nothing.
    pub async fn fill(&mut self) -> bool {
        match self.stream.read_chunk(CHUNK, true).await {
            Ok(Some(chunk)) => {
                self.buffer.extend(&chunk.bytes);
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// The body of the next whole frame that has been read.
    ///
    /// # Errors
    /// The code with which the stream, or its connection, has to end: the frame is too long, or frames
    /// come too fast.
    pub fn next_body(&mut self, max: usize) -> Result<Option<&[u8]>, Code> {
        match self.buffer.next_body(max) {
            Ok(None) => Ok(None),
            Ok(Some(body)) if self.allowance.take() => Ok(Some(body)),
            Ok(Some(_)) => Err(Code::RateLimited),
            Err(error) => Err(code_of(&error)),
        }
    }

    /// Gives memory back when nothing is pending.
    pub fn rest(&mut self) {
        self.buffer.release();
    }

    /// Tells the peer to stop sending.
    pub fn stop(&mut self, why: Code) {
        // An error says that the stream is closed already.
        let _closed = self.stream.stop(code(why));
    }
}

/// Frames that a stream may still send now: a bucket that refills.
struct Allowance {
    tokens: f64,
    per_second: f64,
    burst: f64,
    filled: Instant,
}

impl Allowance {
    fn new(limits: &Limits) -> Allowance {
        let burst = f64::from(limits.frames_burst);
        Allowance {
            tokens: burst,
            per_second: f64::from(limits.frames_per_second),
            burst,
            filled: Instant::now(),
        }
    }

    fn take(&mut self) -> bool {
        let now = Instant::now();
        let refilled = (now - self.filled).as_secs_f64() * self.per_second;
        self.tokens = (self.tokens + refilled).min(self.burst) - 1.0;
        self.filled = now;
        self.tokens >= 0.0
    }
}
