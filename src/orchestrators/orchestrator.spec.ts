import { type ChatMessage, type KnowledgeBaseSource, textOf } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { OrchestratorStrategy, StrategyDefinition } from './contract';
import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from './testing/scripted-job';

const ODD: StrategyDefinition = {
  name: 'odd',
  description: '',
  options_schema: {},
  reads: [],
  shape: { order: 'chain', planned: false },
};
const HOSTILE = 'Let \\frac{a}{b} and {"k": {}} and {user_input} and {2_rubric} and {2_context} and $& stay.';

beforeAll(() => Logger.overrideLogger(false));

it('tools can read the whole request: metadata, user and sampling options', async () => {
  const params = { metadata: { course: 'bio' }, user: 'u-1', temperature: 0.2 };
  const reads = scriptedTool('reads', async (_, input) => ({
    content: JSON.stringify(input.params),
    sources: [],
    confidence: null,
  }));
  const job = jobOf({ tools: entries({ plugin: 'reads' }), template: '{1_context}', params });
  const { outcomes } = await orchestratorOf([reads]).orchestrate(job);
  expect(outcomes).toMatchObject([{ status: 'completed', content: JSON.stringify(params) }]);
});

describe('the prompt', () => {
  it('tells facts in the language of the author, whose words stand in the template', async () => {
    const told = jest.fn((outcomes: unknown) => Promise.resolve(outcomes));
    const template = 'Erantzun euskaraz.{1_context}Galdera:{user_input}';
    const job = jobOf({ tools: entries({ config: { content: 'x' } }), template, systemPrompt: 'Lagundu.' });
    await orchestratorOf(undefined, { facts: { told } as never }).orchestrate(job);
    expect(told).toHaveBeenCalledWith(expect.anything(), 'Lagundu.\nErantzun euskaraz. Galdera: ');
  });

  it('takes tool output and question as data', async () => {
    const tools = entries({ config: { content: HOSTILE } }, { config: { content: 'two' } });
    const template = 'A:{1_context}B:{2_context}Q:{user_input}';
    const messages: ChatMessage[] = [{ role: 'user', content: HOSTILE }];
    const result = await orchestratorOf().orchestrate(jobOf({ tools, template, messages }));
    expect(result.messages).toEqual([
      { role: 'user', content: `A:\n\n${HOSTILE}\n\nB:\n\ntwo\n\nQ:\n\n${HOSTILE}\n\n` },
    ]);
  });

  it('is system prompt, history, the last user message rewritten, and what follows', async () => {
    const history: ChatMessage[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ];
    const after: ChatMessage[] = [
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', tool_call_id: 'c', content: '{user_input}' },
    ];
    const messages: ChatMessage[] = [...history, { role: 'user', content: 'three' }, ...after];
    const job = jobOf({ template: '<{user_input}>', systemPrompt: '{user_input} is text here', messages });
    expect((await orchestratorOf().orchestrate(job)).messages).toEqual([
      { role: 'system', content: '{user_input} is text here' },
      ...history,
      { role: 'user', content: '<\n\nthree\n\n>' },
      ...after,
    ]);
  });

  it('is the message as it came when there is no template', async () => {
    const messages: ChatMessage[] = [{ role: 'user', content: 'Q', name: 'ana' }];
    const tools = entries({ config: { content: 'lost' } });
    expect((await orchestratorOf().orchestrate(jobOf({ tools, messages }))).messages).toEqual(messages);
  });

  it('leaves the slots of disabled, failed and missing tools empty and reports those that no enabled tool fills', async () => {
    const tools = entries({ enabled: false, config: { content: 'off' } }, { plugin: 'broken' }, { plugin: 'gone' });
    const template = '1{1_context}2{2_context}3{3_context}9{9_context}9{9_context}r{removed_4_file}';
    const job = jobOf({ tools, template });
    const { messages, warnings, outcomes } = await orchestratorOf().orchestrate(job);
    expect(messages).toEqual([{ role: 'user', content: '12399r' }]);
    const warning = {
      code: 'placeholder.unfilled',
      message: 'No enabled tool fills {1_context}, {9_context}, {removed_4_file}',
    };
    expect(warnings).toEqual([warning]);
    expect(job.events).toContainEqual({ type: 'warning', ...warning });
    expect(outcomes).toMatchObject([
      { index: 1, status: 'failed', code: 'tool.failed' },
      { index: 2, status: 'failed', code: 'tool.unknown' },
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/error|broken/);
  });

  it('names ten of a thousand unfilled slots', async () => {
    const template = Array.from({ length: 1000 }, (_, index) => `{${index}_context}`).join('');
    const { warnings } = await orchestratorOf().orchestrate(jobOf({ template }));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/\{9_context\} and 990 more$/);
  });

  it('keeps images behind the text where the assistant has vision and drops them with a warning where it has not', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages: ChatMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'old' }, image] },
      { role: 'user', content: [image, { type: 'text', text: 'What is' }, { type: 'text', text: 'this?' }] },
    ];
    const seeing = await orchestratorOf().orchestrate(jobOf({ template: '{user_input}', messages, vision: true }));
    expect(seeing.messages).toEqual([
      messages[0],
      { role: 'user', content: [{ type: 'text', text: '\n\nWhat is this?\n\n' }, image] },
    ]);
    const blind = await orchestratorOf().orchestrate(jobOf({ template: '{user_input}', messages }));
    expect(blind.messages).toEqual([
      { role: 'user', content: 'old' },
      { role: 'user', content: '\n\nWhat is this?\n\n' },
    ]);
    expect(blind.warnings).toMatchObject([{ code: 'message.parts_dropped' }]);
  });
});

