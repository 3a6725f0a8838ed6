# shellcheck shell=bash
# For scripts of test/mpi, behind harness.sh: ranks on hosts with names of their own. The scripts have set
# mpi, build and source.

# can_name WHAT: may hosts have names here? Else all of the script is skipped.
can_name() {
    unshare --uts true 2>"$scratch/err" || skip_all "$1 (no names of their own: $(cat "$scratch/err"))"
}

# name_hosts [OPTIONS_OF_UNSHARE...]: makes $scratch/named, which runs a command on the host of its rank. A
# script may write what comes before the command to $scratch/on_host; it knows $name and $rank.
name_hosts() {
    cat >"$scratch/named" <<END_OF_NAMED
#!/bin/bash
# With HOSTS="b3 a1 ..." rank r is on the host of that number.
hosts=(\$HOSTS)
export rank=\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-\$PMIX_RANK}}
export name=\${hosts[\$rank]}
exec unshare --uts $* bash -c 'hostname "\$name" && . "\$0" && exec "\$@"' "$scratch/on_host" "\$@"
END_OF_NAMED
    : >"$scratch/on_host"
    chmod +x "$scratch/named"
    ln -sf "$build/bin/libyield_when_idle.so" "$scratch/" # where scripts/launch looks for it
}

# on HOSTS COMMAND...: as many ranks as hosts
on() {
    local hosts
    read -ra hosts <<<"$1"
    HOSTS=$1 run "$source/scripts/launch" "$mpi" "${#hosts[@]}" "$scratch/named" "${@:2}"
}
