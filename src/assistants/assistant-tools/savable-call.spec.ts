import type { CallFacts, TargetFacts } from './call-decision.types';
import { savableCall } from './call-targets';

const home = { id: 'Go', suspended: false, exports: false, imports: false };
const told = (target: Partial<TargetFacts> | null, answerable = true): string | null => {
  const facts: CallFacts = {
    callerMayRun: true,
    depth: 0,
    quotaSpent: false,
    calling: { id: 1, ownerId: 'Ao', ownerActive: true, live: true, organization: home },
    target: target && {
      id: 2,
      ownerId: 'Ao',
      ownerActive: true,
      deleted: false,
      disabled: false,
      publication: 'none',
      sharedWithOwner: false,
      toolUsing: false,
      organization: home,
      ...target,
    },
  };
  return savableCall(facts, answerable)?.code ?? null;
};

describe('what a definition that calls another assistant is told at save', () => {
  it.each<[string, Partial<TargetFacts> | null, string | null]>([
    ['its own (A1)', {}, null],
    ['a stranger’s (A6)', { ownerId: 'At' }, 'tool.inaccessible'],
    ['nothing by that id', null, 'tool.inaccessible'],
    ['one that calls functions (B1)', { toolUsing: true }, 'tool_using_assistant'],
    ['itself (B4)', { id: 1, toolUsing: true }, 'tool_using_assistant'],
    ['one that is switched off (C1)', { disabled: true }, 'tool.disabled'],
    ['one that is deleted (C1)', { deleted: true }, 'tool.inaccessible'],
    ['one whose owner is gone (C2)', { ownerActive: false }, 'tool.inaccessible'],
    ['its own in another organization (D1)', { organization: { ...home, id: 'Gt' } }, 'tool.inaccessible'],
  ])('%s', (_, target, code) => {
    expect(told(target)).toBe(code);
  });

  it('says of what is out of reach only that it does not exist, whatever it is', () => {
    for (const state of [{ toolUsing: true }, { disabled: true }, { deleted: true }, { ownerActive: false }])
      expect(told({ ownerId: 'At', ...state })).toBe('tool.inaccessible');
  });

  it('warns of a target without a model, and only then (C5)', () => {
    expect(told({}, false)).toBe('tool.degraded');
    expect(told({ ownerId: 'At' }, false)).toBe('tool.inaccessible');
  });
});
