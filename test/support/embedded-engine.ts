import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineThread } from '../../packages/embedded-postgres/src/engine-supervisor';
import { socketPath, urlOf } from '../../packages/embedded-postgres/src/socket-directory';
import { compile, compiledFile } from './compiled';
import { pristineTemplate } from './test-databases';

export interface TestEngine {
  readonly url: string;
  stop(): Promise<void>;
}

/** The compiled entry of the engine's thread. */
export function workerFile(): string {
  compile();
  return compiledFile('packages/embedded-postgres/src/embedded.worker.js');
}

/** An empty engine of the test's own, in memory. */
export async function startTestEngine(limits: { waitMs?: number; idleLimitMs?: number } = {}): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'bw-engine-'));
  const thread = await EngineThread.start(workerFile(), {
    directory: null,
    ...(existsSync(pristineTemplate()) ? { template: pristineTemplate() } : {}),
    socketPath: socketPath(directory),
    waitMs: limits.waitMs ?? 5_000,
    idleLimitMs: limits.idleLimitMs ?? 60_000,
  });
  return {
    url: urlOf(directory),
    stop: async () => {
      await thread.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** These suites are about the embedded engine itself; a run against a server has nothing to add to them. */
export const describeEmbedded = process.env.TEST_DATABASE_URL ? describe.skip : describe;
