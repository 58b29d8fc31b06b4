import type { ChatMessage } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Completion } from '../../src/answering/completion.types';
import { recordedPrompt } from '../../src/answering/engine/prompt-preparation.service';
import { PlannedStrategy } from '../../src/orchestrators/catalog/planned.strategy';
import type { OrchestratorStrategy } from '../../src/orchestrators/contract';
import {
  broken,
  entries,
  jobOf,
  orchestratorOf,
  scriptedTool,
  STRATEGIES,
} from '../../src/orchestrators/testing/scripted-job';
import type { Planner } from '../../src/orchestrators/planning';
import type { Recording, RunFacts, RunRecord } from '../../src/runs';
import { lineText, readEntry, readRecording, recordingOf } from '../../src/runs/run-line';

/** Plans every tool, each with the question. */
const planner = {
  compile: (tools: readonly object[]) => tools.map((tool) => ({ tool, role: 'other' })),
  plan: ({ tools }: { tools: readonly { tool: { index: number; plugin: string; placeholder: string } }[] }) =>
    Promise.resolve({
      ...{ id: 'p', planner: 'heuristic', cached: false, query_class: 'simple', warnings: [], planning_ms: 0 },
      ...{ stages: [], reasoning: '', confidence: 1, estimated_duration_ms: 0, estimated_cost: 0 },
      decomposition: { type: 'simple', sub_queries: [], confidence: 1 },
      steps: tools.map(({ tool: { index, plugin, placeholder } }, at) => ({
        ...{ id: `s${at}`, index, tool: plugin, placeholder, query: 'Q', config: {}, dependencies: [] },
        ...{ execution_mode: 'parallel', timeout_ms: 1_000, fallback: null },
      })),
    }),
  record: () => undefined,
} as unknown as Planner;

const ALL: readonly (readonly [string, OrchestratorStrategy])[] = [
  ...STRATEGIES,
  ['planned', new PlannedStrategy(planner)],
];

/** Any text, with characters that JSON, PostgreSQL or templates treat in a way of their own. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('{1_context}', '\u0000', '\ud800', '$&', '"\\u0000"', '{user_input}'),
);
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: text }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.array(fc.record({ type: fc.constant('text' as const), text }), { minLength: 1, maxLength: 2 }),
    name: text,
  }),
);
const tool = fc.record({
  plugin: fc.constantFrom('counted', 'counted', 'broken', 'gone'),
  enabled: fc.boolean(),
  content: text,
});

/** The recording of a run with these facts, written and read. */
function recorded(facts: object, secrets: readonly string[] = []): ReturnType<typeof recordingOf> {
  const ending = {
    facts: { results: [], passages: [], checks: [], ...facts } as unknown as RunFacts,
    question: 'Q',
    secrets,
  };
  const record = { id: 'r', createdAt: new Date().toISOString(), events: [], passages: [], report: null, plan: null };
  const entry = readEntry(lineText({ ...record, ending } as unknown as RunRecord, 'salt'));
  return 'line' in entry ? recordingOf(entry.line) : 'deleted';
}

/** The prompt as readers of the repetition see it. */
const SHOWN: readonly ChatMessage[] = [{ role: 'user', content: 'without links of the asker' }];

describe('a run repeated with its recorded results', () => {
  it.each(ALL.map(([name]) => name))('asks the model the same bytes under %s and touches no tool', async (strategy) => {
    Logger.overrideLogger(false);
    let touched = 0;
    const counted = scriptedTool('counted', ({ content }) => {
      touched += 1;
      return Promise.resolve({ content: String(content), sources: [], confidence: null });
    });
    const orchestrator = orchestratorOf([counted, broken], { strategies: ALL });
    const pipelines = fc.record({
      tools: fc.array(tool, { maxLength: 4 }),
      history: fc.array(message, { maxLength: 3 }),
      question: text,
      systemPrompt: text,
      template: fc.constantFrom('', '{1_context}{user_input}', 'A{1_context}B{2_context}C{3_context}Q{user_input}'),
    });
    const repeats = async ({ tools, history, question, systemPrompt, template }: any): Promise<void> => {
      const entered = entries(...tools.map(({ content, ...entry }: any) => ({ ...entry, config: { content } })));
      const messages = [...history, { role: 'user', content: question }];
      const job = jobOf({ strategy, tools: entered, messages, systemPrompt, template });
      const prompt = (await orchestrator.orchestrate(job)).messages;
      const before = touched;
      const request = { messages, params: { temperature: 0 } };
      const facts = { request, prompt, instruction: null, definition: null, fixed: null, functions: null, answer: 'A' };
      const recording = recorded(facts) as Recording;
      const completion = { assistant: { document: {} }, request, run: { input: {} } } as unknown as Completion;
      const again = recordedPrompt(completion, {
        recording,
        shown: SHOWN,
        sources: [],
        passages: [],
        report: null,
      });
      expect(JSON.stringify(again.messages)).toBe(JSON.stringify(prompt));
      expect(again.report.messages).toMatchObject(SHOWN);
      expect(touched).toBe(before);
    };
    await fc.assert(fc.asyncProperty(pipelines, repeats), { seed: 19, numRuns: 40 });
    expect(touched).toBeGreaterThan(0);
  });

  it('is not recorded when it holds a credential of the organization, or is too large', () => {
    const facts = (content: string) => ({
      ...{ request: { messages: [], params: {} }, prompt: [{ role: 'user', content }] },
      ...{ functions: null, fixed: null, answer: 'A' },
    });
    expect(recorded(facts('the key is topsecretvalue'), ['topsecretvalue'])).toBe('secret');
    expect(recorded(facts('the key is top"secret"value'), ['top"secret"value'])).toBe('secret');
    expect(recorded(facts('x'.repeat(2_000_001)))).toBe('too_large');
    expect(readRecording(null)).toBe('deleted');
  });
});
