// What VS Code asks for and does nothing without, silently: what F5 starts where there is no launch.json, and the adapter
// where asldbg is not in the PATH.
const vscode = require("vscode");
const { spawnSync } = require("child_process");

exports.activate = function (context) {
  const [initial] = context.extension.packageJSON.contributes.debuggers[0].initialConfigurations;
  const resolveDebugConfiguration = (_folder, given) => (given.request ? given : { ...initial, ...given });

  const createDebugAdapterDescriptor = () => {
    const command = vscode.workspace.getConfiguration("asldbg").get("path");
    const { error } = spawnSync(command, ["--version"]);
    if (error) {
      throw new Error(`asldbg could not be started (${error.message}). Is it installed? The setting asldbg.path says where.`);
    }
    return new vscode.DebugAdapterExecutable(command, ["dap"]);
  };

  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("asldbg", { resolveDebugConfiguration }),
    vscode.debug.registerDebugAdapterDescriptorFactory("asldbg", { createDebugAdapterDescriptor }),
  );
};
