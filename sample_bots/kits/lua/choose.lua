-- The decision. Change this file.

-- So many points must lie on the table before a trump is spent on them.
local WORTH_A_TRUMP = 4

local WORTH = { 11, 10, 4, 3, 2 }

local function rank(card) return card:sub(1, 1) end

local function suit(card) return card:sub(2) end -- "" of a covered two, which has none yet

-- Card points: the five ranks that have some are the highest, but for a low three.
local function points(card, ranks)
  local scoring = ranks:sub(1, 2) == "AK" and "A3KQJ" or ranks
  local place = scoring:find(rank(card), 1, true)
  return place and WORTH[place] or 0
end

-- How many ranks are below it.
local function height(card, ranks)
  return #ranks - ranks:find(rank(card), 1, true)
end

-- Whether a later card takes the trick.
local function beats(card, best, at)
  if suit(card) ~= suit(best) then return suit(card) == at.trump end
  return height(card, at.ranks) > height(best, at.ranks)
end

-- What a card is worth in the hand: trumps take later tricks. Then the height counts.
local function cost(card, at)
  local later = suit(card) == at.trump and 5 or 0
  return 100 * (points(card, at.ranks) + later) + height(card, at.ranks)
end

-- The decision: one of at.legal.
local function choose(at)
  local in_hand = {}
  for _, card in ipairs(at.hand) do in_hand[card] = true end
  local best, table_points = nil, 0
  for _, card in ipairs(at.trick) do
    table_points = table_points + points(card, at.ranks)
    if not best or beats(card, best, at) then best = card end
  end
  local cheapest, plain, trump
  for _, card in ipairs(at.legal) do
    if in_hand[card] then -- not an announcement
      if not cheapest or cost(card, at) < cost(cheapest, at) then cheapest = card end
      local takes = best and beats(card, best, at)
      if takes and suit(card) == at.trump then
        if not trump or cost(card, at) < cost(trump, at) then trump = card end
      elseif takes then
        if not plain or cost(card, at) > cost(plain, at) then plain = card end
      end
    end
  end
  if plain then return plain end
  if trump and table_points >= WORTH_A_TRUMP then return trump end
  -- No card in an auction or a call: the first is always allowed, and passes where it may.
  return cheapest or at.legal[1]
end

return choose
