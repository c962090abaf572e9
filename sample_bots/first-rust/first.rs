//! A bot that plays the first legal action. Rust 2021, standard library only.
//!
//! Build: rustc --edition 2021 -O -o first first.rs

use std::io::{self, BufRead, Write};

/// The decision: one of the legal actions.
fn choose<'a>(legal: &[&'a str]) -> &'a str {
    legal[0]
}

/// What this bot needs of a message: three fields of its top level.
#[derive(Default)]
struct Message<'a> {
    kind: &'a str,
    id: &'a str,
    legal: Vec<&'a str>,
}

/// Walks along a line of JSON. The referee writes no spaces between tokens.
struct Scanner<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn accept(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// The text between the quotes of the string that starts here.
    fn string(&mut self) -> &'a str {
        self.accept(b'"');
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let text = self.line.get(start..self.at).unwrap_or_default();
        self.accept(b'"');
        text
    }

    fn strings(&mut self) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.accept(b'[');
        while self.peek() == Some(b'"') {
            found.push(self.string());
            self.accept(b',');
        }
        self.accept(b']');
        found
    }

    /// Moves past the value that starts here, however deep it is nested.
    fn skip(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b'}' if depth == 0 => return,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    self.string();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// Reads the fields that count; unknown ones are skipped, whatever they hold.
fn parse(line: &str) -> Message<'_> {
    let mut message = Message::default();
    let mut scanner = Scanner { line, at: 0 };
    while scanner.accept(b'{') || scanner.accept(b',') {
        let key = scanner.string();
        if !scanner.accept(b':') {
            break;
        }
        match key {
            "type" => message.kind = scanner.string(),
            "id" if message.kind == "act" => message.id = scanner.string(),
            "legal" if message.kind == "act" => message.legal = scanner.strings(),
            _ => scanner.skip(),
        }
    }
    message
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let message = parse(&line);
        match message.kind {
            "hello" => writeln!(
                out,
                r#"{{"type":"ready","protocol":1,"name":"first-rust","version":"1"}}"#
            )?,
            "act" => writeln!(
                out,
                r#"{{"id":"{}","action":"{}"}}"#,
                message.id,
                choose(&message.legal)
            )?,
            "end" => break,
            _ => {}
        }
        // The flush trap: an answer that stays in a buffer never reaches the referee. `Stdout`
        // sends whole lines by itself; put a `BufWriter` around it, and only this sends them.
        out.flush()?;
    }
    Ok(())
}
