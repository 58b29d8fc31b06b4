// The function-calling loop in three ways, one per process: what it costs is the process's own CPU time.
import { built } from '../lib/built.mjs';
import { serveCommands } from '../lib/rpc.mjs';

const [kind, port] = process.argv.slice(2);
const baseUrl = `http://127.0.0.1:${port}/v1`;
const parameters = {
  type: 'object',
  properties: { topic: { type: 'string' }, depth: { type: 'string' } },
  required: ['topic'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'lookup', description: 'Looks a topic up.', parameters } }];
const PASSAGE = 'Water moves through the membrane towards the higher concentration. '.repeat(12);
const lookup = ({ topic }) => ({ content: `${topic}: ${PASSAGE}` });

const question = ({ rounds, calls = 2 }) => [
  { role: 'system', content: 'You are a patient tutor of biology. Explain step by step. '.repeat(20) },
  { role: 'user', content: `What is osmosis? rounds: ${rounds} calls: ${calls} ${PASSAGE.repeat(4)}` },
];

const sum = (total, usage) => ({
  prompt: total.prompt + usage.prompt_tokens,
  completion: total.completion + usage.completion_tokens,
});

/** Assembles by index, as the SDK's examples do. */
function gather(calls, deltas) {
  for (const delta of deltas) {
    const call = (calls[delta.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
    if (delta.id) call.id = delta.id;
    if (delta.function?.name) call.function.name = delta.function.name;
    call.function.arguments += delta.function?.arguments ?? '';
  }
}

async function plainLoop(script, stream) {
  const messages = question(script);
  let usage = { prompt: 0, completion: 0 };
  for (;;) {
    const calls = [];
    let text = '';
    for await (const chunk of stream({ model: 'gpt-4o-mini', messages, ...(script.rounds > 0 ? { tools } : {}) })) {
      const delta = chunk.choices[0]?.delta;
      text += delta?.content ?? '';
      if (delta?.tool_calls) gather(calls, delta.tool_calls);
      if (chunk.usage) usage = sum(usage, chunk.usage);
    }
    if (calls.length === 0) return { text, usage };
    messages.push({ role: 'assistant', content: text || null, tool_calls: calls });
    for (const call of calls) {
      const { content } = lookup(JSON.parse(call.function.arguments));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}

async function undiciLoop() {
  const { Pool } = await import('undici');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 8 });
  async function* stream(body) {
    const { body: answer } = await pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    });
    let rest = '';
    for await (const bytes of answer) {
      const lines = (rest + bytes).split('\n');
      rest = lines.pop();
      for (const line of lines)
        if (line.startsWith('data: ') && line !== 'data: [DONE]') yield JSON.parse(line.slice(6));
    }
  }
  return (script) => plainLoop(script, stream);
}

async function sdkLoop() {
  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ apiKey: 'sk-bench', baseURL: baseUrl, maxRetries: 0 });
  async function* stream(body) {
    yield* await openai.chat.completions.create({ ...body, stream: true, stream_options: { include_usage: true } });
  }
  return (script) => plainLoop(script, stream);
}

/** Everything that the service does in a round: connector, framing for the client, loop, invoker, schema, events. */
async function ownLoop() {
  const { OPENAI } = built('src/connectors/catalog/openai/openai.connector');
  const { DEFAULT_CALL_LIMITS } = built('src/connectors/contract/connector-plugin.types');
  const { OutboundClient } = built('src/infrastructure/outbound/outbound-client');
  const { Run } = built('src/runs/run');
  const { RunBudget } = built('src/runs/run.types');
  const { AnswerAssembler } = built('src/answering/tool-calling/answer-assembler');
  const { ToolLoop, wantsFunctions } = built('src/answering/tool-calling/tool-loop.service');
  const { FunctionInvoker } = built('src/tools/function-invoker');
  const { ArgumentSchemas, FunctionSet } = built('src/tools/function-offers.service');
  const { RoundFraming } = built('src/openai-api/stream-frames');
  const config = { tools: { defaultTimeoutMs: 30_000, parallelLimit: 5, maxRounds: 50 }, outbound: { allow: [] } };
  const connector = OPENAI.connect({ outbound: new OutboundClient(config), limits: DEFAULT_CALL_LIMITS });
  const loop = new ToolLoop(new FunctionInvoker(config), config);
  const plugin = { definition: { name: 'lookup' }, call: async (_, args) => lookup(args) };
  const declaration = tools[0].function;
  const check = new ArgumentSchemas().checkerFor(parameters);
  const functions = new FunctionSet([{ declaration, plugin, config: {}, check }]);
  const target = { baseUrl, apiKey: 'sk-bench', trusted: true };
  const assistant = { id: 1, name: 'a', organizationId: 'o', ownerId: 'u', type: 'classic' };

  return async (script) => {
    const run = new Run({ assistant, caller: {}, strategy: null, stream: true });
    const budget = new RunBudget({ timeoutMs: 300_000, tokens: 1e9, callsPerTarget: 1000 });
    const framing = new RoundFraming({ id: `chatcmpl-${run.id}`, created: 0, model: 'gpt-4o-mini' }, true);
    const context = { signal: run.signal, runId: run.id, scope: 'bench', emit: run.emit };
    let usage = { prompt: 0, completion: 0 };
    let frames = '';
    let text = '';
    const ask = async (request) => {
      framing.begin();
      const answer = new AnswerAssembler();
      let used = null;
      let finishReason = '';
      for await (const batch of connector.stream(request, target, context)) {
        for (const chunk of batch) {
          answer.add(chunk);
          used = chunk.usage ?? used;
          finishReason = chunk.finishReason ?? finishReason;
          const callsFollow = wantsFunctions(answer.calls.length, finishReason);
          frames += framing.frameOf(chunk, { callsFollow, extension: '' });
        }
      }
      usage = sum(usage, used);
      const { calls, echoed } = answer;
      if (!wantsFunctions(calls.length, finishReason)) text = answer.text;
      return { text: answer.text, calls, echoed, finishReason, usage: used };
    };
    const messages = question(script);
    const request = { model: 'gpt-4o-mini', messages, params: {} };
    const invocation = {
      runId: run.id,
      emit: run.emit,
      owner: {},
      caller: {},
      assistantId: 1,
      connector: 'openai',
      assistants: null,
    };
    if (script.rounds === 0) await ask(request);
    else await loop.run({ request, functions, signal: run.signal, budget, invocation, ask, messages });
    if (frames.length === 0) throw new Error('nothing was framed');
    return { text, usage };
  };
}

const WAYS = { undici: undiciLoop, 'openai-sdk': sdkLoop, bellwether: ownLoop };
const once = await WAYS[kind]();

serveCommands({
  /** One loop, for its figures. */
  one: once,
  /** CPU per loop over `loops` of them, a few at a time. */
  async many({ loops, ...script }) {
    let left = loops;
    const before = process.cpuUsage();
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (left-- > 0) await once(script);
      }),
    );
    const { user, system } = process.cpuUsage(before);
    return { cpuUs: (user + system) / loops, ms: (performance.now() - begun) / loops };
  },
});
