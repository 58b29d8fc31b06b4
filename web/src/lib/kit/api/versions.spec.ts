import { describe, expect, it, vi } from 'vitest';
import { ProblemError } from './problem';
import { sendUpon } from './versions';

interface Note {
  readonly version: number;
  readonly text: string;
}
/** A service that keeps one note. */
function service(kept: Note) {
  const store = { kept };
  const send = vi.fn(async (version: number): Promise<Note> => {
    if (version !== store.kept.version) throw new ProblemError(412, 'precondition_failed', 'another version');
    return (store.kept = { version: version + 1, text: 'mine' });
  });
  return { store, send, read: async (): Promise<Note> => store.kept };
}

describe('a change that is based on a version', () => {
  it('is saved where nobody was faster', async () => {
    const { send, read } = service({ version: 3, text: 'begun' });
    expect(await sendUpon(3, { send, read, losesNothing: () => false })).toEqual({
      saved: { version: 4, text: 'mine' },
    });
  });

  it('gives theirs back, and is sent once, where it would overwrite something', async () => {
    const { send, read } = service({ version: 4, text: 'theirs' });
    const told = await sendUpon(3, { send, read, losesNothing: ({ text }) => text === 'begun' });
    expect(told).toEqual({ theirs: { version: 4, text: 'theirs' } });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('is sent upon theirs where nothing is lost', async () => {
    const { send, read } = service({ version: 7, text: 'begun' });
    const told = await sendUpon(3, { send, read, losesNothing: ({ text }) => text === 'begun' });
    expect(told).toEqual({ saved: { version: 8, text: 'mine' } });
    expect(send.mock.calls).toEqual([[3], [7]]);
  });

  it('ends where somebody is always faster', async () => {
    const { store, read } = service({ version: 1, text: 'begun' });
    const send = vi.fn(async (): Promise<Note> => {
      store.kept = { ...store.kept, version: store.kept.version + 1 };
      throw new ProblemError(412, 'precondition_failed', 'another version');
    });
    expect(await sendUpon(1, { send, read, losesNothing: () => true })).toEqual({ theirs: store.kept });
    expect(send).toHaveBeenCalledTimes(5);
  });

  it('fails as sending fails', async () => {
    const gone = new ProblemError(404, 'not_found', 'gone');
    const send = vi.fn(async (): Promise<Note> => Promise.reject(gone));
    const read = async (): Promise<Note> => ({ version: 1, text: '' });
    await expect(sendUpon(1, { send, read, losesNothing: () => true })).rejects.toBe(gone);
  });
});
