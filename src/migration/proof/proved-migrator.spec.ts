import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { RewriteSubject } from '../../assistants';
import {
  definitionOf,
  migrationFixtures,
  migrator as newMigrator,
  refusedFixtures,
  subjectOf,
} from '../../../test/support/migrator';

type Definition = RewriteSubject['definition'];

const migrator = newMigrator();
const plan = (definition: Partial<Definition>, to: 2 | 3) => migrator.plan(subjectOf(definition), to);

const json = (text: string): JsonObject => {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
};

it('logs no failing tool of a recorded input', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  const metadata = JSON.stringify({ rag_processor: 'simple_rag', prompt_processor: 'simple_augment' });
  const definition = { metadata, promptTemplate: '{context} {user_input}', ragCollections: '3' };
  expect((await plan(definition, 3)).status).toBe('ready');
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

describe('stored definitions of every shape', () => {
  it.each(migrationFixtures())('$name becomes what it always became', async (fixture) => {
    const stored = definitionOf(fixture);
    for (const to of [2, 3] as const) {
      const result = await plan(stored, to);
      const expected = fixture[to];
      if (expected === undefined) {
        expect(result.status).toBe('current');
        continue;
      }
      if (result.status !== 'ready') throw new Error(JSON.stringify(result));
      const { metadata, promptTemplate, ...rest } = result.definition;
      expect({ metadata: JSON.parse(metadata), prompt_template: promptTemplate }).toEqual(expected);
      const { metadata: _, promptTemplate: __, ...kept } = stored;
      expect(rest).toEqual({ ...kept, type: 'multi_tool' });
    }
  });

  it.each(migrationFixtures())('$name goes to version 3 by way of version 2, and then rests', async (fixture) => {
    const stored = definitionOf(fixture);
    const second = await plan(stored, 2);
    const third = await plan(stored, 3);
    const after = second.status === 'ready' ? await plan(second.definition, 3) : third;
    if (second.status === 'ready' && after.status === 'ready' && third.status === 'ready') {
      expect(after.definition).toEqual(third.definition);
      expect(await plan(second.definition, 2)).toEqual({ status: 'current', from: 2 });
    }
    const newest = third.status === 'ready' ? third.definition : stored;
    expect(await plan(newest, 3)).toEqual({ status: 'current', from: 3 });
  });

  it.each(refusedFixtures())('$name is left as it is, and told why', async (fixture) => {
    const result = await plan(definitionOf(fixture), 3);
    if (result.status !== 'refused') throw new Error(JSON.stringify(result));
    expect(result.problems.map(({ path, code }) => ({ path, code }))).toEqual(fixture.problems);
    for (const { message } of result.problems) expect(message).not.toBe('');
  });

  it('tells how the prompt would differ, in few words', async () => {
    // Without the slots of the installed tools, `{1_rubric}` is text, and the renderer fills it.
    const blind = newMigrator({ placeholderTypes: () => [] });
    const metadata = JSON.stringify({ rag_processor: 'rubric_rag', rubric_id: 'r' });
    const promptTemplate = `${'x'.repeat(2_000)}{1_rubric} {context}`;
    const result = await blind.plan(subjectOf({ metadata, promptTemplate }), 3);
    if (result.status !== 'refused') throw new Error(result.status);
    expect(result).toMatchObject({ from: 1, problems: [{ path: 'prompt_template', code: 'prompt.differs' }] });
    expect(result.differences.length).toBeGreaterThan(3);
    for (const { before, after } of result.differences) {
      expect([before, after].map((text) => text.length <= 400 && text.startsWith('…xxx'))).toEqual([true, true]);
      expect(before).toContain('x{1_rubric}');
    }
  });

  it('is well-formed and bounded, however long and odd what it quotes is', async () => {
    const odd = await plan({ metadata: JSON.stringify({ rag_processor: `${'x'.repeat(63)}😀` }) }, 3);
    if (odd.status !== 'refused') throw new Error(odd.status);
    expect(odd.problems.every(({ message }) => message.isWellFormed())).toBe(true);
    const many = await plan({ metadata: JSON.stringify({ tools: Array.from({ length: 5_000 }, () => 1) }) }, 3);
    expect(many).toMatchObject({ status: 'refused', problems: { length: 100 } });
    const metadata = JSON.stringify({ rag_processor: 'single_file_rag', file_path: 'a.md' });
    const slots = await plan({ metadata, promptTemplate: '{context}'.repeat(100_000) }, 3);
    expect(slots).toMatchObject({ status: 'refused', problems: [{ code: 'template.too_many_slots' }] });
  });

  it('notes a format of rubrics that was read as another', async () => {
    const noted = await plan(
      { metadata: JSON.stringify({ rag_processor: 'rubric_rag', rubric_id: 'r', rubric_format: 'pdf' }) },
      3,
    );
    expect(noted).toMatchObject({ status: 'ready', notes: [{ path: 'metadata.rubric_format' }] });
  });
});

const RAG = [
  'no_rag',
  'simple_rag',
  'context_aware_rag',
  'hierarchical_rag',
  'rubric_rag',
  'single_file_rag',
  'No RAG',
];
const PROMPT = ['simple_augment', 'default', '', 'tool_augment', 'context_aware_augment', 'moodle_augment'];
const PIECES = [
  '{context}',
  '{user_input}',
  '{moodle_user}',
  ' ',
  '\n',
  'word',
  '{',
  '}',
  '{name}',
  '$&',
  '\\frac{a}{b}',
];

const classic = fc.record({
  metadata: fc
    .record(
      {
        prompt_processor: fc.constantFrom(...PROMPT),
        rag_processor: fc.constantFrom(...RAG),
        rubric_id: fc.oneof(fc.integer({ min: 0 }), fc.string(), fc.constant(null)),
        rubric_format: fc.constantFrom('markdown', 'json', 'html'),
        file_path: fc.string(),
        capabilities: fc.record({ vision: fc.boolean() }),
        tools: fc.constantFrom([], null, ['weather'], [{ type: 'assistant', assistant_id: 3 }]),
        own: fc.jsonValue({ maxDepth: 3 }),
        '': fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: [] },
    )
    .map((metadata) => JSON.stringify(metadata)),
  promptTemplate: fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
  ragCollections: fc
    .array(fc.constantFrom('a', 'b', ' c ', '{context}', ''), { maxLength: 5 })
    .map((all) => all.join()),
  ragTopK: fc.integer({ min: 0, max: 22 }),
});

const OWN_KEYS = ['own', '', 'capabilities', 'prompt_processor'];

describe('any definition', () => {
  it('keeps what is not the steps’ own, goes the same way in one and in two steps, and rests at the end', async () => {
    let ready = 0;
    await fc.assert(
      fc.asyncProperty(classic, async (definition) => {
        const third = await plan(definition, 3);
        if (third.status !== 'ready') return expect(third.status).toBe('refused');
        ready += 1;
        const [before, after] = [json(definition.metadata), json(third.definition.metadata)];
        for (const key of OWN_KEYS) expect(after[key]).toEqual(before[key]);
        expect(third.definition).toMatchObject({
          ragCollections: definition.ragCollections,
          ragTopK: definition.ragTopK,
        });
        const second = await plan(definition, 2);
        if (second.status !== 'ready') throw new Error(JSON.stringify(second));
        expect(await plan(second.definition, 3)).toMatchObject({ status: 'ready', definition: third.definition });
        expect(await plan(third.definition, 3)).toEqual({ status: 'current', from: 3 });
      }),
      { numRuns: 50 },
    );
    expect(ready).toBeGreaterThan(15);
  });

  it('is never rejected, whatever it holds', async () => {
    const keys = fc.constantFrom('tools', 'functions', 'orchestrator', '_format_version', 'rag_processor', 'rubric_id');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, fc.jsonValue()), fc.string(), async (metadata, promptTemplate) => {
        const before = JSON.stringify(metadata);
        expect(['ready', 'current', 'refused']).toContain((await plan({ metadata: before, promptTemplate }, 3)).status);
      }),
      { numRuns: 50 },
    );
  });
});
