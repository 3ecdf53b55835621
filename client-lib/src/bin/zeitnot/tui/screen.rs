//! The terminal: taken over at the start, given back at the end, whatever the end is.

use ratatui::DefaultTerminal;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io::{self, IsTerminal, Write};
use tokio::sync::mpsc;

/// What the person at the terminal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// The end of the line.
    Enter,
    /// Takes the last letter back.
    Backspace,
    /// Empties the line.
    Clear,
    /// Leaves.
    Quit,
    /// The terminal has another size.
    Resized,
}

/// The terminal while it shows a board. Dropping it gives the terminal back; a panic does so too.
pub struct Screen {
    terminal: DefaultTerminal,
    keys: mpsc::Receiver<Key>,
    /// Letters instead of chess figures.
    pub ascii: bool,
    /// No colours.
    pub plain: bool,
}

impl Screen {
    /// Takes the terminal over.
    pub fn open(ascii: bool) -> io::Result<Screen> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::other("this needs a terminal; scripts use `zeitnot pipe`"));
        }
        // Restores the terminal before a panic is printed.
        let terminal = ratatui::try_init().inspect_err(|_| {
            // Half taken over is given back as well.
            let _ = ratatui::try_restore();
        })?;
        let (sender, keys) = mpsc::channel(64);
        // The thread waits for a key when the process ends, and ends with it.
        std::thread::spawn(move || read_keys(&sender));
        Ok(Screen { terminal, keys, ascii: ascii || !speaks_unicode(), plain: no_color() })
    }

    /// Draws a picture.
    pub fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(picture).map(|_| ())
    }

    /// The next key. Without a terminal any more: to leave.
    pub async fn key(&mut self) -> Key {
        self.keys.recv().await.unwrap_or(Key::Quit)
    }

    /// Rings the terminal's bell.
    pub fn bell() {
        let mut out = io::stdout();
        // A terminal without bell is none the worse.
        let _ = out.write_all(b"\x07").and_then(|()| out.flush());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = ratatui::try_restore();
    }
}

/// Whether the environment speaks of UTF-8. The first variable that is set decides (POSIX).
fn speaks_unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Whether the user wants no colours (no-color.org).
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn read_keys(keys: &mpsc::Sender<Key>) {
    while let Ok(event) = event::read() {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key_of(key),
            Event::Resize(..) => Some(Key::Resized),
            _ => None,
        };
        if let Some(key) = key
            && keys.blocking_send(key).is_err()
        {
            return;
        }
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if control => Some(Key::Quit),
        KeyCode::Char('u') if control => Some(Key::Clear),
        KeyCode::Char(letter) if !control => Some(Key::Char(letter)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Esc => Some(Key::Clear),
        _ => None,
    }
}

/// Waits for the signal that ends a program: the terminal was closed, or somebody wants it to end.
pub async fn terminated() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        if let (Ok(mut terminate), Ok(mut hangup)) = signals {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = hangup.recv() => return,
            }
        }
    }
    std::future::pending::<()>().await;
}
