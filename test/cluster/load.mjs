// Mixed load from well-behaved clients: they repeat a request without an answer, with the same Idempotency-Key.
import { setTimeout as sleep } from 'node:timers/promises';
import { readThrough } from '../../bench/runs-faults/replica.mjs';
import { answerOf, question } from '../../bench/runs-faults/vendor.mjs';

/** Concurrent clients of each kind. */
const CLIENTS = { run: 6, creation: 1, edit: 1, file: 1, document: 1, stream: 2, completion: 1 };
const PATIENCE_MS = 90_000;
const PAUSE_MS = 250;
/** Pause before the next request of a client: the test looks for losses, not for the maximum load. */
const THINK_MS = [20, 200];
/** Statuses after which a client repeats: the request had no effect, or goes on elsewhere. */
const RETRIED = [429, 502, 503, 504];

const between = (least, most) => least + Math.floor(Math.random() * (most - least + 1));
const retryReason = ({ status, json }) => {
  if (RETRIED.includes(status)) return String(status);
  // OpenAI routes wrap the code in `error`.
  const code = json?.code ?? json?.error?.code;
  return status === 409 && code === 'idempotency_in_progress' ? code : null;
};

export class Load {
  #clients = [];
  #serial = 0;
  #stopping = false;
  /** Requests that clients wait for; printed when the run reaches its time limit. */
  waiting = new Map();

  /** `client` speaks to the proxy in front of all replicas. */
  constructor(client, ledger, think = THINK_MS) {
    this.client = client;
    this.ledger = ledger;
    this.think = think;
  }

  async prepare() {
    const tokens = {
      id: 'tokens',
      for: { kind: 'organization' },
      limit: 'tokens',
      amount: 1_000_000_000,
      per: 'month',
    };
    await this.#insist('PATCH', '/api/v1/organizations/default', { limits: { rules: [tokens] } });
    const assistant = (name) => this.#insist('POST', '/api/v1/assistants', classic(name));
    this.runner = (await assistant('Background')).id;
    this.answerer = (await assistant('Answers')).id;
    this.knowledgeBase = (await this.#insist('POST', '/api/v1/knowledge-bases', { name: 'Documents' })).id;
  }

  begin() {
    const steps = {
      run: () => this.#run(),
      creation: () => this.#create(),
      file: () => this.#upload('/api/v1/files', 'file'),
      document: () => this.#upload(this.documentsPath, 'document'),
      stream: () => this.#stream(),
      completion: () => this.#complete(),
    };
    for (const [kind, step] of Object.entries(steps)) {
      for (let n = 0; n < CLIENTS[kind]; n += 1) this.#clients.push(this.#repeat(kind, step));
    }
    for (let n = 0; n < CLIENTS.edit; n += 1) this.#clients.push(this.#edit(`edited ${n}`));
  }

  get documentsPath() {
    return `/api/v1/knowledge-bases/${this.knowledgeBase}/documents`;
  }

  /** Begins nothing new; resolves when every open request has an answer. */
  async end() {
    this.#stopping = true;
    await Promise.all(this.#clients);
  }

  async #repeat(kind, step) {
    while (!this.#stopping) {
      try {
        await step();
        this.ledger.count(kind);
        await sleep(between(...this.think));
      } catch (error) {
        this.ledger.problems.add(`${kind}: ${error.message}`);
        await sleep(PAUSE_MS);
      }
    }
  }

  /** One try. Null without an answer, or when the request may be repeated. */
  async #try(method, path, body, headers) {
    const answer = await this.client.call(method, path, body, headers).catch(() => null);
    const why = answer === null ? 'cut' : retryReason(answer);
    if (why === null) return answer;
    this.ledger.repeat(why);
    await sleep(PAUSE_MS);
    return null;
  }

  /** Repeats until there is an answer, and returns its JSON. Throws when the answer is a refusal. */
  async #insist(method, path, body, key) {
    const headers = { 'idempotency-key': key ?? `key-${(this.#serial += 1)}` };
    const what = `${method} ${path}`;
    this.waiting.set(headers, what);
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
      const answer = await this.#try(method, path, body, headers);
      if (answer === null) continue;
      this.waiting.delete(headers);
      if (answer.status < 300) return answer.json;
      throw new Error(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    throw new Error(`${what}: stuck, no answer in ${PATIENCE_MS / 1_000} s`);
  }

