# Reads lines, and kills a command when its time is up, or when whoever writes them is gone.
#   session ID    the command leads this session: it is all that is in it, in whatever process group, and all that those start
#   tree ID       the command is this process, and all that it and its children start
#   until TIME    kill it at this time, in hundredths of a second since the machine was started
#   signal NAME   send it a signal
#   end           it has ended
# The command finds its standard input under /proc and writes to it: nothing else may ever be there, not for a moment.
trap '' INT TERM HUP QUIT TSTP USR1 USR2
session='' root='' time=''

# Finds the root, those in the session, and all whose parents are found. Quick, for there may be little time left.
find_all() {
  local file stat fields all=() found=''
  for file in /proc/[0-9]*/stat; do
    read -r -u 3 stat 3<"$file" || continue # it has just ended
    fields=(${stat##*) }) # state, parent, group, session
    all+=("${stat%% *} ${fields[1]} ${fields[3]}")
  done
  tree=" $root "
  while [[ $found != "$tree" ]]; do
    found=$tree
    for stat in "${all[@]}"; do
      fields=($stat)
      if [[ ${fields[2]} == "$session" || $tree == *" ${fields[1]} "* ]] && [[ $tree != *" ${fields[0]} "* ]]; then
        tree+="${fields[0]} "
      fi
    done
  done
}

send() {
  local tree
  find_all
  if [[ $tree != '  ' ]]; then kill -s "$1" -- $tree; fi
}

# Those who stand still neither work on nor leave children behind of whom nobody knows any more whose they were.
finish() {
  if [[ -n $root ]]; then kill -s STOP -- "${session:+-}$root"; fi
  send KILL
}

while :; do
  limit=()
  if [[ -n $time ]]; then
    read -r -u 3 now _ 3</proc/uptime
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
    session) session=$value root=$value ;;
    tree) root=$value ;;
    until) time=$value ;;
    signal) if [[ $value == KILL ]]; then finish; else send "$value"; fi ;;
    end) exit ;;
  esac
done
for _ in 1 2 3; do # whoever was just being started is found by the next time
  finish
  sleep 0.02
done
