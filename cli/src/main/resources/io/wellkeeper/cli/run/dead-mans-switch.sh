# Reads lines, and kills a process group when its time is up, or when whoever writes them is gone.
#   group ID      this is the group
#   until TIME    kill it at this time, in hundredths of a second since the machine was started
#   signal NAME   send it a signal
#   end           it has ended
trap '' INT TERM HUP QUIT TSTP USR1 USR2
group='' time=''
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
    group) group=$value ;;
    until) time=$value ;;
    signal) kill -s "$value" -- "-$group" ;;
    end) exit ;;
  esac
done
if [[ -n $group ]]; then
  for _ in 1 2 3; do # whoever was just being forked is in the group by the next time
    kill -KILL -- "-$group"
    sleep 0.02
  done
fi
