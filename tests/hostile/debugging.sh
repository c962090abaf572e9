#!/bin/bash
# story: a shell script that prints what it does on standard output
# row: protocol: debugging on stdout
# expect: malformed
# hint: stdout is for answers only
acts=0
while read -r -t 50 line; do
  case $line in
    '{"type":"hello"'*) echo '{"type":"ready","protocol":1,"name":"shell"}' ;;
    '{"type":"act"'*)
      ((++acts == 3)) && BASH_XTRACEFD=1 && set -x
      [[ $line =~ \"id\":\"([0-9a-f]*)\" ]] && id=${BASH_REMATCH[1]}
      [[ $line =~ \"legal\":\[\"([^\"]*)\" ]] && echo "{\"id\":\"$id\",\"action\":\"${BASH_REMATCH[1]}\"}" ;;
    '{"type":"end"'*) break ;;
  esac
done
