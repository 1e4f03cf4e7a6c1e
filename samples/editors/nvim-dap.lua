-- Neovim with nvim-dap: put this into your configuration. asldbg has to be in the PATH.
local dap = require("dap")

dap.adapters.asldbg = { type = "executable", command = "asldbg", args = { "dap" } }

local configuration = {
  type = "asldbg",
  request = "launch",
  name = "Debug state machine",
  program = "${file}",
  stopOnEntry = true,
  stopAtEnd = true,
}

for _, filetype in ipairs({ "json", "jsonc", "yaml", "asl", "sfn" }) do
  dap.configurations[filetype] = { configuration }
end
