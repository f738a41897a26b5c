# results/stages.sh - what the run scripts of this folder share; sourced by them. A step that is done is not repeated, a run or an
# exploration that was stopped goes on.
bex=${BEX:-build/release/bin/bex}
shopt -s nullglob # a stage that was left out has no runs
stages() { # WORD...: those that stage() will say yes to
    wanted=" $* "
}
stage() { [[ $wanted == *" $1 "* ]] && printf '\n== %s\n' "$1"; }
once() { # FILE COMMAND...: run it unless FILE is there
    local done=$1
    shift
    [ -e "$done" ] || "$@"
}
train() { # name preset data seed steps options...: into $out/name
    local name=$1 preset=$2 data=$3 seed=$4 steps=$5
    shift 5
    [ -e "$out/$name/checkpoints/$steps" ] && return
    if [ -e "$out/$name/config.ini" ]; then
        $bex train --resume "$out/$name"
    else
        $bex train "configs/$preset.ini" --data "$data" --train.seed="$seed" --train.steps="$steps" --out "$out/$name" "$@"
    fi
}
explore() { # name who and how...: into $out/name
    local name=$1
    shift
    [ -e "$out/$name/results.json" ] && return
    if [ -e "$out/$name" ]; then
        $bex explore --resume "$out/$name"
    else
        $bex explore "$@" --out "$out/$name"
    fi
}
judge() { # name temperature...: beside held-out demonstrations, into $out/name/eval-temperature.json
    local name=$1 t to
    for t in "${@:2}"; do
        to=$out/$name/eval-$t.json
        [ -e "$to" ] && continue
        $bex eval "$out/$name" --temperature "$t" --json >"$to.tmp"
        mv "$to.tmp" "$to"
    done
}
foresee() { # name trials: what an exploration chose from, into $here/plans-name.json
    local to=$here/plans-$1.json
    [ -e "$to" ] && return
    $bex plans "$out/$1" --trials "$2" --json >"$to.tmp"
    mv "$to.tmp" "$to"
}
slim() { # every $out/*/results.json without paths and maps into $here/explored, eval-*.json into evaluated
    local r
    for r in "$out"/*/eval-*.json; do
        mkdir -p "$here/evaluated"
        cp "$r" "$here/evaluated/$(basename "$(dirname "$r")")-$(basename "$r" | cut -d- -f2)"
    done
    for r in "$out"/*/results.json; do
        python3 results/slim.py "$r" "$here/explored/$(basename "$(dirname "$r")").json"
    done
}
keep() { # name steps --deploy.key=value...: the policy of a run, as it acts, into $here/name
    mkdir -p "$here/$1"
    $bex export "$out/$1/checkpoints/$2" --out "$here/$1/model.safetensors" --force "${@:3}"
    cp "$out/$1/config.ini" "$out/$1/metrics.csv" "$here/$1/"
}
