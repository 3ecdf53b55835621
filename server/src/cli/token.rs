//! `zeitnot-server token`: makes, lists and revokes tokens, beside a live server or before its first start.

use super::data::{self, Failure};
use crate::identity::{self, NewToken, Token, Which};
use crate::journal::schema;
use clap::{Subcommand, ValueEnum};
use std::io::{self, Write};
use std::process::ExitCode;
use zeitnot_proto::Stamp;
use zeitnot_proto::control::Roles;

/// Makes, lists and revokes the tokens by which people identify themselves.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Makes a token and prints it, this once
    Create(Create),
    /// Lists all tokens, without their secrets
    List(data::Args),
    /// Revokes tokens; whoever is connected with one is cut off within a second
    Revoke(Revoke),
}

#[derive(Debug, clap::Args)]
struct Create {
    /// Whose it is: the name that a player is known by, of letters, digits, `_`, `.` and `-`
    name: String,
    /// What its bearer may do
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',', default_value = "player")]
    roles: Vec<Role>,
    /// What the owner knows it by, such as a device
    #[arg(long, default_value = "")]
    label: String,
    #[command(flatten)]
    data: data::Args,
}

#[derive(Debug, clap::Args)]
struct Revoke {
    /// Whose tokens: all of that name
    #[arg(required_unless_present = "id", conflicts_with = "id")]
    name: Option<String>,
    /// One token only, by its number in the list
    #[arg(long)]
    id: Option<i64>,
    #[command(flatten)]
    data: data::Args,
}

/// A role on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    /// Plays games
    Player,
    /// Creates games for others
    Organizer,
    /// Rules in games
    Arbiter,
    /// Runs the server
    Admin,
}

/// Does what was asked; exit code 1 if it could not.
pub fn run(args: &Args) -> ExitCode {
    data::report(match &args.what {
        What::Create(args) => create(args),
        What::List(args) => list(args),
        What::Revoke(args) => revoke(args),
    })
}

fn create(args: &Create) -> Result<(), Failure> {
    let connection = schema::open(&args.data.create()?)?;
    let new = NewToken { name: args.name.clone(), label: args.label.clone(), roles: roles(&args.roles) };
    let (id, secret) = identity::create(&connection, &new)?;
    // Only the token on standard output, for scripts.
    println!("{secret}");
    eprintln!("token {id} of {}; it is not kept and cannot be shown again", args.name);
    Ok(())
}

fn roles(given: &[Role]) -> Roles {
    let has = |role| given.contains(&role);
    Roles {
        player: has(Role::Player),
        organizer: has(Role::Organizer),
        arbiter: has(Role::Arbiter),
        admin: has(Role::Admin),
    }
}

fn list(args: &data::Args) -> Result<(), Failure> {
    let tokens = identity::list(&schema::open_reader(&args.existing()?)?)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:>5}  {:<32}  {:<32}  {:<16}  {:<16}  LABEL",
        "ID", "NAME", "ROLES", "CREATED", "REVOKED"
    )?;
    for token in tokens {
        let Token { id, name, label, roles, created, revoked } = token;
        let roles = role_names(roles);
        let revoked = revoked.map(minute).unwrap_or_default();
        writeln!(out, "{id:>5}  {name:<32}  {roles:<32}  {:<16}  {revoked:<16}  {label}", minute(created))?;
    }
    Ok(())
}

fn role_names(roles: Roles) -> String {
    let Roles { player, organizer, arbiter, admin } = roles;
    let all = [(player, "player"), (organizer, "organizer"), (arbiter, "arbiter"), (admin, "admin")];
    all.into_iter().filter_map(|(has, name)| has.then_some(name)).collect::<Vec<_>>().join(",")
}

/// An instant to the minute, UTC: `2026-11-29 21:34`.
fn minute(at: Stamp) -> String {
    let (date, time) = crate::pgn::date_and_time(at);
    format!("{} {}", date.replace('.', "-"), &time[..5])
}

fn revoke(args: &Revoke) -> Result<(), Failure> {
    let connection = schema::open(&args.data.existing()?)?;
    let which = match (&args.name, args.id) {
        (_, Some(id)) => Which::Id(id),
        (Some(name), None) => Which::Name(name),
        (None, None) => return Err(Failure::new("say whose tokens, or which one with --id")),
    };
    match identity::revoke(&connection, which)? {
        0 => Err(Failure::new("there is no such token that is valid; see `zeitnot-server token list`")),
        1 => {
            eprintln!("1 token revoked");
            Ok(())
        }
        count => {
            eprintln!("{count} tokens revoked");
            Ok(())
        }
    }
}
