# What choose does in positions of SPEC.md. Run: sh test.sh

. ./reading.sh
. ./choose.sh

wrong=0
gen7=A7KQJ65432 it3=A3KQJ76542
five='6S 3H KH 7D 6D 3C KC 7S'

# $1 where it stands, $2 the expected action, then what choose takes; legal with commas.
expect() {
    where=$1 expected=$2
    IFS=,
    legal=''
    for one in $4; do legal=$legal$one$newline; done
    choose "$3" "$legal" "$5" "$6" "$7"
    if [ "$action" != "$expected" ]; then
        printf '%s: %s, not %s\n' "$where" "$expected" "$action"
        wrong=1
    fi
}

expect 'SPEC 3.4: the king takes the knave' KD \
    '5C QS KD' 5C,QS,KD JD H $gen7
expect 'SPEC 4.2: nothing takes a trump, so the cheapest' 5C \
    'AD 5C QS' AD,5C,QS 4H H $gen7
expect 'SPEC 11.6: the lowest trump takes six points' 6S \
    "$five" 6S,3H,KH,7D,6D,3C,KC,7S '4H 2S KD JH' S $it3
expect 'SPEC 11.6: an auction is not for this bot yet' pass \
    "$five" 'pass,bid 6,bid 5' '' '' $it3

parse '{"x":{"view":{"hand":["2H"]},"s":"]\""},"type":"act","id":"7","view":{"trump":null,"hand":["5C","QS"],"y":[["hand"]],"trick":[]},"legal":["5C","bid 6"],"z":"id"}'
if [ "$type/$id/$hand/$trick/$trump/$legal" != "act/7/5C QS ///5C${newline}bid 6$newline" ]; then
    echo 'SPEC 3.1: unknown fields hold anything'
    wrong=1
fi
[ $wrong = 0 ] && echo ok
exit $wrong
