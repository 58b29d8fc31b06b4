import { beforeEach, describe, expect, it } from 'vitest';
import { forgetWork } from './own-work';

const keys = (): string[] => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort();

describe('what a browser keeps of work', () => {
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    for (const user of ['u1', 'u2']) {
      localStorage.setItem(`bellwether.draft.${user}.classic.new`, '{}');
      for (const organization of ['o1', 'o2']) {
        sessionStorage.setItem(`bellwether.playground.${user}.${organization}.7`, '[]');
      }
    }
    localStorage.setItem('bellwether.locale', 'eu');
    sessionStorage.setItem('bellwether.playground.7', '[]');
  });

  it('stays for who is there, in their organization', () => {
    forgetWork({ user: 'u1', organization: 'o2' });
    expect(keys()).toEqual(['bellwether.draft.u1.classic.new', 'bellwether.locale', 'bellwether.playground.u1.o2.7']);
  });

  it('goes with who signs out', () => {
    forgetWork();
    expect(keys()).toEqual(['bellwether.locale']);
  });
});
