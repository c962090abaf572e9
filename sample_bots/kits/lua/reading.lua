-- Reads of a message what a decision needs: a small JSON parser, and what is taken of a message.

local reading = {}

-- The ranks of each profile (SPEC 11.1), highest first.
local RANKS = {
  it3 = "A3KQJ76542",
  gen7 = "A7KQJ65432",
  pt7 = "A7KJQ65432",
  pt7_qj = "A7KQJ65432",
  pt10 = "ATKJQ65432",
  it3_low3 = "AKQJ765432",
  it7 = "A7KQJ65432",
  es48 = "A3KQJ9876542",
}

-- The value at a place of the text, and the place behind it. The referee writes no blanks between
-- tokens. null is nil, so it leaves no field.
local value

local function string_at(text, at)
  local start = at + 1
  repeat
    at = text:find('["\\]', at + 1)
    local escaped = text:sub(at, at) == "\\"
    if escaped then at = at + 1 end -- \" does not end a string
  until not escaped
  return text:sub(start, at - 1), at + 1 -- escapes stay: nothing that a bot needs has any
end

local function array_at(text, at)
  local found, item = {}, nil
  at = at + 1
  while text:sub(at, at) ~= "]" do
    item, at = value(text, at)
    found[#found + 1] = item
    if text:sub(at, at) == "," then at = at + 1 end
  end
  return found, at + 1
end

local function object_at(text, at)
  local found, key = {}, nil
  at = at + 1
  while text:sub(at, at) ~= "}" do
    key, at = string_at(text, at)
    found[key], at = value(text, at + 1)
    if text:sub(at, at) == "," then at = at + 1 end
  end
  return found, at + 1
end

function value(text, at)
  local first = text:sub(at, at)
  if first == '"' then return string_at(text, at) end
  if first == "[" then return array_at(text, at) end
  if first == "{" then return object_at(text, at) end
  local word = text:match("^[%w.+-]+", at)
  if not word then error("no JSON at " .. at .. ": " .. text) end
  local constants = { ["true"] = true, ["false"] = false }
  if constants[word] ~= nil then return constants[word], at + #word end
  return tonumber(word), at + #word
end

function reading.decode(line)
  return (value(line, 1))
end

function reading.ranks_of(options)
  return RANKS[options.rank_profile] or RANKS.it3
end

-- trump is nil while there is none. A card is its rank, then its suit: "7D"; a covered two is "2".
function reading.position(message, ranks)
  local view = message.view
  return {
    hand = view.hand,
    legal = message.legal,
    trick = view.trick,
    trump = view.trump,
    ranks = ranks,
  }
end

return reading
