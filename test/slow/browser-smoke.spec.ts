import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
const WEB = join(__dirname, '../../web');
const PATIENCE_MS = 600_000;

/** Here a few of them, so that nobody breaks the pages unseen; all of them: `npm run e2e -w web`. */
(browser === undefined ? describe.skip : describe)('the web UI in a browser', () => {
  it(
    'the web UI does what its scenarios marked as smoke say',
    async () => {
      const child = spawn('npx', ['playwright', 'test', '--workers=1', '--grep', '@smoke'], {
        cwd: WEB,
        stdio: ['ignore', 'pipe', 'pipe'],
        // Playwright takes this for being loaded by jest itself.
        env: { ...process.env, JEST_WORKER_ID: undefined },
      });
      let output = '';
      child.stdout.on('data', (data: Buffer) => (output += data.toString()));
      child.stderr.on('data', (data: Buffer) => (output += data.toString()));
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new Error(output);
      expect(output).toMatch(/\d+ passed/);
    },
    PATIENCE_MS,
  );
});
