# Reads lines, and kills a command when its time is up, or when whoever writes them is gone.
#   session ID    the command leads this session: it is all that is in it, in whatever process group, and all that those start
#   tree ID       the command is this process, and all that it and its children start
#   until TIME    kill it at this time, in hundredths of a second since the machine was started
#   signal NAME   send it a signal
#   end           it has ended
# The command finds its standard input under /proc and writes to it: nothing else may ever be there, not for a moment.
# It may do so at any time until this ends, so after the time is up this goes on reading.
trap '' INT TERM HUP QUIT TSTP USR1 USR2
session='' root='' time='' over='' line='' early=()
declare -A known=() # when those were started that were found so far: whoever has such an id later is somebody else
exec 4<> <(:)       # for a pause: nothing ever comes from there, and no process needs to be made for it

# Reads what is in this file: state, parent, group, session; the 20th is the start. There may be several lines in a name.
read_stat() {
  local stat=''
  read -r -d '' -u 3 stat 3<"$1"
  pid=${stat%% *}
  fields=(${stat##*) })
  [[ -n $stat ]] # else it has just ended
}

check_session() {
  local pid fields
  if [[ -n $session ]] && read_stat "/proc/$session/stat" && [[ ${fields[19]} != "${known[$session]}" ]]; then
    session='' # all in it have ended, or else nobody could have its id
  fi
}

# Finds those known, those in the session, and all whose parents are found. Quick, for there may be little time left.
find_all() {
  local file pid fields all=() other found=''
  tree=' '
  for file in /proc/[0-9]*/stat; do
    read_stat "$file" || continue
    if [[ ${fields[3]} == "$session" || ${known[$pid]} == "${fields[19]}" ]]; then
      tree+="$pid "
      known[$pid]=${fields[19]}
    else
      all+=("$pid ${fields[1]} ${fields[19]}")
    fi
  done
  while [[ $found != "$tree" ]]; do
    found=$tree
    for other in "${all[@]}"; do
      fields=($other)
      if [[ $tree == *" ${fields[1]} "* && $tree != *" ${fields[0]} "* ]]; then
        tree+="${fields[0]} "
        known[${fields[0]}]=${fields[2]}
      fi
    done
  done
}

send() {
  local tree
  check_session
  find_all
  if [[ $tree != ' ' ]]; then kill -s "$1" -- $tree; fi
}

# Those who stand still neither work on nor leave children behind of whom nobody knows any more whose they were.
finish() {
  local tree stopped=' ' round
  check_session
  if [[ -n $session ]]; then kill -s STOP -- "-$session"; fi
  for round in 1 2 3 4 5; do
    find_all
    if [[ $tree == "$stopped" ]]; then break; fi
    kill -s STOP -- $tree
    stopped=$tree
  done
  if [[ $tree != ' ' ]]; then kill -s KILL -- ${session:+-$session} $tree; fi
}

finish_all() {
  local round
  for round in 1 2 3; do # whoever was just being started is found by the next time
    finish
    read -r -t 0.02 -u 4
  done
}

act() {
  if [[ $1 == KILL ]]; then finish; else send "$1"; fi
}

# The command is told what came before it was known.
begin() {
  local pid fields name
  root=$1
  if read_stat "/proc/$root/stat"; then known[$root]=${fields[19]}; fi
  if [[ -n $over ]]; then finish_all; fi
  for name in "${early[@]}"; do act "$name"; done
}

while :; do
  limit=()
  if [[ -n $time ]]; then
    read -r -u 3 now _ 3</proc/uptime
    left=$((time - 10#${now/./}))
    if ((left > 0)); then
      printf -v seconds '%d.%02d' $((left / 100)) $((left % 100))
      limit=(-t "$seconds")
    else
      time='' over=yes
      finish_all
    fi
  fi
  IFS='' read -r "${limit[@]}" part
  result=$?
  line+=$part                            # which is not all of it if the time is up in the middle
  if ((result > 128)); then continue; fi # the time is up, or almost
  if ((result > 0)); then break; fi
  verb=${line%% *} value=${line#* } line=''
  case $verb in
    session) session=$value; begin "$value" ;;
    tree) begin "$value" ;;
    until) time=$value over='' ;;
    signal) if [[ -n $root ]]; then act "$value"; else early+=("$value"); fi ;;
    end) exit ;;
  esac
done
finish_all
