# The embedded Kinesis needs nothing; only `brokers-up` and `test-brokers` need Docker.

local := "http://127.0.0.1:4566"

# What there is
default:
    @{{ just_executable() }} --list

# The main job; `just quickstart --endpoint URL` runs it elsewhere
quickstart *args:
    cargo run --example quickstart -- {{ args }}

# Every test, on embedded stacks
test *args:
    cargo test --workspace --all-features {{ args }}

# `FLEET_SEED=n just soak` draws the same faults again; `cargo test` runs one short round of it.
# Five instances on 32 shards, killed, frozen, stopped and resharded while calls fail, for so many minutes
soak minutes="10":
    FLEET_MINUTES={{ minutes }} cargo test -p tests --all-features --test fleet -- mixed::soak --exact --ignored --nocapture

# Format, lints and documentation; `.ci/run` is everything a change must pass
check: && docs
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# The documentation, as strict as CI
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

# The figures of README.md
bench *args:
    cargo bench -p tests {{ args }}

# The stack of docker-compose.test.yml, ready when this returns
brokers-up:
    docker compose -f docker-compose.test.yml up --detach --wait

# Stops that stack and forgets its streams
brokers-down:
    docker compose -f docker-compose.test.yml down --volumes

# The live suites against that stack
test-brokers: brokers-up
    KINESIS_TEST_ENDPOINT={{ local }} RUSTSTREAM_REQUIRE_LIVE=1 cargo test -p tests --test live --all-features

# What does not compile, with the sentences the user sees, and what does
ui *args:
    RUN_UI_TESTS=1 REQUIRE_UI_TESTS=1 cargo test -p ui-tests {{ args }}

# The simulation of `rules/`, with so many seeds
simulation seeds="100000":
    SIM_SEEDS={{ seeds }} cargo test -p ruststream-kinesis --lib simulation

# A million attributes nobody would write; the decoders meet their million in every test run
fuzz cases="1000000":
    FUZZ_CASES={{ cases }} cargo test -p ruststream-kinesis-macros --all-features --lib fuzz

# Licences, sources and versions of everything in the tree
deny:
    cargo deny check bans licenses sources

# Applies one bug at a time and shows what catches it; `just mutants ui` removes one gate at a time
mutants suite="tests" *names:
    {{ if suite == "ui" { "ui-tests" } else { suite } }}/mutants/run {{ names }}
