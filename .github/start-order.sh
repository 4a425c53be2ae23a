#!/usr/bin/env bash
# Prints the functions that a short command runs, one symbol a line, for `--symbol-ordering-file` of lld.
#
# The system maps a file by 64 KB or more around each page that is used, so where functions lie decides how much of the
# program is in memory. Symbols are the same whenever the same sources are built with the same settings.
#
# Usage: start-order.sh BINARY > FILE, at the top of the repository; needs valgrind.
set -euo pipefail
binary=$1
HOME=$(mktemp -d)
trap 'rm -r "$HOME"' EXIT
export HOME SUPERSTEP_DB=$HOME/start.db
{
    # A thread, and enough copies of it that lists have more than a page.
    mkdir "$HOME/docs" && echo 'The ledger is written by two services.' > "$HOME/docs/a.md"
    "$binary" analyze --query what --inputs "$HOME/docs" --model script:agents/archie/demo/replies.jsonl --no-input || test $? = 3
    thread=$("$binary" threads list --json | sed 's/.*"thread":"\([^"]*\)".*/\1/')
    "$binary" threads export "$thread" "$HOME/thread"
    seq -f "threads import $HOME/thread archie-%g" 500 | "$binary" shell
    valgrind --tool=callgrind --demangle=no --callgrind-out-file="$HOME/calls" "$binary" threads list
} >&2
# A function that called itself has a tick behind its name.
sed -n "s/^c\{0,1\}fn=([0-9]*) \([^ ']*\).*/\1/p" "$HOME/calls" | sort -u
