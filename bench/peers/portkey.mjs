// Portkey's open-source gateway, the nearest Node neighbour: started offline, without its console page.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startNode, until200 } from '../lib/children.mjs';

const home = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '@portkey-ai', 'gateway');

export const isInstalled = () => existsSync(join(home, 'build', 'start-server.js'));

export const info = {
  name: 'portkey',
  // Read late: the run itself may have just installed it.
  get version() {
    return isInstalled() ? JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version : undefined;
  },
};

export async function start({ upstream, core }) {
  const port = await freePort();
  const child = startNode(join(home, 'build', 'start-server.js'), {
    core,
    env: { NODE_ENV: 'production' },
    scriptArgs: [`--port=${port}`, '--headless'],
  });
  await until200(`http://127.0.0.1:${port}/`, child);
  const headers = {
    authorization: 'Bearer sk-bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream}/v1`,
  };
  return { child, port, makeTargets: async () => ({ chat: { headers } }) };
}
