import { parentPort, workerData } from 'node:worker_threads';
import type { EmbedderData, FromEmbedder, ToEmbedder } from './embedder.types';
import { StaticVectors } from './static-vectors';

const reading = StaticVectors.read(workerData as EmbedderData);

async function answer({ id, texts }: ToEmbedder): Promise<FromEmbedder> {
  try {
    const model = await reading;
    return { id, vectors: texts.map((text) => model.embed(text)) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : 'unknown' };
  }
}

parentPort?.on('message', (message: ToEmbedder) => {
  void answer(message).then((told) => parentPort?.postMessage(told));
});
