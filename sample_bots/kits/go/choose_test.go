package main

import (
	"strings"
	"testing"
)

// TestChoose tries positions of SPEC.md. Run: go test
func TestChoose(t *testing.T) {
	const gen7, it3 = "A7KQJ65432", "A3KQJ76542"
	const five = "6S 3H KH 7D 6D 3C KC 7S"
	tests := []struct{ where, hand, legal, trick, trump, ranks, expected string }{
		{"SPEC 3.4: the king takes the knave", "5C QS KD", "5C,QS,KD", "JD", "H", gen7, "KD"},
		{"SPEC 4.2: nothing takes a trump", "AD 5C QS", "AD,5C,QS", "4H", "H", gen7, "5C"},
		{"SPEC 11.6: the lowest trump takes six points",
			five, strings.ReplaceAll(five, " ", ","), "4H 2S KD JH", "S", it3, "6S"},
		{"SPEC 11.6: an auction is not for this bot yet", five, "pass,bid 6,bid 5", "", "", it3, "pass"},
	}
	for _, test := range tests {
		at := position{strings.Fields(test.hand), strings.Split(test.legal, ","),
			strings.Fields(test.trick), test.trump, test.ranks}
		if got := choose(at); got != test.expected {
			t.Errorf("%s: %s, not %s", test.where, test.expected, got)
		}
	}
}
