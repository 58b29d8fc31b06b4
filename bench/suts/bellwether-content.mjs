// Content and assistants for the runs, made over HTTP as any client would make them.
import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL } from '../lib/answer.mjs';
import { documents } from './bellwether-course.mjs';

const lesson = `# Scattering\n\nShort waves scatter far more than long ones, so the sky is blue at noon and red at dusk.
Formula: $$I \\propto \\frac{1}{\\lambda^4}$$ and a brace that must stay: {user_input}.\n`;
const guide = 'Marking guide: two points for the mechanism, one for the experiment, one for the misconception.\n';
// An external database may hold the content of earlier runs.
const run = Date.now().toString(36);
const guideName = `guide-${run}.md`;
const rubric = {
  rubricId: `bench-rubric-${run}`,
  title: 'Short explanation',
  description: 'Marks a short explanation.',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'c1',
      name: 'Mechanism',
      description: 'Names the mechanism',
      weight: 100,
      levels: [
        { id: 'l1', score: 4, label: 'Exemplary', description: 'right and complete' },
        { id: 'l2', score: 1, label: 'Beginning', description: 'missing' },
      ],
    },
  ],
};

/** Pieces of the content that the prompt must hold: a server that skips its tools must not win. */
export const proof = ['Short waves scatter', 'Mechanism', 'Marking guide'];

/** A real course's size: three tools that read a knowledge base of 2,000 chunks, a rubric and a file, and a plain assistant. */
export async function makeCourse({ url, key }) {
  const api = client(url, key);
  const made = await makeContent(api, documents());
  return {
    course: await assistant(api, key, 'bench course', threeTools(made)),
    plain: await assistant(api, key, 'bench plain', multiTool([{ plugin: 'no_rag', enabled: true, config: {} }])),
  };
}

/** Limits that every request counts in and none reaches: one of the organization, one of each person. */
const rules = ['organization', 'person'].map((kind) => ({
  id: kind,
  for: { kind },
  limit: 'tokens',
  amount: 1_000_000_000,
  per: 'day',
}));

/** Limits the organization by the first `count` rules. */
export const setRules = ({ url, key }, count) =>
  client(url, key)('PATCH', '/api/v1/organizations/default', { limits: { rules: rules.slice(0, count) } });

/** The way of a gateway: its key asks for an end user whom it names, as in a course. */
async function asEndUser(api, target) {
  const { key } = await api('POST', '/api/v1/api-keys', { name: `bench gateway ${run}`, scopes: ['chat', 'act_as'] });
  return { ...target, headers: { authorization: `Bearer ${key}`, 'x-openwebui-user-id': 'student-1' } };
}

/** How long each tool of the parallel comparison takes. */
export const TOOL_MS = 200;

export async function makeAssistants({ url, key, upstream }) {
  const api = client(url, key);
  const made = await makeContent(api);
  await api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: upstream, api_token: 'bench' } });
  await setRules({ url, key }, rules.length);

  const slow = (count, ms) =>
    Array.from({ length: count }, (_, n) => ({
      ...tool('simple_rag', `${n + 1}_context`, { collections: [`wait-${ms}-${n + 1}`], top_k: 1 }),
      cache: false,
    }));

  const make = (name, ...settings) => assistant(api, key, name, multiTool(...settings));
  return {
    tools: await assistant(api, key, 'bench three tools', threeTools(made)),
    noop: await asEndUser(api, await make('bench no-op tool', [{ plugin: 'no_rag', enabled: true, config: {} }])),
    classic: await assistant(api, key, 'bench classic', {
      metadata: { prompt_processor: 'simple_augment', rag_processor: 'no_rag', connector: 'openai', llm: MODEL },
      system_prompt: 'You are a patient tutor of a first-year course.',
      prompt_template: '{context}\n{user_input}',
    }),
    hanging: await make('bench hanging tools', slow(3, 8000), 'parallel'),
    parallel3: await make('bench parallel 3', slow(3, TOOL_MS), 'parallel'),
    parallel8: await make('bench parallel 8', slow(8, TOOL_MS), 'parallel'),
    sequential3: await make('bench sequential 3', slow(3, TOOL_MS)),
    sequential8: await make('bench sequential 8', slow(8, TOOL_MS)),
  };
}

async function assistant(api, key, name, settings) {
  const { id } = await api('POST', '/api/v1/assistants', { name: `${name} ${run}`, ...settings });
  return { path: '/v1/chat/completions', headers: { authorization: `Bearer ${key}` }, model: `lamb_assistant.${id}` };
}

const multiTool = (tools, orchestrator = 'sequential') => ({
  system_prompt: 'You are a patient tutor of a first-year course.',
  prompt_template: `${tools.map(({ placeholder }) => (placeholder ? `{${placeholder}}` : '')).join('\n')}\n{user_input}`,
  metadata: { _format_version: 3, assistant_type: 'multi_tool', orchestrator, connector: 'openai', llm: MODEL, tools },
});

const threeTools = ({ knowledgeBase, rubric: rubricId }) =>
  multiTool([
    tool('simple_rag', '1_context', { collections: [knowledgeBase], top_k: 1 }),
    tool('rubric_rag', '2_rubric', { rubric_id: rubricId }),
    tool('single_file_rag', '3_file', { file_path: guideName }),
  ]);

const tool = (plugin, placeholder, config) => ({ plugin, placeholder, enabled: true, config });

async function makeContent(api, documents = []) {
  const base = await api('POST', '/api/v1/knowledge-bases', {
    name: `Bench course ${run}`,
    description: 'one short lesson',
  });
  await api('POST', `/api/v1/knowledge-bases/${base.id}/documents`, upload('lesson.md', lesson));
  for (const { name, text } of documents)
    await api('POST', `/api/v1/knowledge-bases/${base.id}/documents`, upload(name, text));
  await indexed(api, base.id);
  const made = await api('POST', '/api/v1/rubrics', rubric);
  await api('POST', '/api/v1/files', upload(guideName, guide));
  return { knowledgeBase: base.id, rubric: made.id ?? made.rubricId };
}

function upload(name, text) {
  const form = new FormData();
  form.append('files', new Blob([text], { type: 'text/markdown' }), name);
  return form;
}

/** Documents are indexed in the background. */
async function indexed(api, id) {
  const documents = async () => (await api('GET', `/api/v1/knowledge-bases/${id}/documents?limit=100`)).items;
  for (let attempt = 0; attempt < 1200; attempt++) {
    const all = await documents();
    if (all.every(({ status }) => status === 'completed')) return;
    const failed = all.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`${failed.filename} was not indexed: ${failed.error}`);
    await sleep(100);
  }
  throw new Error('the documents were not indexed within two minutes');
}

function client(url, key) {
  return async (method, path, payload) => {
    const isForm = payload instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? payload : JSON.stringify(payload),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text.slice(0, 400)}`);
    return text ? JSON.parse(text) : {};
  };
}
