#!/bin/sh
# Makes the runs of this folder anew, in the folder named first, with the `subitize` on the PATH; see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1"
painter=painter:size_px=128,weber=0.3

subitize run naming:images=1,numbers=1-4,categories=apples+dots,size_px=128 \
  --model observer --model random --out naming

# Asked again, judged by two (one tells how its readings came about), an item excluded and another taken back.
subitize run production:numbers=1-2 --repeats 2 --model $painter --out production
subitize judge production --judge vlm:observer
subitize show production --exclude production/dots/1 --reason 'not all round'
subitize show production --exclude production/apples/1 --reason 'a mistake'
subitize show production --exclude production/apples/1 --reason 'it was none' --undo

# Refined prompts, votes of people on groups of four images, and a change of mind.
subitize run t2icountbench:objects=apple,numbers=2-3,scenes=home,styles=plain \
  --refine grid --model $painter --out t2icountbench
subitize import votes "$here/votes.csv" --run t2icountbench --judge voters
subitize import votes "$here/second_votes.csv" --run t2icountbench --judge voters

subitize run geckonum:tasks=1,types=numeric_simple+attribute-color,numbers=3,colours=red --limit 6 --repeats 1 --model painter:size_px=128 \
  --out geckonum
subitize import readings "$here/answers.csv" --run geckonum --judge people

subitize import release geckonum "$here/release" --out released

# Killed in the midst of its work.
subitize run production:numbers=1-3 --repeats 4 --model $painter --out unfinished &
pid=$!
until [ "$(sqlite3 unfinished/run.sqlite 'select count(*) from responses' 2>/dev/null || echo 0)" -ge 5 ]; do :; done
kill -9 $pid

for run in naming production t2icountbench geckonum released unfinished; do
  sqlite3 $run/run.sqlite 'pragma wal_checkpoint(truncate); vacuum; pragma wal_checkpoint(truncate);'
done
