import type { KnowledgeBaseSource } from '@bellwether/kernel';
import * as fc from 'fast-check';
import { cut, reportMarkdown, reportMessage } from './report-markdown';
import type { RunReport } from './report.types';
import { redactText, shapeReport } from './shape-report';

const source = (n: number): KnowledgeBaseSource => ({
  type: 'knowledge_base',
  title: `Page ${n}`,
  url: `/docs/${n}`,
  similarity: 0.5,
  document: null,
});

const report = (overrides: Partial<RunReport> = {}): RunReport => ({
  created_at: '2026-11-21T10:00:00.000Z',
  orchestrator: 'sequential',
  assistant: { id: 1, name: 'Tutor', type: 'multi_tool' },
  request: { user_message: 'What is osmosis?', stream: false },
  tools: [
    { index: 0, plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['bio'] } },
  ],
  results: [
    {
      index: 0,
      plugin: 'simple_rag',
      placeholder: '1_context',
      status: 'completed',
      chars: 7,
      sources: 1,
      duration_ms: 1.25,
      preview: 'Osmosis',
    },
  ],
  sources: [source(1)],
  messages: [{ role: 'user', content: 'Osmosis\n\nWhat is osmosis?' }],
  warnings: [],
  ...overrides,
});

describe('shapeReport', () => {
  it('cuts user text at 200, previews at 500, messages at 300, and counts the sources beyond 10', () => {
    const [first] = report().results;
    const shaped = shapeReport(
      report({
        request: { user_message: 'u'.repeat(900), stream: true },
        results: first ? [{ ...first, preview: 'p'.repeat(900) }] : [],
        messages: [{ role: 'user', content: 'm'.repeat(900) }],
        sources: Array.from({ length: 25 }, (_, n) => source(n)),
      }),
      [],
    );
    expect(shaped.request.user_message).toBe(`${'u'.repeat(200)}...`);
    expect(shaped.results[0]?.preview).toBe(`${'p'.repeat(500)}...`);
    expect(shaped.messages[0]?.content).toBe(`${'m'.repeat(300)}...`);
    expect(shaped.sources).toHaveLength(10);
    expect(shaped.totals.sources).toBe(25);
    expect(reportMarkdown(shaped)).toContain('- **Total Sources:** 25');
    expect(reportMarkdown(shaped)).toContain('\n*... and 15 more sources*\n');
  });

  it('keeps a conversation of thousands small and says how many messages there were', () => {
    const messages = Array.from({ length: 10_000 }, (_, n) => ({ role: 'user', content: `message ${n}` }));
    const shaped = shapeReport(report({ messages }), []);
    expect(shaped.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['message 0', 'message 9999']),
    );
    expect(shaped.messages.length).toBeLessThanOrEqual(50);
    expect(shaped.totals.messages).toBe(10_000);
  });

  it('redacts secrets by value and by shape, also across the cut, in configs, sources and warnings', () => {
    const secret = 'canary-value-without-a-shape';
    const shaped = shapeReport(
      report({
        request: { user_message: `${'x'.repeat(190)}${secret}`, stream: false },
        tools: [
          {
            index: 0,
            plugin: 'x',
            placeholder: null,
            enabled: true,
            config: { nested: [{ api_key: 'abc', note: `Bearer ${'t'.repeat(20)}` }], url: 'https://me:pass@host/x' },
          },
        ],
        sources: [{ ...source(1), url: 'https://host/?key=sk-abcdefghijklmnop1234' }],
        messages: [{ role: 'system', content: `key ${secret} and bw_live_abcdefabcdef_${'s'.repeat(43)}` }],
        warnings: [`said ${secret}`],
      }),
      [secret],
    );
    const text = JSON.stringify(shaped) + reportMarkdown(shaped);
    for (const leak of [secret, 'canary-val', '"abc"', 'tttt', 'me:pass', 'sk-abc', 'ssss'])
      expect(text).not.toContain(leak);
    expect(text).toContain('[redacted]');
  });

  it.each<[string, string, readonly string[]]>([
    ['a short value', 'canary-value-without-a-shape', ['canary-value-without-a-shape']],
    ['a value that is longer than what is read beyond a cut', 'canary'.repeat(60), ['canary'.repeat(60)]],
    ['the longer of two values', 'canary'.repeat(60), ['short-secret', 'canary'.repeat(60)]],
    ['a shape', `sk-${'canary0'.repeat(8)}`, []],
    ['a long shape', `Bearer ${'canary0'.repeat(80)}`, []],
  ])('redacts %s wherever a cut goes through it, however much text follows', (_, secret, secrets) => {
    for (const before of [0, 1, 100, 190, 197, 199]) {
      const user_message = `${'x'.repeat(before)} ${secret} ${'y'.repeat(5_000)}`;
      const shaped = shapeReport(report({ request: { user_message, stream: false } }), secrets).request.user_message;
      expect(shaped).not.toMatch(/can|short/);
      expect(shaped.length).toBeLessThanOrEqual(203);
    }
  });

  it('changes nothing when applied again', () => {
    const once = shapeReport(report({ sources: Array.from({ length: 25 }, (_, n) => source(n)) }), []);
    expect(shapeReport(once, [])).toEqual(once);
  });

  it('never splits a surrogate pair and never grows beyond the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
        const result = cut(text, max);
        expect(result.length).toBeLessThanOrEqual(max + 3);
        if (text.isWellFormed()) expect(result.isWellFormed()).toBe(true);
      }),
    );
  });

  it('leaves ordinary text alone', () => {
    const ordinary = 'The task-force asked: token of appreciation, sk-ip, Bearer of news; \\frac{a}{b} $& {user_input}';
    expect(redactText(ordinary, ['ab'])).toBe(ordinary);
  });
});

