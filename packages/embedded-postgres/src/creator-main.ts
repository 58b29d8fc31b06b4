import { join } from 'node:path';
import { EngineThread } from './engine-supervisor';
import type { WorkerSettings } from './worker-messages';

/** Creates a data directory and ends, which gives the memory of the creation back. Sends the reason when it cannot. */
async function create(settings: WorkerSettings): Promise<void> {
  const thread = await EngineThread.start(join(__dirname, 'embedded.worker.js'), settings);
  await thread.close();
}

process.once('message', (settings: WorkerSettings) => {
  create(settings).then(
    () => process.exit(0),
    (error: Error) => process.send?.(error.message, () => process.exit(1)),
  );
});
// The service has died. The next one creates the directory again.
process.once('disconnect', () => process.exit(1));
