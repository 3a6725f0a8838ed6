# Completion of `allfold` for bash. What can follow is asked of the command itself, so that it is
# never out of date: options of its help, algorithms of `allfold list`.
_allfold_words() {
    case $1 in
    commands) allfold --help 2>/dev/null | sed -nE 's/^    ([a-z]+) +[a-z].*/\1/p' ;;
    options) { allfold "$2" --help && allfold "$2" --usage; } 2>/dev/null |
        sed -nE 's/^ +(-., )?(--[a-z-]+)(\[?=?).*/\2/p' ;;
    algorithms) allfold list --csv 2>/dev/null | awk -F, 'NR > 1 {print $1 "." $2; print $2}' ;;
    peers) allfold table export '' 2>&1 | sed -n 's/.*is none of//p' | tr -d , | tr ' ' '\n' ;;
    collectives) allfold list --csv 2>/dev/null | awk -F, 'NR > 1 {print $1}' ;;
    esac | sort -u
}

_allfold() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
    local command=${COMP_WORDS[1]-}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words commands)" -- "$word")
        return
    fi
    # what `run` starts has a completion of its own
    if [ "$command" = run ]; then
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -*) ;;
            *)
                declare -F _command_offset >/dev/null && _command_offset "$i"
                return
                ;;
            esac
        done
    fi
    case $before in
    -a | --algorithm) mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words algorithms)" -- "$word") ;;
    -c | --collective) mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words collectives)" -- "$word") ;;
    export) mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words peers)" -- "$word") ;;
    *)
        case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words options "$command")" -- "$word") ;;
        *)
            if [ "$command $before" = "table table" ]; then
                mapfile -t COMPREPLY < <(compgen -W "check merge pool export" -- "$word")
            elif [ "$command" = show ]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_allfold_words algorithms)" -- "$word")
            elif [ "$command" = run ]; then
                mapfile -t COMPREPLY < <(compgen -c -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            ;;
        esac
        ;;
    esac
}
complete -o filenames -F _allfold allfold
