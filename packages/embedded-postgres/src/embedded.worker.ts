import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages';
import { WireServer } from './wire/wire-server';

const settings = workerData as WorkerSettings;
const tell = (message: FromWorker): void => parentPort?.postMessage(message);
const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function run(): Promise<void> {
  const broken = (error: unknown): void => tell({ type: 'broken', reason: reason(error) });
  const engine = await Engine.open(settings, broken);
  const server = await WireServer.over(engine, settings, broken);
  await server.listen(settings.socketPath);
  parentPort?.on('message', (message: ToWorker) => {
    obey(message).catch(broken);
  });
  tell({ type: 'ready' });

  async function obey(message: ToWorker): Promise<void> {
    if (message.type === 'dump') {
      await server.quietly(() => engine.dump(message.file));
      tell({ type: 'dumped' });
      return;
    }
    await server.close();
    await engine.close();
    tell({ type: 'closed' });
  }
}

run().catch((error: unknown) => tell({ type: 'broken', reason: reason(error) }));
