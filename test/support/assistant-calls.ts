import { type ApiAnswer, startApp, type TestApp } from './app';
import { foreignOrganization, keyOf, type Person, person } from './people';
import {
  startThinkingVendor,
  type ThinkingVendor,
  type VendorAnswer,
  type VendorCall,
  type VendorRequest,
} from './thinking-vendor';

const ASSISTANTS = '/api/v1/assistants';
/** The model of calling assistants. Called assistants have another one. */
export const CALLING_MODEL = 'model-of-the-caller';
const CALLED_MODEL = 'model-of-the-called';

/** Two organizations, Go (`default`) and Gt, and everybody whom the access table speaks of. */
export interface CallWorld {
  readonly app: TestApp;
  readonly vendor: ThinkingVendor;
  /** Owner of the calling assistants. */
  readonly owner: Person;
  /** Another teacher of Go. */
  readonly colleague: Person;
  /** A student of Go, who asks. */
  readonly student: Person;
  /** Owner of Gt. */
  readonly stranger: Person;
  readonly foreign: string;
  /** The owner of the calling assistants, as a member of Gt. */
  readonly ownerAbroad: Pick<Person, 'api'>;
  stop(): Promise<void>;
}

export async function callWorld(): Promise<CallWorld> {
  const vendor = await startThinkingVendor();
  const app = await startApp({ env: { OPENAI_BASE_URL: vendor.url, OPENAI_API_KEY: 'sk-test' } });
  const [owner, colleague] = [await person(app), await person(app)];
  const student = await person(app, { role: 'member' });
  const foreign = await foreignOrganization(app);
  const stranger = await person(app, {
    organization: foreign,
    role: 'owner',
    scopes: ['chat', 'read', 'write', 'admin'],
  });
  await good(
    app.api('POST', `/api/v1/organizations/${foreign}/members`, { email: owner.email, name: 'O', role: 'teacher' }),
  );
  const provider = { api_key: 'sk-foreign', base_url: vendor.url };
  await good(stranger.api('PATCH', `/api/v1/organizations/${foreign}`, { providers: { openai: provider } }));
  const ownerAbroad = await keyOf(app, owner.email, { organization: foreign });
  const stop = async (): Promise<void> => {
    await app.stop();
    await vendor.stop();
  };
  return { app, vendor, owner, colleague, student, stranger, foreign, ownerAbroad, stop };
}

export async function good(answer: Promise<ApiAnswer>): Promise<ApiAnswer> {
  const got = await answer;
  if (got.status >= 300) throw new Error(`HTTP ${got.status}: ${got.text}`);
  return got;
}

export const METADATA = {
  prompt_processor: 'simple_augment',
  rag_processor: 'no_rag',
  connector: 'openai',
  llm: CALLED_MODEL,
};

type Maker = Pick<Person, 'api'>;

/** An assistant that may be called. */
export async function target(maker: Maker, more: Record<string, unknown> = {}): Promise<number> {
  const { json } = await good(
    maker.api('POST', ASSISTANTS, {
      name: 'Target',
      description: 'Knows it.',
      system_prompt: 'I am the target.',
      prompt_template: '{user_input}',
      metadata: METADATA,
      ...more,
    }),
  );
  return json.id;
}

/** The body of an assistant that calls those given. */
export const calls = (...ids: readonly unknown[]): Record<string, unknown> => ({
  name: 'Caller',
  prompt_template: '{user_input}',
  metadata: {
    ...METADATA,
    llm: CALLING_MODEL,
    functions: ids.map((assistant_id) => ({ type: 'assistant', assistant_id })),
  },
});

/** An assistant that calls those given, published so that the student may ask it. */
export async function calling(maker: Maker, ...ids: readonly number[]): Promise<number> {
  const { json } = await good(maker.api('POST', ASSISTANTS, calls(...ids)));
  await good(maker.api('PUT', `${ASSISTANTS}/${json.id}/publication`));
  return json.id;
}

export interface Asked {
  readonly status: number;
  readonly answer: string;
  /** Names of the functions that the model was told of. */
  readonly offered: readonly string[];
  /** Results of its calls, as the model read them. */
  readonly results: readonly string[];
  /** Requests to the targets. */
  readonly toTargets: readonly VendorRequest[];
  readonly runId: string;
}

export interface Script {
  /** Calls of the model in its first round. */
  readonly calls?: readonly VendorCall[];
  /** Happens after the functions were offered and before any is called. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly reply?: (request: VendorRequest) => string | { readonly status: number };
  readonly question?: string;
}

export const call = (id: number, query: unknown = 'why?'): VendorCall => ({
  name: `call_assistant_${id}`,
  arguments: { query },
});

/** Asks an assistant whose model does what the script says in its first round and ends in the next. */
export async function ask({ vendor }: CallWorld, who: Maker, id: number, script: Script = {}): Promise<Asked> {
  const before = vendor.requests.length;
  vendor.think((request) => (request.model === CALLED_MODEL ? asTarget(script, request) : asCaller(script, request)));
  const messages = [{ role: 'user', content: script.question ?? 'go' }];
  const answer = await who.api('POST', `${ASSISTANTS}/${id}/completions`, { messages });
  const requests = vendor.requests.slice(before);
  const own = requests.filter(({ model }) => model === CALLING_MODEL);
  return {
    status: answer.status,
    answer: answer.json?.choices?.[0]?.message?.content ?? answer.text,
    offered: offeredIn(own[0]),
    results: resultsIn(own.at(-1)),
    toTargets: requests.filter(({ model }) => model === CALLED_MODEL),
    runId: answer.headers.get('x-run-id') ?? '',
  };
}

const offeredIn = (request: VendorRequest | undefined): string[] =>
  (request?.tools ?? []).map((tool) => tool.function.name);

const resultsIn = (request: VendorRequest | undefined): string[] =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);

function asTarget({ reply }: Script, request: VendorRequest): VendorAnswer {
  const said = reply?.(request) ?? 'the target says 42';
  return typeof said === 'string' ? { content: said } : said;
}

async function asCaller(script: Script, request: VendorRequest): Promise<VendorAnswer> {
  if (script.calls === undefined || resultsIn(request).length > 0) return { content: 'final' };
  await script.meanwhile?.();
  return { calls: script.calls };
}

/** Rows of the access table in the audit log of Go, newest first. */
export async function denials({ app }: CallWorld): Promise<readonly { row: string; target: string; run: string }[]> {
  const { json } = await app.api('GET', '/api/v1/organizations/default/audit?limit=100');
  return json.items
    .filter(({ action }: { action: string }) => action === 'assistant.call_denied')
    .map(({ after, target: { id } }: { after: { row: string; run_id: string }; target: { id: string } }) => ({
      row: after.row,
      target: id,
      run: after.run_id,
    }));
}
