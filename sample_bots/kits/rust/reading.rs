//! Reads of a message what a decision needs; unknown fields are skipped, whatever they hold.

use crate::choose::Position;

/// What this bot needs of a message.
#[derive(Default)]
pub struct Message<'a> {
    pub kind: &'a str,
    pub id: &'a str,
    pub profile: &'a str,
    /// All but `ranks`.
    pub position: Position<'a>,
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

    /// Calls `field` with each key of the object that starts here; it reads or skips the value.
    fn object(&mut self, mut field: impl FnMut(&mut Self, &'a str)) {
        if self.peek() != Some(b'{') {
            return self.skip();
        }
        while self.accept(b'{') || self.accept(b',') {
            let Some(key) = self.string() else { break };
            if !self.accept(b':') {
                return;
            }
            field(self, key);
        }
        self.accept(b'}');
    }

    /// The string that starts here; none where there is something else, which is skipped.
    fn string(&mut self) -> Option<&'a str> {
        if !self.accept(b'"') {
            self.skip();
            return None;
        }
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let text = self.line.get(start..self.at);
        self.accept(b'"');
        text
    }

    fn strings(&mut self) -> Vec<&'a str> {
        let mut found = Vec::new();
        if !self.accept(b'[') {
            self.skip();
            return found;
        }
        while self.peek() == Some(b'"') {
            found.extend(self.string());
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

/// Reads a line.
pub fn read_message(line: &str) -> Message<'_> {
    let mut message = Message::default();
    Scanner { line, at: 0 }.object(|scanner, key| match key {
        "type" => message.kind = scanner.string().unwrap_or_default(),
        "id" => message.id = scanner.string().unwrap_or_default(),
        "legal" => message.position.legal = scanner.strings(),
        "view" => scanner.object(|scanner, key| match key {
            "hand" => message.position.hand = scanner.strings(),
            "trick" => message.position.trick = scanner.strings(),
            "trump" => message.position.trump = scanner.string(),
            _ => scanner.skip(),
        }),
        "options" => scanner.object(|scanner, key| match key {
            "rank_profile" => message.profile = scanner.string().unwrap_or_default(),
            _ => scanner.skip(),
        }),
        _ => scanner.skip(),
    });
    message
}

/// The ranks of `rank_profile` (SPEC 11.1), highest first.
pub fn ranks_of(profile: &str) -> &'static str {
    match profile {
        "gen7" | "pt7_qj" | "it7" => "A7KQJ65432",
        "pt7" => "A7KJQ65432",
        "pt10" => "ATKJQ65432",
        "it3_low3" => "AKQJ765432",
        "es48" => "A3KQJ9876542",
        _ => "A3KQJ76542", // it3
    }
}
