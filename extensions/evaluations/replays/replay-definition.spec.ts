import { areToolChanges, changed } from './replay-definition';

const definition = {
  metadata: {
    tools: [
      { plugin: 'simple_rag', placeholder: '1_context', config: { collections: ['bio'], top_k: 1, mode: 'keyword' } },
      { plugin: 'rubric_rag', placeholder: '2_rubric', config: { id: 'r' } },
    ],
  },
};
const toolsAfter = (tools: Parameters<typeof changed>[1]['tools'] & object): unknown =>
  (changed(definition, { tools })['metadata'] as { tools: unknown }).tools;
const [first, second] = definition.metadata.tools;

describe('changes of tools', () => {
  it('set and leave out settings of one tool', () => {
    expect(toolsAfter({ '1_context': { config: { top_k: 5 }, unset: ['mode', 'never_set'] } })).toEqual([
      { ...first, config: { collections: ['bio'], top_k: 5 } },
      second,
    ]);
  });

  it('set a setting that they also leave out', () => {
    expect(toolsAfter({ '2_rubric': { config: { id: 's' }, unset: ['id'] } })).toEqual([
      first,
      { ...second, config: { id: 's' } },
    ]);
  });

  it.each([[null], [[]], [{ a: null }], [{ a: { unset: 'mode' } }], [{ a: { unset: [1] } }], [{ a: { config: [] } }]])(
    'are not %j',
    (value) => expect(areToolChanges(value)).toBe(false),
  );

  it('may name nothing but a switch', () => {
    expect(areToolChanges({ a: { enabled: false }, b: {} })).toBe(true);
    expect(areToolChanges({ a: { enabled: 'no' } })).toBe(false);
  });
});
