import { describe, expect, it } from 'vitest';
import { definitionOf } from './run-tool-alone';

describe('a tool that runs alone', () => {
  it('is the only tool of its definition and fills the first slot', () => {
    const config = { collections: ['biology'] };
    expect(definitionOf({ plugin: 'simple_rag', placeholder: '3_context', config })).toMatchObject({
      prompt_template: '{1_context}',
      metadata: { tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config }] },
    });
  });

  it('may fill no slot', () => {
    const { prompt_template, metadata } = definitionOf({ plugin: 'check', placeholder: null }) as {
      prompt_template: string;
      metadata: { tools: unknown };
    };
    expect([prompt_template, metadata.tools]).toEqual([
      '{user_input}',
      [{ plugin: 'check', enabled: true, config: {} }],
    ]);
  });
});
