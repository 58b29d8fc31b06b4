// npm run bench:retrieval [-- part… --sizes=1000,20000 --collections=a,b --questions=200 --embedding=provider/model|folder|small|none --vectors=20000]
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describeMachine, loadNow } from './lib/machine.mjs';
import { loadCollections } from './retrieval/collections.mjs';
import { smallModel } from './planner/embedder.mjs';
import { startEmbedder } from './retrieval/embedder.mjs';
import { startService } from './retrieval/service.mjs';
import { run as fusion } from './retrieval/fusion.mjs';
import { run as pdf } from './retrieval/pdf.mjs';
import { run as quality } from './retrieval/quality.mjs';
import { run as questions } from './retrieval/questions.mjs';
import { run as quotes } from './retrieval/quotes.mjs';
import { run as speed } from './retrieval/speed.mjs';
import { run as vectors } from './retrieval/vectors.mjs';

const PARTS = { quality, questions, quotes, fusion, speed, vectors, pdf };
const OPTIONS = ['sizes', 'collections', 'questions', 'embedding', 'vectors'];
/** The small English model of the development dependencies, served to the service as an OpenAI-compatible vendor. */
const SMALL = 'small';
/** Its name decides its default weight. */
const SMALL_MODEL = 'universal-sentence-encoder-lite-en';

function refuse(message) {
  console.error(message);
  process.exit(2);
}

function parse(words) {
  const given = {};
  const named = [];
  for (const word of words) {
    const [, option, value] = /^--([a-z]+)=(.*)$/.exec(word) ?? [];
    if (option !== undefined && OPTIONS.includes(option)) given[option] = value;
    else if (word in PARTS) named.push(word);
    else refuse(`unknown: ${word}; parts are ${Object.keys(PARTS).join(' ')}, options --${OPTIONS.join('= --')}=`);
  }
  const numbers = (text) => text.split(',').map((part) => Number(part) || refuse(`not a number: ${part}`));
  const embedding = given.embedding ?? process.env.BENCH_EMBEDDING ?? SMALL;
  const folder = existsSync(embedding) ? resolve(embedding) : null;
  const [provider, ...model] = folder === null ? embedding.split('/') : ['folder', basename(folder)];
  return {
    parts: named.length > 0 ? named : Object.keys(PARTS),
    sizes: numbers(given.sizes ?? '1000,20000,100000'),
    vectorSize: numbers(given.vectors ?? '20000')[0],
    collections: given.collections?.split(','),
    folder,
    questions: numbers(given.questions ?? '100000')[0],
    embedding:
      provider === 'none'
        ? null
        : { provider: provider === SMALL ? 'openai' : provider, model: model.join('/') || SMALL_MODEL },
  };
}

const options = parse(process.argv.slice(2));
const collections = loadCollections(options.collections);
const machine = describeMachine();
console.log(`${machine.cpu}, Node ${machine.node}, commit ${machine.commit}, load ${machine.loadAtStart}\n`);

const warn = (message) => console.log(`note: ${message}`);
const load = () => loadNow().toFixed(1);
let failed = false;
const small = options.embedding?.model === SMALL_MODEL ? await startEmbedder(await smallModel()) : null;
const vendor =
  small === null
    ? { EMBEDDING_FOLDER: options.folder ?? undefined }
    : { OPENAI_BASE_URL: small.url, OPENAI_API_KEY: 'sk-bench' };
for (const part of options.parts) {
  const service = part === 'vectors' ? null : await startService(vendor);
  try {
    console.log(`${await PARTS[part]({ ...options, service, collections, warn, load })}\n`);
  } catch (error) {
    failed = true;
    console.log(`${part} failed: ${error.message}\n`);
  } finally {
    await service?.stop();
  }
}
small?.stop();
process.exit(failed ? 1 : 0);
