// How often the sentences that the connector `quotes` chooses hold the answer, through the whole service.
import { plainTable } from '../lib/report.mjs';
import { sample } from './collections.mjs';
import { progress } from './progress.mjs';
import { collectionBase } from './quality.mjs';

/** One comparison for both texts: case, accents and white space do not count. */
const plain = (text) =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ');

const quotesIn = (answer) =>
  answer
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .map((line) => line.slice(2).replace(/ \[\d+\]$/, ''));

async function assistantOn(service, base) {
  const tool = {
    plugin: 'simple_rag',
    placeholder: '1_context',
    enabled: true,
    config: { collections: [base.id], top_k: 5 },
  };
  const metadata = { assistant_type: 'multi_tool', orchestrator: 'sequential', connector: 'quotes', tools: [tool] };
  const body = { name: 'Quotes', prompt_template: '{1_context}\n\n{user_input}', metadata };
  return (await service.call('POST', '/api/v1/assistants', body)).id;
}

async function ask(service, assistant, text) {
  const messages = [{ role: 'user', content: text }];
  const { choices } = await service.call('POST', '/v1/chat/completions', {
    model: `lamb_assistant.${assistant}`,
    messages,
  });
  return quotesIn(choices[0].message.content);
}

/** Questions of one collection, and as many of another one, which its material cannot answer. */
export async function run({ service, collections, questions, warn }) {
  const judged = collections.filter(({ queries }) => queries.some(({ metadata }) => metadata?.answers?.length > 0));
  if (judged.length === 0) return 'No collection with answers (`metadata.answers` of its queries).';
  const rows = [];
  for (const collection of judged) {
    const base = await collectionBase(service, collection, null, warn);
    const assistant = await assistantOn(service, base);
    const asked = sample(collection.queries, questions);
    const foreign = collections.find(({ name }) => name.split('-')[0] !== collection.name.split('-')[0]);
    const strange = sample(foreign?.queries ?? [], Math.min(asked.length, 300));
    const tell = progress(collection.name, asked.length + strange.length);
    const found = { all: 0, first: 0, sentences: 0, none: 0 };
    for (const [at, { text, metadata }] of asked.entries()) {
      const quotes = await ask(service, assistant, text);
      const holds = (quote) => metadata.answers.some((answer) => plain(quote).includes(plain(answer)));
      if (quotes.some(holds)) found.all += 1;
      if (quotes.length > 0 && holds(quotes[0])) found.first += 1;
      if (quotes.length === 0) found.none += 1;
      found.sentences += quotes.length;
      tell(at + 1);
    }
    let refused = 0;
    for (const [at, { text }] of strange.entries()) {
      if ((await ask(service, assistant, text)).length === 0) refused += 1;
      tell(asked.length + at + 1);
    }
    const share = (count, of = asked.length) => (of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`);
    rows.push([
      collection.name,
      String(asked.length),
      share(found.all),
      share(found.first),
      (found.sentences / asked.length).toFixed(2),
      share(found.none),
      share(refused, strange.length),
    ]);
  }
  const heads = ['collection', 'questions', 'answer quoted', 'in the first quote', 'quotes', 'said to have none'];
  return plainTable([...heads, 'questions of another collection refused'], rows);
}
