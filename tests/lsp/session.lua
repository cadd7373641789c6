-- A session of Neovim's own client: prints what it shows, as one line of JSON.
local server, folder = os.getenv('OPWEAVE_SERVER'), os.getenv('OPWEAVE_FOLDER')

local function wait(what, condition)
  assert(vim.wait(20000, condition, 10), 'waited too long for ' .. what)
end

vim.cmd('edit ' .. folder .. '/ops.yaml')
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({
  name = 'opweave',
  cmd = { server, 'lsp' },
  root_dir = folder,
  flags = { debounce_text_changes = 10 },
})
vim.lsp.buf_attach_client(buffer, client)
wait('initialize', function() return #vim.lsp.buf_get_clients(buffer) > 0 end)

local result = {}

-- Typing: an edit in the middle of a line with a wide character before it.
vim.api.nvim_buf_set_text(buffer, 1, 8, 1, 12, { 'slef' })
wait('a diagnostic', function() return #vim.diagnostic.get(buffer) == 1 end)
local found = vim.diagnostic.get(buffer)[1]
result.diagnostic = { code = found.code, line = found.lnum, column = found.col, stop = found.end_col }

local function ask(method, params)
  local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, 20000))
  return answers[client].result
end

-- The fix mends the line.
vim.api.nvim_win_set_cursor(0, { 2, 9 })
local range = vim.lsp.util.make_given_range_params({ 2, 9 }, { 2, 9 })
range.context = { diagnostics = {} }
local action = ask('textDocument/codeAction', range)[1]
vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
result.mended = vim.api.nvim_buf_get_lines(buffer, 1, 2, true)[1]
wait('no diagnostics', function() return #vim.diagnostic.get(buffer) == 0 end)

vim.api.nvim_win_set_cursor(0, { 1, 9 })
result.hover = ask('textDocument/hover', vim.lsp.util.make_position_params()).contents.value
vim.api.nvim_win_set_cursor(0, { 4, 15 })
local place = ask('textDocument/definition', vim.lsp.util.make_position_params())[1]
result.definition = place.range.start.line

vim.lsp.stop_client(client)
wait('the end', function() return vim.lsp.get_client_by_id(client) == nil end)
io.stdout:write(vim.fn.json_encode(result) .. '\n')
vim.cmd('qall!')