describe('the parts of the filled template', () => {
  const part = (text: string, more: object = {}) => ({ text, chars: text.length, ...more });

  it('are cut at 2,000 characters, what the user wrote at 200, and keep their whole length', () => {
    const long = 'x'.repeat(3_000);
    const prompt = [part(long), part(long, { slot: '1_context', index: 0 }), part(long, { slot: 'user_input' })];
    const shaped = shapeReport(report({ prompt }), []);
    expect(shaped.prompt?.map(({ text, chars }) => [text.length, chars])).toEqual([
      [2_003, 3_000],
      [2_003, 3_000],
      [203, 3_000],
    ]);
    expect(shapeReport(shaped, []).prompt).toEqual(shaped.prompt);
  });

  it('have 20,000 characters in all, and no secret', () => {
    const prompt = Array.from({ length: 600 }, (_, index) =>
      part(`sesame-key ${'y'.repeat(1_000)}`, { slot: 's', index }),
    );
    const shaped = shapeReport(report({ prompt }), ['sesame-key']).prompt ?? [];
    expect(shaped).toHaveLength(500);
    expect(shaped.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(21_000);
    expect(JSON.stringify(shaped)).not.toContain('sesame');
    expect(shaped.at(-1)).toEqual({ slot: 's', index: 499, text: '', chars: 1_011 });
  });
});

describe('reportMarkdown', () => {
  it('has its sections in the documented order', () => {
    const markdown = reportMarkdown(shapeReport(report(), []));
    const headings = markdown.split('\n').filter((line) => /^#+ /.test(line));
    expect(headings).toEqual([
      '# Multi-Tool Orchestration Report',
      '## Request Summary',
      '## Tool Configuration',
      '### Tool 1: simple_rag',
      '## Tool Execution Results',
      '### 1_context (context)',
      '## Sources Summary',
      '### Source 1',
      '## Final Messages Sent to LLM',
      '### Message 1 (user)',
    ]);
    for (const line of [
      '**Orchestrator:** sequential',
      '- **Content Length:** 7 characters',
      '- **Has Sources:** true',
    ]) {
      expect(markdown).toContain(line);
    }
  });

  it('keeps content inside its block, whatever fences it holds', () => {
    const content = '```\n# not a heading of ours\n````\n';
    const markdown = reportMarkdown(shapeReport(report({ messages: [{ role: 'user', content }] }), []));
    expect(markdown).toContain(`\`\`\`\`\`\n${content}\n\`\`\`\`\``);
  });

  it('shows a failed tool with its code and reason', () => {
    const [first] = report().results;
    const failed = first
      ? [{ ...first, status: 'failed' as const, code: 'tool.timeout', message: 'too slow', preview: '' }]
      : [];
    const markdown = reportMarkdown(shapeReport(report({ results: failed, warnings: ['careful\n# now'] }), []));
    expect(markdown).toContain('- **Status:** failed (tool.timeout)');
    expect(markdown).toContain('- **Reason:** too slow');
    expect(markdown).toContain('- careful # now');
    expect(markdown).toContain('- **Content Preview:**\n```\nNo content\n```');
  });
});

describe('reportMessage', () => {
  it('takes list content, images and tool calls without their data', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(reportMessage({ role: 'user', content: [{ type: 'text', text: 'Look' }, image] })).toEqual({
      role: 'user',
      content: 'Look\n[image_url]',
    });
    const call = { id: '1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } };
    expect(reportMessage({ role: 'assistant', content: null, tool_calls: [call] }).content).toBe('[tool call weather]');
    expect(reportMessage({ role: 'assistant' }).content).toBe('');
  });
});
