package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// message is what this bot needs of one; encoding/json leaves out all that is not named here.
type message struct {
	Type  string   `json:"type"`
	ID    string   `json:"id"`
	Legal []string `json:"legal"`
	View  struct {
		Hand  []string `json:"hand"`
		Trick []string `json:"trick"`
		Trump string   `json:"trump"` // null leaves it empty
	} `json:"view"`
	Options struct {
		RankProfile string `json:"rank_profile"`
	} `json:"options"`
}

// read makes a message of a line. One of a type that is not known may have fields of other kinds,
// so the type is read first.
func read(line []byte) message {
	var only struct {
		Type string `json:"type"`
	}
	var whole message
	err := json.Unmarshal(line, &only)
	switch only.Type {
	case "hello", "deal", "act", "end":
		err = json.Unmarshal(line, &whole)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // standard error is kept for you
	}
	return whole
}

func (m message) position(ranks string) position {
	return position{m.View.Hand, m.Legal, m.View.Trick, m.View.Trump, ranks}
}

// ranksOf returns the ranks of a rank_profile (SPEC 11.1), highest first.
func ranksOf(profile string) string {
	switch profile {
	case "gen7", "pt7_qj", "it7":
		return "A7KQJ65432"
	case "pt7":
		return "A7KJQ65432"
	case "pt10":
		return "ATKJQ65432"
	case "it3_low3":
		return "AKQJ765432"
	case "es48":
		return "A3KQJ9876542"
	}
	return "A3KQJ76542" // it3
}
