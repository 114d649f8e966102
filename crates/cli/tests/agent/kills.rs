//! The agent is killed at random moments, 500 times. Every session still loads, nothing acknowledged is lost, and
//! nothing is duplicated.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::peer::{Peer, PeerOutput, allowed, load, prompt};
use crate::record::{Record, Tally};

#[test]
fn whatever_was_seen_is_replayed_after_500_kills() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script.json");
    fs::write(&script, SCRIPT).unwrap();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|number| {
                // The first two share a database.
                let data = dir.path().join(format!("data-{}", number.max(1)));
                let place = Worker {
                    data,
                    script: script.clone(),
                    cwd: dir.path().join(format!("project-{number}")),
                };
                scope.spawn(move || place.work(number))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    let mut total = Tally::default();
    tallies.iter().for_each(|tally| total.add(tally));
    println!("after {LOOPS} kills: {total:?}");
    let is_fair = total.answered > LOOPS / 20 && total.interrupted_calls > LOOPS / 20;
    assert!(is_fair, "{total:?} is not a fair test");
    // On a busy machine the writer may sometimes be late, but not for long.
    let is_prompt = total.late <= LOOPS / 20 && total.oldest_lost < Duration::from_secs(1);
    assert!(is_prompt, "what was shown is written too late: {total:?}");
}

/// The directories of one worker.
struct Worker {
    data: PathBuf,
    script: PathBuf,
    cwd: PathBuf,
}

impl Worker {
    fn work(&self, number: usize) -> Tally {
        fs::create_dir_all(&self.cwd).unwrap();
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1));
        let mut total = Tally::default();
        for round in 0..LOOPS / WORKERS / LOOPS_PER_SESSION {
            let cwd = self.cwd.join(round.to_string());
            fs::create_dir(&cwd).unwrap();
            total.add(&self.session(&cwd, &mut random));
        }
        total
    }

    /// One session through many agents, each of which is killed but the last.
    fn session(&self, cwd: &Path, random: &mut Random) -> Tally {
        let mut peer = Peer::start(&self.data, &self.script);
        let id = peer.new_session(cwd);
        let mut record = Record::default();
        let mut asked = 0;
        for _ in 0..LOOPS_PER_SESSION {
            let killed = play(&mut peer, &id, &mut record, &mut asked, random);
            if random.below(4) == 0 {
                self.killed_while_loading(&id, cwd, random);
            }
            peer = Peer::start(&self.data, &self.script);
            peer.initialize();
            let (updates, answer) = peer.ask("session/load", load(&id, cwd));
            answer.unwrap();
            record.replayed(updates, killed, &SAID);
        }
        let before = record.len();
        let (updates, answer) = peer.ask("session/prompt", prompt(&id, "at last"));
        assert_eq!(answer.unwrap()["stopReason"], "end_turn");
        assert!(updates.len() > 4 && before > LOOPS_PER_SESSION);
        let ran = fs::read_to_string(cwd.join("ran.txt"))
            .unwrap()
            .lines()
            .count()
            - 1;
        let (completed, announced) = (record.completed("execute"), record.announced("execute"));
        assert!(
            completed <= ran && ran <= announced,
            "{completed} <= {ran} <= {announced}"
        );
        record.tally
    }

    /// The recovery of a session can be interrupted too.
    fn killed_while_loading(&self, id: &str, cwd: &Path, random: &mut Random) {
        let mut peer = Peer::start(&self.data, &self.script);
        peer.initialize();
        peer.request("session/load", load(id, cwd));
        let moment = Instant::now() + Duration::from_micros(random.below(LONGEST_LOAD));
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        peer.kill();
    }
}

/// Sends prompts one after the other until the kill, and returns its time.
fn play(
    peer: &mut Peer,
    session: &str,
    record: &mut Record,
    asked: &mut usize,
    random: &mut Random,
) -> Instant {
    let moment = Instant::now() + Duration::from_micros(random.below(LONGEST));
    let mut queue = PromptQueue::default();
    let mut ask = |peer: &mut Peer, queue: &mut PromptQueue, record: &mut Record| {
        *asked += 1;
        let text = format!("prompt {asked}");
        let id = peer.request("session/prompt", prompt(session, &text));
        queue.push(id, text, record);
    };
    ask(peer, &mut queue, record);
    if random.below(3) == 0 {
        ask(peer, &mut queue, record);
    }
    loop {
        match peer.next(moment) {
            PeerOutput::Message(_, message)
                if message["method"] == "session/request_permission" =>
            {
                peer.answer(&message["id"], allowed());
            }
            PeerOutput::Message(at, message) => {
                queue.handle_message(at, &message, record);
                if queue.0.is_empty() {
                    ask(peer, &mut queue, record);
                }
            }
            PeerOutput::Late => break,
            PeerOutput::End => panic!("the agent ended by itself"),
        }
    }
    let killed = Instant::now();
    peer.kill();
    // Messages that the agent had written before it was killed.
    while let PeerOutput::Message(at, message) = peer.next(killed + DRAINED) {
        queue.handle_message(at, &message, record);
    }
    killed
}

/// Prompts without a response, with their ids. The first one has its turn.
#[derive(Default)]
struct PromptQueue(VecDeque<(u64, String)>);

impl PromptQueue {
    fn push(&mut self, id: u64, text: String, record: &mut Record) {
        if self.0.is_empty() {
            record.asked(&text);
        }
        self.0.push_back((id, text));
    }

    fn handle_message(&mut self, at: Instant, message: &Value, record: &mut Record) {
        if message["method"] == "session/update" {
            return record.updated(at, message["params"]["update"].clone());
        }
        if self
            .0
            .front()
            .is_none_or(|(id, _)| message["id"] != *id || message.get("method").is_some())
        {
            return;
        }
        assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
        record.answered();
        self.0.pop_front();
        if let Some((_, text)) = self.0.front() {
            record.asked(text);
        }
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.answered += other.answered;
        self.interrupted_calls += other.interrupted_calls;
        self.unseen += other.unseen;
        self.late += other.late;
        self.oldest_lost = self.oldest_lost.max(other.oldest_lost);
    }
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

const LOOPS: usize = 500;
const WORKERS: usize = 5;
const LOOPS_PER_SESSION: usize = 25;
/// The latest moment of a kill, in microseconds: a turn takes about a third of it.
const LONGEST: u64 = 400_000;
const LONGEST_LOAD: u64 = 15_000;
/// Until then the pipe of a killed agent is empty.
const DRAINED: Duration = Duration::from_secs(5);

const SAID: [&str; 2] = [
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
];
const SCRIPT: &str = r#"{"repeat": true, "turns": [
    {"say": [
        {"thought": "I write, then I run."},
        {"slow": {"text": "abcdefghijklmnopqrstuvwxyz0123456789", "characters": 2, "pause": 2}},
        {"call": {"name": "write", "input": {"path": "made.txt", "content": "made\n"}}},
        {"call": {"name": "run", "input": {"command": "echo ran >> ran.txt; sleep 0.02"}}}
    ]},
    {"say": [{"slow": {"text": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "characters": 2, "pause": 2}}]}
]}"#;
