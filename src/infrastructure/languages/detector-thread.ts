import { parentPort } from 'node:worker_threads';
import type { FromDetector, TextLanguage, ToDetector } from './language-detector';

/** The package has no entry for `require`. */
const loading = import('eld/extrasmall').then(({ eld }) => {
  eld.enableTextCleanup(true);
  return eld;
});

async function detect({ id, texts }: ToDetector): Promise<FromDetector> {
  const eld = await loading;
  const found = texts.map((text): TextLanguage | null => {
    const result = eld.detect(text);
    const isTold = result.language !== '' && result.isReliable();
    return isTold ? { language: result.language, scores: result.getScores() } : null;
  });
  return { id, found };
}

parentPort?.on('message', (message: ToDetector) => {
  void detect(message).then((answer) => parentPort?.postMessage(answer));
});