  async #run() {
    const name = `run${(this.#serial += 1)}`;
    const run = { name, words: between(10, 100), frames: null };
    const messages = [{ role: 'user', content: question(name, { words: run.words, delay: 25 }) }];
    run.id = (await this.#insist('POST', `/api/v1/assistants/${this.runner}/runs`, { messages }, name)).id;
    this.ledger.runs.push(run);
    this.waiting.set(run, `the end of run ${run.id}`);
    // A reader that is cut every few events and resumes after the last one.
    const reader = {
      frames: (id, { after }) => this.client.frames(id, { after, most: between(1, 15) }),
    };
    run.frames = await readThrough(() => reader, run.id, PATIENCE_MS);
    this.waiting.delete(run);
  }

  async #create() {
    const name = `Created ${(this.#serial += 1)}`;
    const kinds = {
      prompt_templates: ['/api/v1/prompt-templates', { name }],
      assistants: ['/api/v1/assistants', classic(name)],
      knowledge_bases: ['/api/v1/knowledge-bases', { name }],
    };
    const table = Object.keys(kinds)[this.#serial % 3];
    const { id } = await this.#insist('POST', ...kinds[table], name);
    this.ledger.creations.push({ table, name, id });
  }

  async #upload(path, kind) {
    const name = `${kind}-${(this.#serial += 1)}.txt`;
    const text = `${name} tells of volcano ${this.#serial}. `.repeat(between(20, 200));
    const form = new FormData();
    form.append('files', new Blob([text], { type: 'text/plain' }), name);
    const made = await this.#insist('POST', path, form, name);
    this.ledger.uploads.push({ path: `${path}/${made.items[0].id}`, kind, name, text });
  }

  /** The only editor of an assistant: no edit may be refused as stale. */
  async #edit(first) {
    const { id, version } = await this.#insist('POST', '/api/v1/assistants', classic(first));
    const edited = { id, saved: [{ version, name: first }] };
    this.ledger.edited.push(edited);
    await this.#repeat('edit', async () => {
      const name = `${first}.${(this.#serial += 1)}`;
      edited.saved.push({ version: await this.#save(id, edited.saved.at(-1).version, name), name });
    });
  }

  /** Returns the version that the edit made. */
  async #save(id, known, name) {
    const path = `/api/v1/assistants/${id}`;
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
      const answer = await this.#try('PATCH', path, { name }, { 'if-match': `"${known}"` });
      if (answer === null) continue;
      if (answer.status === 200) return answer.json.version;
      // An earlier try was saved, and its answer did not arrive.
      const { name: current, version } = await this.#insist('GET', path);
      if (answer.status === 412 && current === name) return version;
      throw new Error(
        `saving ${name} over version ${known}: ${answer.status}; there is version ${version}, ${current}`,
      );
    }
    throw new Error(`saving ${name}: stuck, no answer in ${PATIENCE_MS / 1_000} s`);
  }

  #question(words) {
    const content = question(`answer${(this.#serial += 1)}`, { words, delay: 20 });
    return { model: `lamb_assistant.${this.answerer}`, messages: [{ role: 'user', content }] };
  }

  /** A stream may be cut. One that ends with `[DONE]` must be complete. */
  async #stream() {
    const words = between(10, 50);
    const body = { ...this.#question(words), stream: true };
    while (!this.#stopping) {
      const answer = await this.#try('POST', '/v1/chat/completions', body);
      if (answer?.status >= 400) throw new Error(`a stream: ${answer.status} ${answer.text.slice(0, 300)}`);
      if (answer?.text.includes('data: [DONE]')) return expectWhole(saidInStream(answer.text), words, 'a stream');
      if (answer !== null) this.ledger.repeat('stream cut');
    }
  }

  async #complete() {
    const words = between(5, 30);
    const body = this.#question(words);
    const { choices } = await this.#insist('POST', '/v1/chat/completions', body, `completion-${this.#serial}`);
    expectWhole(choices[0].message.content, words, 'a completion');
  }
}

const classic = (name) => ({
  name,
  prompt_template: '{user_input}',
  metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
});

const saidInStream = (text) =>
  [...text.matchAll(/^data: (\{.*\})$/gm)]
    .map(([, json]) => JSON.parse(json).choices?.[0]?.delta?.content ?? '')
    .join('');

function expectWhole(said, words, what) {
  if (said !== answerOf(words)) throw new Error(`${what} is marked complete and lacks words`);
}