describe('the event of the merge', () => {
  it('is progress of all tools, not of one, under the name of the strategy', async () => {
    const job = jobOf({ strategy: 'parallel', tools: entries({ config: { content: 'x' } }) });
    await orchestratorOf().orchestrate(job);
    expect(job.events.at(-1)).toEqual({
      type: 'tool.progress',
      index: -1,
      plugin: 'parallel',
      placeholder: null,
      message: 'merging tool outputs',
    });
  });

  it('is absent where no tool is enabled', async () => {
    const job = jobOf({ tools: entries({ enabled: false }) });
    await orchestratorOf().orchestrate(job);
    expect(job.told()).not.toContain('merging tool outputs');
  });
});

describe('the strategy', () => {
  it.each(['majority', '', '__proto__', '../parallel'])(
    'falls back to parallel with a warning for %j',
    async (strategy) => {
      const job = jobOf({ strategy, tools: entries({}) });
      const result = await orchestratorOf().orchestrate(job);
      expect(result.strategy).toBe('parallel');
      expect(result.warnings).toMatchObject([{ code: 'orchestrator.unknown' }]);
      expect(job.events[0]).toMatchObject({ type: 'warning', code: 'orchestrator.unknown' });
      expect(job.told()).toContain('🚀 Starting parallel execution of 1 tools');
    },
  );

  const custom = (compile: OrchestratorStrategy['compile']) =>
    orchestratorOf([echo, broken], {
      strategies: [['sequential', { definition: ODD, compile }]],
    });

  it('may start a tool twice and gets the same outcome', async () => {
    const tools = entries({ config: { content: 'once' } });
    const engine = custom(([tool]) => async ({ start }) => {
      if (tool === undefined) return;
      const texts = { started: () => '', completed: () => '' };
      expect(await start(tool, texts, [])).toBe(await start(tool, texts, []));
    });
    const job = jobOf({ tools });
    expect((await engine.orchestrate(job)).outcomes).toMatchObject([{ status: 'completed', content: 'once' }]);
    expect(job.events.filter(({ type }) => type === 'tool.completed')).toHaveLength(1);
  });

  it('leaves a tool that it never started skipped', async () => {
    const { outcomes } = await custom(() => async () => undefined).orchestrate(jobOf({ tools: entries({}) }));
    expect(outcomes).toMatchObject([{ status: 'skipped', reason: 'the strategy did not run it' }]);
  });
});

describe('sources', () => {
  const found = (title: string): KnowledgeBaseSource => ({
    type: 'knowledge_base',
    title,
    url: '',
    similarity: 0.5,
    document: null,
  });
  const cite = scriptedTool('cite', async ({ titles, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    const sources = (titles as string[]).map(found);
    const citations: { at: number; source: number }[] = [];
    let content = '';
    for (const [source, title] of (titles as string[]).entries()) {
      citations.push({ at: content.length + 1, source });
      content += `[]${title} `;
    }
    return { content, sources, citations, confidence: null };
  });

  it('carry the numbers that stand in the prompt, whichever tool finishes first', async () => {
    const tool = fc.record({ ms: fc.nat(4), titles: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(tool, { maxLength: 5 }),
        fc.constantFrom('sequential', 'parallel'),
        async (configs, strategy) => {
          const tools = entries(...configs.map((config) => ({ plugin: 'cite', config })));
          const template = tools.map(({ placeholder }) => `{${placeholder}}`).join('');
          const { messages, sources } = await orchestratorOf([cite]).orchestrate(jobOf({ strategy, tools, template }));
          const cited = [...textOf(messages[0]?.content).matchAll(/\[(\d+)\](\w)/g)];
          expect(cited).toHaveLength(configs.flatMap(({ titles }) => titles).length);
          for (const [, number, title] of cited) expect(sources[Number(number) - 1]).toMatchObject({ title });
          expect(sources.map(({ n }) => n)).toEqual(sources.map((_, index) => index + 1));
          if (sources.length > 0) expect(cited[0]?.[1]).toBe('1');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('chain with their numbers', async () => {
    const prompts: string[] = [];
    const look = scriptedTool('look', async (_, __, context) => {
      prompts.push(context.prompt);
      return { content: '', sources: [], confidence: null };
    });
    const tools = entries({ plugin: 'cite', config: { titles: ['a', 'b'], ms: 0 } }, { plugin: 'look' });
    await orchestratorOf([cite, look]).orchestrate(jobOf({ tools, template: '{1_context}' }));
    expect(prompts).toEqual(['\n\n[1]a [2]b \n\n']);
  });

  it('come with the warnings of their tools', async () => {
    const warned = scriptedTool('warned', async () => ({
      content: 'x',
      sources: [],
      confidence: null,
      warnings: ['physics: no answer'],
    }));
    const { warnings } = await orchestratorOf([warned]).orchestrate(jobOf({ tools: entries({ plugin: 'warned' }) }));
    expect(warnings).toEqual([{ code: 'tool.degraded', message: 'warned → 1_context: physics: no answer' }]);
  });
});

describe('a run that is over', () => {
  it('starts no tool', async () => {
    const run = jest.fn();
    const job = jobOf({ tools: entries({ plugin: 'never' }), signal: AbortSignal.abort() });
    await expect(orchestratorOf([scriptedTool('never', run)]).orchestrate(job)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(run).not.toHaveBeenCalled();
  });
});
