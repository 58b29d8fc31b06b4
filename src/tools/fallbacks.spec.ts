import type { RunEvent } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import type { Config } from '../infrastructure/config';
import { CallScope, type Tool, ToolFailure, type ToolFallback } from './contract';
import { entry, fakeTool, invocation, TOOL_CONFIG } from './testing/call';
import { ToolCatalogue } from './tool-catalogue';
import { ToolInvoker } from './tool-invoker';

const INPUT = { query: 'why?', messages: [{ role: 'user', content: 'why?' }] as const };
const answer = (content: string, confidence: number | null = null) => ({ content, sources: [], confidence });
const hang = (): Promise<never> => new Promise(() => undefined);
const types = (events: readonly RunEvent[]): string[] => events.map((event) => event.type);
const invokerWith = (tools: readonly Tool[]): ToolInvoker =>
  new ToolInvoker(new ToolCatalogue(tools), { tools: TOOL_CONFIG.tools } as Config);
beforeAll(() => Logger.overrideLogger(false));

describe('fallbacks', () => {
  const fallback = (more: Partial<ToolFallback> = {}): ToolFallback => ({
    plugin: 'other',
    config: {},
    condition: 'on_error',
    threshold: 0,
    ...more,
  });
  const other = (run: Tool['run'] = async () => answer('from the other', 0.9)): Tool =>
    fakeTool(run, { name: 'other', config_schema: { type: 'object', properties: { n: { type: 'integer' } } } });
  const broken = fakeTool(() => Promise.reject(new ToolFailure('tool.failed', 'broken')));
  const unsure = fakeTool(async () => answer('unsure', 0.2));

  it('answers in the place of a tool that failed', async () => {
    const about = invocation();
    const outcome = await invokerWith([broken, other()]).invoke(entry({ fallback: fallback() }), INPUT, about);
    expect(outcome).toMatchObject({
      status: 'completed',
      index: 0,
      plugin: 'fake',
      placeholder: '1_context',
      content: 'from the other',
      fallback: 'other',
    });
    expect(types(about.events)).toEqual(['tool.started', 'tool.progress', 'tool.completed']);
    expect(about.events.at(-1)).toMatchObject({ plugin: 'fake', fallback: 'other' });
  });

  it('answers for a circuit that is open and for a tool that is gone', async () => {
    const invoker = invokerWith([other()]);
    const outcome = await invoker.invoke(entry({ plugin: 'gone', fallback: fallback() }), INPUT, invocation());
    expect(outcome).toMatchObject({ status: 'completed', plugin: 'gone', fallback: 'other' });
  });

  it('leaves the first failure where it fails too, or its config is refused', async () => {
    const failed = other(() => Promise.reject(new ToolFailure('tool.failed', 'as well')));
    expect(
      await invokerWith([broken, failed]).invoke(entry({ fallback: fallback() }), INPUT, invocation()),
    ).toMatchObject({ status: 'failed', message: 'broken' });
    const refused = entry({ fallback: fallback({ config: { n: 'x' } }) });
    expect(await invokerWith([broken, other()]).invoke(refused, INPUT, invocation())).toMatchObject({
      message: 'broken',
    });
  });

  it.each<[number | null, number, string]>([
    [0.2, 0.5, 'from the other'],
    [0.5, 0.5, 'first'],
    [null, 1, 'first'],
  ])('at a confidence of %s and a threshold of %s the answer is %s', async (confidence, threshold, content) => {
    const tool = fakeTool(async () => answer('first', confidence));
    const about = entry({ fallback: fallback({ condition: 'on_low_confidence', threshold }) });
    expect(await invokerWith([tool, other()]).invoke(about, INPUT, invocation())).toMatchObject({ content });
  });

  it('keeps the unsure result where the fallback fails', async () => {
    const failed = other(() => Promise.reject(new ToolFailure('tool.failed', 'as well')));
    const about = entry({ fallback: fallback({ condition: 'on_low_confidence', threshold: 0.5 }) });
    const outcome = await invokerWith([unsure, failed]).invoke(about, INPUT, invocation());
    expect(outcome).toMatchObject({ status: 'completed', content: 'unsure' });
    expect(outcome).not.toHaveProperty('fallback');
  });

  it('on low confidence alone does not answer for failures, unless the entry says so', async () => {
    const low = fallback({ condition: 'on_low_confidence', threshold: 0.5 });
    const invoker = invokerWith([broken, other()]);
    expect(await invoker.invoke(entry({ fallback: low }), INPUT, invocation())).toMatchObject({ status: 'failed' });
    expect(await invoker.invoke(entry({ fallback: low, on_error: 'fallback' }), INPUT, invocation())).toMatchObject({
      fallback: 'other',
    });
  });

  it('has the time of the entry to itself, and does not start for a run that is over', async () => {
    const both = invokerWith([fakeTool(hang), other(hang)]);
    const outcome = await both.invoke(entry({ timeout_ms: 15, fallback: fallback() }), INPUT, invocation());
    expect(outcome).toMatchObject({ code: 'tool.timeout' });
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(28);
    const started = jest.fn(async () => answer(''));
    const over = invocation({ scope: new CallScope(AbortSignal.abort()) });
    await invokerWith([broken, other(started)]).invoke(entry({ fallback: fallback() }), INPUT, over);
    expect(started).not.toHaveBeenCalled();
  });
});
