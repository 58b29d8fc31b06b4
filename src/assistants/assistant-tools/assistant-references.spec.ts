import { assistantReferences, toolUse } from './assistant-references';

const CALL = { plugin: 'assistant', config: { assistant_id: 7 } };

describe('what a definition says of other assistants', () => {
  it('is found under every key that calls one', () => {
    const metadata = {
      assistant_type: 'multi_tool',
      tools: [CALL, { plugin: 'simple_rag', fallback: CALL }, { type: 'assistant', assistant_id: 8 }],
      functions: ['weather', { type: 'assistant', assistant_id: 9, name: 'n' }, { type: 'assistant' }],
    };
    expect(assistantReferences(metadata).map(({ path, id }) => ({ path, id }))).toEqual([
      { path: 'metadata.tools[2].assistant_id', id: 8 },
      { path: 'metadata.functions[1].assistant_id', id: 9 },
      { path: 'metadata.functions[2].assistant_id', id: null },
      { path: 'metadata.tools[0].config.assistant_id', id: 7 },
      { path: 'metadata.tools[1].fallback.config.assistant_id', id: 7 },
    ]);
  });

  it.each([
    ['a name', { tools: ['weather'] }, 'metadata.tools[0]'],
    ['a knowledge base under tools', { tools: [{ type: 'knowledge_base', kb_id: 'k' }] }, 'metadata.tools[0]'],
    ['any function', { functions: [{ type: 'image' }] }, 'metadata.functions[0]'],
    ['a pipeline tool that calls', { tools: [CALL] }, 'metadata.tools[0].config.assistant_id'],
    ['one that is off', { tools: [{ ...CALL, enabled: false }] }, 'metadata.tools[0].config.assistant_id'],
    [
      'one to fall back to',
      { tools: [{ plugin: 'no_rag', fallback: CALL }] },
      'metadata.tools[0].fallback.config.assistant_id',
    ],
    ['content tools only', { tools: [{ plugin: 'simple_rag' }, { type: 'rubric' }] }, null],
    ['an old connector without functions', { connector: 'openai_tools' }, null],
    ['nothing', {}, null],
  ])('counts %s as it should', (_, metadata, expected) => {
    expect(toolUse(metadata)).toBe(expected);
  });
});
