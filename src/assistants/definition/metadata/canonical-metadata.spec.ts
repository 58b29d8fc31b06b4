import { specifiedTools as tools } from '../../../../test/support/tool-vocabulary';
import { canonicalMetadata, withToolUse } from './definition';

const canonical = (metadata: object): unknown => JSON.parse(canonicalMetadata(JSON.stringify(metadata), tools));

describe('a multi-tool document that is saved', () => {
  it('gets its version, the placeholders that it lacks and canonical keys', () => {
    const given = {
      assistant_type: 'multi_tool',
      note: 'kept',
      tools: [
        { type: 'rubric', config: { rubric_id: null }, mine: 1 },
        { plugin: 'simple_rag', placeholder: '7_context', config: {} },
        { plugin: 'simple_rag', placeholder: '', enabled: false },
        { plugin: 'no_rag' },
        'weather',
      ],
    };
    expect(canonical(given)).toEqual({
      _format_version: 3,
      assistant_type: 'multi_tool',
      note: 'kept',
      tools: [
        { plugin: 'rubric_rag', placeholder: '1_rubric', config: { rubric_id: null }, mine: 1 },
        { plugin: 'simple_rag', placeholder: '7_context', config: {} },
        { plugin: 'simple_rag', placeholder: '3_context', enabled: false },
        { plugin: 'no_rag' },
        'weather',
      ],
    });
    expect(canonical(canonical(given) as object)).toEqual(canonical(given));
  });

  it.each([
    ['has all of it', '{ "_format_version": 3, "assistant_type": "multi_tool", "tools": [{"plugin": "no_rag"}] }'],
    ['is of version 2', '{ "tools": [{"type": "simple_rag"}] }'],
    ['says that it is of version 2', '{ "_format_version": 2, "assistant_type": "multi_tool", "tools": [] }'],
    ['is classic', '{ "rag_processor": "simple_rag" }'],
    ['is empty', ''],
    ['cannot be read', '{'],
  ])('stays to the letter when it %s', (_, text) => {
    expect(canonicalMetadata(text, tools)).toBe(text);
  });
});

describe('tool use', () => {
  it('is told by the functions that a document has', () => {
    expect(withToolUse({ functions: ['weather'] })).toEqual({
      functions: ['weather'],
      capabilities: { tool_use: true },
    });
    expect(withToolUse({ tools: ['weather'], capabilities: { vision: true } })).toMatchObject({
      capabilities: { vision: true, tool_use: true },
    });
    expect(withToolUse({ functions: [], capabilities: { tool_use: true } })).toMatchObject({
      capabilities: { tool_use: false },
    });
  });

  it('adds nothing to a document without functions and capabilities', () => {
    for (const metadata of [{}, { capabilities: null }, { capabilities: 'odd', functions: ['weather'] }])
      expect(withToolUse(metadata)).toBe(metadata);
  });
});
