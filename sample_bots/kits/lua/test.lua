-- What choose does in positions of SPEC.md. Run: lua5.4 test.lua

local choose = require("choose")
local reading = require("reading")

local GEN7, IT3 = "A7KQJ65432", "A3KQJ76542"
local FIVE = { "6S", "3H", "KH", "7D", "6D", "3C", "KC", "7S" }

local function expect(where, expected, at)
  local got = choose(at)
  assert(got == expected, where .. ": " .. expected .. ", not " .. tostring(got))
end

local hand = { "5C", "QS", "KD" }
expect("SPEC 3.4: the king takes the knave", "KD",
  { hand = hand, legal = hand, trick = { "JD" }, trump = "H", ranks = GEN7 })

hand = { "AD", "5C", "QS" }
expect("SPEC 4.2: nothing takes a trump, so the cheapest", "5C",
  { hand = hand, legal = hand, trick = { "4H" }, trump = "H", ranks = GEN7 })

expect("SPEC 11.6: the lowest trump takes six points", "6S",
  { hand = FIVE, legal = FIVE, trick = { "4H", "2S", "KD", "JH" }, trump = "S", ranks = IT3 })

expect("SPEC 11.6: an auction is not for this bot yet", "pass",
  { hand = FIVE, legal = { "pass", "bid 6", "bid 5" }, trick = {}, ranks = IT3 })

local read = reading.decode('{"x":{"id":["a\\"]}",null,-1.5e3,true]},"type":"act","legal":[]}')
assert(read.type == "act" and #read.legal == 0, "SPEC 3.1: unknown fields hold anything")

print("ok")
