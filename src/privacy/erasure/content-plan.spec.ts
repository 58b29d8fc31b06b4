import { type OwnedContent, planContent } from './content-plan';

const item = (type: OwnedContent['type'], id: string, more: Partial<OwnedContent> = {}): OwnedContent => ({
  type,
  id,
  name: id,
  shared: false,
  gone: false,
  names: [id],
  ...more,
});
const ids = (owned: OwnedContent[], unshared: 'delete' | 'hand_over' = 'delete'): [string[], string[]] => {
  const plan = planContent(owned, unshared);
  return [plan.handOver.map(({ id }) => id), plan.delete.map(({ id }) => id)];
};

describe('content of a person who is erased', () => {
  it('goes to the heir where others use it, and is deleted otherwise', () => {
    const owned = [item('rubrics', 'shared', { shared: true }), item('rubrics', 'alone')];
    expect(ids(owned)).toEqual([['shared'], ['alone']]);
    expect(ids(owned, 'hand_over')).toEqual([['shared', 'alone'], []]);
  });

  it('goes along with an assistant that needs it, also over other assistants', () => {
    const calls = JSON.stringify({ functions: [{ type: 'assistant', assistant_id: 2 }], top_k: 3 });
    const reads = JSON.stringify({
      tools: [{ config: { file_path: 'a/ñ.md' }, fallback: { config: { kb_id: 'kb' } } }],
    });
    const owned = [
      item('assistants', '1', { shared: true, definition: [calls, 'notes, other'] }),
      item('assistants', '2', { definition: [reads] }),
      item('assistants', '3'),
      item('files', 'f', { names: ['f', 'a/ñ.md'] }),
      item('files', 'g'),
      item('knowledge_bases', 'kb'),
      item('knowledge_bases', 'kb2', { names: ['kb2', 'notes'] }),
    ];
    expect(ids(owned)).toEqual([
      ['1', '2', 'f', 'kb', 'kb2'],
      ['3', 'g'],
    ]);
  });

  it('is deleted where only its rows are left, whatever the choice', () => {
    expect(ids([item('assistants', '1', { shared: true, gone: true })], 'hand_over')).toEqual([[], ['1']]);
  });
});
