-- Refuses JSON bodies with fields that the contract does not have: the transcoder would ignore a misspelt field.
-- BODIES (path to message) and MESSAGES (message to its fields; "" for a scalar, "*" for what is not looked into)
-- are written before this text from the contracts.

local DEEPEST = 64
local LONGEST_NAME = 64

-- Position after the string that begins at `at`, or nil if it does not end.
local function after_string(text, at)
  local from = at + 1
  while true do
    local found = string.find(text, '["\\]', from)
    if not found then return nil end
    if string.sub(text, found, found) == '"' then return found + 1 end
    from = found + 2
  end
end

local value

-- Members of the object that begins at `at`. As `value`.
local function object(text, at, kind, path, depth)
  local fields = MESSAGES[kind]
  at = string.find(text, "%S", at + 1)
  if at and string.sub(text, at, at) == "}" then return at + 1 end
  while at and string.sub(text, at, at) == '"' do
    local after = after_string(text, at)
    if not after then return nil end
    local name = string.sub(text, at + 1, after - 2)
    local here = path == "" and name or path .. "." .. name
    if fields and fields[name] == nil then return nil, here, kind end
    local colon = string.find(text, "%S", after)
    if not colon or string.sub(text, colon, colon) ~= ":" then return nil end
    local unknown, where
    at, unknown, where = value(text, colon + 1, fields and fields[name] or "*", here, depth + 1)
    if not at then return nil, unknown, where end
    at = string.find(text, "%S", at)
    if not at then return nil end
    local mark = string.sub(text, at, at)
    if mark == "}" then return at + 1 end
    if mark ~= "," then return nil end
    at = string.find(text, "%S", at + 1)
  end
  return nil
end

-- Elements of the array that begins at `at`. As `value`.
local function array(text, at, kind, path, depth)
  at = string.find(text, "%S", at + 1)
  if at and string.sub(text, at, at) == "]" then return at + 1 end
  while at do
    local unknown, where
    at, unknown, where = value(text, at, kind, path, depth + 1)
    if not at then return nil, unknown, where end
    at = string.find(text, "%S", at)
    if not at then return nil end
    local mark = string.sub(text, at, at)
    if mark == "]" then return at + 1 end
    if mark ~= "," then return nil end
    at = at + 1
  end
  return nil
end

-- Position after the value that begins at `at`; or nil, and the path and message of an unknown field. Only nil for
-- what is no JSON, which the transcoder refuses in its own words.
value = function(text, at, kind, path, depth)
  at = string.find(text, "%S", at)
  if not at or depth > DEEPEST then return nil end
  local mark = string.sub(text, at, at)
  if mark == "{" then return object(text, at, kind, path, depth) end
  if mark == "[" then return array(text, at, kind, path, depth) end
  if mark == '"' then return after_string(text, at) end
  local _, last = string.find(text, "^[^,%]}%s]+", at)
  return last and last + 1
end

local function known_names(kind)
  local names = {}
  for name in pairs(MESSAGES[kind]) do
    -- camelCase is accepted, but the contract's own names are told.
    if not string.find(name, "%u") then names[#names + 1] = name end
  end
  table.sort(names)
  return table.concat(names, ", ")
end

-- The complaint about a body, or nil.
function complaint(text, kind)
  local _, unknown, where = value(text, 1, kind, "", 0)
  if not unknown then return nil end
  local shown = string.sub(string.gsub(unknown, "[^%w_.-]", "?"), 1, LONGEST_NAME)
  return "unknown field " .. shown .. "; known here are " .. known_names(where)
end

function envoy_on_request(handle)
  local path = string.match(handle:headers():get(":path") or "", "^[^?]*")
  local kind = BODIES[path]
  if not kind then return end
  local body = handle:body()
  if not body or body:length() == 0 then return end
  local found = complaint(body:getBytes(0, body:length()), kind)
  if found then handle:respond({[":status"] = "400"}, found) end
end
