import { ScimError } from '../../platform/http';
import { operationsOf } from '../protocol/patch';
import { patchedUser, userOf } from './user-resource';

describe('many addresses of a user', () => {
  it('are refused at once, before each is compared with every other', () => {
    const user = userOf({ userName: 'ada' });
    const value = Array.from({ length: 40 }, (_, number) => ({ value: `a${number}@uni.example` }));
    const add = (from: number) => ({ op: 'add', path: 'emails', value: value.slice(from, from + 20) });
    expect(patchedUser(user, operationsOf({ Operations: [add(0)] })).emails).toHaveLength(20);
    const later = { op: 'replace', path: 'emails', value: [] };
    expect(() => patchedUser(user, operationsOf({ Operations: [add(0), add(20), later] }))).toThrow(ScimError);
  });
});
