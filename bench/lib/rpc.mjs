// Commands to a helper process over its IPC channel; a helper never outlives the run that started it.

/** In the helper: answers `{id, command, args}` with the command's result. */
export function serveCommands(commands) {
  process.on('message', async ({ id, command, args }) => {
    try {
      process.send({ id, result: await commands[command](args ?? {}) });
    } catch (error) {
      process.send({ id, error: error.stack ?? String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ id: 0 });
}

/** In the runner: resolves once the helper listens for commands. */
export async function commander(child, name) {
  const waiting = new Map();
  const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  let last = 0;
  child.on('message', ({ id, result, error }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(`${name}: ${error}`));
    else call?.resolve(result);
  });
  child.on('exit', (code) => {
    for (const call of waiting.values()) call.reject(new Error(`${name} ended with code ${code}`));
    waiting.clear();
  });
  await ready;
  return (command, args) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      child.send({ id, command, args });
    });
}
