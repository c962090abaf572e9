//! A bot to start from: choose.rs decides, reading.rs reads, this talks. Rust 2021, no crates.

mod choose;
mod reading;

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut ranks = "";
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut message = reading::read_message(&line);
        match message.kind {
            "hello" => writeln!(
                out,
                r#"{{"type":"ready","protocol":1,"name":"my-bot","version":"1"}}"#
            )?,
            "deal" => ranks = reading::ranks_of(message.profile),
            "act" => {
                message.position.ranks = ranks;
                let action = choose::choose(&message.position);
                writeln!(out, r#"{{"id":"{}","action":"{action}"}}"#, message.id)?;
            }
            "end" => break,
            _ => {} // not for this bot
        }
        // The flush trap: an answer that stays in a buffer never reaches the referee. `Stdout`
        // sends whole lines by itself; put a `BufWriter` around it, and only this sends them.
        out.flush()?;
    }
    Ok(())
}
