import { cleanup, render, screen } from '@testing-library/svelte';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProblemError } from '$lib/kit/api/problem';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { sendFiles } from './send-files';
import UploadProgress from './UploadProgress.svelte';
import { DOCUMENT_FILES, Uploads } from './uploads.svelte';

vi.mock('./send-files', () => ({ sendFiles: vi.fn() }));
const send = vi.mocked(sendFiles);
const file = (name: string, size = 3): { name: string; file: File } => ({
  name,
  file: new File(['x'.repeat(size)], name),
});
const states = (uploads: Uploads<unknown>): string[] => uploads.items.map(({ state }) => state);

describe('uploads', () => {
  const answers: unknown[] = [];
  const make = (accept?: string): Uploads<unknown> =>
    new Uploads<unknown>(
      () => '/there',
      { accept, fileBytes: 10, files: 2, bytes: 100 },
      (answer) => answers.push(answer),
    );
  beforeAll(async () => {
    const words = readFileSync(join(import.meta.dirname, '../i18n/messages/content.en.json'), 'utf8');
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(words)));
    await i18n.use('en');
    vi.unstubAllGlobals();
  });
  afterEach(cleanup);
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

  it('refuses kinds that are not read before anything is sent, also from a dropped folder', async () => {
    send.mockResolvedValue('stored');
    const uploads = make(DOCUMENT_FILES);
    await uploads.add([file('week 1/talk.mp4'), file('week 1/NOTES.PDF'), file('plan.odt'), file('pdf')]);
    expect(states(uploads)).toEqual(['not_accepted', 'received', 'not_accepted', 'not_accepted']);
    expect(send.mock.calls.map(([, files]) => files.map(({ name }) => name))).toEqual([['week 1/NOTES.PDF']]);
    render(UploadProgress, { uploads });
    expect(screen.getAllByText(/^This kind of file cannot be read\. Save it as PDF/)).toHaveLength(3);
    expect(screen.getByText(/^4 files/).textContent).toContain('Upload finished');
    await uploads.retry();
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('says that it is over once nothing is on its way, however it ended', async () => {
    let arrive = (_answer: unknown): void => undefined;
    send.mockImplementation(() => new Promise((resolve) => (arrive = resolve)));
    const uploads = make();
    const done = uploads.add([file('a'), file('huge', 11)]);
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1));
    render(UploadProgress, { uploads });
    expect(screen.getByText(/^2 files/).textContent).toContain('0%');
    arrive('stored');
    await done;
    await vi.waitFor(() => expect(screen.getByText(/^2 files/).textContent).toContain('Upload finished'));
    expect(screen.queryByText('Stop')).toBeNull();
  });

  it('accepts the kinds that the service reads', () => {
    const source = readFileSync(
      join(import.meta.dirname, '../../../../../packages/extraction/src/document/document-format.ts'),
      'utf8',
    );
    const [, list = ''] = /EXTENSIONS[^{]*= \{([^}]*)\}/.exec(source) ?? [];
    const read = [...list.matchAll(/(\w+):/g)].map(([, extension]) => `.${extension}`);
    expect(DOCUMENT_FILES.split(',').sort()).toEqual(read.sort());
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
