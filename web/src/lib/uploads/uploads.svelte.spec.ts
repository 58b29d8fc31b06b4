import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ProblemError } from '$lib/api/problem';
import { sendFiles } from './send-files';
import { Uploads } from './uploads.svelte';

vi.mock('./send-files', () => ({ sendFiles: vi.fn() }));
const send = vi.mocked(sendFiles);
const file = (name: string, size = 3): { name: string; file: File } => ({
  name,
  file: new File(['x'.repeat(size)], name),
});
const states = (uploads: Uploads<unknown>): string[] => uploads.items.map(({ state }) => state);

describe('uploads', () => {
  const answers: unknown[] = [];
  const make = (): Uploads<unknown> =>
    new Uploads<unknown>(
      () => '/there',
      { fileBytes: 10, files: 2, bytes: 100 },
      (answer) => answers.push(answer),
    );
  beforeEach(() => {
    answers.length = 0;
    send.mockReset();
  });

  it('sends some at a time and tells of each answer', async () => {
    send.mockResolvedValue('stored');
    const uploads = make();
    await uploads.add([file('a'), file('b'), file('c')]);
    expect(send.mock.calls.map(([, files]) => files.map(({ name }) => name))).toEqual([['a', 'b'], ['c']]);
    expect(states(uploads)).toEqual(['received', 'received', 'received']);
    expect(uploads.progress).toBe(1);
    expect(answers).toEqual(['stored', 'stored']);
  });

  it('does not send what is too large, and sends the others', async () => {
    send.mockResolvedValue('stored');
    const uploads = make();
    await uploads.add([file('huge', 11), file('a')]);
    expect(states(uploads)).toEqual(['too_large', 'received']);
    expect(uploads.failed.length).toBe(1);
  });

  it('goes on after a refused request, and retries only what failed', async () => {
    send.mockRejectedValueOnce(new ProblemError(413, 'payload_too_large', 'too much')).mockResolvedValue('stored');
    const uploads = make();
    await uploads.add([file('a'), file('b'), file('c')]);
    expect(states(uploads)).toEqual(['failed', 'failed', 'received']);
    expect(uploads.items[0]?.problem?.code).toBe('payload_too_large');
    await uploads.retry();
    expect(states(uploads)).toEqual(['received', 'received', 'received']);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('stops: what is on its way is aborted, what waits is not sent', async () => {
    send.mockImplementation(
      (_url, _files, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
        }),
    );
    const uploads = make();
    const done = uploads.add([file('a'), file('b'), file('c')]);
    expect(states(uploads)).toEqual(['sending', 'sending', 'waiting']);
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1));
    uploads.cancel();
    await done;
    expect(states(uploads)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(send).toHaveBeenCalledTimes(1);
    uploads.clear();
    expect(uploads.items).toEqual([]);
  });

  it('sends nothing when it was stopped before the script that sends had come', async () => {
    const uploads = make();
    const done = uploads.add([file('a')]);
    uploads.cancel();
    await done;
    expect([states(uploads), send.mock.calls]).toEqual([['cancelled'], []]);
  });

  it('can be used again after a stop', async () => {
    send.mockResolvedValue('stored');
    const uploads = make();
    uploads.cancel();
    await uploads.add([file('a')]);
    expect(states(uploads)).toEqual(['received']);
    expect(send.mock.calls[0]?.[2].signal.aborted).toBe(false);
  });
});
