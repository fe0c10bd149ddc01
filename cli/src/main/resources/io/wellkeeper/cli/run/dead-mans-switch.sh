# Reads lines, and kills a command when its time is up, or when whoever writes them is gone.
#   group ID      the command is this process group
#   tree ID       the command is this process, and all that it and its children start
#   until TIME    kill it at this time, in hundredths of a second since the machine was started
#   signal NAME   send it a signal
#   end           it has ended
trap '' INT TERM HUP QUIT TSTP USR1 USR2
targets=() tree=' ' time=''

# Adds those to the tree whose parents are in it.
grow() {
  local file stat pid parent grown=yes
  while [[ -n $grown ]]; do
    grown=''
    for file in /proc/[0-9]*/stat; do
      read -r stat <"$file" || continue # it has just ended
      pid=${stat%% *}
      read -r _ parent _ <<<"${stat##*) }"
      if [[ $tree == *" $parent "* && $tree != *" $pid "* ]]; then
        tree+="$pid "
        grown=yes
      fi
    done
  done
  read -r -a targets <<<"$tree"
}

send() {
  if [[ $tree != ' ' ]]; then grow; fi
  if ((${#targets[@]} > 0)); then kill -s "$1" -- "${targets[@]}"; fi
}

while :; do
  limit=()
  if [[ -n $time ]]; then
    read -r now _ </proc/uptime
    left=$((time - 10#${now/./}))
    ((left > 0)) || break
    printf -v seconds '%d.%02d' $((left / 100)) $((left % 100))
    limit=(-t "$seconds")
  fi
  read -r "${limit[@]}" verb value
  result=$?
  if ((result > 128)); then continue; fi # the time is up, or almost
  if ((result > 0)); then break; fi
  case $verb in
    group) targets=("-$value") ;;
    tree) tree=" $value " ;;
    until) time=$value ;;
    signal) send "$value" ;;
    end) exit ;;
  esac
done
for _ in 1 2 3; do # whoever was just being started is found by the next time
  send KILL
  sleep 0.02
done
