//! Whole frames over QUIC streams.

use crate::error::Error;
use quinn::{RecvStream, SendStream};
use zeitnot_proto::codec::{DecodeError, Frame, FrameBuffer, decode, encode_into};

/// Most bytes that are taken from a stream at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// Reads frames from a stream.
#[derive(Debug)]
pub(crate) struct FrameReader {
    stream: RecvStream,
    buffer: FrameBuffer,
}

impl FrameReader {
    pub(crate) fn new(stream: RecvStream) -> FrameReader {
        FrameReader { stream, buffer: FrameBuffer::default() }
    }

    /// The next frame; none at the end of the stream. Frames of a number that this version does not
    /// know are skipped. Nothing is lost when the future is dropped.
    pub(crate) async fn next<T: Frame>(&mut self) -> Result<Option<T>, Error> {
        loop {
            while let Some(body) = self.buffer.next_body(T::MAX)? {
                match decode(body) {
                    Err(DecodeError::UnknownVariant(_)) => {}
                    other => return Ok(Some(other?)),
                }
            }
            self.buffer.release();
            match self.stream.read_chunk(CHUNK_BYTES, true).await? {
                Some(chunk) => self.buffer.extend(&chunk.bytes),
                None if self.buffer.pending() == 0 => return Ok(None),
                None => return Err(Error::Protocol("a stream ended within a frame".into())),
            }
        }
    }
}

/// Writes frames to a stream, one after another.
#[derive(Debug)]
pub(crate) struct FrameWriter {
    stream: SendStream,
    /// Encoded, and not taken by the stream yet from `taken` on.
    bytes: Vec<u8>,
    taken: usize,
}

impl FrameWriter {
    pub(crate) fn new(stream: SendStream) -> FrameWriter {
        FrameWriter { stream, bytes: Vec::new(), taken: 0 }
    }

    /// Writes one frame. If the future is dropped halfway, the rest goes out before the next frame.
    pub(crate) async fn write<T: Frame>(&mut self, frame: &T) -> Result<(), Error> {
        encode_into(frame, &mut self.bytes)?;
        while self.taken < self.bytes.len() {
            self.taken += self.stream.write(&self.bytes[self.taken..]).await?;
        }
        self.bytes.clear();
        self.taken = 0;
        Ok(())
    }

    /// Ends the stream after what has been written.
    pub(crate) fn finish(&mut self) {
        // Only a stream that has ended already cannot be finished.
        let _ = self.stream.finish();
    }
}
